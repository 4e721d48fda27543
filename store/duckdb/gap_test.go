//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// TestAnswersBesideOneDay wants the same answers about ten busy days, all of them sealed, as of their rows
// alone: in one of them rows came late, of sessions that began or went on elsewhere. The seal of that day is
// read for the other sessions or, where there is none, the day is computed. A seal that tells of an older
// version than it knows rows of, as one may that is made beside a commit, is read right, too.
// SIGHTLINE_SAMPLE_EVERY=1 has every type asked.
func TestAnswersBesideOneDay(t *testing.T) {
	t.Parallel()
	const days, changed = 10, 6
	rng, first := rand.New(rand.NewPCG(15, 1)), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := open(t, Config{})
	early, late := &store.Batch{}, &store.Batch{}
	for _, e := range dataset.New(3).Batch.Events {
		day := rng.IntN(days)
		e.Website, e.Time = site.ID, first.AddDate(0, 0, day).Add(time.Duration(rng.Int64N(int64(24*time.Hour))).Truncate(time.Millisecond))
		if e.SessionID != "" { // ids are used on one day, on two, or on all
			e.SessionID += []string{fmt.Sprint("-", day), fmt.Sprint("-", (day+1)/2), ""}[rng.IntN(3)]
		}
		if day == changed && rng.IntN(4) == 0 {
			late.Events = append(late.Events, e)
		} else {
			early.Events = append(early.Events, e)
		}
	}
	rest := early.Events[len(early.Events)/2:]
	early.Events = early.Events[:len(early.Events)/2]
	mustWrite(t, s, early)
	mustWrite(t, s, &store.Batch{Events: rest})
	if err := sealing(t, s).Seal(t.Context(), site, first.AddDate(0, 0, -1), first.AddDate(0, 0, days+4)); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, late)
	now := func() time.Time { return first.AddDate(0, 0, days) }
	unsealed := told{s, func(d *store.Day) {
		if d.Start.Equal(first.AddDate(0, 0, changed)) {
			d.Sealed = 0
		}
	}}
	older := told{s, func(d *store.Day) { d.Sealed-- }}
	var engines [4]*query.Engine
	for i, c := range []query.Config{{Store: s, NoDerived: true}, {Store: s}, {Store: unsealed}, {Store: older}} {
		c.Now, c.ResultCache, c.MaxPartials = now, -1, -1
		var err error
		if engines[i], err = query.New(c); err != nil {
			t.Fatal(err)
		}
	}
	every := storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 3)
	for i, info := range engines[0].Types() {
		if i%every != 0 || info.Subject != store.KindWebsite || info.RequiredFilter != "" {
			continue
		}
		req := query.Request{Parameters: []query.Parameter{{Name: info.Name}}, StartDate: "2026-03-01", EndDate: "2026-03-10"}
		if i%2 == 0 {
			req.StartDate, req.EndDate = "2026-03-05", "2026-03-08"
		}
		var texts [len(engines)]string
		for j, e := range engines {
			answer, err := e.Run(t.Context(), query.Access{Subject: site}, req)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			texts[j] = string(text)
		}
		for j, how := range []string{"with a seal of the day", "without it", "with seals of an older version"} {
			if texts[1+j] != texts[0] {
				t.Errorf("%s %s:\n%.2000s\nof rows alone:\n%.2000s", info.Name, how, texts[1+j], texts[0])
			}
		}
	}
}

// told is a store that tells something else of its days.
type told struct {
	*Store
	change func(*store.Day)
}

func (u told) Days(ctx context.Context, of store.Subject, from, to time.Time) ([]store.Day, error) {
	days, err := u.Store.Days(ctx, of, from, to)
	for i := range days {
		u.change(&days[i])
	}
	return days, err
}

// A row that comes after a request looked at its days is in the answers to the requests after that one, whatever
// was kept of the days by then.
func TestARowThatComesWhileAnAnswerIsMerged(t *testing.T) {
	t.Parallel()
	s, noon := open(t, Config{}), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	view := func(id string) *store.Batch {
		return &store.Batch{Events: []store.Event{{Website: site.ID, ID: id, Time: noon, Path: "/", Identity: store.Identity{SessionID: id, AnonymousID: id}}}}
	}
	mustWrite(t, s, view("before"))
	if err := sealing(t, s).Seal(t.Context(), site, noon.AddDate(0, 0, -5), noon.AddDate(0, 0, 5)); err != nil {
		t.Fatal(err)
	}
	meanwhile := func() {}
	looked := told{s, func(*store.Day) { meanwhile() }}
	merging, err := query.New(query.Config{Store: looked, ResultCache: -1})
	if err != nil {
		t.Fatal(err)
	}
	views := func() string {
		answer, err := merging.Run(t.Context(), query.Access{Subject: site},
			query.Request{Parameters: []query.Parameter{{Name: "top_pages"}}, StartDate: "2026-03-01", EndDate: "2026-03-04"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(answer.Data[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text := views(); !strings.Contains(text, `"pageviews":1,`) {
		t.Fatalf("%s, want one pageview", text)
	}
	meanwhile = func() {
		meanwhile = func() {}
		mustWrite(t, s, view("meanwhile"))
	}
	views() // from partials, for the first time
	if text := views(); !strings.Contains(text, `"pageviews":2,`) {
		t.Errorf("%s, want the pageview that came meanwhile, too", text)
	}
}
