package finish

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// byHand are groups of parts with one metric each.
type byHand struct {
	keys    [][]string // by row
	values  [][]int64  // by part and row; negative: the part does not have the row
	numbers bool       // metrics are given in all rows at once, too
}

func (g byHand) Len() int { return len(g.keys) }

func (g byHand) Rows() (all []int32) {
	for row := range g.keys {
		all = append(all, int32(row))
	}
	return all
}

func (g byHand) Key(row int32, i int) string { return g.keys[row][i] }

func (g byHand) Bucket(row int32) int64 { return 100 + int64(row) }

func (g byHand) Has(part int) func(row int32) bool {
	return func(row int32) bool { return g.values[part][row] >= 0 }
}

func (g byHand) Metric(part, _ int) func(row int32) expr.Value {
	return func(row int32) expr.Value { return expr.IntValue(max(0, g.values[part][row])) }
}

func (g byHand) Numbers(part, _, _ int) []int64 {
	if !g.numbers {
		return nil
	}
	all := slices.Clone(g.values[part])
	for row := range all {
		all[row] = max(0, all[row])
	}
	return all
}

// views counts, so that nothing is 0. seconds is a time, so that nothing is null.
var (
	views   = &catalog.BoundMetric{Output: catalog.Output{Name: "views", Zero: true}}
	seconds = &catalog.BoundMetric{Output: catalog.Output{Name: "seconds"}}
)

// ofPages are the steps of a type that shows views and seconds by path, grouped by country. Rows are ordered by views.
func ofPages() *plan.Steps {
	of := func(m *catalog.BoundMetric) expr.Expr { return catalog.Joined(m.Alias()) }
	country, path := catalog.Joined("country"), catalog.Joined("path")
	return &plan.Steps{
		Keys: []*catalog.Field{{Name: "country"}, {Name: "path"}}, Groups: 1, Lead: plan.AnyPart, ShownBy: plan.AnyPart,
		Parts: []plan.Part{{Metrics: []*catalog.BoundMetric{views}}, {Metrics: []*catalog.BoundMetric{seconds}}},
		Columns: []plan.Column{{Name: "country", E: country, Kind: dialect.Text},
			{Name: "path", E: path, Kind: dialect.Text},
			{Name: "views", E: of(views), Kind: dialect.Int}, {Name: "seconds", E: of(seconds), Kind: dialect.Int},
			{Name: "percentage", E: expr.Call(dialect.Ratio, expr.Mul(expr.Int(100), of(views)),
				expr.Call(dialect.SumOver, of(views))), Kind: dialect.Float}},
		Order: []plan.Step{{Column: "views", E: of(views), Desc: true}, {E: country}, {E: path}}, Limit: 100,
	}
}

var pages = byHand{
	keys:   [][]string{{"DE", "/a"}, {"DE", "/b"}, {"FR", "/a"}, {"FR", "/c"}, {"IT", "/a"}},
	values: [][]int64{{3, 1, -1, -1, 0}, {10, -1, 5, -1, 20}},
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(s *plan.Steps)
		want   string
	}{
		{"what no part has is 0 or null; what any part has exists; rows with equal views are ordered by their keys",
			nil,
			"DE /a 3 10 75\nDE /b 1 null 25\nFR /a 0 5 0\nIT /a 0 20 0\n"},
		{"the rows of the first part exist alone", func(s *plan.Steps) { s.Lead = 0 },
			"DE /a 3 10 75\nDE /b 1 null 25\nIT /a 0 20 0\n"},
		{"the rows of the second part exist alone, and shares are of these", func(s *plan.Steps) { s.Lead = 1 },
			"DE /a 3 10 100\nFR /a 0 5 0\nIT /a 0 20 0\n"},
		{"the first part says which countries are shown", func(s *plan.Steps) { s.ShownBy = 0 },
			"DE /a 3 10 75\nDE /b 1 null 25\nIT /a 0 20 0\n"},
		{"rows without views are left out", func(s *plan.Steps) { s.Positive = []*catalog.BoundMetric{views} },
			"DE /a 3 10 75\nDE /b 1 null 25\n"},
		{"null is not above 0", func(s *plan.Steps) { s.Positive = []*catalog.BoundMetric{seconds} },
			"DE /a 3 10 100\nFR /a 0 5 0\nIT /a 0 20 0\n"},
		{"shares are of all rows when some are left out by their keys",
			func(s *plan.Steps) { s.Among = []plan.Among{{Key: 0}, {Key: 1}} },
			"DE /a 3 10 75\nFR /a 0 5 0\n"},
		{"shares are of all rows of all pages", func(s *plan.Steps) { s.Offset, s.Limit = 1, 2 },
			"DE /b 1 null 25\nFR /a 0 5 0\n"},
		{"a page behind the end is empty", func(s *plan.Steps) { s.Offset = 4 }, ""},
		{"without an order rows stay as they are", func(s *plan.Steps) { s.Order, s.Limit = nil, 0 },
			"DE /a 3 10 75\nDE /b 1 null 25\nFR /a 0 5 0\nIT /a 0 20 0\n"},
		{"null is last, ascending", func(s *plan.Steps) { s.Order = []plan.Step{{E: s.Columns[3].E}} },
			"FR /a 0 5 0\nDE /a 3 10 75\nIT /a 0 20 0\nDE /b 1 null 25\n"},
		{"and descending", func(s *plan.Steps) { s.Order = []plan.Step{{E: s.Columns[3].E, Desc: true}} },
			"IT /a 0 20 0\nDE /a 3 10 75\nFR /a 0 5 0\nDE /b 1 null 25\n"},
		{"by views ascending, then by path descending", func(s *plan.Steps) {
			s.Order = []plan.Step{{E: s.Columns[2].E}, {E: s.Columns[1].E, Desc: true}, {E: s.Columns[0].E}}
		}, "FR /a 0 5 0\nIT /a 0 20 0\nDE /b 1 null 25\nDE /a 3 10 75\n"},
		{"values that nothing counts for have rows in each country, and no others", func(s *plan.Steps) {
			s.Parts, s.Columns, s.ZeroValues = s.Parts[:1], s.Columns[:3], []string{"/a", "/c"}
		}, "DE /a 3\nDE /b 1\nDE /c 0\nIT /a 0\nIT /c 0\n"},
	} {
		for _, numbers := range []bool{false, true} {
			steps, of := ofPages(), pages
			if of.numbers = numbers; c.change != nil {
				c.change(steps)
			}
			got := Run(steps, of, [][]string{{"DE", "FR"}, {"/a", "/d"}})
			if diff := cmp.Diff(c.want, rowTexts(got)); diff != "" {
				t.Errorf("%s, numbers %t (-want +got):\n%s", c.why, numbers, diff)
			}
		}
	}
}

