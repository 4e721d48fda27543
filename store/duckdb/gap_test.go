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

// TestAnswersBesideOneDay wants the same answers about ten busy days, of which all but one are sealed, as
// of their rows alone: in that one rows came late, of sessions that began or went on elsewhere.
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
	sealed, err := query.New(query.Config{Store: s, Now: now, ResultCache: -1, MaxPartials: -1})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := query.New(query.Config{Store: s, Now: now, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, info := range sealed.Types() {
		if info.Subject != store.KindWebsite || info.RequiredFilter != "" {
			continue
		}
		req := query.Request{Parameters: []query.Parameter{{Name: info.Name}}, StartDate: "2026-03-01", EndDate: "2026-03-10"}
		if i%2 == 0 {
			req.StartDate, req.EndDate = "2026-03-05", "2026-03-08"
		}
		var texts [2]string
		for j, e := range []*query.Engine{sealed, plain} {
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
		if texts[0] != texts[1] {
			t.Errorf("%s:\n%.2000s\nof rows alone:\n%.2000s", info.Name, texts[0], texts[1])
		}
	}
}
