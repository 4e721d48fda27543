package compile

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A statement about several websites reads their stored rows from a sub-query in place of the table. In it, rows have
// their website, and the hashes of a visitor or session id are other numbers on each website. So everything else of the
// statement is as for one website with all these rows. Sealed rows are not read.

// several reports whether rows are read with their website.
func (c *writer) several() bool { return c.websites != nil }

// relation returns r as SQL, as q reads it.
func (c *writer) relation(r relation, q selection) string {
	if !c.several() || !isStored(r.name) {
		return r.String()
	}
	inner := selection{from: relation{r.name, "t"}}
	asked := columnsOf(r.as, selection{columns: q.columns, where: q.all()})
	if q.lateral != (relation{}) && !slices.Contains(asked, "properties") { // see tables.rows
		asked = append(asked, "properties")
	}
	for _, name := range asked {
		inner.columns = append(inner.columns, named{expr.Ident(name), c.columnOf(expr.Ident(name))})
	}
	if len(asked) == 0 { // rows are counted
		inner.columns = []named{{"time", catalog.Row("time")}}
	}
	ids := make([]expr.Expr, len(c.websites))
	for i, w := range c.websites {
		ids[i] = subjectOf(w)
	}
	inner.where = []expr.Expr{expr.Call(dialect.OneOf, catalog.Row("subject"), expr.List(ids...))}
	return "(" + c.readStored(inner) + ") AS " + string(r.as)
}

// readStored writes q, which reads a stored table itself.
func (c *writer) readStored(q selection) string {
	websites := c.websites
	c.websites = nil
	defer func() { c.websites = websites }()
	text, _ := c.build(q).Build()
	return text
}

// columnOf is a column of the rows t of several websites.
func (c *writer) columnOf(name expr.Ident) expr.Expr {
	switch name {
	case "session_hash", "visitor_hash":
		return expr.Call(dialect.OfSubject, catalog.Row(name), catalog.Row("subject"))
	case catalog.Website.Column:
		return c.ofWebsite(func(w ask.Website, _ int) expr.Expr { return expr.Arg(dialect.Text, w.ID) })
	case "keyed":
		// It puts rows in order that are equal in all else, where the website decides.
		const most = 128
		return expr.Add(catalog.IfElse(catalog.Row(name), expr.Int(most), expr.Int(0)),
			c.ofWebsite(func(_ ask.Website, place int) expr.Expr { return expr.Int(int64(place)) }))
	}
	return catalog.Row(name)
}

// ofWebsite returns the result of value for the website of a row t, and its place among the ids of all.
func (c *writer) ofWebsite(value func(w ask.Website, place int) expr.Expr) expr.Expr {
	last := len(c.websites) - 1
	e := value(c.websites[last], last)
	for i := last - 1; i >= 0; i-- {
		e = catalog.IfElse(expr.Eq(catalog.Row("subject"), subjectOf(c.websites[i])), value(c.websites[i], i), e)
	}
	return e
}

func subjectOf(w ask.Website) expr.Expr {
	return expr.Arg(dialect.Subject, store.Subject{Kind: store.KindWebsite, ID: w.ID})
}

// isStored reports whether a relation is a logical table with the rows of websites.
func isStored(name string) bool {
	return slices.ContainsFunc(catalog.StoredTables(store.KindWebsite),
		func(tb *catalog.Table) bool { return string(tb.Logical) == name })
}

// all are the expressions of q beside its columns.
func (q selection) all() []expr.Expr {
	found := slices.Clone(q.where)
	for _, j := range q.joins {
		found = append(found, j.on)
	}
	for _, o := range q.order {
		found = append(found, o.e)
	}
	return found
}