// Values of a type have rows without any group, and totals have their row, where nothing counts.
func TestRunOfNothing(t *testing.T) {
	nothing := byHand{values: [][]int64{nil}}
	steps := ofPages()
	steps.Parts, steps.Columns, steps.ZeroValues = steps.Parts[:1], steps.Columns[1:3], []string{"/b", "/a"}
	if got := rowTexts(Run(steps, nothing, nil)); got != "" {
		t.Errorf("rows in no country:\n%s", got)
	}
	steps.Keys, steps.Groups = steps.Keys[1:], 0
	steps.Order = steps.Order[2:]
	if got := rowTexts(Run(steps, nothing, nil)); got != "/a 0\n/b 0\n" {
		t.Errorf("rows of values:\n%s", got)
	}
	totals := &plan.Steps{Parts: steps.Parts, Single: true, Lead: plan.AnyPart, ShownBy: plan.AnyPart,
		Columns: steps.Columns[1:], Limit: 2}
	if got := rowTexts(Run(totals, byHand{keys: [][]string{nil}, values: [][]int64{{-1}}}, nil)); got != "0\n" {
		t.Errorf("rows of totals:\n%s", got)
	}
}

// A series has the buckets that something counts for.
func TestRunOfSeries(t *testing.T) {
	steps := &plan.Steps{Parts: ofPages().Parts[:1], Lead: plan.AnyPart, ShownBy: plan.AnyPart, Limit: 10,
		Columns: []plan.Column{{E: catalog.Joined(catalog.BucketColumn), Kind: dialect.Int},
			{E: catalog.Joined(views.Alias()), Kind: dialect.Int}}}
	if got := rowTexts(Run(steps, byHand{keys: make([][]string, 3), values: [][]int64{{4, -1, 5}}},
		nil)); got != "100 4\n102 5\n" {
		t.Errorf("rows:\n%s", got)
	}
}

// rowTexts is a line for each row.
func rowTexts(rows *store.Rows) string {
	var b strings.Builder
	for row := range rows.Len {
		for i, c := range rows.Columns {
			text := "null"
			switch {
			case c.Null(row):
			case c.Kind == dialect.Text:
				text = c.Texts[row]
			case c.Kind == dialect.Float:
				text = fmt.Sprint(c.Floats[row])
			default:
				text = fmt.Sprint(c.Ints[row])
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// least finds the same rows as an order of all does, whether there are many more or not.
func TestLeast(t *testing.T) {
	var all []int
	for i := range 1000 {
		all = append(all, i*7919%1000)
	}
	for _, n := range []int{1, 3, 100, 249, 250, 999, 1000, 2000} {
		got := least(slices.Clone(all), n, func(a, b int) int { return a - b })
		if len(got) != min(n, 1000) || !slices.IsSorted(got) || got[len(got)-1] != len(got)-1 {
			t.Errorf("the first %d of 1000 are %v", n, got)
		}
	}
}
