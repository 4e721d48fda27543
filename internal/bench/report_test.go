//go:build cgo

package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// describe records the machine and the versions.
func (r *result) describe(ctx context.Context, s store.Store) error {
	version, err := s.Query(ctx,
		store.Statement{Label: "version", SQL: "SELECT version()", Kinds: []dialect.Kind{dialect.Text}})
	if err != nil {
		return err
	}
	r.Versions = fmt.Sprintf("%s, DuckDB %s", runtime.Version(), version.Columns[0].Texts[0])
	r.Machine = fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if found := regexp.MustCompile(`MemTotal:\s+(\d+) kB`).FindSubmatch(text); found != nil {
			kilobytes, err := strconv.Atoi(string(found[1]))
			if err != nil {
				return err
			}
			r.Machine += fmt.Sprintf(", %.0f GiB", float64(kilobytes)/(1<<20))
		}
	}
	return nil
}

// marker stands before the generated part of docs/performance.md.
const marker = "<!-- measurements -->"

// shownDays are the days of the shortest range that the page shows.
const shownDays = 30

// introduction is the format of the report's first part; see report for its arguments.
const introduction = marker + `

## Measurements

Made by ` + "`make bench-report`" + `. %s, at commit %s.

- Machine: %s. %s
- Versions: %s.
- Rows: %d events of %d websites over %d days, some %d pageviews; %d paths, %d referrers, %d countries, sessions of
  2.2 pageviews. The big website has 53 %% of the events, the small one about 1 %%. ` + "`internal/bench`" +
	` generates them.
- Loaded through ` + "`store.Writer`" +
	` in commits of %d rows%s. Sealing all days took %.0f s, and sorting old rows by ` + "`Store.Maintain`" +
	` %.0f s, both without pauses.
- On disk: %.1f bytes per event, counting blocks in use.
- Peak memory of the process, which includes the clients: %s. The store has its default memory limit, 1 GiB.

Times are milliseconds, p50 and p99. For fewer than 100 answers, p99 is the slowest.

- HTTP: a request over loopback with a key, without rate limits.
- Engine: ` + "`query.Engine.Run`" + `.
- SQL: a statement written by hand for the same answer on the same file. Like all statements it uses one thread.
- Cold: the first request after the store was opened. The system may still have the file in memory.

HTTP, engine and SQL take turns.
`

// report returns the generated part of docs/performance.md: ranges of a month and more, which are the slowest.
func (r *result) report() string {
	var b strings.Builder
	memory := []string{}
	for _, stage := range []string{"load", cold, warm, clients} {
		if bytes, ok := r.Memory[stage]; ok {
			memory = append(memory, fmt.Sprintf("%d MiB (%s)", bytes>>20, stage))
		}
	}
	l, rates := r.Load, ""
	if l.Seconds > 0 {
		rates = fmt.Sprintf(": %.0f events/s, %.0f in the first tenth and %.0f in the last",
			float64(l.Events)/l.Seconds, l.First, l.Last)
	}
	fmt.Fprintf(&b, introduction, r.Date, r.Commit, r.Machine, r.Note, r.Versions, l.Events, websites, r.Traffic.Days,
		r.Traffic.Pageviews, paths, referrers, countries,
		l.Batch, rates, l.Sealing, l.Moving, float64(l.Bytes)/float64(l.Events), strings.Join(memory, ", "))
	for _, of := range r.subjects(warm) {
		if of.Days >= shownDays {
			r.table(&b, of)
		}
	}
	b.WriteString("\n### All clients at once\n\nAll clients send the same query over HTTP.\n\n| website, days | question | p50 | p99 | failed |\n|---|---|---:|---:|---:|\n")
	for _, f := range r.Figures {
		if f.Stage == clients && f.Days >= shownDays {
			fmt.Fprintf(&b, "| %s, %d | %s | %s | %s | %d |\n", f.Website, f.Days, f.Question, ms(f.quantile(0.5)),
				ms(f.quantile(0.99)), f.Failed)
		}
	}
	fmt.Fprintf(&b, `
### Repeat the measurements

    SIGHTLINE_BENCH_PAGEVIEWS=%d SIGHTLINE_BENCH_DAYS=%d make bench-report
    make bench-against other=DIR   # ratios to another checkout, which takes turns with this one

Ingest through HTTP, and queries during ingest: `+"`go test -run '^$' -bench 'Ingest' ./internal/e2e`"+`.
`, r.Traffic.Pageviews, r.Traffic.Days)
	return b.String()
}

// subjects returns the distinct subjects of a stage, in the order of the figures.
func (r *result) subjects(stage string) (found []subject) {
	for _, f := range r.Figures {
		if of := (subject{f.Website, f.Days}); f.Stage == stage && !slices.Contains(found, of) {
			found = append(found, of)
		}
	}
	return found
}

// table writes the times of a single client.
func (r *result) table(b *strings.Builder, of subject) {
	small := of.Website == "small"
	fmt.Fprintf(b, "\n### %s website, %d d\n\n| question | HTTP p50 | p99 | engine p50 | p99 | SQL p50 | p99 | engine ÷ SQL | cold |", strings.ToUpper(of.Website[:1])+of.Website[1:], of.Days)
	if small {
		b.WriteString(" HTTP ÷ count |")
	}
	b.WriteString("\n|---|---:|---:|---:|---:|---:|---:|---:|---:|" +
		strings.Repeat("---:|", strings.Count("small", of.Website)) + "\n")
	for _, f := range r.Figures {
		if f.cell != (cell{warm, of.Website, of.Days, f.Question, overHTTP}) {
			continue
		}
		at := func(stage, way string, p float64) float64 {
			return r.figure(cell{stage, of.Website, of.Days, f.Question, way}).quantile(p)
		}
		fmt.Fprintf(b, "| %s |", f.Question)
		for _, way := range []string{overHTTP, byEngine, bySQL} {
			fmt.Fprintf(b, " %s | %s |", ms(at(warm, way, 0.5)), ms(at(warm, way, 0.99)))
		}
		fmt.Fprintf(b, " %s | %s |", ms(at(warm, byEngine, 0.5)/at(warm, bySQL, 0.5)), ms(at(cold, overHTTP, 0.5)))
		if small {
			fmt.Fprintf(b, " %s |", ms(at(warm, overHTTP, 0.5)/at(warm, countRows, 0.5)))
		}
		b.WriteString("\n")
	}
}

// ms formats a time with three significant digits, and NaN as an empty text.
func ms(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
