//go:build cgo

package duckdb

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/internal/docgen"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// TestGoldenDocs fails if a page of docs that is generated from the catalog is not up to date. With -update it
// writes these pages.
func TestGoldenDocs(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	end := time.Date(2026, 3, 14, 15, 0, 0, 0, time.UTC)
	made := demo.New(demo.Config{Seed: 1, Website: "web_demo", Domain: "shop.example", Link: "link_demo",
		Schedule: "mon_demo", PerDay: 90})
	rows := made.Batch(end.AddDate(0, 0, -9), end)
	if _, err := s.Write(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	var latest store.Event // a session that is active now
	for _, e := range rows.Events {
		if e.Kind == store.Pageview && e.SessionID != "" {
			latest = e
		}
	}
	now := latest.Time.Add(30 * time.Second).Truncate(time.Second)
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	docgen.Check(t, "../../docs", docgen.Source{
		Engine: engine, Session: latest.SessionID, Preset: "last_7d", TimeZone: "Europe/Berlin",
		Subjects: map[store.SubjectKind]string{store.KindWebsite: "web_demo", store.KindLink: "link_demo",
			store.KindSchedule: "mon_demo"},
	})
}
