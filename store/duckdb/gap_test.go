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

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// TestAnswersBesideOneDay compares answers about ten sealed days with answers from rows alone. One of the days
// has late rows, of sessions that also have rows on other days. For that day the engine reads the seal for all
// other sessions. Without a seal it computes the day. A seal may also have a lower version than the rows
// that it includes, because it was computed during a commit; that must not change answers.
// SIGHTLINE_SAMPLE_EVERY=1 tests every query type.
func TestAnswersBesideOneDay(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	const days, changed = 10, 6
	rng, first := rand.New(rand.NewPCG(15, 1)), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := open(t, Config{})
	early, late := &store.Batch{}, &store.Batch{}
	for _, e := range dataset.New(3).Batch.Events {
		day := rng.IntN(days)
		e.Website, e.Time = site.ID,
			first.AddDate(0, 0, day).Add(time.Duration(rng.Int64N(int64(24*time.Hour))).Truncate(time.Millisecond))
		if e.SessionID != "" { // sessions with rows on one day, on two, or on all
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
	unsealed := altered{s, func(d *store.Day) {
		if d.Start.Equal(first.AddDate(0, 0, changed)) {
			d.Sealed = 0
		}
	}}
	older := altered{s, func(d *store.Day) { d.Sealed-- }}
	var engines [4]*query.Engine
	for i, c := range []query.Config{{Store: s,
		EngineOptions: query.EngineOptions{NoDerived: true}}, {Store: s}, {Store: unsealed}, {Store: older}} {
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
		req := query.Request{Parameters: []query.Parameter{storetest.Example(info.Name)}, StartDate: "2026-03-01",
			EndDate: "2026-03-10"}
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
		for j, how := range []string{"with a seal of the day", "without a seal of the day",
			"with seals of a lower version"} {
			if texts[1+j] != texts[0] {
				t.Errorf("%s %s:\n%.2000s\nfrom rows alone:\n%.2000s", info.Name, how, texts[1+j], texts[0])
			}
		}
	}
}

// An altered store changes the days that Days returns.
type altered struct {
	*Store
	change func(*store.Day)
}

func (u altered) Days(ctx context.Context, of store.Subject, from, to time.Time) ([]store.Day, error) {
	days, err := u.Store.Days(ctx, of, from, to)
	for i := range days {
		u.change(&days[i])
	}
	return days, err
}

// TestRowWrittenDuringAQuery writes a row after a query has read the days. Later answers must include it,
// whatever the query stored about the days.
func TestRowWrittenDuringAQuery(t *testing.T) {
	t.Parallel()
	s, noon := open(t, Config{}), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	view := func(id string) *store.Batch {
		return &store.Batch{Events: []store.Event{{Website: site.ID, ID: id, Time: noon, Path: "/",
			Identity: store.Identity{SessionID: id, AnonymousID: id}}}}
	}
	mustWrite(t, s, view("before"))
	if err := sealing(t, s).Seal(t.Context(), site, noon.AddDate(0, 0, -5), noon.AddDate(0, 0, 5)); err != nil {
		t.Fatal(err)
	}
	meanwhile := func() {}
	looked := altered{s, func(*store.Day) { meanwhile() }}
	merging, err := query.New(query.Config{Store: looked, EngineOptions: query.EngineOptions{ResultCache: -1}})
	if err != nil {
		t.Fatal(err)
	}
	views := func() string {
		answer, err := merging.Run(t.Context(), query.Access{Subject: site},
			query.Request{Parameters: []query.Parameter{{Name: "top_pages"}}, StartDate: "2026-03-01",
				EndDate: "2026-03-04"})
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
		t.Fatalf("answer %s, want one pageview", text)
	}
	meanwhile = func() {
		meanwhile = func() {}
		mustWrite(t, s, view("meanwhile"))
	}
	views() // computes partials
	if text := views(); !strings.Contains(text, `"pageviews":2,`) {
		t.Errorf("answer %s, want both pageviews", text)
	}
}
