package importer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/store"
)

// salted is a configuration that keeps sessions between imports, whose salts are destroyed at the end of the next day.
func (w *world) salted(t *testing.T) importer.Config {
	t.Helper()
	cfg := w.config()
	cfg.Progress, cfg.Salts = filepath.Join(t.TempDir(), "progress"), salts{w}
	return cfg
}

// salts are salts by the clock of a world.
type salts struct{ *world }

func (s salts) Salt(_ context.Context, day time.Time) ([]byte, error) {
	if s.clock.Truncate(24*time.Hour).Sub(day.Truncate(24*time.Hour)) > 24*time.Hour {
		return nil, fmt.Errorf("%w: destroyed", store.ErrNotFound)
	}
	return []byte("salt of " + day.Format(time.DateOnly)), nil
}

// csvDay is a CSV with the rows of one day.
func csvDay(day, rows int) string {
	var text strings.Builder
	text.WriteString("time,url,visitor\n")
	for i := range rows {
		fmt.Fprintf(&text, "2026-11-%02dT10:%02d:%02dZ,/p%d,v%d\n", day, i/60, i%60, i, i%7)
	}
	return text.String()
}

// TestShortFiles imports short files that begin alike, in one import and one after another: a file is only taken
// for an earlier one that has grown if it begins with all of it.
func TestShortFiles(t *testing.T) {
	files := []struct {
		text   string
		stored int64
	}{
		{csvDay(1, 0), 0}, {csvDay(2, 100), 100}, {csvDay(3, 100), 100}, {csvDay(4, 120), 120}, {csvDay(5, 50), 50},
		{csvDay(1, 0), 0}, {csvDay(6, 1), 1}, {csvDay(6, 3), 2}, {csvDay(5, 50), 0}, {csvDay(4, 121), 1},
		{csvDay(7, 3000), 3000}, {csvDay(7, 3001), 1},
	}
	one, all := newWorld(t), []importer.Source(nil)
	oneCfg := one.config()
	oneCfg.Map, oneCfg.Progress = map[string]string{"time": "time"}, filepath.Join(t.TempDir(), "progress")
	w := newWorld(t)
	cfg := w.config()
	cfg.Map, cfg.Progress = map[string]string{"time": "time"}, filepath.Join(t.TempDir(), "progress")
	total := int64(0)
	for i, f := range files {
		report := w.run(t, cfg, text(fmt.Sprint(i), f.text))
		if report.Stored != f.stored || report.Repeated > 0 || !report.Complete() {
			t.Errorf("file %d: %s, want %d rows", i, summary(report), f.stored)
		}
		total += f.stored
		all = append(all, text(fmt.Sprint(i), f.text))
		w.clock = w.clock.AddDate(0, 0, 10) // the store has forgotten the ids
	}
	if report := one.run(t, oneCfg, all...); report.Stored != total {
		t.Errorf("in one import: %s, want %d rows", summary(report), total)
	}
}

// TestPipes imports from pipes and from files that are not regular: each is opened once.
func TestPipes(t *testing.T) {
	log, totals := generated(t, 3000)
	w := newWorld(t)
	fifo := filepath.Join(t.TempDir(), "fifo")
	writePipe(t, fifo, log)
	sources, err := importer.Files(fifo)
	if err != nil {
		t.Fatal(err)
	}
	if report := w.run(t, w.config(), sources...); report.Stored != totals.Pageviews || report.Records != 3000 {
		t.Errorf("a pipe: %s, want %d", summary(report), totals.Pageviews)
	}
}

// TestAnotherStream reads a stream that begins with the first 64 KiB of an imported one, and then differs.
func TestAnotherStream(t *testing.T) {
	log, _ := generated(t, 3000)
	w := newWorld(t)
	cfg := w.config()
	cfg.Progress = filepath.Join(t.TempDir(), "progress")
	w.run(t, cfg, text("a", string(log)))
	other := log[:len(log)/2]
	other = append(other[:len(other):len(other)],
		strings.Repeat(line(now.Add(-time.Hour), "192.0.2.1", "/other"), 3000)...)
	report := w.run(t, cfg, text("b", string(other)))
	if report.Complete() || !strings.Contains(report.Sources[0].Problem, "goes on in another way") {
		t.Errorf("as a stream: %+v", report)
	}
	file := filepath.Join(t.TempDir(), "b.log")
	if err := os.WriteFile(file, other, 0o600); err != nil {
		t.Fatal(err)
	}
	sources, _ := importer.Files(file)
	if report = w.run(t, cfg, sources...); report.Stored != 2999 || report.Sources[0].Problem != "" {
		t.Errorf("as a file: %s, %+v", summary(report), report.Sources)
	}
	if again := w.run(t, cfg, sources...); !again.Sources[0].Known {
		t.Errorf("again: %+v", again.Sources)
	}
}

// TestServers cuts a log into the files of several servers: line by line, and into pieces one after another. People
// and sessions are those of the whole log, in one import and in several ones of a day.
func TestServers(t *testing.T) {
	log, totals := generated(t, 6000)
	lines := strings.SplitAfter(strings.TrimSuffix(string(log), "\n"), "\n")
	servers := func(n int, of func(i int) int) []string {
		files := make([]strings.Builder, n)
		for i, l := range lines {
			files[of(i)].WriteString(l)
		}
		var all []string
		for i := range files {
			all = append(all, files[i].String())
		}
		return all
	}
	for _, c := range []struct {
		why   string
		files []string
		apart bool // imported one after another
	}{
		{"two servers", servers(2, func(i int) int { return i * 7919 % 13 % 2 }), false},
		{"nine servers", servers(9, func(i int) int { return i * 7919 % 101 % 9 }), false},
		{"pieces", servers(5, func(i int) int { return i / 1200 }), false},
		{"more small files than may be open at a time", servers(600, func(i int) int { return i * 7919 % 600 }), false},
		{"pieces, one after another", servers(5, func(i int) int { return i / 1200 }), true},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			cfg := w.salted(t)
			var sources []importer.Source
			for i, f := range c.files {
				name := fmt.Sprint(i)
				sources = append(sources, importer.Source{Name: name, Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader(f)), nil
				}})
			}
			if !c.apart {
				w.run(t, cfg, sources...)
			} else {
				for _, s := range sources {
					w.run(t, cfg, s)
					w.clock = w.clock.Add(3 * time.Hour)
				}
			}
			if got := w.stored(t); got != wanted(&totals) {
				t.Errorf("stored:\n got %s\nwant %s", got, wanted(&totals))
			}
		})
	}
}

