//go:build cgo

package duckdb

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// TestAnswersBesideOneDay wants the same answers about ten busy days, all of them sealed, as of their rows
// alone: in one of them rows came late, of sessions that began or went on elsewhere. The seal of that day is
// read for the other sessions or, where there is none, the day is computed.
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
	mustWrite(t, s, early)
	if err := sealing(t, s).Seal(t.Context(), site, first.AddDate(0, 0, -1), first.AddDate(0, 0, days+4)); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, late)
	now := func() time.Time { return first.AddDate(0, 0, days) }
	var engines [3]*query.Engine
	for i, c := range []query.Config{{Store: s, Plain: true}, {Store: s}, {Store: unsealed{s, first.AddDate(0, 0, changed)}}} {
		c.Now, c.ResultCache, c.MaxPartials = now, -1, -1
		var err error
		if engines[i], err = query.New(c); err != nil {
			t.Fatal(err)
		}
	}
	for i, info := range engines[0].Types() {
		if info.Subject != store.KindWebsite || info.RequiredFilter != "" {
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
		for j, how := range []string{"with a seal of the day", "without it"} {
			if texts[1+j] != texts[0] {
				t.Errorf("%s %s:\n%.2000s\nof rows alone:\n%.2000s", info.Name, how, texts[1+j], texts[0])
			}
		}
	}
}

// unsealed is a store that tells of no seal of a day.
type unsealed struct {
	*Store
	day time.Time
}

func (u unsealed) Days(of store.Subject, from, to time.Time) []store.Day {
	days := u.Store.Days(of, from, to)
	for i := range days {
		if days[i].Start.Equal(u.day) {
			days[i].Sealed = 0
		}
	}
	return days
}
