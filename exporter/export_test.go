package exporter_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
)

// seed makes the rows of all tests.
const seed = 7

func open(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// filled returns a store with a dataset, and its subjects.
func filled(t *testing.T) (*sqlite.Store, []store.Subject) {
	t.Helper()
	s, w := open(t), dataset.New(seed)
	if _, err := s.Write(t.Context(), &w.Batch); err != nil {
		t.Fatal(err)
	}
	var all []store.Subject
	for kind, ids := range map[store.SubjectKind][]string{store.KindWebsite: w.Websites, store.KindLink: w.Links,
		store.KindSchedule: w.Schedules} {
		for _, id := range ids {
			all = append(all, store.Subject{Kind: kind, ID: id})
		}
	}
	return s, all
}

func export(t *testing.T, cfg exporter.Config, f exporter.Format, to exporter.Target) exporter.Progress {
	t.Helper()
	x, err := exporter.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	done, err := x.Write(t.Context(), f, to)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// A limited writer fails after some bytes, like a connection.
type limited struct {
	to   io.Writer
	left int
}

var errHungUp = errors.New("hung up")

func (l *limited) Write(p []byte) (int, error) {
	if l.left < len(p) {
		n, _ := l.to.Write(p[:l.left])
		l.left = 0
		return n, errHungUp
	}
	l.left -= len(p)
	return l.to.Write(p)
}

// marked returns the rows above the last mark of a cut file, the cursor of the mark, and whether the file is complete.
func marked(t *testing.T, text []byte) (rows []byte, after string, complete bool) {
	t.Helper()
	var above []byte
	for line := range bytes.Lines(text) {
		if !rowjson.IsMark(line) {
			above = append(above, line...)
			continue
		}
		var mark struct {
			Export struct {
				After    string `json:"after"`
				Complete bool   `json:"complete"`
			} `json:"export"`
		}
		if json.Unmarshal(line, &mark) != nil {
			continue // cut
		}
		rows, after, complete = bytes.Clone(above), mark.Export.After, mark.Export.Complete
	}
	return rows, after, complete
}

// people has this number of profiles for each website.
type people int

func (p people) ProfilesAfter(_ context.Context, website, after string, limit int) (all []store.Profile, err error) {
	for i := range int(p) {
		if id := fmt.Sprintf("p%03d", i); id > after && len(all) < limit {
			all = append(all, store.Profile{Website: website, ID: id, Traits: map[string]any{"seats": i}})
		}
	}
	return all, nil
}

// TestInterruptedExportContinues cuts exports at several places and continues it by the cursor of the last mark: the
// rows are the same, and no cut file looks complete.
func TestInterruptedExportContinues(t *testing.T) {
	s, subjects := filled(t)
	for _, of := range subjects {
		var whole bytes.Buffer
		cfg := exporter.Config{Source: s, Subject: of, Rows: 50, Profiles: people(120)}
		export(t, cfg, exporter.NDJSON(), exporter.Target{To: &whole})
		want, _, complete := marked(t, whole.Bytes())
		if !complete {
			t.Fatal("a whole export has no mark of its end")
		}
		wanted := 0
		if of.Kind == store.KindWebsite {
			wanted = 120
		}
		if n := strings.Count(string(want), `{"table":"profiles","website":"`+of.ID+`"`); n != wanted {
			t.Fatalf("%v: %d profiles, want %d", of, n, wanted)
		}
		for cut := 100; cut < whole.Len(); cut += min(whole.Len()/6, max(whole.Len()-cut-300, 100)) {
			x, err := exporter.New(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			var part, rest bytes.Buffer
			done, err := x.Write(t.Context(), exporter.NDJSON(), exporter.Target{To: &limited{&part, cut}})
			if !errors.Is(err, errHungUp) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			rows, text, complete := marked(t, part.Bytes())
			if complete || done.After.String() != text {
				t.Fatalf("cut at %d: complete %v, cursor %q, reported %q", cut, complete, text, done.After)
			}
			after, err := exporter.ParseCursor(text)
			if err != nil {
				t.Fatal(err)
			}
			next := cfg
			next.After = after
			export(t, next, exporter.NDJSON(), exporter.Target{To: &rest})
			more, _, complete := marked(t, rest.Bytes())
			if got := append(rows, more...); !complete || !bytes.Equal(got, want) {
				t.Fatalf("%v cut at %d: %d bytes of rows, want %d", of, cut, len(got), len(want))
			}
		}
	}
}

// TestPiecesDoNotMatter compares exports in pieces of several sizes, and of parts of the time.
func TestPiecesDoNotMatter(t *testing.T) {
	s, subjects := filled(t)
	middle := dataset.New(seed).Batch.Events[40].Time
	for _, of := range subjects {
		rows := func(cfg exporter.Config) []string {
			cfg.Source, cfg.Subject = s, of
			var file bytes.Buffer
			done := export(t, cfg, exporter.NDJSON(), exporter.Target{To: &file})
			if x, err := exporter.New(t.Context(), cfg); err != nil || x.Total() != done.Rows {
				t.Errorf("%d rows announced, %d written, %v", x.Total(), done.Rows, err)
			}
			all, _, _ := marked(t, file.Bytes())
			return strings.SplitAfter(string(all), "\n")
		}
		want := rows(exporter.Config{})
		for _, size := range []int{7, 1000} {
			if diff := cmp.Diff(want, rows(exporter.Config{Rows: size})); diff != "" {
				t.Errorf("%v in pieces of %d rows: %s", of, size, diff)
			}
		}
		var parts []string
		for _, table := range exporter.Tables(of.Kind) {
			parts = append(parts[:max(0, len(parts)-1)], rows(exporter.Config{Table: table, To: middle})...)
			parts = append(parts[:max(0, len(parts)-1)], rows(exporter.Config{Table: table, From: middle})...)
		}
		if diff := cmp.Diff(want, parts); diff != "" {
			t.Errorf("%v by table and time: %s", of, diff)
		}
	}
}

func TestCSV(t *testing.T) {
	s := open(t)
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	b := store.Batch{
		Events: []store.Event{
			{Website: "w", ID: "e1", Name: "screen_view", Time: at, Path: "/", Title: "=1+1,\"ü\"\nb",
				LoadTime: store.Known(0), Identity: store.Identity{SessionID: "s", AnonymousID: "a"}},
			{Website: "w", ID: "e2", Name: "screen_view", Time: at, Path: "/", Title: "-",
				Identity: store.Identity{SessionID: "s", AnonymousID: "a", Keyed: true}},
		},
		Vitals: []store.Vital{{Website: "w", ID: "v1", Time: at, Path: "/",
			Identity: store.Identity{SessionID: "s", AnonymousID: "a"},
			Samples:  []store.Sample{{Metric: "LCP", Value: 1200}, {Metric: "CLS", Value: 10}}}},
	}
	if _, err := s.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	of := store.Subject{Kind: store.KindWebsite, ID: "w"}
	records := func(cfg exporter.Config, to exporter.Target) []map[string]string {
		cfg.Source, cfg.Subject = s, of
		var file bytes.Buffer
		to.To = &file
		export(t, cfg, exporter.CSV(), to)
		all, err := csv.NewReader(&file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var named []map[string]string
		for _, record := range all[1:] {
			one := map[string]string{}
			for i, name := range all[0] {
				one[name] = record[i]
			}
			named = append(named, one)
		}
		return named
	}
	got := records(exporter.Config{Table: "events"}, exporter.Target{RawTexts: true})
	for i, want := range []map[string]string{
		{"website": "w", "event_id": "e1", "time": "2026-11-21T10:00:00.000Z", "title": "=1+1,\"ü\"\nb",
			"load_time": "0", "keyed": "0", "ttfb": ""},
		{"website": "w", "event_id": "e2", "time": "2026-11-21T10:00:00.000Z", "title": "-", "load_time": "",
			"keyed": "1"},
	} {
		for name, value := range want {
			if have, ok := got[i][name]; !ok || have != value {
				t.Errorf("row %d: %s is %q, want %q", i, name, have, value)
			}
		}
	}
	got = records(exporter.Config{Table: "events"}, exporter.Target{}) // by default
	if got[0]["title"] != "'=1+1,\"ü\"\nb" || got[1]["title"] != "'-" || got[0]["path"] != "/" {
		t.Errorf("escaped: %q", got)
	}
	got = records(exporter.Config{Table: "vitals"}, exporter.Target{})
	if len(got) != 2 || got[0]["metric_name"]+got[0]["value"] != "CLS10" || got[1]["metric_name"]+
		got[1]["value"] != "LCP1200" {
		t.Errorf("vitals: %q", got)
	}
}

// TestContinuedCSV appends the second part of a file to the first one.
func TestContinuedCSV(t *testing.T) {
	s, subjects := filled(t)
	for _, of := range subjects {
		cfg := exporter.Config{Source: s, Subject: of, Table: exporter.Tables(of.Kind)[0], Rows: 20}
		var whole, parts bytes.Buffer
		export(t, cfg, exporter.CSV(), exporter.Target{To: &whole})
		stop, cancel := context.WithCancel(t.Context())
		cfg.Tell = func(exporter.Progress) { cancel() }
		x, err := exporter.New(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		done, err := x.Write(stop, exporter.CSV(), exporter.Target{To: &parts})
		if !errors.Is(err, context.Canceled) || done.Rows == 0 {
			t.Fatalf("%d rows, %v", done.Rows, err)
		}
		cfg.After, cfg.Tell = done.After, nil
		export(t, cfg, exporter.CSV(), exporter.Target{To: &parts, Continues: true})
		if parts.String() != whole.String() {
			t.Errorf("%v: the parts are not the whole", of)
		}
	}
}

func TestMistakes(t *testing.T) {
	s, _ := filled(t)
	site := store.Subject{Kind: store.KindWebsite, ID: "site-1"}
	x, err := exporter.New(t.Context(), exporter.Config{Source: s, Subject: site})
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.Write(t.Context(), exporter.CSV(), exporter.Target{To: io.Discard})
	if _, ok := errors.AsType[*exporter.OneTableError](err); !ok {
		t.Errorf("CSV of all tables: %v", err)
	}
	for _, text := range []string{"events", "events:1", "events:1:", "event:1:a", "events:x:a"} {
		if _, err := exporter.ParseCursor(text); err == nil {
			t.Errorf("cursor %q is accepted", text)
		}
	}
	if c, err := exporter.ParseCursor("events:-5:a:b"); err != nil || c.String() != "events:-5:a:b" {
		t.Errorf("%v, %v", c, err)
	}
}
