package query

import (
	"github.com/sightline-analytics/sightline/query/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A seal goes on to be of use when rows come after it, in the days that it was computed from: they
// change sessions and hits of their own session ids alone. Where each day of a gap has a seal, only the
// ids with an event that was stored since are computed from events, and for all others what is kept is
// read. Rows without a session are an id like any other, whose hits are all computed once one is new:
// a seal may know rows of later commits than its version says, so that those since it are no measure
// of what it lacks.

// idChanges tell which session ids changed: those with an event in a time that was stored by a commit
// after since. That is the time of all rows that the sessions and hits of a statement depend on.
type idChanges struct {
	since uint64
	in    interval
}

// changedIDs is the relation of the ids that changed.
const changedIDs = "changed"

// A keptStretch is time of which what is kept is read.
type keptStretch struct {
	interval
	unchanged bool // only of ids that did not change
}

// keptOf are the stretches of w that are kept, in the order of time, around a gap that may be partly
// kept.
func (c *compiler) keptOf(w, gap interval, partly bool) []keptStretch {
	var found []keptStretch
	for _, of := range []keptStretch{{interval{w.from, min(w.to, gap.from)}, false}, {gap, true}, {interval{max(w.from, gap.to), w.to}, false}} {
		if !of.empty() && (partly || !of.unchanged) {
			found = append(found, of)
		}
	}
	return found
}

// tellChanged adds the relation of the ids that changed, once.
func (c *compiler) tellChanged() {
	if c.toldChanged {
		return
	}
	c.toldChanged = true
	since := expr.Arg(dialect.Int, int64(c.kept.changes.since)) //nolint:gosec // commits are counted
	c.with(changedIDs, c.build(selection{from: relation{"events", "t"}, group: 1,
		where:   append(c.read(c.kept.changes.in), expr.Gt(row("version"), since), hitRows),
		columns: []named{{"session_hash", row("session_hash")}, {"told", expr.Call(dialect.Max, expr.Int(1))}}}))
}

// ofChanged joins events t to the ids that changed.
func ofChanged() []join { return []join{{to: relation{changedIDs, "i"}, on: sameID}} }

// ofUnchanged leaves the ids that changed out of q, which reads what is kept.
func ofUnchanged(q selection) selection {
	q.joins = append(q.joins, join{left: true, to: relation{changedIDs, "i"}, on: sameID})
	q.where = append(q.where, expr.Eq(expr.Call(dialect.Coalesce, expr.Col("i", "told"), expr.Int(0)), expr.Int(0)))
	return q
}

var sameID = expr.Eq(expr.Col("i", "session_hash"), row("session_hash"))
