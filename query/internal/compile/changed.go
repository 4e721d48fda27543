package compile

import (
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A seal stays useful when rows are added to the days that it was computed from, since they change sessions and hits of
// their session ids alone. If each day of a gap has a seal, a statement computes the ids with newer events from events,
// and reads the sealed rows of all other ids. Rows without a session count as one more id, whose hits are all computed
// once one is new. A seal may include rows of later commits than its version says, so its missing rows cannot be
// counted by version.

// changedIDs is the relation of the ids that changed. firstChanged has the time of their first event in the days that a
// statement may read: if it is late, few rows of a day are read. changedFrom has both, so that one join compares id and
// time. DuckDB would estimate that a join by time alone is cheaper, and put all rows of the days into a hash table.
const (
	changedIDs   = "changed"
	firstChanged = "changed_first"
	changedFrom  = "changed_from"
)

// tellChanged adds the relations of the ids that changed, once.
func (c *reader) tellChanged() {
	if c.toldChanged {
		return
	}
	c.toldChanged = true
	since := expr.Arg(dialect.Int, int64(c.kept.Changes.Since)) // commits are counted
	c.with(changedIDs, c.build(selection{from: relation{"events", "t"}, group: 1,
		where: append(c.read(c.kept.Changes.In), expr.Gt(catalog.Row("version"), since), hitRows),
		columns: []named{{"session_hash", catalog.Row("session_hash")},
			{"told", expr.Call(dialect.Max, expr.Int(1))}}}))
	c.with(firstChanged, c.build(selection{from: relation{"events", "t"},
		joins: []join{{to: relation{changedIDs, "i"}, on: sameID}},
		where: c.read(c.kept.Changes.In),
		columns: []named{{"told", expr.Call(dialect.Max, expr.Col("i", "told"))},
			{"first", expr.Call(dialect.Min, catalog.Row("time"))}}}))
	c.withOnce(changedFrom, c.build(selection{from: relation{changedIDs, "i"},
		joins:   []join{{to: relation{firstChanged, "l"}, on: expr.Eq(expr.Col("l", "told"), expr.Col("i", "told"))}},
		columns: []named{{"session_hash", expr.Col("i", "session_hash")}, {"first", expr.Col("l", "first")}}}))
}

// ofChanged joins events t to the ids that changed, from the first of all of them on.
func ofChanged() join {
	return join{to: relation{changedFrom, "i"},
		on: expr.And(sameID, expr.Ge(catalog.Row("time"), expr.Col("i", "first")))}
}

// unchanged returns q, which reads sealed rows of w, without the rows of ids that changed where those are computed from
// events.
func unchanged(w days.Part, q selection) selection {
	if !w.Unchanged {
		return q
	}
	q.joins = append(q.joins, join{left: true, to: relation{changedIDs, "i"}, on: sameID})
	q.where = append(q.where, expr.Eq(expr.Call(dialect.Coalesce, expr.Col("i", "told"), expr.Int(0)), expr.Int(0)))
	return q
}

// sameID holds where rows t are of an id i.
var sameID = expr.Eq(expr.Col("i", "session_hash"), catalog.Row("session_hash"))
