package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

func TestLoad(t *testing.T) {
	now := time.Unix(1000, 0)
	load := store.NewLoad(func() time.Time { return now })
	want := func(busy time.Duration) {
		t.Helper()
		if got := load.BusyTime(); got != busy {
			t.Errorf("busy for %v, want %v", got, busy)
		}
	}
	want(0)
	first := load.Begin(t.Context())
	now = now.Add(time.Second)
	want(time.Second) // the call still runs
	second := load.Begin(t.Context())
	now = now.Add(time.Second)
	first()
	second()
	want(3 * time.Second)
	defer load.Begin(store.Background(t.Context()))()
	now = now.Add(time.Hour)
	want(3 * time.Second)
}

// TestPace checks that background work does not rest without queries, and rests in proportion to the number of
// callers.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name    string
		callers int // number of callers that send queries during the work
		goOn    bool
		least   int
		want    time.Duration
	}{
		{"no callers", 0, false, 0, 0},
		{"no callers, with a minimum rest", 0, false, 19, 0},
		{"one caller", 1, true, 0, 4 * time.Second},
		{"two callers", 2, true, 0, 8 * time.Second},
		{"many callers", 50, true, 0, 36 * time.Second},
		{"one caller, with a minimum rest", 1, true, 19, 76 * time.Second},
		{"callers that stop with the work", 2, false, 0, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			now, rested := time.Unix(1000, 0), time.Duration(0)
			load := store.NewLoad(func() time.Time { return now })
			pace := store.NewPace(load, func() time.Time { return now }, func(_ context.Context, d time.Duration) {
				rested += d
				now = now.Add(d)
			})
			err := pace.Do(t.Context(), c.least, func(ctx context.Context) error {
				defer load.Begin(ctx)() // statements of the work do not count
				for range c.callers {
					end := load.Begin(t.Context())
					if c.goOn {
						t.Cleanup(end)
					} else {
						defer end()
					}
				}
				now = now.Add(4 * time.Second)
				return nil
			})
			if err != nil || rested != c.want {
				t.Errorf("it rests %v after 4 s, want %v; %v", rested, c.want, err)
			}
		})
	}
}
