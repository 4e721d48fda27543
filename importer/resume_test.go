package importer_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/accesslog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// generated returns a log and its totals.
func generated(t *testing.T, lines int) ([]byte, accesslog.Totals) {
	t.Helper()
	var log bytes.Buffer
	totals, err := accesslog.Write(&log,
		accesslog.Options{Lines: lines, Seed: 7, From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: 3})
	if err != nil {
		t.Fatal(err)
	}
	return log.Bytes(), totals
}

// stored returns the totals of all events that w stores.
func (w *world) stored(t *testing.T) string {
	t.Helper()
	d := w.Dialect()
	rows, err := w.Query(t.Context(), store.Statement{
		SQL: "SELECT " + d.Call(dialect.Count) + " AS n, " + d.Call(dialect.CountDistinct, "t.anonymous_id") +
			" AS v, " +
			d.Call(dialect.CountDistinct, "t.session_id") + " AS s, " + d.Call(dialect.CountDistinct, "t.event_id") +
			" AS i FROM events AS t",
		Kinds: []dialect.Kind{dialect.Int, dialect.Int, dialect.Int, dialect.Int},
	})
	if err != nil {
		t.Fatal(err)
	}
	n := func(i int) int64 { return rows.Columns[i].Ints[0] }
	return fmt.Sprintf("%d views, %d visitors, %d sessions, %d ids", n(0), n(1), n(2), n(3))
}

func wanted(t *accesslog.Totals) string {
	return fmt.Sprintf("%d views, %d visitors, %d sessions, %d ids", t.Pageviews, t.Visitors, t.Sessions, t.Pageviews)
}

