package query_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// TestSnapshotKeys checks when a host may send a response again that it remembered under the key of a snapshot.
func TestSnapshotKeys(t *testing.T) {
	s := &daily{silent: silent{dialect.DuckDB()}}
	s.version.Store(1)
	e := logged(t, s, query.Config{EngineOptions: query.EngineOptions{ResultCache: -1}}, &bytes.Buffer{})
	key := func(req query.Request) string {
		t.Helper()
		p, err := e.Prepare(t.Context(), website, req)
		if err != nil {
			t.Fatal(err)
		}
		key, err := p.Snapshot().Key(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	march := query.Request{Parameters: names("pages"), StartDate: "2026-03-01", EndDate: "2026-03-20"}
	later := query.Request{Parameters: names("pages"), StartDate: "2026-03-10", EndDate: "2026-03-20"}
	rebuild := func() {
		if _, err := e.RebuildSeals(t.Context(), website.Subject, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
			time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name         string
		change       func()
		march, later bool // whether their keys change
	}{
		{"nothing changes", func() {}, false, false},
		{"a row of the first of March", func() { s.first.Add(1) }, true, false},
		{"rows of all days", func() { s.version.Add(1) }, true, true},
		{"seals are rebuilt", rebuild, true, true},
	} {
		one, other := key(march), key(later)
		step.change()
		if changed := key(march) != one; changed != step.march || one == "" {
			t.Errorf("%s: the key of the month changed: %t", step.name, changed)
		}
		if changed := key(later) != other; changed != step.later || other == one {
			t.Errorf("%s: the key of other days changed: %t", step.name, changed)
		}
	}
	for name, req := range map[string]query.Request{
		"an answer that changes with the clock": {Parameters: names("pages", "active_stats"),
			Options: query.Options{Preset: "yesterday"}},
		"no parameter that can be answered": {Parameters: names("nonsense"),
			Options: query.Options{Preset: "yesterday"}},
	} {
		if got := key(req); got != "" {
			t.Errorf("%s has the key %s", name, got)
		}
	}
}
