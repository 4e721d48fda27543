package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// tables selects the rows of tables that count, and aggregates them by the keys of the answer.
type tables struct {
	sessionizer
	steps *plan.Steps // nil where rows are not aggregated for an answer
}

// A part is a [plan.Part] with its selection.
type part struct {
	tb      *catalog.Table
	metrics []*catalog.BoundMetric
	q       selection
	gap     calendar.Interval // with rows: the time that is computed from events
	partly  bool              // of the ids that changed alone: the hits of the others are kept
	rows    *selection        // the hits of the gap; q reads them with those that are kept
	ids     expr.Expr         // which session ids its rows have, of events t; absent: any
	byRow   []*catalog.Field  // of sessions: the fields of groupBy that their pageviews have
}

// parts makes the parts of the answer.
func (c *tables) parts() []*part {
	var found []*part
	for _, of := range c.steps.Parts {
		p := &part{tb: of.Table, metrics: of.Metrics, byRow: RowFields(c.p, of.Table)}
		p.q = c.part(p)
		c.fromHits(p)
		found = append(found, p)
	}
	return found
}

// part selects p's metrics by the answer's keys.
func (c *tables) part(p *part) selection {
	q := c.rows(p.tb)
	q.columns = c.partKeys(p.tb)
	q.group = len(q.columns)
	for _, m := range p.metrics {
		q.columns = append(q.columns, named{m.Alias(), m.Expr})
	}
	if lead := c.steps.Lead; lead != plan.AnyPart {
		rows := expr.Int(0)
		if p.tb == c.steps.Parts[lead].Table {
			rows = expr.Call(dialect.Count)
		}
		q.columns = append(q.columns, named{catalog.SourceRowsColumn, rows})
	}
	return q
}

// rows selects the rows of tb that count, and no columns yet.
func (c *tables) rows(tb *catalog.Table) selection {
	var q selection
	switch tb.Rows {
	case catalog.SessionRows:
		q.from = relation{"sessions", "s"}
	case catalog.OutageRows:
		q.from = relation{"outages", "o"}
		c.outages()
		return q
	case catalog.OutcomeRows, catalog.GoalRows, catalog.FunnelRows, catalog.TransitionRows, catalog.CohortRows:
		q.from = relation{tb.Name, "o"}
		return q
	default:
		q.from = relation{string(tb.Logical), "t"}
		if tb.PerProperty {
			q.lateral = relation{c.w.Write(expr.Call(dialect.JSONEach, catalog.Row("properties"))), "q"}
		}
		q.where = append(c.read(c.rng), tb.Where)
	}
	q.where = append(q.where, c.conditions(tb)...)
	q.where = append(q.where, c.shown(tb))
	return q
}

// partKeys are the answer's keys as the rows of tb have them.
func (c *tables) partKeys(tb *catalog.Table) []named {
	found := c.groupKeys(tb)
	for _, f := range c.p.Type.DimensionFields {
		found = append(found, named{f.Alias(), c.dimension(f, tb)})
	}
	return found
}

// groupKeys are the bucket and the fields of groupBy, as the rows of tb have them.
func (c *tables) groupKeys(tb *catalog.Table) []named {
	var found []named
	if c.p.Type.Shape == catalog.Series {
		found = append(found, named{catalog.BucketColumn, c.bucket(tb)})
	}
	byRow := RowFields(c.p, tb)
	for _, f := range c.p.Group {
		v := catalog.Value(f, tb)
		if slices.Contains(byRow, f) {
			v = catalog.OfSession(f.Alias())
		}
		if f.Match == catalog.ByReferrer && !tb.Derived() {
			v = expr.Call(dialect.If, expr.Eq(v, expr.Lit("")), expr.Lit("direct"), v)
		}
		found = append(found, named{f.Alias(), v})
	}
	return found
}

// bucket numbers the bucket that a row of tb counts for.
func (c *tables) bucket(tb *catalog.Table) expr.Expr {
	if tb.Derived() {
		return expr.Col("o", catalog.BucketColumn)
	}
	return c.localPeriod(tb, c.p.Grain)
}

// localPeriod numbers the local hours, days, weeks or months, and returns the number for a row of tb.
func (c *tables) localPeriod(tb *catalog.Table, g calendar.Grain) expr.Expr {
	at := expr.Col("t", "time")
	if tb.Rows == catalog.SessionRows {
		at = expr.Col("s", "start")
	}
	segments := calendar.Segments(c.p.Range, g)
	if len(segments) == 0 {
		return expr.Int(0)
	}
	shift := milli(segments[len(segments)-1].Shift)
	for i := len(segments) - 2; i >= 0; i-- {
		shift = expr.Call(dialect.If, expr.Lt(at, milli(segments[i+1].From)), milli(segments[i].Shift), shift)
	}
	return expr.Call(dialect.FloorDiv, expr.Add(at, shift), expr.Int(g.Width()))
}

// dimension is the value of f in a row of tb.
func (c *tables) dimension(f *catalog.Field, tb *catalog.Table) expr.Expr {
	switch f.Clock {
	case catalog.HourOfDay:
		return expr.Sub(c.localPeriod(tb, calendar.Hourly), expr.Mul(expr.Int(24), c.localPeriod(tb, calendar.Daily)))
	case catalog.Weekday:
		const monday = 3 // days from a Monday to the first of January 1970
		day := expr.Add(c.localPeriod(tb, calendar.Daily), expr.Int(monday))
		return expr.Add(expr.Sub(day, expr.Mul(expr.Int(7), expr.Call(dialect.FloorDiv, day, expr.Int(7)))),
			expr.Int(1))
	}
	return catalog.Value(f, tb)
}
