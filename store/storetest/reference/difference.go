package reference

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
)

// difference is the order by how much more a metric is than in the compared period.
const difference = "difference"

// sortsByDifference reports whether q orders rows by difference, and not by a column of that name.
func (a *evaluation) sortsByDifference(q Question) bool {
	return q.SortBy == difference && columnOf(a.table().columns, difference) < 0 &&
		!slices.ContainsFunc(q.Metrics, func(m Metric) bool { return m.Column() == difference })
}

// unmeasured matches metrics that are null where nothing counts. All others are 0 there.
var unmeasured = regexp.MustCompile(`^(avg|median|min|max|p[0-9]+)(_|$)|rate|per_|percentage|conversion_(low|high)`)

// byDifference orders and pages the rows of t and of other: rows of other alone count nothing.
func (a *evaluation) byDifference(t, other *table) error {
	metric := a.differenceOf(t)
	if metric < 0 || t.columns[metric].Kind != Number {
		return fmt.Errorf("%w: %s by difference", ErrSort, a.kind.Name)
	}
	then, known := map[string][]value{}, map[string]bool{}
	for _, r := range other.rows {
		then[other.keyOf(r, nil)] = r
	}
	for _, r := range t.rows {
		known[t.keyOf(r, nil)] = true
	}
	for _, r := range other.rows {
		if !known[other.keyOf(r, nil)] {
			t.rows = append(t.rows, a.gone(t, r))
		}
	}
	more := map[string]*big.Rat{}
	for _, r := range t.rows {
		by, key := new(big.Rat), t.keyOf(r, nil)
		if r[metric].kind == numberValue {
			by.Add(by, r[metric].number)
		}
		if before := then[key]; before != nil && before[metric].kind == numberValue {
			by.Sub(by, before[metric].number)
		}
		more[key] = by
	}
	t.order = nil
	if err := t.sort("", ""); err != nil { // by the keys
		return err
	}
	slices.SortStableFunc(t.rows, func(x, y []value) int {
		c := more[t.keyOf(y, nil)].Cmp(more[t.keyOf(x, nil)])
		if a.q.SortOrder == "asc" {
			return -c
		}
		return c
	})
	t.cut(a.q.Limit, a.q.Page, a.kind.limit, false)
	return nil
}

// differenceOf returns the column of the metric whose difference orders rows, or -1.
func (a *evaluation) differenceOf(t *table) int {
	switch {
	case a.q.Metrics != nil:
		return columnOf(t.columns, a.q.Metrics[sharedMetric(a.q.Metrics)].Column())
	case a.kind.Name == "goals":
		return columnOf(t.columns, "visitors")
	case len(t.order) == 0 || !t.order[0].desc:
		return -1
	}
	return columnOf(t.columns, t.order[0].column)
}

// gone returns the row of t for a row of the compared period that t has not.
func (a *evaluation) gone(t *table, then []value) []value {
	row := slices.Clone(then)
	for i, c := range t.columns {
		metric := c.Name
		if first := len(t.columns) - len(a.q.Metrics); a.q.Metrics != nil && i >= first {
			metric = a.q.Metrics[i-first].Name
		}
		switch {
		case c.Kind == Instant || c.Kind == Boolean:
			row[i] = value{}
		case c.Kind == Object:
			row[i] = raw("[]")
		case c.Kind != Number:
		case metric == "percentage" || a.kind.Name == "goals" && metric == "value" && then[i].kind == numberValue:
			row[i] = count(0)
		case unmeasured.MatchString(metric) || a.kind.Name == "goals" && metric == "value":
			row[i] = value{}
		default:
			row[i] = count(0)
		}
	}
	return row
}
