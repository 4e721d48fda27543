package finish

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// hits is a series of one count and one ratio.
func hits() *catalog.BoundType {
	return &catalog.BoundType{Type: catalog.Type{Name: "hits", Subject: store.KindWebsite, Shape: catalog.Series},
		Table: &catalog.Table{},
		Outputs: []catalog.Output{{Name: "date", Format: catalog.Date},
			{Name: "hits", Format: catalog.Integer, Zero: true}, {Name: "rate", Format: catalog.Number, Decimals: 2}}}
}

// week is a plan over the days from 2024-03-29 to 2024-04-01 in Berlin, where clocks go
// forward on the 31st.
func week(t *testing.T, change func(p *plan.Plan)) *plan.Plan {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Plan{Type: hits(), Sort: []catalog.Order{{Column: "date", Desc: false}},
		Range: calendar.Days(calendar.DateOf(2024, 3, 29), calendar.DateOf(2024, 4, 1), zone)}
	if change != nil {
		change(p)
	}
	return p
}

func number(year int, month time.Month, day int) int64 {
	return int64(calendar.DateOf(year, month, day))
}

func rows(columns ...store.Column) *store.Rows {
	c := columns[0]
	return &store.Rows{Len: len(c.Ints) + len(c.Floats) + len(c.Texts), Columns: columns}
}

