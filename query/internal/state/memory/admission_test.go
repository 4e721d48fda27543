package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/query/internal/state/statetest"
	"github.com/sightline-analytics/sightline/store"
)

// An asker asks for questions of one aggregate each, whose partials are as large as each other, and computes what is
// missing where there is room.
type asker struct {
	*testing.T
	rng       *rand.Rand
	cache     *memory.Cache
	site      *memory.Partials
	stretches []calendar.Interval
	always    bool // it does not mind whether there is room
	rows      int  // of which a partial is computed
	others    bool // each question has other keys
}

func newAsker(t *testing.T, most int64) *asker {
	t.Helper()
	return &asker{T: t, rng: rand.New(rand.NewPCG(7, 7)), cache: memory.NewCache(most), rows: 1000,
		stretches: []calendar.Interval{{From: 0, To: 4 * cell}, {From: 4 * cell, To: 8 * cell}}}
}

// ask asks a question, and reports how many partials were computed for it and whether it is merged in the end.
func (a *asker) ask(question int) (computed int, merged bool) {
	a.Helper()
	a.site = a.cache.Of(store.Subject{ID: "w"})
	aggregate := []state.Aggregate{{Name: fmt.Sprint(question), Kind: state.Sample}}
	found, missing := a.site.Find(aggregate[0], a.stretches, []uint64{1, 1})
	fit, renew := a.site.Admission.Room([]memory.Demand{{Aggregate: aggregate[0], Stretches: 2,
		Missing: len(missing)}}, true)
	a.site.Admission.NoteAsked(aggregate)
	a.site.Use(aggregate)
	if len(missing) == 0 {
		return 0, true
	}
	if !a.always && !fit {
		if renew {
			a.site.Admission.Renew()
		}
		return 0, false
	}
	names := a.site.Admission.NumberingSize()
	for _, i := range missing {
		of := statetest.Observations(a.rng, a.rows)
		for j := range of {
			if a.others {
				of[j].Key = fmt.Sprint(question, " ", j%20)
			}
		}
		b := statetest.Batch(a.rng, of, true, a.stretches[i:i+1])
		b.Aggregates, b.Columns = aggregate, []int{3}
		made, err := a.site.Add(b)
		if err != nil {
			a.Fatal(err)
		}
		if found[i] = made[0][0]; a.site.Admission.ExceedsMemory([][]*state.Partial{found}) {
			merged = false
			break
		}
		merged = true
	}
	a.site.Admission.RecordSize(aggregate[0], found, a.site.Admission.NumberingSize()-names)
	return len(missing), merged
}

// turns asks questions by turns, and tells how many partials were computed and how many answers merged.
func (a *asker) turns(questions, rounds int) (computed, merged int) {
	a.Helper()
	for range rounds {
		for question := range questions {
			n, ok := a.ask(question)
			if computed += n; ok {
				merged++
			}
		}
	}
	return computed, merged
}

// TestAdmission checks questions that are asked by turns and whose partials do not all fit into memory. They must not
// push out each other's partials, which they would without Room. Partials that nobody asks for any more must make
// room. Partials that never fit must be computed only once.
func TestAdmission(t *testing.T) {
	const one = 5000 // about, that the partials of a question take
	for _, always := range []bool{false, true} {
		t.Run(fmt.Sprint("by turns, always ", always), func(t *testing.T) {
			a := newAsker(t, 5*one)
			a.turns(8, 2)
			a.always = always
			if computed, merged := a.turns(8, 20); always == (computed == 0) || !always && merged < 3*20 {
				t.Errorf("%d partials are computed again, %d of %d answers merged", computed, merged, 8*20)
			}
		})
	}
	t.Run("alone", func(t *testing.T) {
		a := newAsker(t, 5*one)
		a.turns(8, 3)
		left := 0
		for question := range 8 {
			if _, ok := a.ask(question); !ok {
				left = question
			}
		}
		merged := false
		for n := 0; n < 8 && !merged; n++ {
			_, merged = a.ask(left)
		}
		if !merged {
			t.Error("there is no room after eight times")
		}
	})
	t.Run("too large", func(t *testing.T) {
		a := newAsker(t, one/2)
		if computed, merged := a.ask(0); computed == 0 || merged {
			t.Errorf("%d partials computed at first, merged: %t", computed, merged)
		}
		if computed, _ := a.turns(1, 20); computed > 0 {
			t.Errorf("%d partials are computed again", computed)
		}
	})
	t.Run("keys of others", func(t *testing.T) {
		a := newAsker(t, 5*one)
		a.others = true
		a.ask(1000)
		a.rows = 100
		for question := 0; a.site.Admission.NumberingSize() < 9*one/2; question++ {
			a.ask(question)
		}
		a.rows = 1000
		merged := false
		for n := 0; n < 20 && !merged; n++ {
			_, merged = a.ask(1000)
		}
		if !merged {
			t.Error("keys that nobody asks for any more take all room")
		}
	})
}
