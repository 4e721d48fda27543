//go:build cgo

package duckdb

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// TestHostQueryType runs the query type of the example of query.NewRegistry.
func TestHostQueryType(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	at := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	b := &store.Batch{}
	for id, language := range map[string]string{"a": "de", "b": "de", "c": "de-AT", "d": ""} {
		b.Events = append(b.Events,
			store.Event{Website: "shop", ID: id, Name: "screen_view", Time: at, Language: language,
				Identity: store.Identity{AnonymousID: id, SessionID: id}})
	}
	if _, err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	types, err := query.NewRegistry(append(query.Builtin(), query.Type{
		Name: "top_languages", Title: "Languages", Description: "Visitors by language of the browser",
		Category: "Technology", Visualization: "table",
		Subject: store.KindWebsite, Source: "pageviews", Shape: query.Breakdown, Dimensions: []string{"language"},
		SkipEmpty: "language",
		Columns:   []string{"name=language", "visitors", "percentage"}, Order: []string{"-visitors"},
	})...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := query.New(query.Config{Store: s, EngineOptions: query.EngineOptions{Types: types}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := e.Run(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "shop"}},
		query.Request{Parameters: []query.Parameter{{Name: "top_languages"}}, StartDate: "2026-03-10",
			EndDate: "2026-03-10"})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"de","visitors":2,"percentage":66.67},{"name":"de-AT","visitors":1,"percentage":33.33}]`
	if got := string(resp.Data[0].Data.AppendJSON(nil)); got != want {
		t.Errorf("got %s (%v), want %s", got, resp.Data[0].Cause, want)
	}
}
