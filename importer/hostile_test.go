package importer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/rowjson"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"

// line returns a line of an access log.
func line(at time.Time, address, path string) string {
	return fmt.Sprintf("%s - - [%s] \"GET %s HTTP/1.1\" 200 1 \"-\" \"%s\"\n", address,
		at.Format("02/Jan/2006:15:04:05 -0700"), path, firefox)
}

// hit returns a JSON object of a pageview.
func hit(path string) string { return `{"ts":"2026-11-20","url":"` + path + `"}` }

// TestHostileInput imports files with faults: every good line is taken, and each fault is reported with its place.
func TestHostileInput(t *testing.T) {
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	good := line(day, "192.0.2.1", "/good")
	for _, c := range []struct {
		why, content string
		want         string
		number       int64 // of the first skipped record; 0 means none
		problem      string
	}{
		{"a line of 10 MB", good + strings.Repeat("x", 10<<20) + "\n" + good, "2/3 rows=2 stored=2 too_long=1", 2, ""},
		{"a last line of 10 MB without an end", good + strings.Repeat("x", 10<<20), "1/2 rows=1 stored=1 too_long=1", 2,
			""},
		{"bytes that are not UTF-8, and NUL", good + line(day, "192.0.2.1", "/\xe4\x00\xff"), "2/2 rows=2 stored=2", 0,
			""},
		{"empty lines, Windows line ends and a mark", "\xef\xbb\xbf" +
			strings.ReplaceAll(good+"\n\n"+good, "\n", "\r\n"), "2/2 rows=2 stored=2", 0, ""},
		{"no newline at the end", strings.TrimSuffix(good, "\n"), "1/1 rows=1 stored=1", 0, ""},
		{"a cut gzip", string(compressed(t, ".gz", []byte(strings.Repeat(good, 5000))))[:300], "", 0, "ends too early"},
		{"a cut zstd", string(compressed(t, ".zst", bytes.Repeat([]byte(good), 5000)))[:40], "", 0, "ends too early"},
		{"damaged lines of all kinds", good + "\x00\x00\x00\n[\n\"\n1.2.3.4 - - [\n" +
			strings.Replace(good, "20/Nov", "40/Nov", 1) + strings.Replace(good, "200 1", "abc 1", 1) + good,
			"2/8 rows=2 stored=2 malformed=6", 2, ""},
		{"requests that are not HTTP", good + strings.Replace(good, "GET /good HTTP/1.1", "", 1) +
			strings.Replace(good, "GET /good HTTP/1.1", "GET", 1) + strings.Replace(good, "/good HTTP/1.1", " ", 1),
			"1/4 rows=1 stored=1 malformed=1 method=2", 4, ""},
		{"rows that no store can hold",
			`{"table":"events","website":"x","event_id":"a","time":"2026-11-20T10:00:00Z","title":"\u0000"}` + "\n" +
				`{"table":"events","website":"x","event_id":"b","time":"2026-11-20T10:00:00Z","kind":9}` + "\n" +
				`{"table":"events","website":"x","event_id":"c","time":"2026-11-20T10:00:00Z","name":"screen_view"}` +
				"\n",
			"1/3 rows=1 stored=1 not_stored=2", 1, ""},
		{"a visit of 2 MB among others",
			`[{"idVisit":1,"actionDetails":[{"type":"action","url":"/a","timestamp":1795168800}]},{"idVisit":2,"x":"` +
				strings.Repeat("y", 2<<20) +
				`"},{"idVisit":3,"actionDetails":[{"type":"action","url":"/b","timestamp":1795168800}]}]`,
			"2/3 rows=2 stored=2 too_long=1", 2, ""},
		{"a list that ends in a visit",
			`[{"idVisit":1,"actionDetails":[{"type":"action","url":"/a","timestamp":1795168800}]},{"idVisit":2,"actionDetails":[{"type":"act`,
			"1/2 rows=1 stored=1 malformed=1", 2, ""},
		{"quotes that are never closed", "ts,url\n2026-11-20,/a\n2026-11-20,\"/b\n2026-11-20,/c\n",
			"2/3 rows=2 stored=2 malformed=1", 3, ""},
		{"a quote that is closed in another row",
			"ts,url,title\n2026-11-20,/a,\"x\n2026-11-20,/b\",y\n2026-11-20,/c,z\n", "2/3 rows=2 stored=2 malformed=1",
			2, ""},
		{"a quote that another quoted field follows",
			"ts,url,title\n2026-11-20,/a,\"x\n2026-11-20,/b,\"y\"\n2026-11-20,/c,z\n",
			"2/3 rows=2 stored=2 malformed=1", 2, ""},
		{"a quote within a field",
			"ts,url,title\n2026-11-20,/a,5\" screen\n2026-11-20,/b,\"a \"\"b\"\",\nc\"\n2026-11-20,/c,\"6\" screen\"\n",
			"3/3 rows=3 stored=3", 0, ""},
		{"a field too many", "ts,url\n2026-11-20,/a\n2026-11-20,/b,x\n2026-11-20,/c,\n",
			"2/3 rows=2 stored=2 malformed=1", 3, ""},
		{"carriage returns alone", "ts,url\r2026-11-20,/a\r2026-11-20,/b\r", "2/2 rows=2 stored=2", 0, ""},
		{"line ends of all kinds", good + strings.ReplaceAll(good, "\n", "\r") +
			strings.ReplaceAll(good, "\n", "\r\n") + good, "4/4 rows=4 stored=4", 0, ""},
		{"objects on one line", hit("/a") + hit("/b") + " " + hit("/c") + "\n" + hit("/d") + ",\n",
			"4/4 rows=4 stored=4", 0, ""},
		{"what is left over after an object", hit("/a") + "}\n" + hit("/b") + " and more\n" + hit("/c"),
			"3/5 rows=3 stored=3 malformed=2", 1, ""},
		{"a list, and an object over several lines", "[" + hit("/a") + ",\n" +
			strings.ReplaceAll(hit("/b"), ",", ",\n") + "]", "2/2 rows=2 stored=2", 0, ""},
		{"an object that does not end", hit("/a") + "\n{\"x\":{\"y\":1}\n" + hit("/b") + "\n{\"x\":[\n" + hit("/c") +
			"\n{\"x\":\"\n" + hit("/d") + "\n{", "4/8 rows=4 stored=4 malformed=4", 2, ""},
		{"a visit that does not end",
			`[{"idVisit":1,"actionDetails":[{"type":"action","url":"/a","timestamp":1795168800}]},{"idVisit":2,"x":"y},{"idVisit":3,"actionDetails":[{"type":"action","url":"/b","timestamp":1795168800}]}]`,
			"2/3 rows=2 stored=2 malformed=1", 2, ""},
		{"NUL bytes at the beginning and between lines", strings.Repeat("\x00", 200_000) + good +
			strings.Repeat("\x00", 5000) + good, "2/3 rows=2 stored=2 malformed=1", 2, ""},
		{"a gzip with zeros behind it", string(compressed(t, ".gz", []byte(good))) + strings.Repeat("\x00", 1000),
			"1/1 rows=1 stored=1", 0, ""},
		{"two gzips, one after the other", string(compressed(t, ".gz", []byte(good))) +
			string(compressed(t, ".gz", []byte(good))), "2/2 rows=2 stored=2", 0, ""},
		{"a gzip that other data follows", string(compressed(t, ".gz", []byte(good))) + "more", "1/1 rows=1 stored=1",
			0, "followed by other data"},
	} {
		w := newWorld(t)
		cfg := w.config()
		if strings.HasPrefix(c.content, "ts,") || strings.Contains(c.content, `"ts"`) {
			cfg.Map = map[string]string{"time": "ts"}
		}
		report := w.run(t, cfg, text("f", c.content))
		if got := summary(report); c.want != "" && got != c.want {
			t.Errorf("%s:\n got %s\nwant %s\n%+v", c.why, got, c.want, report.Skipped)
		}
		if c.number > 0 && (len(report.Skipped) == 0 || report.Skipped[0].First[0].Number != c.number) {
			t.Errorf("%s: skipped %+v, want record %d", c.why, report.Skipped, c.number)
		}
		if got := report.Sources[0].Problem; !strings.Contains(got, c.problem) || (got == "") != (c.problem == "") {
			t.Errorf("%s: problem %q, want %q", c.why, got, c.problem)
		}
	}
}

