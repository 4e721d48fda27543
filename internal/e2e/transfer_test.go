//go:build cgo

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/store/sqlite"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// TestImportGivesEqualAnswers exports all subjects of a dataset from each kind of store, and imports the files into an
// empty store of the next kind. Every query type must have the answer of a store with the dataset, and the export of
// the imported rows must be the same file.
func TestImportGivesEqualAnswers(t *testing.T) {
	t.Parallel()
	w := dataset.New(7)
	var now time.Time
	for _, e := range w.Batch.Events {
		if at := e.Time.AddDate(0, 0, 1); at.After(now) {
			now = at
		}
	}
	first := []store.Subject{{Kind: store.KindWebsite, ID: w.Websites[0]}, {Kind: store.KindLink, ID: w.Links[0]},
		{Kind: store.KindSchedule, ID: w.Schedules[0]}}
	original := openHarness(t, inSQLite())
	if _, err := original.(store.Writer).Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	people := records(t)
	identifyAll(t, people, w.Batch.Events)
	want := map[store.Subject]map[string]string{}
	for _, of := range first { // answers take long
		want[of] = storetest.EveryType(t, original, of, people, now)
	}
	if got := want[first[0]]["profile_list"]; !strings.Contains(got, "Name of ") {
		t.Fatalf("profile_list has no names: %s", got)
	}
	names := []string{"SQLite", "DuckDB", "ClickHouse"}
	stores := []storetest.Harness{inSQLite(), inDuckDB(), inClickHouse()}
	for i, from := range stores {
		next := (i + 1) % len(stores)
		t.Run(names[i]+" to "+names[next], func(t *testing.T) {
			t.Parallel()
			to := openHarness(t, stores[next])
			imported := records(t)
			exportAndImport(t, openHarness(t, from), to, people, imported)
			for _, of := range first {
				storetest.SameAnswers(t, of, want[of], storetest.EveryType(t, to, of, imported, now))
			}
		})
	}
}

// records returns an empty store of records.
func records(t *testing.T) *meta.Store {
	t.Helper()
	m, err := meta.Open(t.Context(), meta.Config{Path: filepath.Join(t.TempDir(), "records.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m
}

// identifyAll gives a name to every profile of events, with a key to every second one.
func identifyAll(t *testing.T, m *meta.Store, events []store.Event) {
	t.Helper()
	seen := map[[2]string]bool{}
	for _, e := range events {
		of := [2]string{e.Website, e.ProfileID}
		if e.ProfileID == "" || seen[of] {
			continue
		}
		seen[of] = true
		err := m.Identify(t.Context(), store.Identification{Website: e.Website, Profile: e.ProfileID,
			Traits: map[string]any{"name": "Name of " + e.ProfileID, "seats": json.Number("3")},
			Keyed:  len(seen)%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func openHarness(t *testing.T, h storetest.Harness) store.Store {
	t.Helper()
	var dsn string
	if h.Create != nil {
		dsn = h.Create(t)
	}
	return h.Open(t, dsn, time.Now)
}

// inSQLite returns a harness for SQLite stores in memory.
func inSQLite() storetest.Harness {
	return storetest.Harness{Open: func(t *testing.T, _ string, _ func() time.Time) store.Store {
		s, err := sqlite.Open(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close(context.Background()) })
		return s
	}}
}

// exportAndImport writes a dataset to from, and moves it with profiles to another store by exports.
func exportAndImport(t *testing.T, from, to store.Store, people, imported *meta.Store) {
	t.Helper()
	pepper, err := auth.NewPepper([]byte("a pepper for tests"))
	if err != nil {
		t.Fatal(err)
	}
	w := dataset.New(7)
	if _, err := from.(store.Writer).Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	for kind, ids := range map[store.SubjectKind][]string{store.KindWebsite: w.Websites, store.KindLink: w.Links,
		store.KindSchedule: w.Schedules} {
		for _, id := range ids {
			of := store.Subject{Kind: kind, ID: id}
			file := exported(t, from, people, of)
			site := store.Website{ID: id}
			if kind != store.KindWebsite {
				site.ID = w.Websites[0]
			}
			report, err := importer.Run(t.Context(),
				importer.Config{Target: to.(importer.Target), Website: site, Pepper: pepper, Profiles: imported},
				[]importer.Source{importer.Stream("export", bytes.NewReader(file))})
			if err != nil || len(report.Skipped) > 0 || report.Stored == 0 {
				t.Fatalf("%v: %+v, %v", of, report, err)
			}
			if !bytes.Equal(exported(t, to, imported, of), file) {
				t.Errorf("%v: the export of the imported rows is not the one that was imported", of)
			}
		}
	}
}

// exported returns all rows and profiles of a subject as newline-delimited JSON, in pieces.
func exported(t *testing.T, s store.Store, people *meta.Store, of store.Subject) []byte {
	t.Helper()
	x, err := exporter.New(t.Context(), exporter.Config{Source: s, Subject: of, Rows: 1000, Profiles: people})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := x.Write(t.Context(), exporter.NDJSON(), exporter.Target{To: &file}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
