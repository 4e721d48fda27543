package reference

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

const (
	mostMetrics    = 10
	mostDimensions = 4
)

// choiceOf returns the type of a choice of metrics.
func choiceOf(q *Question) (Type, error) {
	d, ok := DatasetOf(cmp.Or(q.Dataset, "pageviews"))
	if !ok || q.Type != "" || d.Kind != q.Subject.Kind {
		return Type{}, fmt.Errorf("%w: %s of a %s", ErrType, q.Dataset, q.Subject.Kind)
	}
	if len(q.Metrics) < 1 || len(q.Metrics) > mostMetrics || len(q.Dimensions) > mostDimensions || len(q.GroupBy) > 0 {
		return Type{}, fmt.Errorf("%w: %d metrics, %d dimensions, groupBy %q", ErrPart, len(q.Metrics),
			len(q.Dimensions), q.GroupBy)
	}
	kind := Type{
		Name: d.Name, Kind: d.Kind, Filters: d.Filters, GroupBy: d.Dimensions,
		Series: slices.Contains(q.Dimensions, "date"), answer: func(a *evaluation) *table { return a.choice(d) },
	}
	for i, f := range q.Dimensions {
		if f != "date" && !d.groups(f) || slices.Contains(q.Dimensions[:i], f) {
			return Type{}, fmt.Errorf("%w: dimension %q", ErrPart, f)
		}
		c := Column{f, Name}
		if f == "date" {
			c.Kind = Date
		}
		kind.Columns = append(kind.Columns, c)
	}
	for _, m := range q.Metrics {
		if err := d.check(m); err != nil {
			return Type{}, err
		}
		if columnOf(kind.Columns, m.Column()) >= 0 {
			return Type{}, fmt.Errorf("%w: two columns %q", ErrPart, m.Column())
		}
		kind.Columns = append(kind.Columns, Column{m.Column(), Number})
	}
	if sharedMetric(q.Metrics) < 0 && slices.ContainsFunc(q.Metrics, isShare) {
		return Type{}, fmt.Errorf("%w: percentage of nothing", ErrPart)
	}
	return kind, nil
}

func (d *Dataset) groups(field string) bool {
	_, property := propertyKey(field)
	if field == websiteField {
		return d.Kind == store.KindWebsite
	}
	return slices.Contains(d.Dimensions, field) || d.Events && (property || field == "event_name")
}

func (d *Dataset) check(m Metric) error {
	known := slices.Contains(d.Metrics, m.Name)
	if m.Property != "" {
		known = d.Properties && slices.Contains(PropertyMetrics(), m.Name)
	}
	if !known {
		return fmt.Errorf("%w: metric %+v of %s", ErrPart, m, d.Name)
	}
	return nil
}

func isShare(m Metric) bool { return m.Name == "percentage" && m.Property == "" }

// sharedMetric returns the position of the metric whose shares percentage shows: the first other one, or -1.
func sharedMetric(list []Metric) int {
	return slices.IndexFunc(list, func(m Metric) bool { return !isShare(m) })
}

// formula returns how m is computed. Percentage is computed later.
func (d *Dataset) formula(m Metric) formula {
	switch {
	case isShare(m):
		return func(*portion) value { return value{} }
	case m.Property == "":
		return d.formulas[m.Name]
	}
	return func(p *portion) value { return propertyMetric(p.rows, m.Name, m.Property) }
}

// propertyMetric returns a metric of the property key of rows.
func propertyMetric(rows []*row, name, key string) value {
	list := decimalsOf(rows, key)
	switch name {
	case "sum":
		return sumCell(list)
	case "avg":
		return averageCell(list)
	case "count":
		return count(len(list))
	case "distinct":
		texts := map[string]bool{}
		for _, r := range rows {
			if p := r.values[key]; p.kind != noProperty {
				texts[p.text] = true
			}
		}
		return count(len(texts))
	}
	percent := map[string]int64{"min": 0, "median": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "max": 100}[name]
	return decimals(per(quantile(list, percent), tenThousandths), 4)
}

// choice answers a choice of metrics.
func (a *evaluation) choice(d Dataset) *table {
	dimensions := a.q.Dimensions
	if a.merged {
		dimensions = nil
	}
	t := &table{columns: a.kind.Columns[len(a.kind.Columns)-len(a.q.Metrics)-len(dimensions):], keys: dimensions,
		named: a.q.Websites != nil}
	if a.kind.Series {
		t.order = []order{{"date", false}}
	}
	t.order = append(t.order, order{a.q.Metrics[0].Column(), true})
	for _, one := range a.portions(d).list {
		for i := range one.tally {
			var cells []value
			for _, f := range dimensions {
				if f == "date" {
					cells = append(cells, text(a.period.labels[i]))
				} else {
					cells = append(cells, text(one.combination[slices.Index(a.groupBy, f)]))
				}
			}
			for _, m := range a.q.Metrics {
				cells = append(cells, d.formula(m)(&one.tally[i]))
			}
			t.rows = append(t.rows, cells)
		}
	}
	a.share(t, len(dimensions))
	return t
}

// share sets percentage to the share of the first metric. The metrics follow the dimensions.
func (a *evaluation) share(t *table, dimensions int) {
	of, sum := dimensions+sharedMetric(a.q.Metrics), new(big.Rat)
	for _, r := range t.rows {
		if r[of].kind == numberValue {
			sum.Add(sum, r[of].number)
		}
	}
	for i, m := range a.q.Metrics {
		at := dimensions + i
		for _, r := range t.rows {
			if isShare(m) && r[of].kind == numberValue && sum.Sign() != 0 {
				part := new(big.Rat).Mul(r[of].number, big.NewRat(100, 1))
				r[at] = fraction(part.Quo(part, sum))
			}
		}
	}
}

// portions returns what belongs to each combination and bucket.
func (a *evaluation) portions(d Dataset) *groups[filled[portion]] {
	var begun []*session
	if d.Events {
		for _, s := range a.site.sessions {
			if a.begins(s) {
				begun = append(begun, s)
			}
		}
	}
	// A combination needs a row of the dataset, or a session if the dataset counts sessions.
	var g *groups[filled[portion]]
	if d.counts != nil {
		rows := a.among(d.counts)
		g = fill[portion](a, rows)
		for _, r := range rows {
			p := at(a, g, a.combination(r), r.at)
			p.rows = append(p.rows, r)
		}
	} else {
		var all []*row
		for _, s := range begun {
			all = append(all, a.counted(d, s)...)
		}
		g = fill[portion](a, all)
	}
	for _, r := range a.among((*row).counted) {
		if p := at(a, g, a.combination(r), r.at); p != nil {
			p.events = append(p.events, r)
		}
	}
	for _, s := range begun {
		for _, r := range a.counted(d, s) {
			p := at(a, g, a.combination(r), s.start)
			if p != nil && (len(p.sessions) == 0 || p.sessions[len(p.sessions)-1] != s) {
				p.sessions = append(p.sessions, s)
			}
		}
	}
	return g
}

// counted returns the pageviews by whose dimensions a session counts: its entry or exit page, or all for which the
// filters hold.
func (a *evaluation) counted(d Dataset, s *session) []*row {
	if d.door != nil {
		return []*row{d.door(s)}
	}
	return slices.DeleteFunc(slices.Clone(s.pageviews), func(r *row) bool { return !a.allHold(r) })
}
