package clickhouse

import (
	"math/rand/v2"
	"testing"
)

// Groups take part in the changes of two days, in any order. Their notes are summed up as in the table
// versions. Some groups fail.
func TestSharedChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2_000) {
		// no secret
		s := &sharedChanges{random: rand.New(rand.NewPCG(seed, 0)), sums: map[changedDay]note{},
			failed: map[changedDay]bool{}}
		for range 60 {
			s.step(t)
		}
		for len(s.groups) > 0 {
			s.end(t, 0)
		}
		for d, sum := range s.sums {
			if open := sum.begun > sum.ended; open != s.failed[d] {
				t.Fatalf("seed %d: %+v after all groups, one of them failed: %t", seed, sum, s.failed[d])
			}
		}
		if len(s.changes.of) > 0 {
			t.Fatalf("seed %d: %d changes are still open", seed, len(s.changes.of))
		}
	}
}

type sharedChanges struct {
	random  *rand.Rand
	changes openChanges
	groups  []*sharingGroup
	sums    map[changedDay]note // the rows of the table versions
	failed  map[changedDay]bool // days of failed groups
}

// A sharingGroup is a group with its progress.
type sharingGroup struct {
	part    *part
	days    []changedDay // days that the group changes
	toBegin []note
	asked   bool // days whose change it has to begin
	begun   bool
}

// step advances one group by one step, or starts another group.
func (s *sharedChanges) step(t *testing.T) {
	t.Helper()
	at := s.random.IntN(4)
	if at >= len(s.groups) {
		all := []changedDay{{"website w", 1}, {"website w", 2}}
		s.groups = append(s.groups,
			&sharingGroup{part: s.changes.join(append(all, all[0])), days: all[s.random.IntN(3):]})
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

// end ends a group, at any step.
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
				t.Fatalf("%+v while rows of the day may arrive", before[d])
			}
		}
	}
	s.note(g.part.end(fails))
	for d, was := range before {
		if now := s.sums[d]; !fails && now.begun+now.ended <= was.begun+was.ended {
			t.Fatalf("%+v after rows were stored, %+v before", now, was)
		}
	}
}

func (s *sharedChanges) note(notes []note) {
	for _, n := range notes {
		sum := s.sums[n.changedDay]
		s.sums[n.changedDay] = note{n.changedDay, sum.begun + n.begun, sum.ended + n.ended}
	}
}