// TestClockJumps checks sessions when the clock of a server jumps: a jump of less than 30 minutes does not end a
// session.
func TestClockJumps(t *testing.T) {
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	w := newWorld(t)
	var log string
	for _, minute := range []int{0, 25, -4, 28, 600, 1, 20} {
		log += line(day.Add(time.Duration(minute)*time.Minute), "192.0.2.1", "/")
	}
	w.run(t, w.config(), text("f", log))
	var got []int
	numbers := map[string]int{}
	for _, e := range w.rows.Events {
		if _, ok := numbers[e.SessionID]; !ok {
			numbers[e.SessionID] = len(numbers)
		}
		got = append(got, numbers[e.SessionID])
	}
	if d := cmp.Diff([]int{0, 0, 0, 0, 1, 0, 0}, got); d != "" {
		t.Error(d)
	}
}

// TestMemoryIsBounded imports many visitors, and long lines, and measures the memory that is in use meanwhile.
func TestMemoryIsBounded(t *testing.T) {
	const bound = 200 << 20
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	w := newWorld(t)
	cfg := w.config()
	cfg.Target = discard{w}
	cfg.Rows = 2000
	var most uint64
	cfg.Report = func(importer.Progress) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	}
	n, long := 0, strings.Repeat("y", 900_000)
	report := w.run(t, cfg, importer.Stream("f", &texts{next: func() string {
		if n++; n > 30_000 {
			return ""
		}
		if n%300 == 0 {
			return line(day, "192.0.2.1", "/"+long)
		}
		return line(day.Add(time.Duration(n)*time.Second), fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255), "/")
	}}))
	if report.Taken != 30_000 || most == 0 || most > bound {
		t.Errorf("%s; %d MiB in use, want at most %d", summary(report), most>>20, bound>>20)
	}
}

