package importer_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/meta"
)

// export returns an export of Umami with the events from first to last, one a day. Two visitors take turns.
func export(first, last int) string {
	var b strings.Builder
	b.WriteString("event_id,session_id,created_at,url_path,event_type\n")
	for n := first; n <= last; n++ {
		at := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC).AddDate(0, 0, n)
		fmt.Fprintf(&b, "e%d,v%d,%s,/p%d,1\n", n, n%2, at.Format(time.RFC3339), n)
	}
	return b.String()
}

// paths returns the paths of all stored events, in their order.
func (w *world) paths(t *testing.T) string {
	t.Helper()
	d := w.Dialect()
	rows, err := w.Query(t.Context(), store.Statement{
		SQL: "SELECT t.path FROM events AS t WHERE t.subject = " + d.Arg("s", dialect.Subject) +
			" ORDER BY t.time, t.event_id",
		Args: []dialect.Arg{{Name: "s", Kind: dialect.Subject,
			Value: store.Subject{Kind: store.KindWebsite, ID: shop.ID}}},
		Kinds: []dialect.Kind{dialect.Text},
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(rows.Columns[0].Texts, " ")
}

func (w *world) undo(t *testing.T, id string) {
	t.Helper()
	if _, err := w.RemoveImport(t.Context(), store.Subject{Kind: store.KindWebsite, ID: shop.ID}, id); err != nil {
		t.Fatal(err)
	}
}

// A fuller export that comes months later stores only what is new, and either import can be taken back alone.
func TestAFullerExport(t *testing.T) {
	t.Parallel()
	for _, laterFirst := range []bool{false, true} {
		w := newWorld(t)
		first := w.run(t, w.config(), text("a.csv", export(0, 3)))
		w.clock = w.clock.AddDate(0, 3, 0)
		second := w.run(t, w.config(), text("b.csv", export(0, 5)))
		if got, want := summary(second), "6/6 rows=6 stored=2 repeated=4"; got != want {
			t.Errorf("the fuller export: %s, want %s", got, want)
		}
		if got, want := w.paths(t), "/p0 /p1 /p2 /p3 /p4 /p5"; got != want {
			t.Errorf("both exports: %s, want %s", got, want)
		}
		if first.Import == "" || first.Import == second.Import {
			t.Errorf("the imports have the ids %q and %q", first.Import, second.Import)
		}
		undone, left := first.Import, "/p0 /p1 /p2 /p3 /p4 /p5"
		if laterFirst {
			undone, left = second.Import, "/p0 /p1 /p2 /p3"
		}
		w.undo(t, undone)
		if got := w.paths(t); got != left {
			t.Errorf("the later one first %t: %s is left, want %s", laterFirst, got, left)
		}
		w.undo(t, first.Import)
		w.undo(t, second.Import)
		if got := w.paths(t); got != "" {
			t.Errorf("after both are taken back %q is left", got)
		}
	}
}

// A row that tracking has sent stays.
func TestUndoLeavesTrackedRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	row := func(id string) string {
		return `{"table":"events","website":"x","event_id":"` + id + `","time":"2026-11-21T10:00:00.000Z","path":"/` + id +
			`","name":"screen_view","session_id":"s"}` + "\n"
	}
	tracked := store.Event{Website: shop.ID, ID: "before", Name: "screen_view", Path: "/before",
		Time: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	if _, err := w.Store.Write(t.Context(), &store.Batch{Events: []store.Event{tracked}}); err != nil {
		t.Fatal(err)
	}
	w.clock = w.clock.AddDate(0, 1, 0)
	report := w.run(t, w.config(), text("rows", row("before")+row("after")+row("never")))
	tracked.ID = "after"
	if _, err := w.Store.Write(t.Context(), &store.Batch{Events: []store.Event{tracked}}); err != nil {
		t.Fatal(err)
	}
	w.undo(t, report.Import)
	if got, want := w.paths(t), "/after /before"; got != want {
		t.Errorf("after the import is taken back: %s, want %s", got, want)
	}
}

// After an import was taken back, the same file can be imported again, also if another import had a part of it.
func TestImportAgainAfterUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := w.config()
	cfg.Progress = filepath.Join(t.TempDir(), "progress.json")
	log, _ := generated(t, 400)
	half := len(log) / 2
	half += strings.IndexByte(string(log[half:]), '\n') + 1
	first := w.run(t, cfg, text("access.log", string(log[:half])))
	before := w.paths(t)
	w.clock = w.clock.AddDate(0, 0, 20)
	second := w.run(t, cfg, text("access.log", string(log)))
	all := w.paths(t)
	if second.Stored == 0 || first.Stored == 0 || all == before {
		t.Fatalf("the imports stored %d and %d rows", first.Stored, second.Stored)
	}
	if err := importer.Forget(cfg.Progress, second.Import); err != nil {
		t.Fatal(err)
	}
	w.undo(t, second.Import)
	if got := w.paths(t); got != before {
		t.Errorf("after the second is taken back:\n%s\nwant\n%s", got, before)
	}
	third := w.run(t, cfg, text("access.log", string(log)))
	if third.Stored != second.Stored || w.paths(t) != all {
		t.Errorf("the same file again: %s, want %d rows stored", summary(third), second.Stored)
	}
}

// An erased person stays away, also from rows that are new, unless the operator says otherwise.
func TestErasedPersonsStayAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	records, err := meta.Open(t.Context(), meta.Config{Path: filepath.Join(t.TempDir(), "r.sqlite"),
		Now: func() time.Time { return w.clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close(context.Background()) })
	eraser, err := erasure.New(erasure.Config{Events: w.Store, Pepper: pepper(), Erased: records,
		Now: func() time.Time { return w.clock }})
	if err != nil {
		t.Fatal(err)
	}
	cfg := w.config()
	cfg.Erased = records
	w.run(t, cfg, text("a.csv", export(0, 3)))
	if _, err := eraser.Erase(t.Context(),
		erasure.Person{Website: shop.ID, Kind: erasure.Visitor, ID: "v1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := eraser.Erase(t.Context(),
		erasure.Person{Website: shop.ID, Kind: erasure.Profile, ID: "ada"}); err != nil {
		t.Fatal(err)
	}
	rows := `{"table":"events","website":"x","event_id":"o","time":"2026-11-21T10:00:00.000Z","profile_id":"ada",` +
		`"path":"/ada","name":"screen_view"}` + "\n" +
		`{"table":"profiles","website":"x","profile_id":"ada","changed_at":"2026-11-21T10:00:00.000Z"}` + "\n"
	cfg.Profiles = records
	w.clock = w.clock.AddDate(1, 0, 0)
	report := w.run(t, cfg, text("b.csv", export(0, 5)), text("rows", rows))
	if got, want := w.paths(t), "/p0 /p2 /p4"; got != want {
		t.Errorf("after the erasure: %s, want %s: %s", got, want, summary(report))
	}
	if got, want := summary(report), "3/8 rows=3 stored=1 repeated=2 erased=5"; got != want {
		t.Errorf("the report: %s, want %s", got, want)
	}
	if _, err := records.Profile(t.Context(), shop.ID, "ada"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the profile: %v, want store.ErrNotFound", err)
	}
	cfg.RestoreErased = true
	w.run(t, cfg, text("b.csv", export(0, 5)), text("rows", rows))
	if got, want := w.paths(t), "/p0 /p1 /p2 /p3 /p4 /p5 /ada"; got != want {
		t.Errorf("with RestoreErased: %s, want %s", got, want)
	}
}
