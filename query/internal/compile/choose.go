package compile

import (
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A chooser finds the rows of a page first, where this is faster.
type chooser struct{ tables }

// manyMetrics is the least number of metrics that do not order rows for which it is faster to find the rows of a page
// first. That reads the table twice.
const manyMetrics = 6

// chooses reports whether the statement finds the rows of the page first and computes their other columns only then: if
// one table gives many metrics, and none is a share of rows that the page does not have.
func (c *chooser) chooses(parts []*part) bool {
	ty := c.p.Type
	return len(parts) == 1 && ty.Shape == catalog.Breakdown && len(ty.Values) == 0 && len(ty.DimensionFields) > 0 &&
		c.p.Limit > 0 && !c.p.Keyed && !c.p.OfKeys && parts[0].tb.Rows == catalog.PlainRows &&
		!slices.ContainsFunc(ty.Outputs, func(col catalog.Output) bool { return col.Name == catalog.ShareColumn }) &&
		len(parts[0].metrics) >= len(c.choosing(parts[0]).metrics)+manyMetrics
}

// choosing is p with the metrics alone that order its rows and leave some out.
func (c *chooser) choosing(p *part) *part {
	asked := columnsOf("j", selection{columns: c.orderedBy(), where: having(c.steps)})
	few := *p
	few.metrics = slices.DeleteFunc(slices.Clone(p.metrics), func(m *catalog.BoundMetric) bool {
		return !slices.Contains(asked, string(m.Alias()))
	})
	few.q = c.part(&few)
	return &few
}

// orderedBy are the columns of the type that the rows are ordered by.
func (c *chooser) orderedBy() []named {
	return slices.DeleteFunc(columns(c.steps.Columns[c.steps.Groups:]), func(col named) bool {
		return !slices.ContainsFunc(c.steps.Order, func(s plan.Step) bool { return s.Column == col.as })
	})
}

// choose adds the relation chosen: the keys of the rows of the page, and of the pages before. It leaves the other rows
// out of p. Only the sessions of chosen rows are formed, unless rows are chosen by their sessions.
func (c *chooser) choose(p *part) {
	few, id := c.choosing(p), c.idOf(p)
	switch {
	case id.Absent():
		c.sessionsFor([]*part{few, p})
		c.chooseKeys(few, p)
	case asksSessions(few.q.asked()...):
		c.sessionsFor([]*part{few, p})
		c.chooseIDs(few, id)
		c.readChosen(p, id)
	default:
		c.chooseIDs(few, id)
		c.readChosen(p, id)
		c.sessionsFor([]*part{p})
	}
}

// idOf is the hash that the rows of p have of the only key: then there are many keys, and few rows of
// each. It is absent where there are other keys, or none has a hash.
func (c *chooser) idOf(p *part) expr.Expr {
	keys := c.steps.Keys
	if len(keys) > 1 || keys[0].Hash == "" || c.p.Type.SkipEmptyField != keys[0] || p.rows != nil ||
		p.q.lateral != (relation{}) {
		return expr.Expr{}
	}
	return catalog.Row(keys[0].Hash)
}

// chooseKeys chooses the keys that few orders first, and leaves the rows of others out of p.
func (c *chooser) chooseKeys(few, p *part) {
	c.with("ordered_"+few.tb.Name, c.build(few.q))
	chosen := c.pageOf("ordered_" + few.tb.Name)
	var keys, columns []expr.Expr
	for i, key := range c.partKeys(p.tb) {
		name := expr.Ident(fmt.Sprintf("chosen_%d", i+1))
		chosen.columns = append(chosen.columns, named{name, catalog.Joined(key.as)})
		keys, columns = append(keys, key.e), append(columns, expr.Col("chosen", name))
	}
	c.with("chosen", c.build(chosen))
	p.q.where = append(p.q.where,
		expr.Call(dialect.Among, expr.List(keys...), expr.List(columns...), expr.Relation("chosen")))
}

// pageOf selects the rows of the page, and those before, from an answer by its keys; it shows what they are
// ordered by.
func (c *chooser) pageOf(answer string) selection {
	return selection{from: relation{answer, "j"}, columns: c.orderedBy(), where: having(c.steps),
		order: orderings(c.steps.Order),
		tail:  fmt.Sprintf("LIMIT %d", c.wanted())}
}

// wanted returns the number of rows of the page and of those before it.
func (c *chooser) wanted() int { return c.steps.Offset + c.steps.Limit }

// asksSessions reports whether any of these expressions reads the sessions of rows.
func asksSessions(of ...expr.Expr) bool {
	all := expr.List(of...)
	return len(expr.Columns(all, "s"))+len(expr.Columns(all, "m")) > 0
}

// chosenID is the column of the relation chosen where keys have ids.
const chosenID = expr.Ident("chosen_id")

// chooseIDs chooses by id. An id may be chosen several times, once for each of its rows: DuckDB makes a filter of the
// chosen ids, with a size by their number, and a small filter lets many other ids through.
func (c *chooser) chooseIDs(few *part, id expr.Expr) {
	few.q.columns = append(few.q.columns, named{chosenID, expr.Call(dialect.AnyValue, id)})
	latest := c.latest(few, id)
	c.with("ordered_"+few.tb.Name, c.build(few.q))
	chosen := c.pageOf("ordered_" + few.tb.Name)
	chosen.columns = append(chosen.columns, named{chosenID, catalog.Joined(chosenID)})
	if latest == nil {
		c.with("chosen", c.build(chosen))
		return
	}
	c.with("ordered_page", c.build(chosen))
	c.with("chosen", unionAll(c.build(*latest),
		c.build(selection{from: relation{"ordered_page", "y"}, columns: []named{{chosenID, expr.Col("y", chosenID)}}})))
}

// readChosen makes p read its chosen rows first, so that only these are joined to sessions.
func (c *chooser) readChosen(p *part, id expr.Expr) {
	rows := selection{from: p.q.from}
	var where []expr.Expr
	for _, cond := range p.q.where {
		switch {
		case asksSessions(cond):
			where = append(where, cond)
		case cond.String() != c.shown(p.tb).String(): // no empty key was chosen
			rows.where = append(rows.where, cond)
		}
	}
	rows.where = append(rows.where, among(id, "chosen", chosenID))
	p.q.where = where
	name := "rows_" + p.tb.Name
	asked := columnsOf("t", p.q)
	for _, more := range []string{"session_hash", "time"} {
		if p.tb.HasSessions() && !slices.Contains(asked, more) {
			asked = append(asked, more)
		}
	}
	for _, col := range asked {
		rows.columns = append(rows.columns, named{expr.Ident(col), catalog.Row(expr.Ident(col))})
	}
	c.withOnce(name, c.build(rows))
	p.q.from = relation{name, "t"}
	p.ids = among(catalog.Row("session_hash"), expr.Alias(name), "session_hash")
}

// among holds where e is in a column of a relation.
func among(e expr.Expr, of expr.Alias, column expr.Ident) expr.Expr {
	return expr.Call(dialect.Among, e, expr.Col(of, column), expr.Relation(of))
}
