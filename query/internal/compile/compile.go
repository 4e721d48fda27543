// Package compile turns plans into statements of a dialect.
//
//	memo := compile.NewMemo(dialect)
//	compiled := memo.Statement(p, p.AppendKey(nil), sealed)
//	rows, err := store.Query(ctx, compiled.Of(p.Subject, nil))
//	compiled.Show(rows)                          // labels are written, columns that only they need are dropped
//
// A statement reads sealed rows of the days whose seals are valid, and events of the others. The package also compiles
// what is stored of days: [Derivation] computes seals, [Differences] compares them with the rows, and [CompileStates]
// selects what mergeable states are made of. It is pure; [Fingerprints] alone may write to a log.
package compile

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// compile turns p into a statement of the dialect. It is pure, and the only place that puts clauses together.
//
// A plan that counts becomes one sub-query per table (a part), each grouped by the same keys, and then [plan.Steps]. A
// plan that lists rows reads its table unchanged.
//
// The columns of keyed rows are followed by columns that identify the rows, whatever the others show: see plan.Keys.
//
// The statement reads sealed rows of days with valid seals in place of events.
func compile(p *plan.Plan, d *dialect.Dialect, kept days.Sealed) *Compiled {
	c := newCompiler(p, d, kept, p.Counted())
	c.steps = plan.StepsOf(p)
	if _, bySession := c.mandatory(); len(bySession) == 0 {
		c.visitorsWhoDid(nil)
	}
	var final selection
	if p.Type.Shape == catalog.List {
		final = c.list()
	} else {
		final = c.aggregate()
	}
	labels, further := final.takeLabels()
	statement := c.statement(p.Type.Name, final)
	for _, col := range c.steps.Columns {
		statement.Kinds = append(statement.Kinds, col.Kind)
	}
	statement.Kinds = append(statement.Kinds, slices.Repeat([]dialect.Kind{dialect.Text}, further)...)
	return &Compiled{statement, labels, further, keyArgs(&statement)}
}

// compiler makes one statement. It is the last of a row of structs, each of which has the one before it: writer,
// reader, sessionizer, tables, chooser, compiler. The relations of a statement have the same aliases everywhere:
//
//	t  rows of a logical table              s  sessions of the rows that a caller sees
//	q  properties of a row t                m  sessions of all rows, under mandatory filters
//	p  events of a session, in one grouping h  sessions of a page of a list
//	x  a part of the answer                 f  sessions before rows are attributed to them
//	u  all parts, one after the other       i  sessions by id alone, or ids
//	j  the answer by its keys               e  events of sessions of several days
//	v  values of a dimension                r  the same, with the starts of sessions
//	g  groups, or times between checks      k  checks
//	o  rows of a derived table              b  buckets, or goals
//	a  first exposures, or first starts     d  events that may be outcomes, or returns
//	y  the answer, or a page of it, to choose rows from it
//	z  the same with late metrics
//	l  the first of the events of ids that changed
//	w  pageviews in the order of sessions
//	n  sealed sessions, and how many of their pageviews pass filters
type compiler struct{ chooser }

// newCompiler returns a compiler for a statement about the rows that p counts in rng.
func newCompiler(p *plan.Plan, d *dialect.Dialect, kept days.Sealed, rng calendar.Interval) *compiler {
	c := &compiler{}
	c.p, c.kept, c.rng = p, kept, rng
	c.websites = slices.SortedFunc(slices.Values(p.Websites),
		func(a, b ask.Website) int { return strings.Compare(a.ID, b.ID) })
	c.w = expr.Writer{Dialect: d, From: rng.From, To: rng.To}
	c.numberDids()
	return c
}