// TestSessionsBetweenImports imports requests of one visitor in two imports: their session continues while the
// salts of the first one exist, and the file has no secret that would tell the visitor without them.
func TestSessionsBetweenImports(t *testing.T) {
	day := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	first := line(day, "192.0.2.1", "/a") + line(day.Add(4*time.Hour), "192.0.2.1", "/b")
	second := line(day.Add(20*time.Minute), "192.0.2.1", "/c") + line(day.Add(-29*time.Minute), "192.0.2.1", "/d")
	for _, c := range []struct {
		why   string
		later time.Duration
		salts bool
		want  string
	}{
		{"hours later", 5 * time.Hour, true, "views=4 others=0 visitors=1 sessions=2"},
		{"days later", 60 * time.Hour, true, "views=4 others=0 visitors=2 sessions=4"},
		{"without salts", time.Hour, false, "views=4 others=0 visitors=2 sessions=4"},
	} {
		w := newWorld(t)
		w.clock = day.Add(6 * time.Hour)
		cfg := w.salted(t)
		if !c.salts {
			cfg.Salts = nil
		}
		w.run(t, cfg, text("web1", first))
		w.clock = w.clock.Add(c.later)
		w.run(t, cfg, text("web2", second))
		if got := people(w.rows.Events); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// TestDryRun plans an import: nothing is stored, and the import that follows stores what was planned.
func TestDryRun(t *testing.T) {
	day := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	referred := strings.Replace(line(day, "192.0.2.1", "/b"), `"-"`, `"https://www.google.com/"`, 1)
	log := line(day, "192.0.2.1", "/a") + referred + line(day.Add(time.Minute), "192.0.2.2", "/a") +
		line(day.AddDate(0, 0, 1), "192.0.2.2", "/a") + "damaged\n"
	w := newWorld(t)
	cfg := w.salted(t)
	w.run(t, cfg, text("before", line(day.AddDate(0, 0, 1), "192.0.2.9", "/before")))
	before, _ := os.ReadFile(cfg.Progress)
	cfg.DryRun = true
	report := w.run(t, cfg, text("f", log))
	want := &importer.Plan{
		Days: []importer.PlannedDay{{Day: "2026-11-20", Rows: 3, People: 2},
			{Day: "2026-11-21", Rows: 1, People: 1, Stored: 1}},
		Sources: []importer.PlannedSource{{Name: "", Pageviews: 3}, {Name: "google.com", Pageviews: 1}},
	}
	if d := cmp.Diff(want, report.Plan); d != "" || summary(report) != "4/5 rows=4 stored=0 malformed=1" {
		t.Errorf("%s\n%s", summary(report), d)
	}
	if after, _ := os.ReadFile(cfg.Progress); string(after) != string(before) || len(w.rows.Events) != 1 {
		t.Errorf("the dry run stored %d rows, or changed the progress:\n%s\n%s", len(w.rows.Events)-1, before, after)
	}
	cfg.DryRun = false
	if report := w.run(t, cfg, text("f", log)); summary(report) != "4/5 rows=4 stored=4 malformed=1" ||
		report.Plan != nil {
		t.Errorf("the import: %s", summary(report))
	}
	cfg.DryRun = true
	if report := w.run(t, cfg, text("f", log)); report.Rows != 0 || len(report.Plan.Days) != 0 {
		t.Errorf("a plan of what was imported: %s", summary(report))
	}
}

// TestResumeServers interrupts an import of the logs of three servers at every batch, before and after its rows are
// stored. The rest of the import must store every other row, and the sessions must be those of one log.
func TestResumeServers(t *testing.T) {
	log, totals := generated(t, 900)
	files := make([]strings.Builder, 3)
	for i, l := range strings.SplitAfter(strings.TrimSuffix(string(log), "\n"), "\n") {
		files[i*7919%13%3].WriteString(l)
	}
	var sources []importer.Source
	for i := range files {
		text := files[i].String()
		sources = append(sources, importer.Source{Name: fmt.Sprint(i), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text)), nil
		}})
	}
	for _, after := range []bool{false, true} {
		for fail := range 4 {
			w := newWorld(t)
			w.left, w.after = fail, after
			cfg := w.salted(t)
			cfg.Rows = 100
			if _, err := importer.Run(t.Context(), cfg, sources); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			w.left, w.clock = -1, w.clock.AddDate(0, 0, 30)
			report := w.run(t, cfg, sources...)
			if got := w.stored(t); got != wanted(&totals) || report.Repeated != 0 || report.Records != 900 {
				t.Errorf("batch %d, stored: %t: %s\n got %s\nwant %s", fail, after, summary(report), got,
					wanted(&totals))
			}
			if report = w.run(t, cfg, sources...); report.Records != 0 {
				t.Errorf("batch %d, stored: %t, again: %s", fail, after, summary(report))
			}
		}
	}
}
