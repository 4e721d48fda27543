package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// This file computes the sealed rows of whole days.

// Derivation returns the statements that compute the sealed rows of a website in rng, whole UTC days: for all session
// ids or, unless changes is nil, for the ids that changed, which changed selects.
func Derivation(d *dialect.Dialect, website store.Subject, rng calendar.Interval,
	changes *days.Changes) (derived store.Derivation, changed store.Statement) {
	write := func(table string, final func(*compiler) selection) store.Statement {
		c := newDerivation(d, website, rng)
		if changes != nil {
			c.kept.Changes = *changes
			c.tellChanged()
		}
		return c.statement(table, final(c))
	}
	from, to := rng.Times()
	derived = store.Derivation{Subject: website, From: from, To: to, Before: int(catalog.ReachOfSessions.Before),
		After: int(catalog.ReachOfSessions.After)}
	for _, table := range schema.SealedTables() {
		derived.Rows = append(derived.Rows, write(table.Name, func(c *compiler) selection {
			final := c.derived(&table)
			final.columns = append(final.columns, named{"subject", expr.Arg(dialect.Subject, website)})
			return final
		}))
	}
	if changes != nil {
		changed = write(changedIDs, func(*compiler) selection {
			return selection{from: relation{changedIDs, "i"},
				columns: []named{{"session_hash", expr.Col("i", "session_hash")}}}
		})
	}
	return derived, changed
}

// newDerivation returns a compiler for sealed rows, which are computed from all rows of a website.
func newDerivation(d *dialect.Dialect, website store.Subject, rng calendar.Interval) *compiler {
	return newCompiler(&plan.Plan{Subject: website}, d, days.Sealed{}, rng)
}

// derived selects the sealed rows of a table in the days of the range, without their subject.
func (c *compiler) derived(table *schema.DayTable) (q selection) {
	if table.OfSessions {
		q = c.derivedSessions(table.ColumnNames())
	} else {
		q = c.derivedHits(table.ColumnNames())
	}
	for _, n := range c.w.Dialect.Numbers {
		i := slices.IndexFunc(q.columns, func(col named) bool { return string(col.as) == n.Of })
		if n.Table == table.Name && i >= 0 {
			q.columns = append(q.columns, named{expr.Ident(n.Column), expr.Call(dialect.PrefixNumber, q.columns[i].e)})
		}
	}
	return q
}

func (c *compiler) derivedSessions(columns []string) selection {
	spec := sessionSpec{columns: slices.DeleteFunc(slices.Clone(columns), formsSession), earlyRows: true,
		changed: c.toldChanged}
	c.sessionize("sessions",
		selection{from: relation{"events", "t"},
			where: slices.Concat(c.read(catalog.ReachOfSessions.Around(c.rng)), visible)}, spec)
	q := selection{from: relation{"sessions", "s"}, order: []ordering{{e: catalog.OfSession("start")}},
		where: []expr.Expr{expr.Ge(catalog.OfSession("start"), expr.RangeFrom()),
			expr.Lt(catalog.OfSession("start"), expr.RangeTo())}}
	for _, name := range columns {
		q.columns = append(q.columns, named{expr.Ident(name), catalog.OfSession(expr.Ident(name))})
	}
	return q
}

// bySession is the order in which hits are stored. The values that hits of a session share take the least space side by
// side. Hours come first, so that a part of a day reads fewer rows.
var bySession = []ordering{{e: expr.Call(dialect.FloorDiv, catalog.Row("time"), expr.Int(calendar.Hour))},
	{e: catalog.Row("session_hash")}, {e: catalog.Row("time")}}

func (c *compiler) derivedHits(columns []string) selection {
	c.sessionize("sessions",
		selection{from: relation{"events", "t"},
			where: slices.Concat(c.read(catalog.ReachOfEvents.Around(c.rng)), visible)},
		sessionSpec{columns: append(catalog.SessionColumns(), "page_events"), changed: c.toldChanged})
	q := selection{from: relation{"events", "t"}, where: append(c.read(c.rng), hitRows), order: bySession}
	if c.toldChanged {
		q.joins = []join{ofChanged()}
	}
	q.joins = append(q.joins, join{left: true, to: relation{"sessions", "s"}, on: within("s")})
	for _, name := range columns {
		q.columns = append(q.columns, hitColumn(expr.Ident(name)))
	}
	return q
}