// TestGeneratedLog imports a generated log from several compressed files, whose order by name is not their order by
// time.
func TestGeneratedLog(t *testing.T) {
	log, totals := generated(t, 6000)
	all := slices.Collect(bytes.Lines(log))
	dir := t.TempDir()
	for i, name := range []string{"access.log.2.gz", "access.log.1.zst", "access.log"} {
		part := bytes.Join(all[i*2000:(i+1)*2000], nil)
		if err := os.WriteFile(filepath.Join(dir, name), compressed(t, name, part), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := importer.Files(filepath.Join(dir, "access.log*"), filepath.Join(dir, "access.log"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	cfg := w.config()
	cfg.Rows = 500
	var last importer.Progress
	cfg.Report = func(p importer.Progress) { last = p }
	report := w.run(t, cfg, sources...)
	want := fmt.Sprintf("%d/6000 rows=%[1]d stored=%[1]d malformed=%d method=%d status=%d asset=%d bot=%d",
		totals.Pageviews, totals.Damaged, totals.Methods, totals.Errors, totals.Assets, totals.Robots)
	if got := summary(report); got != want {
		t.Errorf("report:\n got %s\nwant %s", got, want)
	}
	if got := w.stored(t); got != wanted(&totals) {
		t.Errorf("stored:\n got %s\nwant %s", got, wanted(&totals))
	}
	if last.Sources != 3 || last.Ended > 2 || last.Records < 5000 || last.Read == 0 || last.Size == 0 {
		t.Errorf("the last progress is %+v", last)
	}
}

func compressed(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var to io.WriteCloser
	switch filepath.Ext(name) {
	case ".gz":
		to = gzip.NewWriter(&out)
	case ".zst":
		var err error
		if to, err = zstd.NewWriter(&out); err != nil {
			t.Fatal(err)
		}
	default:
		return content
	}
	if _, err := to.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestResume interrupts an import at every batch, before and after its rows are stored. The rest of the import must
// store every other row, also weeks later, when the store has forgotten the ids, and from a file with another name and
// compression.
func TestResume(t *testing.T) {
	log, totals := generated(t, 1500)
	for _, after := range []bool{false, true} {
		for fail := range 6 {
			t.Run(fmt.Sprintf("batch %d, stored: %t", fail, after), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.left, w.after = fail, after
				cfg := w.config()
				cfg.Rows, cfg.Progress = 100, filepath.Join(t.TempDir(), "progress")
				report, err := importer.Run(t.Context(), cfg, []importer.Source{text("access.log", string(log))})
				if !errors.Is(err, errKilled) || report.Stored >= totals.Pageviews {
					t.Fatalf("interrupted: %v, %+v", err, report)
				}
				w.left, w.clock = -1, w.clock.AddDate(0, 0, 30)
				report = w.run(t, cfg, importer.Stream("access.log.gz", bytes.NewReader(compressed(t, ".gz", log))))
				if report.Records != 1500 || report.Taken != totals.Pageviews || report.Repeated != 0 {
					t.Errorf("report: %s", summary(report))
				}
				if got := w.stored(t); got != wanted(&totals) {
					t.Errorf("stored:\n got %s\nwant %s", got, wanted(&totals))
				}
				if report = w.run(t, cfg, text("again", string(log))); report.Rows != 0 || report.Stored != 0 {
					t.Errorf("imported again: %s", summary(report))
				}
			})
		}
	}
}

// TestGrownFile imports a file, and again after it has grown, each time with an unfinished last line.
func TestGrownFile(t *testing.T) {
	log, totals := generated(t, 900)
	w := newWorld(t)
	cfg := w.config()
	dir := t.TempDir()
	cfg.Progress = filepath.Join(dir, "progress")
	file := filepath.Join(dir, "access.log")
	var records, stored int64
	for _, end := range []int{len(log) / 3, len(log) / 2, len(log)} {
		for end < len(log) && log[end-1] != '\n' {
			end++
		}
		if err := os.WriteFile(file, bytes.TrimSuffix(log[:end], []byte("\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		for again := range 2 {
			sources, err := importer.Files(file)
			if err != nil {
				t.Fatal(err)
			}
			report := w.run(t, cfg, sources...)
			records, stored = records+report.Records, stored+report.Stored
			if known := report.Sources[0].Known; known != (again == 1) || known && report.Records > 0 {
				t.Errorf("up to %d, again %d: %+v", end, again, report.Sources[0])
			}
		}
		w.clock = w.clock.AddDate(0, 0, 10)
	}
	small := line(now.Add(-time.Hour), "192.0.2.1", "/small")
	if report := w.run(t, cfg, text("small", small)); report.Stored != 1 {
		t.Errorf("a smaller file: %s", summary(report))
	}
	if records != 900 || stored != totals.Pageviews {
		t.Errorf("%d records and %d rows, want 900 and %d", records, stored, totals.Pageviews)
	}
	cfg.Again = true
	sources, _ := importer.Files(file)
	if report := w.run(t, cfg, sources...); report.Taken != totals.Pageviews {
		t.Errorf("with Again: %s", summary(report))
	}
}

// TestManyIds continues a batch of more ids than one statement asks for.
func TestManyIds(t *testing.T) {
	w := newWorld(t)
	w.left, w.after = 0, true
	cfg := w.config()
	cfg.Progress = filepath.Join(t.TempDir(), "progress")
	var log strings.Builder
	for i := range 5000 {
		log.WriteString(line(now.Add(time.Duration(i-6000)*time.Second), "192.0.2.1", "/"))
	}
	if _, err := importer.Run(t.Context(), cfg, []importer.Source{text("a", log.String())}); !errors.Is(err,
		errKilled) {
		t.Fatal(err)
	}
	w.left, w.clock = -1, w.clock.AddDate(0, 0, 30)
	if s := summary(w.run(t, cfg, text("a", log.String()))); s != "5000/5000 rows=5000 stored=0" {
		t.Error(s)
	}
}

// TestSecretIsDeleted checks that the file of progress has the secret of visitor ids only until the import ends.
func TestSecretIsDeleted(t *testing.T) {
	log, _ := generated(t, 500)
	w := newWorld(t)
	w.left = 1
	cfg := w.config()
	cfg.Rows, cfg.Progress = 50, filepath.Join(t.TempDir(), "progress")
	_, err := importer.Run(t.Context(), cfg, []importer.Source{text("a", string(log))})
	before, _ := os.ReadFile(cfg.Progress)
	w.left = -1
	w.run(t, cfg, text("a", string(log)))
	after, _ := os.ReadFile(cfg.Progress)
	if err == nil || !strings.Contains(string(before), `"secret"`) || strings.Contains(string(after), `"secret"`) {
		t.Errorf("%v\nbefore: %s\nafter: %s", err, before, after)
	}
}

// TestRecordsOfAHost imports a table of the host, and more rows of it later.
func TestRecordsOfAHost(t *testing.T) {
	w := newWorld(t)
	cfg := w.config()
	cfg.Progress = filepath.Join(t.TempDir(), "progress")
	table := func(n int, broken error) importer.Source {
		return importer.Source{Name: "visits", Records: func(yield func(importer.Record, error) bool) {
			for i := range n {
				if !yield(importer.Record{Time: now.Add(time.Duration(i-100) * time.Minute), URL: "/p", Visitor: "v"},
					nil) {
					return
				}
			}
			if broken != nil {
				yield(importer.Record{}, broken)
			}
		}}
	}
	for _, c := range []struct {
		n            int
		broken       error
		stored       int64
		wantProblems bool
	}{{5, nil, 5, false}, {5, nil, 0, false}, {8, io.ErrClosedPipe, 3, true}, {9, nil, 1, false}} {
		report := w.run(t, cfg, table(c.n, c.broken))
		if report.Stored != c.stored || report.Rows != c.stored || report.Complete() == c.wantProblems {
			t.Errorf("%d rows: %s, complete: %t", c.n, summary(report), report.Complete())
		}
	}
	if len(ids(w.rows.Events)) != 9 {
		t.Errorf("%d ids, want 9", len(ids(w.rows.Events)))
	}
}

func TestBusy(t *testing.T) {
	w := newWorld(t)
	cfg := w.config()
	cfg.Progress = filepath.Join(t.TempDir(), "progress")
	inner := error(nil)
	outer := importer.Source{Name: "a", Records: func(func(importer.Record, error) bool) {
		_, inner = importer.Run(t.Context(), cfg, nil)
	}}
	w.run(t, cfg, outer)
	if !errors.Is(inner, importer.ErrBusy) {
		t.Errorf("a second import: %v, want %v", inner, importer.ErrBusy)
	}
	other := cfg
	other.Website.ID = "other"
	if _, err := importer.Run(t.Context(), other, nil); err == nil ||
		!strings.Contains(err.Error(), "is of the website") {
		t.Errorf("the progress of another website: %v", err)
	}
}

func TestFilesAndFormats(t *testing.T) {
	if _, err := importer.Files("testdata", "no-such-file", "testdata/*.log"); err == nil ||
		!strings.Contains(err.Error(), "is a folder") || !strings.Contains(err.Error(), "no-such-file does not exist") {
		t.Errorf("files: %v", err)
	}
	names := map[string]bool{}
	for _, f := range importer.Formats() {
		names[f.Name] = f.Title != ""
	}
	if len(names) < 10 || slices.Contains(slices.Collect(maps.Values(names)), false) {
		t.Errorf("formats: %v", names)
	}
}

// TestLinesOfOneSecond tests that ids keep the order of lines with the same time, also from one file to a later one.
func TestLinesOfOneSecond(t *testing.T) {
	line := func(second, n int) string {
		return fmt.Sprintf("203.0.113.7 - - [20/Nov/2026:10:00:%02d +0000] \"GET /%03d HTTP/1.1\" 200 12 \"-\" \"Mozilla/5.0 (X11; Linux x86_64; rv:140.0)"+
			" Gecko/20100101 Firefox/140.0\"\n", second, n)
	}
	var first, second strings.Builder
	for n := range 40 {
		first.WriteString(line(1+n/20, n))
		second.WriteString(line(2, 40+n))
	}
	w := newWorld(t)
	w.run(t, w.config(), text("b.log", first.String()), text("a.log", second.String()))
	events := slices.Clone(w.rows.Events)
	slices.SortFunc(events, func(a,
		b store.Event) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID))
	})
	for n, e := range events {
		if want := fmt.Sprintf("/%03d", n); e.Path != want {
			t.Errorf("event %d by time and id has the path %s, want %s", n, e.Path, want)
		}
	}
	if len(events) != 80 {
		t.Errorf("%d events, want 80", len(events))
	}
}
