package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/codec"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A StateSet is the aggregates that all types have without filters over the same rows of one table, by the same keys.
// Their partials are computed in advance, and stored, together. So partials that several types need are computed and
// stored once.
type StateSet struct {
	codec.StateSet
	*Merge             // whose only part it is, of no website and no time
	Part   *mergedPart // which has all aggregates
	count  string      // the name of the aggregate that counts rows
	Names  SetNames    // of its partials
	Totals SetNames
}

// StateSets has all state sets of an engine, in the order of the types.
type StateSets struct {
	All     []*StateSet
	byCount map[string]*StateSet // by the name of the aggregate that counts rows
}

// findStateSets returns the state sets of the types.
func (mr *Merger) findStateSets() StateSets {
	found := StateSets{byCount: map[string]*StateSet{}}
	// Any website and time do: see state set.
	const anyDay = "2001-01-01"
	now := time.Date(2001, 2, 1, 0, 0, 0, 0, time.UTC)
	for _, of := range mr.types.All() {
		req := ask.Request{StartDate: anyDay, EndDate: anyDay, Parameters: []ask.Parameter{{Name: of.Name}}}
		resolved, mistakes := plan.Resolve(mr.types, ask.Access{Subject: store.Subject{Kind: store.KindWebsite}}, req,
			now, nil)
		if len(mistakes) > 0 || resolved.Parameters[0].Err != nil {
			continue // it is of another kind of subject, or needs a filter
		}
		if m := mergeOf(resolved.Parameters[0].Plan); m != nil {
			for _, part := range m.parts {
				found.add(m, part)
			}
		}
	}
	derived, _ := compile.Derivation(mr.store.Dialect(), store.Subject{Kind: store.KindWebsite},
		calendar.Interval{From: 0, To: calendar.Day}, nil)
	for _, set := range found.All {
		set.Keyed, set.KeyNames = len(set.keys) > 0, set.keyTexts()
		set.finish(mr.store.Dialect(), derived)
	}
	return found
}

// add adds the aggregates of a part.
func (s *StateSets) add(m *Merge, of *mergedPart) {
	count := m.aggregates[of.Count].Name
	set := s.byCount[count]
	if set == nil {
		part := &mergedPart{tb: of.tb, needs: of.needs}
		set = &StateSet{Merge: &Merge{p: m.p, keys: m.keys, width: m.width, parts: []*mergedPart{part}}, Part: part,
			count: count}
		s.byCount[count], s.All = set, append(s.All, set)
	}
	for _, i := range of.aggregates {
		if one := m.aggregates[i]; !set.has(one.Aggregate) {
			one.part = set.Part
			set.aggregates = append(set.aggregates, one)
		}
	}
}

func (set *StateSet) has(a state.Aggregate) bool {
	return slices.ContainsFunc(set.aggregates, func(l aggregate) bool { return l.Name == a.Name })
}

// Partials returns the partials of the state set in a stretch, of a version. It returns nil if some are missing or it
// has no rows.
func (set *StateSet) Partials(site *memory.Partials, of calendar.Interval, version uint64) (all []*state.Partial) {
	for _, a := range set.Aggregates {
		found, missing := site.Find(a, []calendar.Interval{of}, []uint64{version})
		if len(missing) > 0 || found[0] == nil {
			return nil
		}
		all = append(all, found[0])
	}
	return all
}

// statesVersion is a part of the names of states. Change it if the meaning of states changes in a way that neither
// statements nor the names of aggregates show.
const statesVersion = 4

// finish orders the aggregates, and names the state set by the statements that compute it. A program that computes
// something else uses other names, and never reads these states.
func (set *StateSet) finish(d *dialect.Dialect, seals store.Derivation) {
	// what rows are grouped by first
	slices.SortStableFunc(set.aggregates, func(a, b aggregate) int { return cmp.Compare(b.Kind, a.Kind) })
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%d\n", statesVersion) // a hash takes all
	for i, one := range set.aggregates {
		if set.Part.aggregates = append(set.Part.aggregates, i); one.Name == set.count {
			set.Part.Count = i
		}
		set.Aggregates = append(set.Aggregates, one.Aggregate)
		_, _ = fmt.Fprintf(hash, "%q %d %q\n", one.Name, one.Kind, one.Members)
	}
	set.Totals = SetNames{store.StateName{Kind: totalsKind, Number: numberOf(hash.Sum(nil))},
		map[string]store.StateName{}}
	from := set.p.Range.From.UnixMilli()
	w := calendar.Interval{From: from, To: from + calendar.Day}
	p := planIn(set.p, w)
	partials, _ := set.compilePartials(d, p, days.Sealed{}, set.Part, w)
	for _, s := range append([]store.Statement{partials.Statement}, seals.Rows...) {
		_, _ = fmt.Fprintf(hash, "%q %v\n", s.SQL, s.Args)
	}
	set.Names = SetNames{store.StateName{Kind: partialKind, Number: numberOf(hash.Sum(nil))},
		map[string]store.StateName{}}
	for _, members := range set.Dictionaries(set.Aggregates) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\ndictionary %s", statesVersion, members))
		number := numberOf(sum[:])
		set.Names.Dictionaries[members] = store.StateName{Kind: dictionaryKind, Number: number}
		set.Totals.Dictionaries[members] = store.StateName{Kind: totalsDictionaryKind, Number: number}
	}
}

func numberOf(sum []byte) int64 { return int64(binary.BigEndian.Uint64(sum)) } // any will do

// of is the state set that has all aggregates of a part; nil: none has.
func (s *StateSets) of(m *Merge, part *mergedPart) *StateSet {
	set := s.byCount[m.aggregates[part.Count].Name]
	lacks := func(i int) bool { return !set.has(m.aggregates[i].Aggregate) }
	if set == nil || slices.ContainsFunc(part.aggregates, lacks) {
		return nil
	}
	return set
}

// Numbers returns the numbers of all stored partials and of their dictionaries.
func (s *StateSets) Numbers() (all []int64) {
	for _, set := range s.All {
		all = append(all, set.Names.State.Number)
		for _, dictionary := range set.Names.Dictionaries {
			all = append(all, dictionary.Number)
		}
	}
	return all
}

// Lookup returns a lookup of the state set for a website on some days, in the background.
func (set *StateSet) Lookup(mr *Merger, site *memory.Partials, website store.Subject,
	days []calendar.Interval) *Lookup {
	m, p := *set.Merge, *set.p
	p.Subject = website
	m.p, m.stretches = &p, days
	return &Lookup{Merge: &m, merger: mr, Site: site, background: true,
		Found: make([][]*state.Partial, len(m.aggregates))}
}
