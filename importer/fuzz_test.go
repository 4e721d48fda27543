package importer

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/agent"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// FuzzFormats reads any content in any format. Every byte but those between records belongs to a piece, every piece has
// a record or an error, and every event can be stored.
func FuzzFormats(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	all := formats()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i := range all {
			f.Add(string(content), uint8(i))
		}
	}
	agents, err := intake.NewAgents()
	if err != nil {
		f.Fatal(err)
	}
	people, err := newVisitors([]byte("secret"), "web_shop")
	if err != nil {
		f.Fatal(err)
	}
	pepper, err := auth.NewPepper([]byte("a pepper for tests"))
	if err != nil {
		f.Fatal(err)
	}
	named, err := visitorid.NewImporter(pepper, "web_shop")
	if err != nil {
		f.Fatal(err)
	}
	m := maker{
		ids: ids{named}, clock: time.Now, known: agent.NewNames(),
		website: store.Website{ID: "web_shop", Domain: "shop.example"}, domain: "shop.example",
		now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), agents: agents, people: people,
	}
	f.Fuzz(func(t *testing.T, content string, format uint8) {
		f := all[int(format)%len(all)]
		from, parse := f.split(newWindow(strings.NewReader(content), 1)), f.open(&Config{})
		var end int64
		for {
			p, err := from.next()
			if errors.Is(err, io.EOF) {
				between(t, content, f.name, end, int64(len(content)))
				return
			}
			if p.start < end || p.end <= p.start {
				t.Fatalf("a piece from %d to %d after %d", p.start, p.end, end)
			}
			between(t, content, f.name, end, p.start)
			if end = p.end; err != nil {
				continue
			}
			var out found
			if err := parse(p.text, &out); err == nil && !out.any() {
				t.Fatalf("%q has neither a record nor an error", p.text)
			}
			for i := range out.records {
				e, err := m.event(f.name, &out.records[i])
				if err != nil {
					continue
				}
				e.ID = "e"
				if err := schema.Items(&store.Batch{Events: []store.Event{e}}, func(schema.Item) {}); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// between checks that the bytes from one position to another, which belong to no piece, have nothing that can be lost.
func between(t *testing.T, content, format string, from, to int64) {
	t.Helper()
	separators := "\r\n"
	if f := formatNamed(format); f.name != "csv" {
		separators += " \t,[]"
	}
	if lost := strings.Trim(content[from:to], separators); lost != "" {
		t.Fatalf("%s: %q from %d to %d belongs to no piece", format, lost, from, to)
	}
}

// A rowCounter is a target that counts rows, and has none.
type rowCounter struct {
	store.Store
	rows int
}

func (*rowCounter) Dialect() *dialect.Dialect { return dialect.SQLite() }

func (*rowCounter) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	return &store.Rows{Columns: make([]store.Column, len(stmt.Kinds))}, nil
}

func (c *rowCounter) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	c.rows += b.Len()
	return store.Written{Stored: b.Len()}, nil
}

// FuzzReport imports any content, plain and in two members of gzip with zeros behind them. Rows and refusals account
// for all records, and the reports are the same.
func FuzzReport(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content, uint8(0), uint16(len(content)/2))
	}
	f.Add([]byte(`{"table":"profiles","website":"w","profile_id":"u","traits":{},"changed_at":"2026-11-20T10:00:00Z"}`), uint8(1),
		uint16(3))
	pepper, err := auth.NewPepper([]byte("a pepper for tests"))
	if err != nil {
		f.Fatal(err)
	}
	all := formats()
	f.Fuzz(func(t *testing.T, content []byte, format uint8, cut uint16) {
		var zipped bytes.Buffer
		half := min(int(cut), len(content))
		for _, part := range [][]byte{content[:half], content[half:]} {
			w := gzip.NewWriter(&zipped)
			_, err := w.Write(part)
			if err := errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
		}
		zipped.WriteString("\x00\x00\x00")
		var reports []string
		for _, input := range [][]byte{content, zipped.Bytes()} {
			to := &rowCounter{}
			cfg := Config{Target: to, Website: store.Website{ID: "w", Domain: "shop.example"}, Pepper: pepper, Rows: 7,
				Now: func() time.Time { return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) }}
			if n := int(format) % (len(all) + 1); n > 0 {
				cfg.Format = all[n-1].name
			}
			r, err := Run(t.Context(), cfg, []Source{Stream("f", bytes.NewReader(input))})
			if err != nil {
				t.Fatal(err)
			}
			accounted := r.Taken
			for _, s := range r.Skipped {
				accounted += s.Count
			}
			// A visit of Matomo can have rows and a refusal.
			if accounted < r.Records || accounted > r.Records && r.Sources[0].Format != "matomo" {
				t.Fatalf("%d of %d records are accounted for: %+v", accounted, r.Records, r)
			}
			if int64(to.rows) != r.Rows || r.Stored != r.Rows {
				t.Fatalf("%d rows stored, %d reported: %+v", to.rows, r.Rows, r)
			}
			if len(bytes.Trim(content, " \t\r\n\x00,[]")) > 0 && r.Records == 0 && r.Sources[0].Problem == "" &&
				!onlyHeader(content) {
				t.Fatalf("nothing is said about the content: %+v", r)
			}
			if r.Import == "" {
				t.Fatalf("the import has no id: %+v", r)
			}
			r.Import = "" // each has its own
			reports = append(reports, fmt.Sprintf("%+v", r))
		}
		if reports[0] != reports[1] && !bytes.HasPrefix(content, []byte("\x1f\x8b")) &&
			!bytes.HasPrefix(content, []byte("\x28\xb5\x2f\xfd")) {
			t.Fatalf("plain:   %s\nzipped: %s", reports[0], reports[1])
		}
	})
}

// onlyHeader reports whether content is one line, perhaps repeated, such as a header, or has only comments and marks.
func onlyHeader(content []byte) bool {
	var first []byte
	for line := range bytes.Lines(content) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || line[0] == '{' {
			continue
		}
		if first == nil {
			first = line
		}
		if !bytes.Equal(line, first) {
			return false
		}
	}
	return true
}
