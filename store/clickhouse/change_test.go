package clickhouse

import (
	"math/rand/v2"
	"testing"
)

// Groups take part in the changes of two days, in any order, and what they note is added up as
// the table versions does. A few of them fail.
func TestSharedChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2_000) {
		s := &sharedChanges{random: rand.New(rand.NewPCG(seed, 0)), sums: map[changedDay]note{}, failed: map[changedDay]bool{}} // no secret
		for range 60 {
			s.step(t)
		}
		for len(s.groups) > 0 {
			s.end(t, 0)
		}
		for d, sum := range s.sums {
			if open := sum.begun > sum.ended; open != s.failed[d] {
				t.Fatalf("seed %d: %+v after all groups, of which one failed: %t", seed, sum, s.failed[d])
			}
		}
		if len(s.changes.of) > 0 {
			t.Fatalf("seed %d: %d changes are left", seed, len(s.changes.of))
		}
	}
}

type sharedChanges struct {
	random  *rand.Rand
	changes openChanges
	groups  []*sharingGroup
	sums    map[changedDay]note // what versions has
	failed  map[changedDay]bool // of which a group failed
}

// A sharingGroup has gone as far as its fields tell.
type sharingGroup struct {
	part    *part
	days    []changedDay // that it changes
	toBegin []note
	asked   bool // what it has to begin
	begun   bool
}

// step lets one group do what comes next, or another begin.
func (s *sharedChanges) step(t *testing.T) {
	t.Helper()
	at := s.random.IntN(4)
	if at >= len(s.groups) {
		all := []changedDay{{"website w", 1}, {"website w", 2}}
		s.groups = append(s.groups, &sharingGroup{part: s.changes.join(append(all, all[0])), days: all[s.random.IntN(3):]})
		return
	}
	switch g := s.groups[at]; {
	case !g.asked:
		g.toBegin, g.asked = g.part.toBegin(g.days), true
	case !g.begun:
		s.note(g.toBegin)
		g.part.begin(g.days, g.toBegin)
		g.begun = true
	default:
		s.end(t, at)
	}
}

// end ends a group, which may be at any step.
func (s *sharedChanges) end(t *testing.T, at int) {
	t.Helper()
	g := s.groups[at]
	s.groups = append(s.groups[:at], s.groups[at+1:]...)
	fails := !g.begun || s.random.IntN(20) == 0
	before := map[changedDay]note{}
	if g.begun {
		for _, d := range g.days {
			before[d] = s.sums[d]
			s.failed[d] = s.failed[d] || fails
			if before[d].begun <= before[d].ended {
				t.Fatalf("%+v while rows of the day may come", before[d])
			}
		}
	}
	s.note(g.part.end(fails))
	for d, was := range before {
		if now := s.sums[d]; !fails && now.begun+now.ended <= was.begun+was.ended {
			t.Fatalf("%+v after rows were stored, and %+v before", now, was)
		}
	}
}

func (s *sharedChanges) note(notes []note) {
	for _, n := range notes {
		sum := s.sums[n.changedDay]
		s.sums[n.changedDay] = note{n.changedDay, sum.begun + n.begun, sum.ended + n.ended}
	}
}
