package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// crowdCases are about many callers at once.
func crowdCases() []writerCase {
	return []writerCase{
		{name: "16 goroutines write and read", run: testCrowd,
			defends: "a store is safe for concurrent use: every id is stored once, and what a Write has answered is seen by every later Query and Version"},
		{name: "16 goroutines send the same ids", run: testSameIDs,
			defends: "an event id counts once, whoever brings it first"},
	}
}

const crowd = 16

// together runs do in many goroutines and waits for all.
func (w *writerTest) together(do func(worker int)) {
	var all sync.WaitGroup
	for worker := range crowd {
		all.Go(func() { do(worker) })
	}
	all.Wait()
}

func testCrowd(w *writerTest) {
	const rounds = 20
	ctx := context.Background()
	w.together(func(worker int) {
		own := fmt.Sprintf("w%d", worker%4)
		var last uint64
		for round := range rounds {
			b := pageview(own, fmt.Sprintf("%d-%d", worker, round))
			if got, err := w.store.Write(ctx, &b); err != nil || got.Stored != 1 {
				w.Errorf("Write = %+v, %v", got, err)
				return
			}
			if versions, ok := w.store.(store.Versioner); ok {
				v, err := versions.Version(ctx, website(own), midnight, midnight.Add(day))
				if err != nil || v <= last {
					w.Errorf("Version = %d, %v after a write; want more than %d", v, err, last)
					return
				}
				last = v
			}
			if round%5 == 0 && !w.sees(own, b.Events[0].ID) {
				return
			}
		}
	})
	for i := range 4 {
		w.count("events", website(fmt.Sprintf("w%d", i)), crowd/4*rounds)
	}
}

// sees reports whether an event that was written is read. It fails the test if not.
func (w *writerTest) sees(site, id string) bool {
	if slices.Contains(w.ids("events", website(site)), id) {
		return true
	}
	w.Errorf("event %q of %q is not read after its Write returned", id, site)
	return false
}

func testSameIDs(w *writerTest) {
	const ids = 50
	var stored, repeated atomic.Int64
	w.together(func(int) {
		for i := range ids {
			b := store.Batch{Events: []store.Event{{Website: "w", ID: fmt.Sprint(i), Time: noon.Add(time.Duration(i))}}}
			got, err := w.store.Write(context.Background(), &b)
			if err != nil {
				w.Errorf("Write: %v", err)
				return
			}
			stored.Add(int64(got.Stored))
			repeated.Add(int64(got.Repeated))
		}
	})
	if stored.Load() != ids || repeated.Load() != ids*(crowd-1) {
		w.Errorf("stored %d, repeated %d; want %d and %d", stored.Load(), repeated.Load(), ids, ids*(crowd-1))
	}
	w.count("events", website("w"), ids)
}
