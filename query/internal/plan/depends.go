package plan

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
)

// RemovesSessions reports whether the mandatory filters of p remove whole sessions.
func (p *Plan) RemovesSessions() bool {
	return p.Type.Subject == store.KindWebsite &&
		slices.ContainsFunc(p.Mandatory, func(c Condition) bool { return c.OfSession() })
}

// Depends returns the time whose rows decide the answer to p, without what [Plan.Further] returns. If the answer asks
// anything about sessions, these rows include those around the range that decide which sessions there are: see
// [catalog.Reach].
func (p *Plan) Depends() calendar.Interval {
	counted := p.Counted()
	outages := func(part Part) bool { return part.Table.Rows == catalog.OutageRows }
	if slices.ContainsFunc(partsOf(p.Type), outages) { // the last check before the range counts, however old it is
		return calendar.Interval{From: 0, To: counted.From}.Hull(counted)
	}
	removed := p.RemovesSessions()
	sessions, after := removed, int64(0)
	for _, r := range p.readings() {
		of := AsksSessions(r.table, r.asked, r.filters)
		sessions = sessions || of
		if of || p.mandatoryAsksSessions(r.table) {
			after = max(after, p.ReachOf(r.table, r.asked).After)
		}
	}
	// Any event of a session may be what somebody did.
	asksDid := func(c Condition) bool { return c.Asks() }
	if slices.ContainsFunc(slices.Concat(p.Mandatory, p.Filters), asksDid) {
		after = max(after, catalog.ReachOfEvents.After)
	}
	w, times := counted, int64(1)
	if removed {
		times = 2
	}
	if sessions {
		w = w.Widen(times*catalog.Margin, times*after*calendar.Day)
	}
	if p.Type.Table.Rows == catalog.TransitionRows { // whether a session went on after the range
		w = w.Hull(counted.Widen(0, calendar.Day))
	}
	return w
}

// A reading is rows of a table that an answer is made of: what it asks of a row t and its session s, and the filters of
// the caller that choose rows.
type reading struct {
	table   *catalog.Table
	asked   []expr.Expr
	filters []Condition
}

// readings returns the rows that the answer to p is made of.
func (p *Plan) readings() []reading {
	ty, start := p.Type, catalog.OfSession("start")
	one := func(tb *catalog.Table, asked ...expr.Expr) []reading {
		return []reading{{tb, append(p.values(tb, p.Group), asked...), p.Filters}}
	}
	switch ty.Table.Rows {
	case catalog.ChangeRows: // it reads nothing itself
		return nil
	case catalog.OutcomeRows:
		shown, done := p.OutcomeFilters()
		exposures := catalog.TableNamed("exposures")
		return []reading{{exposures, p.values(exposures, slices.Concat(p.Group, ty.DimensionFields)), shown},
			{catalog.TableNamed("custom"), nil, done}}
	case catalog.TransitionRows:
		return one(catalog.Pageviews, start)
	case catalog.GoalRows, catalog.CohortRows:
		return one(catalog.TableNamed("activity"))
	case catalog.FunnelRows:
		if p.Behaviour.WithinSession {
			return one(catalog.TableNamed("activity"), start)
		}
		return one(catalog.TableNamed("activity"))
	}
	steps := StepsOf(p)
	if ty.Shape == catalog.List {
		r := reading{table: ty.Table, filters: p.Filters}
		for _, c := range steps.Columns {
			r.asked = append(r.asked, c.E)
		}
		if ty.Table.WholeSessions {
			r.asked = append(r.asked, start)
		}
		return []reading{r}
	}
	var all []reading
	for _, part := range steps.Parts {
		r := reading{part.Table, p.values(part.Table, steps.Keys), p.Filters}
		for _, m := range part.Metrics {
			r.asked = append(r.asked, m.Expr)
		}
		for _, f := range []*catalog.Field{ty.SkipEmptyField, ty.OnlyEmptyField} {
			if f != nil {
				r.asked = append(r.asked, catalog.Value(f, part.Table))
			}
		}
		all = append(all, r)
	}
	return all
}

// OutcomeFilters returns the filters of p, which counts outcomes of flags: those that choose exposures, and those that
// choose outcomes.
func (p *Plan) OutcomeFilters() (shown, done []Condition) {
	for _, c := range p.Filters {
		if c.All(catalog.ChoosesOutcomes) {
			done = append(done, c)
		} else {
			shown = append(shown, c)
		}
	}
	return shown, done
}

// values returns what a row of tb has of some fields. A field that tells the time asks for no other columns.
func (p *Plan) values(tb *catalog.Table, fields []*catalog.Field) (all []expr.Expr) {
	for _, f := range fields {
		if f.Clock == 0 {
			all = append(all, catalog.Value(f, tb))
		}
	}
	return all
}

// AsksSessions reports whether something that is asked of rows t of tb, or filters of the caller on them, are about
// their sessions.
func AsksSessions(tb *catalog.Table, asked []expr.Expr, filters []Condition) bool {
	switch {
	case !tb.HasSessions():
		return false
	case tb.Rows == catalog.SessionRows:
		return true
	}
	return slices.ContainsFunc(asked, func(e expr.Expr) bool { return hasColumns(e, "s") }) ||
		slices.ContainsFunc(filters, func(c Condition) bool {
			return c.asksSessions("s", func(f *catalog.Field) expr.Expr { return catalog.Value(f, tb) })
		})
}

// ReachOf returns how many days around a day decide the sessions of its rows t of tb, of which p asks something.
func (p *Plan) ReachOf(tb *catalog.Table, asked []expr.Expr) catalog.Reach {
	late := func(column string) bool {
		f := catalog.FieldNamed(column)
		return f != nil && f.EndsLate()
	}
	all := expr.List(asked...)
	for _, c := range slices.Concat(p.Mandatory, p.Filters) {
		for leaf := range c.Leaves() {
			if leaf.Did == nil && leaf.Field.EndsLate() {
				return tb.Reach(true)
			}
		}
	}
	return tb.Reach(slices.ContainsFunc(expr.Columns(all, "s"), late))
}

// mandatoryAsksSessions reports whether the mandatory filters of p ask about the sessions of rows of tb.
func (p *Plan) mandatoryAsksSessions(tb *catalog.Table) bool {
	return tb.HasSessions() && tb.Rows == catalog.PlainRows &&
		slices.ContainsFunc(p.Mandatory, func(c Condition) bool {
			return c.asksSessions("m", func(f *catalog.Field) expr.Expr {
				if f.Session {
					return catalog.Attributed(f, tb, "m")
				}
				return f.Of("t")
			})
		})
}

// asksSessions reports whether c asks about the session of a row, which has that alias. value is what the row has of a
// field.
func (c Condition) asksSessions(session expr.Alias, value func(*catalog.Field) expr.Expr) bool {
	return hasColumns(c.Holds(Row{Value: value, Did: func(d *Did) expr.Expr {
		if d.InRange {
			return expr.Col("t", "visitor_hash")
		}
		return expr.Col(session, "did")
	}}), session)
}

func hasColumns(e expr.Expr, of expr.Alias) bool { return len(expr.Columns(expr.List(e), of)) > 0 }