// discard is a target that stores nothing.
type discard struct{ importer.Target }

func (discard) Write(_ context.Context, b *store.Batch) (store.Written, error) {
	return store.Written{Stored: b.Len()}, nil
}

// texts reads the texts that next returns, until an empty one.
type texts struct {
	next func() string
	rest string
}

func (r *texts) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.rest = r.next(); r.rest == "" {
			return 0, io.EOF
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestOwnRows exports rows of all tables, with links and monitors, and imports them into another store under another id
// of the website. The rows must be equal.
func TestOwnRows(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 123e6, time.UTC)
	who := store.Identity{AnonymousID: "a", SessionID: "s"}
	from := store.Batch{
		Events: []store.Event{
			{Website: "old", ID: "1", Name: "screen_view", Time: at, Identity: who, Path: "/", LoadTime: store.Known(0),
				Properties: `{"b":[1.50],"a":"x"}`},
			{Website: "old", ID: "1", Kind: store.Custom, Name: "order", Time: at,
				Identity: store.Identity{ProfileID: "p", Keyed: true}},
		},
		Errors: []store.Error{{Website: "old", ID: "1", Time: at, Identity: who, Path: "/", Message: "m",
			Line: store.Known(3)}},
		Vitals: []store.Vital{{Website: "old", ID: "1", Time: at, Identity: who, Path: "/",
			Samples: []store.Sample{{Metric: "LCP", Value: 5}, {Metric: "CLS"}}}},
		Spans:   []store.Span{{Website: "old", ID: "1", Time: at, Identity: who, Path: "/", Clicks: 2}},
		Visits:  []store.Visit{{Link: "lnk", ID: "1", Time: at}, {Link: "gone", ID: "1", Time: at}},
		Checks:  []store.Check{{Schedule: "mon", ID: "1", Time: at, Status: store.Up}},
		Blocked: []store.Blocked{{Website: "old", ID: "1", Time: at, Reason: "bot", Requests: 4}},
	}
	var out []byte
	for _, table := range schema.Tables() {
		for item := range table.Len(&from) {
			out = rowjson.Append(out, table.ID, schema.Row{Batch: &from, Item: item})
		}
	}
	w := newWorld(t)
	cfg := w.config()
	cfg.Progress = filepath.Join(t.TempDir(), "progress")
	var got store.Batch
	cfg.Target = keeper{w, &got}
	cfg.Exists = func(_ context.Context, of store.Subject) (bool, error) { return of.ID != "gone", nil }
	report := w.run(t, cfg, text("export", string(out)))
	if s := summary(report); s != "8/9 rows=8 stored=8 unknown_link=1" {
		t.Errorf("%s: %+v", s, report.Skipped)
	}
	want := from
	for i := range want.Events {
		want.Events[i].Website = shop.ID
	}
	want.Errors[0].Website, want.Vitals[0].Website, want.Spans[0].Website, want.Blocked[0].Website = shop.ID, shop.ID,
		shop.ID, shop.ID
	want.Visits, want.Sender, got.Sender = want.Visits[:1], "", ""
	for _, table := range schema.Tables() {
		for item := range table.Len(&want) {
			table.SetImports(schema.Row{Batch: &want, Item: item}, report.Import)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	cfg.Again = true
	if report := w.run(t, cfg, text("again", string(out))); report.Stored != 0 || report.Repeated != 8 {
		t.Errorf("again: %s", summary(report))
	}
	// An import that is killed when its rows are stored, and continues when the store has forgotten their ids.
	w = newWorld(t)
	w.left, w.after = 0, true
	exists := cfg.Exists
	cfg = w.config()
	cfg.Progress, cfg.Exists = filepath.Join(t.TempDir(), "progress"), exists
	if _, err := importer.Run(t.Context(), cfg, []importer.Source{text("killed", string(out))}); !errors.Is(err,
		errKilled) {
		t.Fatal(err)
	}
	w.left, w.clock = -1, w.clock.AddDate(0, 0, 30)
	if s := summary(w.run(t, cfg, text("continued", string(out)))); s != "8/9 rows=8 stored=0 unknown_link=1" {
		t.Errorf("continued: %s", s)
	}
}

// keeper is a target that also has the last batch.
type keeper struct {
	importer.Target

	last *store.Batch
}

func (k keeper) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	*k.last = *b
	return k.Target.Write(ctx, b)
}
