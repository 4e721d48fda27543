package clickhouse_test

import (
	"embed"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// byHand has statements that a ClickHouse expert would write for the numbers of a query type, by type.
//
//go:embed testdata/bench/*.sql
var byHand embed.FS

// The queried days, in UTC.
const benchStart, benchEnd, benchDays = "2026-05-15", "2026-06-13", 30

// BenchmarkAnswers compares the engine with hand-written SQL through the bare driver, over the same protocol.
// It runs them alternately; the engine answers from rows, from seals and from partials. It reports the medians
// of both, of the ratios of pairs, and of their differences.
func BenchmarkAnswers(b *testing.B) {
	s, conn := benchStore(b, chtest.Address(b, "CLICKHOUSE_DSN"))
	for _, name := range []string{"summary_metrics", "top_pages", "pages", "traffic_sources", "sessions"} {
		text, err := byHand.ReadFile("testdata/bench/" + name + ".sql")
		if err != nil {
			b.Fatal(err)
		}
		for _, way := range []struct {
			name string
			by   query.Config
		}{{"from rows", query.Config{EngineOptions: query.EngineOptions{NoDerived: true}}},
			{"from seals", query.Config{EngineOptions: query.EngineOptions{MaxPartials: -1}}},
			{"from partials", query.Config{}}} {
			way.by.Store, way.by.ResultCache, way.by.Now = s, -1, func() time.Time { return benchFrom.AddDate(0, 4, 0) }
			engine, err := query.New(way.by)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/"+way.name, func(b *testing.B) { besideByHand(b, engine, conn, name, string(text)) })
		}
	}
}

// besideByHand measures answers to a query type and to the hand-written statement, after checking that both are
// equal.
func besideByHand(b *testing.B, engine *query.Engine, conn driver.Conn, name, text string) {
	b.Helper()
	want := answerByHand(b, conn, text)
	for range 2 { // the first answer is not stored
		got := answerOf(b, engine, name)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				b.Fatalf("%d rows of the engine and %d rows of the hand-written statement differ, from row %d:\n%s\n%s",
					len(got), len(want), i,
					strings.Join(got[min(i, len(got)):min(i+1, len(got))], ""),
					strings.Join(want[min(i, len(want)):min(i+1, len(want))], ""))
			}
		}
	}
	var engines, hands, ratios, extras []float64
	for turn := 0; b.Loop(); turn++ {
		var ours, theirs float64
		for _, first := range []bool{turn%2 == 0, turn%2 != 0} {
			if first {
				ours = millis(func() { answerOf(b, engine, name) })
			} else {
				theirs = millis(func() { answerByHand(b, conn, text) })
			}
		}
		engines, hands = append(engines, ours), append(hands, theirs)
		ratios, extras = append(ratios, ours/theirs), append(extras, ours-theirs)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(engines), "engine-ms")
	b.ReportMetric(median(hands), "hand-ms")
	b.ReportMetric(median(extras), "extra-ms")
	b.ReportMetric(median(ratios), "ratio")
}

func millis(do func()) float64 {
	start := time.Now()
	do()
	return float64(time.Since(start).Microseconds()) / 1000
}

func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// answerOf queries the engine, and returns a line per row.
func answerOf(b *testing.B, engine *query.Engine, name string) []string {
	b.Helper()
	access := query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: benchLarge}}
	resp, err := engine.Run(b.Context(), access, query.Request{
		Parameters: []query.Parameter{{Name: name}}, StartDate: benchStart, EndDate: benchEnd})
	if err != nil {
		b.Fatal(err)
	}
	if !resp.Data[0].Success {
		b.Fatal(resp.Data[0].Cause)
	}
	table := resp.Data[0].Data
	lines := make([]string, table.Len())
	for i := range lines {
		for _, column := range table.Columns() {
			lines[i] += cell(table.Value(i, column)) + " | "
		}
	}
	return lines
}

// answerByHand queries the driver, and returns a line per row.
func answerByHand(b *testing.B, conn driver.Conn, text string) []string {
	b.Helper()
	from, err := time.Parse(time.DateOnly, benchStart)
	if err != nil {
		b.Fatal(err)
	}
	args := []any{driver.Named("site", benchLarge), driver.Named("from", from.UnixMilli()),
		driver.Named("to", from.AddDate(0, 0, benchDays).UnixMilli())}
	for name, list := range benchLists() {
		if strings.Contains(text, "{"+name+":") {
			args = append(args, driver.Named(name, list))
		}
	}
	rows, err := conn.Query(b.Context(), text, args...)
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	cells := make([]any, len(rows.ColumnTypes()))
	for i, t := range rows.ColumnTypes() {
		cells[i] = reflect.New(t.ScanType()).Interface()
	}
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			b.Fatal(err)
		}
		line := ""
		for _, c := range cells {
			line += cell(reflect.ValueOf(c).Elem().Interface()) + " | "
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return lines
}

// benchLists returns the lists of sources and countries, which the engine also binds.
func benchLists() map[string][]string {
	lists := map[string][]string{}
	for _, s := range referrer.Sources() {
		lists["domains"] = append(lists["domains"], s.Domain)
		lists["names"] = append(lists["names"], s.Name)
		lists["kinds"] = append(lists["kinds"], string(s.Kind))
	}
	for _, c := range country.All() {
		lists["codes"] = append(lists["codes"], c.Code)
		lists["countries"] = append(lists["countries"], c.Name)
	}
	return lists
}

// cell formats a value of both sides in the same way: numbers with two decimals, instants in milliseconds.
func cell(v any) string {
	switch v := v.(type) {
	case *float64:
		if v == nil {
			return "null"
		}
		return cell(*v)
	case float64:
		// Half away from zero, as for decimals: 1.005 is a little less in binary.
		return strconv.FormatFloat(math.Round(v*100+math.Copysign(1e-7, v))/100, 'f', -1, 64)
	case time.Time:
		return strconv.FormatInt(v.UnixMilli(), 10)
	case bool:
		return strconv.Itoa(map[bool]int{true: 1}[v])
	}
	return fmt.Sprint(v)
}
