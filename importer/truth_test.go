package importer_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/accesslog"
)

// TestTruth imports one generated log as each program writes it, whole and cut into files of servers, pieces and
// both, in any order. The generator knows the people, sessions, pages, browsers, days, robots, hosts and damaged
// lines.
func TestTruth(t *testing.T) {
	lines, totals := accesslog.Lines(accesslog.Options{
		Lines: 1000, Seed: 11, From: time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC), Days: 1, Hosts: true,
	})
	for i, form := range accesslog.Forms() {
		for cut := range 4 {
			if i > 0 && cut != 3 {
				continue // the format does not matter for other cuts
			}
			t.Run(fmt.Sprintf("%s, cut %d", form.Name, cut), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				cfg := w.config()
				cfg.Map, cfg.LogFormat = form.Map, form.LogFormat
				report := w.run(t, cfg, cutLines(&form, lines, cut)...)
				want := fmt.Sprintf("%d/1000 rows=%[1]d stored=%[1]d malformed=%d method=%d status=%d asset=%d other_host=%d bot=%d",
					totals.Pageviews, totals.Damaged, totals.Methods, totals.Errors, totals.Assets, totals.OtherHosts,
					totals.Robots)
				if got := summary(report); got != want {
					t.Errorf("report:\n got %s\nwant %s", got, want)
				}
				if got := w.stored(t); got != wanted(&totals) {
					t.Errorf("stored:\n got %s\nwant %s", got, wanted(&totals))
				}
				pages, browsers, days := map[string]int64{}, map[string]int64{}, map[string]int64{}
				for _, e := range w.rows.Events {
					pages[e.Path]++
					browsers[e.BrowserName]++
					days[e.Time.Format(time.DateOnly)]++
				}
				if d := cmp.Diff([]map[string]int64{totals.Pages, totals.Browsers, totals.Days},
					[]map[string]int64{pages, browsers, days}); d != "" {
					t.Error(d)
				}
				for _, s := range report.Sources {
					if s.Format != form.Format {
						t.Errorf("%s is recognised as %q, want %q", s.Name, s.Format, form.Format)
					}
				}
			})
		}
	}
	if totals.OtherHosts == 0 || totals.Damaged == 0 || totals.Robots == 0 {
		t.Errorf("the log lacks something: %d of other hosts, %d damaged, %d robots", totals.OtherHosts, totals.Damaged,
			totals.Robots)
	}
}

// cutLines returns the sources of a log: one file; three servers; seven pieces; or three servers with pieces of any
// size.
func cutLines(form *accesslog.Form, lines []accesslog.Line, cut int) (all []importer.Source) {
	rng := rand.New(rand.NewPCG(uint64(cut), 5))
	files := map[int][]accesslog.Line{}
	for i, l := range lines {
		file := 0
		switch cut {
		case 1:
			file = rng.IntN(3)
		case 2:
			file = i * 7 / len(lines)
		case 3:
			file = rng.IntN(3)*100 + i/(150+i%7)
		}
		files[file] = append(files[file], l)
	}
	for file, part := range maps.All(files) { // in any order
		text := form.Text(part)
		all = append(all, importer.Source{Name: fmt.Sprint(file), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text)), nil
		}})
	}
	return all
}
