package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// Answers tests that the cached answers of an engine equal newly computed ones. It sends random requests, with and
// without mandatory filters of a key. It repeats them while rows of a dataset are written and a website is erased. Then
// it writes rows without new versions, and fails unless the test notices the old answers; see Harness.NoMistakes.
func Answers(t *testing.T, h Harness, seed uint64) {
	for _, mutated := range []bool{false, true} {
		if mutated && !h.plants() {
			break
		}
		t.Run(map[bool]string{false: "cached", true: "but versions do not change"}[mutated], func(t *testing.T) {
			t.Parallel()
			s := &counted{Store: h.open(t), stuck: mutated}
			if _, ok := s.Store.(store.DayLister); !ok {
				t.Skipf("not tested: %T does not implement store.DayLister", s.Store)
			}
			wrong, saved := keptAnswers(t, h, s, seed)
			if mutated && len(wrong) == 0 {
				t.Error("the test did not notice the mistake")
			}
			for _, text := range wrong {
				if !mutated {
					t.Error(text)
				}
			}
			if saved == 0 {
				t.Error("no answer was cached")
			}
			t.Logf("%d statements saved", saved)
		})
	}
}

// keptAnswers returns the differences between the answers of an engine with a cache and one without, and how
// many statements the cache saved.
func keptAnswers(t *testing.T, h Harness, s *counted, seed uint64) (wrong []string, saved int64) {
	w := dataset.New(seed)
	c := newClient(t, s.Store, &w)
	c.rng = rand.New(rand.NewPCG(seed, 2000))
	at := now
	engine := func(bytes int64) *query.Engine {
		e, err := query.New(query.Config{Store: s, Now: func() time.Time { return at },
			EngineOptions: query.EngineOptions{Types: c.known, ResultCache: bytes}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	kept, computed := engine(0), engine(-1)
	var asked []question
	for i, info := range c.types {
		if h.SampleEvery == 0 || i%h.SampleEvery == 0 {
			asked = append(asked, c.complicated(info))
		}
	}
	filters := [][]query.Filter{nil, c.mandatory(store.KindWebsite, false), c.mandatory(store.KindWebsite, true)}
	ask := func() {
		for _, q := range asked {
			for _, of := range filters {
				at = q.now
				access := query.Access{Subject: q.of, Filters: of}
				before := s.asked.Load()
				want := answerOf(t.Context(), computed, access, q.req)
				took := s.asked.Load() - before
				for range 2 {
					before := s.asked.Load()
					got := answerOf(t.Context(), kept, access, q.req)
					saved += took - (s.asked.Load() - before)
					if want.fault != got.fault || want.more != got.more || differingRow(want.texts, got.texts) != "" {
						wrong = append(wrong, fmt.Sprintf("%v\nfilters of the key %v\ncomputed: %s%s\nkept: %s%s", q,
							of, want.fault, want.json, got.fault, got.json))
					}
				}
			}
		}
	}
	rest := &w.Batch
	for round := 0; round < 2 && len(wrong) == 0; round++ {
		var some *store.Batch
		some, rest = cut(rest, 0.6)
		h.fill(t, s.Store, some)
		ask()
	}
	if e, ok := s.Store.(store.Eraser); ok && len(wrong) == 0 {
		if _, err := e.Erase(t.Context(), asked[0].of); err != nil {
			t.Fatal(err)
		}
		ask()
	}
	return wrong, saved
}

// counted is a store that counts its statements. If stuck is set, its versions do not change.
type counted struct {
	store.Store
	asked atomic.Int64
	stuck bool
}

func (c *counted) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	c.asked.Add(1)
	return c.Store.Query(ctx, stmt)
}

func (c *counted) Days(ctx context.Context, s store.Subject, from, to time.Time) ([]store.Day, error) {
	d, ok := c.Store.(store.DayLister)
	if c.stuck || !ok {
		return nil, nil
	}
	return d.Days(ctx, s, from, to)
}
