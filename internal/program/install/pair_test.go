//go:build cgo

package install

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// testEvents is a store of events that a test closes.
type testEvents interface {
	Events
	store.Writer
	store.Eraser
	Close(ctx context.Context) error
}

// eventStores opens a new store of each kind.
var eventStores = map[string]func(t *testing.T) testEvents{
	"DuckDB": func(t *testing.T) testEvents {
		s, err := embedded.Open(t.Context(), embedded.Config{Folder: t.TempDir()})
		return opened(t, s, err)
	},
	"SQLite": func(t *testing.T) testEvents {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "analytics.sqlite"))
		return opened(t, s, err)
	},
	"ClickHouse": func(t *testing.T) testEvents {
		dsn := chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
		s, err := OpenClickHouse(t.Context(), clickhouse.Config{DSN: dsn})
		return opened(t, s, err)
	},
}

func opened(t *testing.T, s any, err error) testEvents {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	events, ok := s.(testEvents)
	if !ok {
		t.Fatalf("%T lacks a method", s)
	}
	t.Cleanup(func() { _ = events.Close(context.Background()) })
	return events
}

func send(t *testing.T, events testEvents, website, id string) {
	t.Helper()
	if _, err := events.Write(t.Context(), &store.Batch{Events: []store.Event{
		{Website: website, ID: id, Time: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}}}); err != nil {
		t.Fatal(err)
	}
}

// Every store of events is compared with every store of records.
func TestPairs(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for database, openEvents := range eventStores {
		for _, where := range []string{"SQLite file", "PostgreSQL"} {
			t.Run(database+" and "+where, func(t *testing.T) {
				t.Parallel()
				p := Pair{Data: t.TempDir(), ClickHouse: database == "ClickHouse"}
				openRecords := func() *meta.Store {
					dir, dsn := t.TempDir(), ""
					if where == "PostgreSQL" {
						dsn = pgtest.Schema(t)
					}
					m, err := OpenRecords(t.Context(), dir, dsn, auth.Pepper{}, log, time.Now)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = m.Close(context.Background()) })
					p.Meta = dsn
					return m
				}
				check := func(says string, p Pair, events Events, records *meta.Store, want string) {
					t.Helper()
					err := p.Check(t.Context(), events, records)
					if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
						t.Errorf("%s: %v; want %q", says, err, want)
					}
				}
				add := func(m *meta.Store, website string) {
					t.Helper()
					if _, err := m.CreateWebsite(t.Context(), store.Website{ID: website, Owner: Owner,
						Domain: "x.example"}); err != nil {
						t.Fatal(err)
					}
				}
				events, records := openEvents(t), openRecords()
				check("both are new", p, events, records, "")
				add(records, "w")
				check("a website without events", p, events, records, "")
				if marked, err := Mark(t.Context(), events, records); marked || err != nil {
					t.Errorf("a mark without events: %v, %v", marked, err)
				}
				send(t, events, "w", "1")
				check("before the first mark", p, events, records, "")
				if marked, err := Mark(t.Context(), events, records); !marked || err != nil {
					t.Fatalf("no mark: %v", err)
				}
				send(t, events, "w", "2")
				check("events since the mark", p, events, records, "")

				empty := openRecords()
				check("empty records", p, events, empty, "--new-records")
				add(empty, "other")
				check("records of another installation", p, events, empty, "--new-records")
				wanted := p
				wanted.NewRecords = true
				check("empty records that are wanted", wanted, events, empty, "")
				if _, err := Mark(t.Context(), events, empty); err != nil {
					t.Fatal(err)
				}
				check("the start after that", p, events, empty, "")

				lost := openEvents(t)
				check("empty events", p, lost, records, "--new-events")
				wanted = p
				wanted.NewEvents = true
				check("empty events that are wanted", wanted, lost, records, "")
				check("the start after that", p, lost, records, "")

				if _, err := Mark(t.Context(), events, records); err != nil {
					t.Fatal(err)
				}
				older := openEvents(t) // one commit of two
				send(t, older, "w", "1")
				if p.ClickHouse {
					check("other versions of ClickHouse", p, older, records, "")
				} else {
					check("an older store, or one whose log was cut", p, older, records, "--new-events")
				}
				if _, err := events.Erase(t.Context(), store.Subject{Kind: store.KindWebsite, ID: "w"}); err != nil {
					t.Fatal(err)
				}
				check("all rows erased", p, events, records, "")
			})
		}
	}
}

