// Package compile turns plans into statements of a dialect.
//
//	memo := compile.NewMemo(dialect)
//	compiled := memo.Statement(p, p.AppendKey(nil), sealed)
//	rows, err := store.Query(ctx, compiled.Of(p.Subject, nil))
//	compiled.Show(rows)                          // labels are written, columns that only they need are dropped
//
// A statement reads sealed rows of the days whose seals are valid, and events of the others. The package also compiles what is stored
// of days: [Derivation] computes seals, [Differences] compares them with the rows, and [CompileStates] selects what mergeable states
// are made of. It is pure.
package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// compile turns p into a statement of the dialect. It is pure, and the only place that puts clauses together.
//
// A plan that counts becomes one sub-query per table (a part), each grouped by the same keys, then their union by key, then the
// columns. A plan that lists rows reads its table unchanged.
//
// The columns of keyed rows are followed by columns that identify the rows, whatever the others show: see plan.Keys.
//
// The statement reads sealed rows of days with valid seals in place of events.
func compile(p *plan.Plan, d *dialect.Dialect, kept days.Sealed) *Compiled {
	c := &compiler{p: p, kept: kept, rng: p.Counted()}
	c.w, c.depends = expr.Writer{Dialect: d, From: c.rng.From, To: c.rng.To}, c.rng
	var final selection
	if p.Type.Shape == catalog.List {
		final = c.list()
	} else {
		final = c.aggregate()
	}
	labels, further := final.takeLabels()
	statement := c.statement(p.Type.Name, final)
	statement.Kinds = append(Kinds(p), slices.Repeat([]dialect.Kind{dialect.Text}, further)...)
	return &Compiled{statement, labels, further, keyArgs(&statement), c.depends}
}

// statement is final, after the relations that were added.
func (c *compiler) statement(label string, final selection) store.Statement {
	builder := c.build(final)
	if len(c.ctes) > 0 {
		builder.With(sqlbuilder.With(c.ctes...))
	}
	text, _ := builder.Build()
	columns := make([]string, len(final.columns))
	for i, col := range final.columns {
		columns[i] = string(col.as)
	}
	return store.Statement{Label: label, SQL: text, Args: c.w.Args, Columns: columns}
}

// compiler holds what one statement gathers. Its relations have the same aliases everywhere:
//
//	t  rows of a logical table              s  sessions of the rows that a caller sees
//	q  properties of a row t                m  sessions of all rows, under mandatory filters
//	p  events of a session, in one grouping h  sessions of a page of a list
//	x  a part of the answer                 f  sessions before rows are attributed to them
//	u  all parts, one after the other       i  sessions by id alone, or ids
//	j  the answer by its keys               e  events of sessions of several days
//	v  values of a dimension                r  the same, with the starts of sessions
//	g  groups, or times between checks      k  checks
//	o  outages, or outcomes of flags        b  buckets
//	a  first exposures to flags             d  events that may be their outcomes
//	y  the answer, to choose rows from it
//	l  the first of the events of ids that changed
//	n  sealed sessions, and how many of their pageviews pass filters
type compiler struct {
	p       *plan.Plan
	kept    days.Sealed
	w       expr.Writer
	ctes    []*sqlbuilder.CTEQueryBuilder
	rng     calendar.Interval // the plan's range
	depends calendar.Interval // the rows that the answer is computed from

	toldChanged bool // the relation of ids that changed is there
}

// A selection is one SELECT that is not written yet.
type selection struct {
	columns []named
	from    relation
	lateral relation // of each row of from; its name says how it is joined
	joins   []join
	where   []expr.Expr
	group   int // that many of the first columns
	order   []ordering
	tail    string // LIMIT and OFFSET, of numbers
}

// A named expression is a column and its name.
type named struct {
	as expr.Ident
	e  expr.Expr
}

// A relation is a logical table, a sub-query of the statement or a table function, with the alias that columns use.
type relation struct {
	name string
	as   expr.Alias
}

func (r relation) String() string { return r.name + " AS " + string(r.as) }

type join struct {
	left bool
	to   relation
	on   expr.Expr
}

type ordering struct {
	e    expr.Expr
	desc bool
}

