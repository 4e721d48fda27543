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

// Partials returns the partials of the state set in a stretch, of a version. It returns nil if some are missing or it has no
// rows.
func (bu *StateSet) Partials(site *memory.Shelf, of calendar.Interval, version uint64) (all []*state.Partial) {
	for _, a := range bu.Aggregates {
		found, missing := site.Find(a, []calendar.Interval{of}, []uint64{version})
		if len(missing) > 0 || found[0] == nil {
			return nil
		}
		all = append(all, found[0])
	}
	return all
}

// Partials are computed ahead, and stored, by state sets: all aggregates that the types have without filters over the same
// rows of one table, by the same keys. So what several types need is computed and stored once.

// A StateSet is one of them.
type StateSet struct {
	codec.StateSet
	*Merge                  // whose only part it is, of no website and no time
	Part   *mergedPart      // which has all aggregates
	count  string           // the name of the aggregate that counts rows
	Name   int64            // of its stored states
	Called map[string]int64 // the names of its stored dictionaries, by those of their members
}

// StateSets has all state sets of an engine, in the order of the types.
type StateSets struct {
	All     []*StateSet
	byCount map[string][]*StateSet // by the name of the aggregate that counts rows
}

// findStateSets returns the state sets of the types.
func (mr *Merger) findStateSets() StateSets {
	found := StateSets{byCount: map[string][]*StateSet{}}
	// Any website and time do: see state set.
	const anyDay = "2001-01-01"
	now := time.Date(2001, 2, 1, 0, 0, 0, 0, time.UTC)
	for _, of := range mr.types.All() {
		req := ask.Request{StartDate: anyDay, EndDate: anyDay, Parameters: []ask.Parameter{{Name: of.Name}}}
		resolved, mistakes := plan.Resolve(mr.types, ask.Access{Subject: store.Subject{Kind: store.KindWebsite}}, req, now, nil)
		if len(mistakes) > 0 || resolved.Parameters[0].Err != nil {
			continue // it is of another kind of subject, or needs a filter
		}
		if m := mergeOf(resolved.Parameters[0].Plan); m != nil {
			for _, part := range m.parts {
				found.add(m, part)
			}
		}
	}
	derived, _ := compile.Derivation(mr.store.Dialect(), store.Subject{Kind: store.KindWebsite}, calendar.Interval{From: 0, To: calendar.Day}, nil)
	for _, bu := range found.All {
		bu.Keyed, bu.KeyNames = len(bu.keys) > 0, bu.keyTexts()
		bu.finish(mr.store.Dialect(), derived)
	}
	return found
}

// add adds the aggregates of a part.
func (s *StateSets) add(m *Merge, of *mergedPart) {
	count := m.leaves[of.Count].Name
	i := slices.IndexFunc(s.byCount[count], func(bu *StateSet) bool { return bu.Part.needs == of.needs })
	if i < 0 {
		part := &mergedPart{tb: of.tb, needs: of.needs}
		bu := &StateSet{Merge: &Merge{p: m.p, keys: m.keys, parts: []*mergedPart{part}}, Part: part, count: count}
		i = len(s.byCount[count])
		s.byCount[count], s.All = append(s.byCount[count], bu), append(s.All, bu)
	}
	bu := s.byCount[count][i]
	for _, leaf := range of.leaves {
		if one := m.leaves[leaf]; !bu.has(one.Aggregate) {
			one.part = bu.Part
			bu.leaves = append(bu.leaves, one)
		}
	}
}

func (bu *StateSet) has(a state.Aggregate) bool {
	return slices.ContainsFunc(bu.leaves, func(l aggregate) bool { return l.Name == a.Name })
}

// statesVersion is a part of the names of states. It has to be another one when what they mean changes in a way that
// neither statements nor the names of aggregates show.
const statesVersion = 3

// finish orders the aggregates, and names the state set by the statements that compute it. A program that computes something else
// uses other names, and never reads these states.
func (bu *StateSet) finish(d *dialect.Dialect, seals store.Derivation) {
	slices.SortStableFunc(bu.leaves, func(a, b aggregate) int { return cmp.Compare(b.Kind, a.Kind) }) // what rows are grouped by first
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%d\n{before:%d after:%d}\n", statesVersion, bu.Part.needs.Before, bu.Part.needs.After) // a hash takes all
	for i, leaf := range bu.leaves {
		if bu.Part.leaves = append(bu.Part.leaves, i); leaf.Name == bu.count {
			bu.Part.Count = i
		}
		bu.Aggregates = append(bu.Aggregates, leaf.Aggregate)
		_, _ = fmt.Fprintf(hash, "%q %d %q\n", leaf.Name, leaf.Kind, leaf.Members)
	}
	from := bu.p.Range.From.UnixMilli()
	w := calendar.Interval{From: from, To: from + calendar.Day}
	p := planIn(bu.p, w)
	partials, _ := bu.compilePartials(d, p, days.Sealed{}, bu.Part, w)
	for _, s := range []store.Statement{partials.Statement, seals.Sessions, seals.Hits} {
		_, _ = fmt.Fprintf(hash, "%q %v\n", s.SQL, s.Args)
	}
	bu.Name = nameOf(hash.Sum(nil))
	bu.Called = map[string]int64{}
	for _, members := range bu.Dictionaries(bu.Aggregates) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\ndictionary %s", statesVersion, members))
		bu.Called[members] = nameOf(sum[:])
	}
}

func nameOf(sum []byte) int64 { return int64(binary.BigEndian.Uint64(sum)) } // any will do

// of is the state set that has all aggregates of a part; nil: none has.
func (s *StateSets) of(m *Merge, part *mergedPart) *StateSet {
	for _, bu := range s.byCount[m.leaves[part.Count].Name] {
		if bu.Part.needs == part.needs && !slices.ContainsFunc(part.leaves, func(i int) bool { return !bu.has(m.leaves[i].Aggregate) }) {
			return bu
		}
	}
	return nil
}

// Names returns the names of all stored states.
func (s *StateSets) Names() (all []int64) {
	for _, bu := range s.All {
		all = append(all, bu.Name)
		for _, dictionary := range bu.Called {
			all = append(all, dictionary)
		}
	}
	return all
}

// Lookup returns a lookup of the state set for a website on some days, in the background.
func (bu *StateSet) Lookup(mr *Merger, site *memory.Shelf, website store.Subject, days []calendar.Interval) *Lookup {
	m, p := *bu.Merge, *bu.p
	p.Subject = website
	m.p, m.stretches = &p, days
	return &Lookup{Merge: &m, merger: mr, Site: site, background: true, Found: make([][]*state.Partial, len(m.leaves))}
}
