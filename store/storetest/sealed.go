package storetest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// sealSome seals days of the websites in s, and days near them that have no rows: all, or all but
// some of them.
func sealSome(t *testing.T, s query.Derivable, rng *rand.Rand) {
	t.Helper()
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := s.Subjects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	holes := []int{1000, 20, 4}[rng.IntN(3)]
	for _, of := range subjects {
		if of.Kind != store.KindWebsite {
			continue
		}
		var until time.Time
		for _, known := range s.Days(of, time.UnixMilli(-1<<50), time.UnixMilli(1<<50)) {
			from, to := known.Start.AddDate(0, 0, -rng.IntN(4)), known.Start.AddDate(0, 0, 1+rng.IntN(4))
			if known.Start.Before(until) || rng.IntN(holes) == 0 {
				continue
			}
			if err := engine.Seal(t.Context(), of, from, to); err != nil {
				t.Fatal(err)
			}
			until = to
		}
	}
}

// cut is the first share of the rows of each kind, and the rest.
func cut(b *store.Batch, share float64) (first, rest *store.Batch) {
	first, rest = &store.Batch{}, &store.Batch{}
	first.Events, rest.Events = halves(b.Events, share)
	first.Errors, rest.Errors = halves(b.Errors, share)
	first.Vitals, rest.Vitals = halves(b.Vitals, share)
	first.Spans, rest.Spans = halves(b.Spans, share)
	first.Visits, rest.Visits = halves(b.Visits, share)
	first.Checks, rest.Checks = halves(b.Checks, share)
	first.Blocked, rest.Blocked = halves(b.Blocked, share)
	return first, rest
}

func halves[T any](rows []T, share float64) (first, rest []T) {
	n := int(float64(len(rows)) * share)
	return rows[:n], rows[n:]
}