// build writes q. It escapes every fragment, since a $ has a meaning for the builder.
func (c *compiler) build(q selection) *sqlbuilder.SelectBuilder {
	b := sqlbuilder.NewSelectBuilder()
	for _, col := range q.columns {
		b.SelectMore(c.spell(col.e) + " AS " + sqlbuilder.Escape(c.w.Dialect.Ident(string(col.as))))
	}
	from := q.from.String()
	if q.lateral != (relation{}) {
		from += " " + q.lateral.String()
	}
	b.From(sqlbuilder.Escape(from))
	for _, j := range q.joins {
		kind := sqlbuilder.InnerJoin
		if j.left {
			kind = sqlbuilder.LeftJoin
		}
		b.JoinWithOption(kind, sqlbuilder.Escape(j.to.String()), c.spell(j.on))
	}
	for _, e := range q.where {
		if !e.Absent() {
			b.Where(c.spell(e))
		}
	}
	for i := range q.group {
		// By place, so that an expression is written once and no name can mean two things.
		b.GroupBy(strconv.Itoa(i + 1))
	}
	for _, o := range q.order {
		direction := " ASC NULLS LAST"
		if o.desc {
			direction = " DESC NULLS LAST"
		}
		b.OrderBy(c.spell(o.e) + direction)
	}
	if q.tail != "" {
		b.SQL(q.tail)
	}
	return b
}

func (c *compiler) spell(e expr.Expr) string { return sqlbuilder.Escape(c.w.Write(e)) }

// with adds a named sub-query, to be read by the ones after it.
func (c *compiler) with(name string, b sqlbuilder.Builder) {
	c.ctes = append(c.ctes, sqlbuilder.CTEQuery(name).As(b))
}

// withOnce is with, of a query that is read more than once and costs much.
func (c *compiler) withOnce(name string, b sqlbuilder.Builder) {
	text, _ := b.Build()
	c.ctes = append(c.ctes, sqlbuilder.CTEQuery(name).SQL(sqlbuilder.Escape(c.w.Dialect.Call(dialect.RunOnce, text))))
}

// unionAll returns a query for the rows of all, which must not be empty. It writes the members without parentheses, because SQLite
// rejects these. So a member must not have ORDER BY or LIMIT.
func unionAll(all ...sqlbuilder.Builder) sqlbuilder.Builder {
	members := make([]any, len(all))
	for i, one := range all {
		members[i] = one
	}
	return sqlbuilder.Build("$?"+strings.Repeat(" UNION ALL $?", len(all)-1), members...)
}

// read returns the conditions on the subject and the time of rows t. Every logical table is read through it, so that no statement
// can lack the tenancy predicate.
func (c *compiler) read(w calendar.Interval) []expr.Expr { return c.readAt("time", w) }

// readAt is read of rows whose time is in another column.
func (c *compiler) readAt(column expr.Ident, w calendar.Interval) []expr.Expr {
	return []expr.Expr{
		expr.Eq(catalog.Row("subject"), expr.Arg(dialect.Subject, c.p.Subject)),
		expr.Ge(catalog.Row(column), milli(w.From)),
		expr.Lt(catalog.Row(column), milli(w.To)),
	}
}

// dependOn says that the answer is computed from the rows of w, too.
func (c *compiler) dependOn(w calendar.Interval) {
	c.depends.From, c.depends.To = min(c.depends.From, w.From), max(c.depends.To, w.To)
}

func milli(instant int64) expr.Expr { return expr.Arg(dialect.Int, instant) }

// ordering is the plan's sorting and what breaks its ties: the values of groupBy, the
// type's key columns, its dimensions.
func (c *compiler) ordering(group, dimensions []expr.Expr) []ordering {
	var found []ordering
	used := map[string]bool{}
	add := func(name string, desc bool) {
		if !used[name] {
			used[name] = true
			found = append(found, ordering{expr.Out(expr.Ident(name)), desc})
		}
	}
	for _, o := range c.p.Sort {
		add(o.Column, o.Desc)
	}
	for _, k := range group {
		found = append(found, ordering{e: k})
	}
	for _, name := range c.p.Type.TieBreak {
		add(name, false)
	}
	for _, k := range dimensions {
		found = append(found, ordering{e: k})
	}
	return found
}

// Kinds returns the kinds of the columns that the statement of p returns.
func Kinds(p *plan.Plan) []dialect.Kind {
	var found []dialect.Kind
	for _, col := range p.Columns() {
		switch col.Format {
		case catalog.String, catalog.JSON:
			found = append(found, dialect.Text)
		case catalog.Number:
			found = append(found, dialect.Float)
		default:
			found = append(found, dialect.Int)
		}
	}
	for _, f := range p.Keys() {
		kind := dialect.Text
		if f.Number {
			kind = dialect.Int
		}
		found = append(found, kind)
	}
	return found
}

// columnsOf lists the columns of relation alias that q reads.
func columnsOf(alias expr.Alias, q selection) []string {
	return expr.Columns(expr.List(q.asked()...), alias)
}

// asked are the expressions of what q shows and of which rows.
func (q selection) asked() []expr.Expr {
	var all []expr.Expr
	for _, col := range q.columns {
		all = append(all, col.e)
	}
	return slices.Concat(all, q.where)
}
