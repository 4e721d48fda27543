package query

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/partial"
	"github.com/sightline-analytics/sightline/store"
)

// Partials are computed ahead, and stored, by shapes: all leaves that the types have without filters over the same
// rows of one table, by the same keys. So what several types need is computed and stored once.

// A shape is one of them.
type shape struct {
	partial.Shape
	*merge                  // whose only part it is, of no website and no time
	part   *mergedPart      // which has all leaves
	count  string           // the name of the leaf that counts rows
	name   int64            // of its stored states
	called map[string]int64 // the names of its stored dictionaries, by those of their members
}

// shapes are all of an engine, in the order of the types.
type shapes struct {
	all     []*shape
	byCount map[string][]*shape // by the name of the leaf that counts rows
}

// shapesOf are those of e.
func (e *Engine) shapesOf() shapes {
	return e.shapes.get(func() shapes {
		found := shapes{byCount: map[string][]*shape{}}
		// Any website and time do: see shape.
		const anyDay = "2001-01-01"
		now := time.Date(2001, 2, 1, 0, 0, 0, 0, time.UTC)
		for _, of := range e.types.types {
			req := Request{StartDate: anyDay, EndDate: anyDay, Parameters: []Parameter{{Name: of.Name}}}
			resolved, mistakes := e.types.resolve(Access{Subject: store.Subject{Kind: store.KindWebsite}}, req, now)
			if len(mistakes) > 0 || resolved.parameters[0].err != nil {
				continue // it is of another kind of subject, or needs a filter
			}
			if m := mergeOf(resolved.parameters[0].plan); m != nil {
				for _, part := range m.parts {
					found.add(m, part)
				}
			}
		}
		derived := derivation(e.store.Dialect(), store.Subject{Kind: store.KindWebsite}, interval{0, day}, nil)
		for _, sh := range found.all {
			sh.finish(e, derived)
		}
		return found
	})
}

// add adds the leaves of a part.
func (s *shapes) add(m *merge, of *mergedPart) {
	count := m.leaves[of.count].Name
	i := slices.IndexFunc(s.byCount[count], func(sh *shape) bool { return sh.part.needs == of.needs })
	if i < 0 {
		part := &mergedPart{tb: of.tb, needs: of.needs}
		sh := &shape{merge: &merge{p: m.p, keys: m.keys, parts: []*mergedPart{part}}, part: part, count: count}
		i = len(s.byCount[count])
		s.byCount[count], s.all = append(s.byCount[count], sh), append(s.all, sh)
	}
	sh := s.byCount[count][i]
	for _, leaf := range of.leaves {
		if one := m.leaves[leaf]; !sh.has(one.Aggregate) {
			one.part = sh.part
			sh.leaves = append(sh.leaves, one)
		}
	}
}

func (sh *shape) has(a partial.Aggregate) bool {
	return slices.ContainsFunc(sh.leaves, func(l leaf) bool { return l.Name == a.Name })
}

// statesVersion is a part of the names of states. It has to be another one when what they mean changes in a way that
// neither statements nor the names of leaves show.
const statesVersion = 1

// finish orders the leaves, and names the shape by the statements that it is computed by: those of a program
// that computes something else have other names, and meet none of its states.
func (sh *shape) finish(e *Engine, seals store.Derivation) {
	slices.SortStableFunc(sh.leaves, func(a, b leaf) int { return cmp.Compare(b.Kind, a.Kind) }) // what rows are grouped by first
	d := e.store.Dialect()
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%d\n%+v\n", statesVersion, sh.part.needs) // a hash takes all
	sh.Keyed, sh.KeyNames = len(sh.keys) > 0, sh.keyNames()
	for i, leaf := range sh.leaves {
		if sh.part.leaves = append(sh.part.leaves, i); leaf.Name == sh.count {
			sh.part.count = i
		}
		sh.Aggregates = append(sh.Aggregates, leaf.Aggregate)
		_, _ = fmt.Fprintf(hash, "%q %d %q\n", leaf.Name, leaf.Kind, leaf.Members)
	}
	from := sh.p.Range.From.UnixMilli()
	w := interval{from, from + day}
	p := sh.p.in(w)
	statement, _ := sh.partialStatement(d, p, keptOf{}, sh.part, w)
	for _, s := range []store.Statement{statement, seals.Sessions, seals.Hits} {
		_, _ = fmt.Fprintf(hash, "%q %v\n", s.SQL, s.Args)
	}
	sh.name = nameOf(hash.Sum(nil))
	sh.called = map[string]int64{}
	for _, members := range sh.Dictionaries(sh.Aggregates) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\ndictionary %s", statesVersion, members))
		sh.called[members] = nameOf(sum[:])
	}
}

func nameOf(sum []byte) int64 { return int64(binary.BigEndian.Uint64(sum)) } //nolint:gosec // any will do

// of is the shape that has all leaves of a part; nil: none has.
func (s *shapes) of(m *merge, part *mergedPart) *shape {
	for _, sh := range s.byCount[m.leaves[part.count].Name] {
		if sh.part.needs == part.needs && !slices.ContainsFunc(part.leaves, func(i int) bool { return !sh.has(m.leaves[i].Aggregate) }) {
			return sh
		}
	}
	return nil
}

// names are those of all that is stored.
func (s *shapes) names() (all []int64) {
	for _, sh := range s.all {
		all = append(all, sh.name)
		for _, dictionary := range sh.called {
			all = append(all, dictionary)
		}
	}
	return all
}

// gathering is that of the shape of a website on some days, into a site of its own.
func (sh *shape) gathering(e *Engine, site *partial.Website, website store.Subject, days []partial.Stretch) *gathering {
	m, p := *sh.merge, *sh.p
	p.Subject = website
	m.p, m.stretches = &p, days
	return &gathering{merge: &m, engine: e, site: site, found: make([][]*partial.Partial, len(m.leaves))}
}
