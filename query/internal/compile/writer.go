package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A writer writes one statement: its relations, one after the other, and then the selection that reads them.
type writer struct {
	w        expr.Writer
	ctes     []*sqlbuilder.CTEQueryBuilder
	websites []ask.Website // by id, if rows are read with their website; else nil
}

// statement is final, after the relations that were added.
func (c *writer) statement(label string, final selection) store.Statement {
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
func (c *writer) build(q selection) *sqlbuilder.SelectBuilder {
	b := sqlbuilder.NewSelectBuilder()
	for _, col := range q.columns {
		b.SelectMore(c.spell(col.e) + " AS " + sqlbuilder.Escape(c.w.Dialect.Ident(string(col.as))))
	}
	from := c.relation(q.from, q)
	if q.lateral != (relation{}) {
		from += " " + q.lateral.String()
	}
	b.From(sqlbuilder.Escape(from))
	for _, j := range q.joins {
		kind := sqlbuilder.InnerJoin
		if j.left {
			kind = sqlbuilder.LeftJoin
		}
		b.JoinWithOption(kind, sqlbuilder.Escape(c.relation(j.to, q)), c.spell(j.on))
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

func (c *writer) spell(e expr.Expr) string { return sqlbuilder.Escape(c.w.Write(e)) }

// with adds a named sub-query, to be read by the ones after it.
func (c *writer) with(name string, b sqlbuilder.Builder) {
	c.ctes = append(c.ctes, sqlbuilder.CTEQuery(name).As(b))
}

// withOnce is with, of a query that is read more than once and costs much.
func (c *writer) withOnce(name string, b sqlbuilder.Builder) {
	text, _ := b.Build()
	c.ctes = append(c.ctes, sqlbuilder.CTEQuery(name).SQL(sqlbuilder.Escape(c.w.Dialect.Call(dialect.RunOnce, text))))
}

// unionAll returns a query for the rows of all, which must not be empty. It writes the members without parentheses,
// because SQLite rejects these. So a member must not have ORDER BY or LIMIT.
func unionAll(all ...sqlbuilder.Builder) sqlbuilder.Builder {
	members := make([]any, len(all))
	for i, one := range all {
		members[i] = one
	}
	return sqlbuilder.Build("$?"+strings.Repeat(" UNION ALL $?", len(all)-1), members...)
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
