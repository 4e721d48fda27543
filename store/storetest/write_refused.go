package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// refusalCases returns cases of writes that store nothing.
func refusalCases() []contractCase {
	return []contractCase{
		{name: "an invalid row rejects the whole batch", run: testInvalid,
			defends: "the error wraps ErrInvalid if a row has no id, subject or time, or text that is not valid UTF-8 or contains NUL; nothing is stored"},
		{name: "a write with an ended context stores nothing", run: testEnded,
			defends: "a write whose context ends before the store accepts it is not stored"},
	}
}

func testInvalid(w *trial) {
	good := pageview("w", "good").Events[0]
	samples := []store.Sample{{Metric: "LCP", Value: 1}}
	for name, b := range map[string]store.Batch{
		"an event without id":      {Events: []store.Event{{Website: "w", Time: noon}}},
		"an event without website": {Events: []store.Event{{ID: "x", Time: noon}}},
		"an event without time":    {Events: []store.Event{{Website: "w", ID: "x"}}},
		"an event with an unknown kind": {Events: []store.Event{{Website: "w", ID: "x", Time: noon, Kind: store.Click +
			1}}},
		"an event with a broken text": {Events: []store.Event{{Website: "w", ID: "x", Time: noon, Text: "a\xff"}}},
		"an event with a broken id":   {Events: []store.Event{{Website: "w", ID: "\xff", Time: noon}}},
		"an event with NUL in a text": {Events: []store.Event{{Website: "w", ID: "x", Time: noon, Title: "a\x00b"}}},
		"an event with NUL in its id": {Events: []store.Event{{Website: "w", ID: "x\x00", Time: noon}}},
		"an event with an escaped NUL": {Events: []store.Event{{Website: "w", ID: "x", Time: noon,
			Properties: `{"a":"\u0000"}`}}},
		"a website with NUL":           {Events: []store.Event{{Website: "w\x00", ID: "x", Time: noon}}},
		"a broken website":             {Events: []store.Event{{Website: "\xff", ID: "x", Time: noon}}},
		"an error without id":          {Errors: []store.Error{{Website: "w", Time: noon}}},
		"an error with a broken stack": {Errors: []store.Error{{Website: "w", ID: "x", Time: noon, Stack: "\xc3("}}},
		"a vital without website":      {Vitals: []store.Vital{{ID: "x", Time: noon, Samples: samples}}},
		"a vital with a broken metric": {Vitals: []store.Vital{{Website: "w", ID: "x", Time: noon,
			Samples: []store.Sample{{Metric: "\xff", Value: 1}}}}},
		"a span without id":         {Spans: []store.Span{{Website: "w", Time: noon}}},
		"a span without time":       {Spans: []store.Span{{Website: "w", ID: "x"}}},
		"a span with a broken path": {Spans: []store.Span{{Website: "w", ID: "x", Time: noon, Path: "/\xff"}}},
		"a span with a broken exit": {Spans: []store.Span{{Website: "w", ID: "x", Time: noon, ExitType: "\xff"}}},
		"a visit without link":      {Visits: []store.Visit{{ID: "x", Time: noon}}},
		"a visit with a broken country": {Visits: []store.Visit{{Link: "l", ID: "x", Time: noon,
			Agent: store.Agent{Country: "\xed\xa0\x80"}}}},
		"a check without time": {Checks: []store.Check{{Schedule: "s", ID: "x"}}},
		"a check with an unknown status": {Checks: []store.Check{{Schedule: "s", ID: "x", Time: noon,
			Status: store.Maintenance + 1}}},
	} {
		b.Events = append([]store.Event{good}, b.Events...)
		got, err := w.send(context.Background(), &b)
		if !errors.Is(err, store.ErrInvalid) || got != (store.Written{}) {
			w.Errorf("%s: Write = %+v, %v; want nothing and ErrInvalid", name, got, err)
		}
	}
	w.count("events", website("w"), 0)
	if w.versioned() {
		if v := w.version(website("w"), noon.Add(-time.Hour), noon.Add(time.Hour)); v != 0 {
			w.Errorf("version %d after rejected writes, want 0", v)
		}
	}
	w.write(store.Batch{Events: []store.Event{good}}, 1, 0) // its id is still unused
}

func testEnded(w *trial) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := pageview("w", "e")
	if got, err := w.send(ctx, &b); !errors.Is(err, context.Canceled) {
		w.Errorf("Write with a cancelled context = %+v, %v; want context.Canceled", got, err)
	}
	ctx, cancel = context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if got, err := w.send(ctx, &b); !errors.Is(err, context.DeadlineExceeded) {
		w.Errorf("Write after its deadline = %+v, %v; want context.DeadlineExceeded", got, err)
	}
	w.count("events", website("w"), 0)
	w.write(b, 1, 0)
}

// crowdCases returns cases with many concurrent callers.
func crowdCases() []contractCase {
	return []contractCase{
		{name: "16 goroutines write and read", run: testCrowd,
			defends: "a store is safe for concurrent use: every id is stored once, and every later Query and Version includes an acknowledged Write"},
		{name: "16 goroutines send the same ids", run: testSameIDs,
			defends: "an event id counts once, whichever caller sends it first"},
	}
}

const crowd = 16

// together runs do in many goroutines and waits for all.
func (w *trial) together(do func(worker int)) {
	var all sync.WaitGroup
	for worker := range crowd {
		all.Go(func() { do(worker) })
	}
	all.Wait()
}

func testCrowd(w *trial) {
	const rounds = 3
	ctx := context.Background()
	w.together(func(worker int) {
		own := fmt.Sprintf("w%d", worker%4)
		var last uint64
		for round := range rounds {
			b := pageview(own, fmt.Sprintf("%d-%d", worker, round))
			if got, err := w.send(ctx, &b); err != nil || got.Stored != 1 {
				w.Errorf("Write = %+v, %v", got, err)
				return
			}
			if lister, ok := w.store.(store.DayLister); ok {
				days, err := lister.Days(ctx, w.own(website(own)), midnight, midnight.Add(day))
				v := store.VersionOf(days)
				if err != nil || v <= last {
					w.Errorf("Days = %v, %v after a write; want a version above %d", days, err, last)
					return
				}
				last = v
			}
			if round%2 == 0 && !w.sees(own, b.Events[0].ID) {
				return
			}
		}
	})
	for i := range 4 {
		w.count("events", website(fmt.Sprintf("w%d", i)), crowd/4*rounds)
	}
}

// sees reports whether a written event is read, and fails the test if not.
func (w *trial) sees(site, id string) bool {
	if slices.Contains(w.ids("events", website(site)), id) {
		return true
	}
	w.Errorf("event %q of %q is not read after its Write returned", id, site)
	return false
}

func testSameIDs(w *trial) {
	const ids = 4
	var stored, repeated atomic.Int64
	w.together(func(int) {
		for i := range ids {
			b := store.Batch{Events: []store.Event{{Website: "w", ID: fmt.Sprint(i), Time: noon.Add(time.Duration(i))}}}
			got, err := w.send(context.Background(), &b)
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