// Events that were copied to another database are not lost.
func TestAPairAfterACopy(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	records, err := OpenRecords(t.Context(), t.TempDir(), "", auth.Pepper{}, log, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = records.Close(context.Background()) }()
	from, to := eventStores["SQLite"](t), eventStores["DuckDB"](t)
	for _, id := range []string{"1", "2", "3"} {
		send(t, from, "w", id)
	}
	if _, err := Mark(t.Context(), from, records); err != nil {
		t.Fatal(err)
	}
	if err := (Pair{}).Check(t.Context(), to, records); err == nil {
		t.Error("before the copy: want an error")
	}
	send(t, to, "w", "1")
	if err := (Pair{}).Check(t.Context(), to, records); err != nil {
		t.Errorf("after the copy: %v", err)
	}
}

// A server that had its events in ClickHouse is not started with an old file, and one of another build says so itself.
func TestMarksOfOtherDatabases(t *testing.T) {
	log, dir := slog.New(slog.DiscardHandler), t.TempDir()
	records, err := OpenRecords(t.Context(), dir, "", auth.Pepper{}, log, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = records.Close(context.Background()) }()
	if err := records.SetFact(t.Context(), factEvents, `{"database":"clickhouse","website":"w","version":1}`); err != nil {
		t.Fatal(err)
	}
	p := Pair{Data: dir}
	old := eventStores["DuckDB"](t)
	send(t, old, "w", "1")
	for says, err := range map[string]error{"an old file": p.Check(t.Context(), old, records),
		"no file": p.CheckFiles(t.Context(), log, time.Now)} {
		if err == nil || !strings.Contains(err.Error(), "name the database with --clickhouse") {
			t.Errorf("%s: %v", says, err)
		}
	}
	for _, name := range embedded.Files() {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.CheckFiles(t.Context(), log, time.Now); err != nil {
			t.Errorf("a folder with %s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A missing file of events is noticed before a store creates it.
func TestMissingFiles(t *testing.T) {
	log, dir := slog.New(slog.DiscardHandler), t.TempDir()
	p := Pair{Data: dir}
	check := func(says, want string) {
		t.Helper()
		err := p.CheckFiles(t.Context(), log, time.Now)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", says, err, want)
		}
	}
	check("a new folder", "")
	events := opened(t, func() any {
		s, err := OpenFile(t.Context(), dir, embedded.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}(), nil)
	send(t, events, "w", "1")
	if err := p.CheckNew(t.Context(), events); err == nil || !strings.Contains(err.Error(), "--new-records") {
		t.Errorf("missing records: %v", err)
	}
	records, err := OpenRecords(t.Context(), dir, "", auth.Pepper{}, log, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Mark(t.Context(), events, records); err != nil {
		t.Fatal(err)
	}
	if err := events.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("both files", "")
	if err := os.Rename(filepath.Join(dir, EventsFile), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	check("missing events", EventsFile+" is missing")
	if exists, err := Exists(dir, EventsFile); exists || err != nil {
		t.Errorf("the check created the file: %v", err)
	}
	p.NewEvents = true
	check("missing events that are wanted", "")
	p.NewEvents = false
	if err := records.SetFact(t.Context(), factEvents, "{"); err != nil {
		t.Fatal(err)
	}
	check("a damaged mark", "corrupt")
	if err := records.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
