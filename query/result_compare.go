package query

import (
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// beside finds, of all rows of the other period of p, those that stand beside the rows of its
// answer: of the same keys, or of the bucket beside theirs. Where there is none, previous has no row.
func (p *plan) beside(now, then *answered) (previous, changed Table) {
	begun, at := p.Other.begun(), map[string]int{}
	for row := range then.Len() {
		if date := then.date(row); date == "" || begun[date] {
			at[then.key(row, len(p.Group), date)] = row
		}
	}
	rows := make([]int, now.Len())
	for row := range rows {
		found, ok := at[now.key(row, len(p.Group), p.Other.label(now.date(row)))]
		if !ok {
			found = -1
		}
		rows[row] = found
	}
	previous = then.pick(rows)
	return previous, changes(&now.Table, &previous)
}

// label is the date of the bucket that stands beside that of date.
func (c *comparison) label(date string) string {
	const day = len("2006-01-02")
	if len(date) < day {
		return ""
	}
	d, err := calendar.ParseDate(date[:day])
	if err != nil {
		return ""
	}
	return c.day(d).String() + date[day:]
}

// begun are the dates of the buckets in which c counts anything. The others are as empty as those
// after now are.
func (c *comparison) begun() map[string]bool {
	found := map[string]bool{}
	if c.plan.Type.Shape != Series {
		return found
	}
	for _, b := range calendar.Buckets(c.plan.Range, c.plan.Grain) {
		if b.From < c.plan.Until.UnixMilli() {
			found[b.Label] = true
		}
	}
	return found
}

// date is the bucket of a row of a series; empty in all others.
func (a *answered) date(row int) string {
	if c := a.column(dateColumn); c != nil && c.Format == Date {
		return c.text(row)
	}
	return ""
}

// key tells rows apart, also between periods: the values of groupBy, of the dimensions, and date.
func (a *answered) key(row, groups int, date string) string {
	values := make([]string, 0, groups+len(a.keys)+1)
	for i := range groups {
		values = append(values, a.columnAt(i).text(row))
	}
	for i := range a.keys {
		values = append(values, a.keyText(i, row))
	}
	return state.JoinKey(append(values, date))
}

func (a *answered) keyText(i, row int) string {
	c := &a.keys[i]
	if c.Kind == dialect.Int && !c.Null(row) {
		return strconv.FormatInt(c.Ints[row], 10)
	}
	return c.text(row)
}

// values are those that the rows of a have in a key of theirs, fields of groupBy first, each once.
func (a *answered) values(groups int, key keyOf) []string {
	found := make([]string, a.Len())
	for row := range found {
		if int(key) < groups {
			found[row] = a.columnAt(int(key)).text(row)
		} else {
			found[row] = a.keyText(int(key)-groups, row)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// changes are by how many percent of previous the metrics of now are more.
func changes(now, previous *Table) Table {
	t := Table{len: now.len, absent: previous.absent}
	for i := range now.columns {
		c := &now.columns[i]
		if c.Role != Metric {
			continue
		}
		values := store.Column{Kind: dialect.Float, Floats: make([]float64, t.len), Valid: make([]bool, t.len)}
		for row := range t.len {
			values.Floats[row], values.Valid[row] = change(c, &previous.columns[i], row)
		}
		shown := numberColumn(c.Name, c.Label, "%", "")
		t.columns = append(t.columns, cells{column: &shown, Column: values})
	}
	return t
}

// change is by how many percent now is more than then. It is not known when either is not, and
// when then is 0.
func change(now, then *cells, row int) (float64, bool) {
	if now.Kind == dialect.Int && then.Kind == dialect.Int {
		a, b := now.whole(row), then.whole(row)
		if b == 0 || !now.known(row) || !then.known(row) {
			return 0, false
		}
		return float64(100*(a-b)) / float64(b), true
	}
	a, b := now.number(row), then.number(row)
	if b == 0 || !finite(a) || !finite(b) || !now.known(row) || !then.known(row) {
		return 0, false
	}
	// What the division leaves behind the ninth decimal is its own error.
	return round(100*(a-b)/b, 9), true
}

// known says whether a row has a value of c, nothing counted being one.
func (c *cells) known(row int) bool { return c.Zero || !c.Null(row) }

func (c *cells) whole(row int) int64 {
	if c.Null(row) {
		return 0
	}
	return c.Ints[row]
}

func (c *cells) number(row int) float64 {
	switch {
	case c.Null(row):
		return 0
	case c.Kind == dialect.Int:
		return float64(c.Ints[row])
	}
	return c.Floats[row]
}
