package codec

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
)

// A StateSet is the aggregates that are stored together: over the same rows, by the same keys.
type StateSet struct {
	Aggregates []state.Aggregate
	KeyNames   string // as in [state.Computed]
	Keyed      bool   // otherwise keys are pieces of the stretch
}

// membersOf returns the names of the members of aggregates of a kind, each once.
func membersOf(kind state.Kind, of []state.Aggregate) (names []string) {
	for _, a := range of {
		if a.Kind == kind && !slices.Contains(names, a.Members) {
			names = append(names, a.Members)
		}
	}
	return names
}

// Dictionaries returns the names of the dictionaries that some aggregates of the set need, which are the names of their
// members.
func (s *StateSet) Dictionaries(of []state.Aggregate) []string { return membersOf(state.Set, of) }

// A Memory numbers the keys and members of a subject, and holds dictionaries in memory.
type Memory interface {
	TextsOf(name string) *state.Texts
	MembersOf(name string) *state.Members
	// Dictionary returns a dictionary of an interval, or nil if it is not in memory.
	Dictionary(members string, of calendar.Interval) *state.Dictionary
	// PutDictionary holds a dictionary in memory, in place of an earlier one. With nil it forgets the earlier one.
	PutDictionary(members string, of calendar.Interval, d *state.Dictionary)
}