// lines is a table for reading: a row a line.
func lines(t answer.Table) string {
	var b strings.Builder
	for row := range t.Len() {
		for i, name := range t.Columns() {
			if i > 0 {
				b.WriteString(" ")
			}
			fmt.Fprint(&b, t.Value(row, name))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestFinishSeries(t *testing.T) {
	country := &catalog.Field{Name: "country"}
	device := &catalog.Field{Name: "device_type"}
	d30, d31 := number(2024, 3, 30), number(2024, 3, 31)
	one := rows(ints(d31, d30), ints(4, 2), known(floats(12.345, 0), true, false))
	grouped := rows(texts("DE", "AT", "DE", ""), ints(d31, d31, d30, d30),
		ints(1, 2, 0, 0), known(floats(5, 6, 7, 9), true, true, false, true))
	for _, row := range []struct {
		why    string
		change func(p *plan.Plan)
		rows   *store.Rows
		want   string
		more   bool
	}{
		{"every day has a row: counts 0, ratios null", nil, one,
			"2024-03-29 0 <nil>\n2024-03-30 2 <nil>\n2024-03-31 4 12.35\n2024-04-01 0 <nil>\n", false},
		{"also when there are no rows", nil, rows(ints(), ints(), floats()),
			"2024-03-29 0 <nil>\n2024-03-30 0 <nil>\n2024-03-31 0 <nil>\n2024-04-01 0 <nil>\n", false},
		{"a limit cuts the series", func(p *plan.Plan) { p.Limit = 3 }, one,
			"2024-03-29 0 <nil>\n2024-03-30 2 <nil>\n2024-03-31 4 12.35\n", true},
		{"page 2 has the rest", func(p *plan.Plan) { p.Limit, p.Offset = 3, 3 }, one, "2024-04-01 0 <nil>\n", false},
		{"the last full page has no more", func(p *plan.Plan) { p.Limit, p.Offset = 2, 2 }, one,
			"2024-03-31 4 12.35\n2024-04-01 0 <nil>\n", false},
		{"a page beyond the end is empty", func(p *plan.Plan) { p.Limit, p.Offset = 3, 6 }, one, "", false},
		{"without a limit later pages are empty", func(p *plan.Plan) { p.Offset = ask.MaxOffset }, one, "", false},
		{"ordered by date, backwards", func(p *plan.Plan) { p.Sort[0].Desc = true }, one,
			"2024-04-01 0 <nil>\n2024-03-31 4 12.35\n2024-03-30 2 <nil>\n2024-03-29 0 <nil>\n", false},
		{"ordered by a count, ties by date",
			func(p *plan.Plan) { p.Sort = []catalog.Order{{Column: "hits", Desc: true}} }, one,
			"2024-03-31 4 12.35\n2024-03-30 2 <nil>\n2024-03-29 0 <nil>\n2024-04-01 0 <nil>\n", false},
		{"null comes last, descending", func(p *plan.Plan) { p.Sort = []catalog.Order{{Column: "rate", Desc: true}} },
			one,
			"2024-03-31 4 12.35\n2024-03-29 0 <nil>\n2024-03-30 2 <nil>\n2024-04-01 0 <nil>\n", false},
		{"and ascending", func(p *plan.Plan) { p.Sort = []catalog.Order{{Column: "rate", Desc: false}} }, one,
			"2024-03-31 4 12.35\n2024-03-29 0 <nil>\n2024-03-30 2 <nil>\n2024-04-01 0 <nil>\n", false},
		{"combinations are filled each, '' is one",
			func(p *plan.Plan) { p.Group = []*catalog.Field{country} }, grouped,
			" 2024-03-29 0 <nil>\nAT 2024-03-29 0 <nil>\nDE 2024-03-29 0 <nil>\n" +
				" 2024-03-30 0 9\nAT 2024-03-30 0 <nil>\nDE 2024-03-30 0 <nil>\n" +
				" 2024-03-31 0 <nil>\nAT 2024-03-31 2 6\nDE 2024-03-31 1 5\n" +
				" 2024-04-01 0 <nil>\nAT 2024-04-01 0 <nil>\nDE 2024-04-01 0 <nil>\n", false},
		{"no combination, no rows", func(p *plan.Plan) { p.Group = []*catalog.Field{country} },
			rows(texts(), ints(), ints(), floats()), "", false},
		{"ordered by combination", func(p *plan.Plan) {
			p.Group, p.Sort, p.Limit = []*catalog.Field{country}, []catalog.Order{{Column: "country", Desc: true}}, 2
		}, grouped, "DE 2024-03-29 0 <nil>\nDE 2024-03-30 0 <nil>\n", true},
		{"texts that join alike are different combinations", func(p *plan.Plan) {
			p.Group, p.Sort, p.Limit = []*catalog.Field{country, device}, []catalog.Order{{Column: "hits", Desc: true}},
				2
		}, rows(texts("a", "ab"), texts("bc", "c"), ints(d30, d30), ints(7, 8), floats(1, 1)),
			"ab c 2024-03-30 8 1\na bc 2024-03-30 7 1\n", true},
	} {
		found, mistake := Finish(week(t, row.change), row.rows)
		if mistake != nil {
			t.Errorf("%s: %v (%v)", row.why, mistake, mistake.Err)
			continue
		}
		if diff := cmp.Diff(row.want, lines(found.Table)); diff != "" || found.More != row.more {
			t.Errorf("%s: more %v (-want +got):\n%s", row.why, found.More, diff)
		}
	}
}

func TestFinishHourlySkipsMissingHours(t *testing.T) {
	p := week(t, func(p *plan.Plan) { p.Grain = calendar.Hourly })
	at := number(2024, 3, 31)*24 + 3
	table, mistake := Finish(p, rows(ints(at), ints(7), floats(1)))
	if mistake != nil || table.Len() != 4*24-1 {
		t.Fatalf("%d rows, %v; want 95", table.Len(), mistake)
	}
	const before = 2*24 + 2
	if got := table.Value(before-1, "date"); got != "2024-03-31 01:00:00" {
		t.Errorf("before the change: %v", got)
	}
	if table.Value(before, "date") != "2024-03-31 03:00:00" || table.Value(before, "hits") != int64(7) {
		t.Errorf("after the change: %v %v", table.Value(before, "date"), table.Value(before, "hits"))
	}
}

func TestFinishTooManyRows(t *testing.T) {
	group := func(p *plan.Plan) { p.Group, p.Limit = []*catalog.Field{{Name: "path"}}, 10 }
	many := func(n int) *store.Rows {
		names, days, hits, rates := make([]string, n), make([]int64, n), make([]int64, n), make([]float64, n)
		for i := range n {
			names[i], days[i], hits[i] = fmt.Sprint(i), number(2024, 3, 30), 1
		}
		return rows(texts(names...), ints(days...), ints(hits...), floats(rates...))
	}
	if found, mistake := Finish(week(t, group), many(ask.MaxLimit/4)); mistake != nil || found.Len() != 10 ||
		!found.More {
		t.Errorf("exactly %d rows are allowed: %v", ask.MaxLimit, mistake)
	}
	for _, n := range []int{ask.MaxLimit/4 + 1, ask.MaxLimit + 1} {
		_, mistake := Finish(week(t, group), many(n))
		if mistake == nil || mistake.Code != ask.TooManyRows ||
			!strings.Contains(mistake.Message, "group by fewer fields") {
			t.Errorf("%d combinations of 4 days: %v", n, mistake)
		}
	}
}

func TestFinishBreakdown(t *testing.T) {
	ty := &catalog.BoundType{Type: catalog.Type{Name: "pages"}, Table: &catalog.Table{},
		Outputs: []catalog.Output{{Name: "path", Format: catalog.String}, {Name: "visitors", Format: catalog.Integer}}}
	found := rows(texts("/b", "/a", "/c"), ints(3, 2, 1))
	for _, row := range []struct {
		limit int
		want  string
		more  bool
	}{{2, "/b 3\n/a 2\n", true}, {3, "/b 3\n/a 2\n/c 1\n", false}, {100, "/b 3\n/a 2\n/c 1\n", false}} {
		got, mistake := Finish(&plan.Plan{Type: ty, Limit: row.limit}, found)
		if diff := cmp.Diff(row.want, lines(got.Table)); diff != "" || got.More != row.more || mistake != nil {
			t.Errorf("limit %d: more %v, %v (-want +got):\n%s", row.limit, got.More, mistake, diff)
		}
	}
}

// CLS is small, so its rows have more decimals. Rows of a group with that name do not.
func TestFinishRoundsByDimension(t *testing.T) {
	name, mean := catalog.Output{Name: "metric_name", Format: catalog.String},
		catalog.Output{Name: "avg_value", Format: catalog.Number, Decimals: 4, PreciseFor: "CLS"}
	ty := &catalog.BoundType{Type: catalog.Type{Name: "vitals"}, Table: &catalog.Table{},
		Outputs:         []catalog.Output{name, mean},
		DimensionFields: []*catalog.Field{{Name: "metric_name"}},
		OutputMetrics:   []*catalog.BoundMetric{{Output: name}, {Output: mean}}}
	p := &plan.Plan{Type: ty, Limit: 10, Group: []*catalog.Field{{Name: "utm_source"}}}
	found, mistake := Finish(p, rows(texts("CLS", "x"), texts("LCP", "CLS"), floats(1.23456, 0.12345)))
	found.RoundRows(p.Type)
	if diff := cmp.Diff("CLS LCP 1.23\nx CLS 0.1235\n", lines(found.Table)); diff != "" || mistake != nil {
		t.Errorf("%v (-want +got):\n%s", mistake, diff)
	}
}

// A store that breaks its promise is a failure of the parameter, never a panic.
func TestFinishRefusesBrokenRows(t *testing.T) {
	day := number(2024, 3, 30)
	country := func(p *plan.Plan) { p.Group = []*catalog.Field{{Name: "country"}} }
	for _, row := range []struct {
		why    string
		change func(p *plan.Plan)
		rows   *store.Rows
	}{
		{"too few columns", nil, rows(ints(day), ints(1))},
		{"too many columns", nil, rows(ints(day), ints(1), floats(1), ints(1))},
		{"a short column", nil, rows(ints(day), ints(), floats(1))},
		{"a column of no kind", nil, rows(ints(day), store.Column{Ints: []int64{1}}, floats(1))},
		{"too few validities", nil, rows(ints(day), ints(1), known(floats(1)))},
		{"a date as text", nil, rows(texts("2024-03-30"), ints(1), floats(1))},
		{"a date as a fraction", nil, rows(floats(1), ints(1), floats(1))},
		{"a text column of numbers", country, rows(ints(1), ints(day), ints(1), floats(1))},
		{"a bucket before the range", nil, rows(ints(day-2), ints(1), floats(1))},
		{"a bucket after the range", nil, rows(ints(day+3), ints(1), floats(1))},
		{"a bucket twice", nil, rows(ints(day, day), ints(1, 1), floats(1, 1))},
	} {
		if row.why == "too few validities" {
			row.rows.Columns[2].Valid = []bool{}
		}
		_, mistake := Finish(week(t, row.change), row.rows)
		if mistake == nil || mistake.Code != ask.Internal || mistake.Err == nil {
			t.Errorf("%s: %v", row.why, mistake)
		}
	}
}

func BenchmarkFinishSeries(b *testing.B) {
	p := &plan.Plan{Type: hits(), Grain: calendar.Hourly, Sort: []catalog.Order{{Column: "date", Desc: false}},
		Range: calendar.Days(calendar.DateOf(2024, 3, 1), calendar.DateOf(2024, 3, 30), time.UTC)}
	n := 720
	numbers, hits, rates := make([]int64, n), make([]int64, n), make([]float64, n)
	for i := range n {
		numbers[i] = number(2024, 3, 1)*24 + int64(i)
	}
	found := rows(ints(numbers...), ints(hits...), floats(rates...))
	b.ReportAllocs()
	for b.Loop() {
		if _, mistake := Finish(p, found); mistake != nil {
			b.Fatal(mistake)
		}
	}
}

func ints(values ...int64) store.Column { return store.Column{Kind: dialect.Int, Ints: values} }

func floats(values ...float64) store.Column {
	return store.Column{Kind: dialect.Float, Floats: values}
}

func texts(values ...string) store.Column { return store.Column{Kind: dialect.Text, Texts: values} }

// known is c with nulls where valid is false.
func known(c store.Column, valid ...bool) store.Column {
	c.Valid = valid
	return c
}
