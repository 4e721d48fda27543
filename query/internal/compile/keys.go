package compile

import (
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// ofKeys selects the rows of q whose keys are, one by one, among the keys of an answer. Shares still refer to all rows.
func (c *compiler) ofKeys(q selection) selection {
	q.order, q.tail = nil, ""
	c.with("compared", c.build(q))
	y := func(name expr.Ident) expr.Expr { return expr.Col("y", name) }
	final := selection{from: relation{"compared", "y"}}
	for _, col := range q.columns {
		final.columns = append(final.columns, named{col.as, y(col.as)})
	}
	among := func(name expr.Ident, i int) {
		final.where = append(final.where, expr.Call(dialect.InList, y(name), expr.Arg(dialect.Texts, plan.KeyOf(i))))
	}
	for i, f := range c.p.Group {
		among(expr.Ident(f.Name), i)
	}
	for i, f := range c.p.Keys() {
		if !f.Number {
			among(plan.KeyColumn(i), len(c.p.Group)+i)
		}
	}
	return final
}

// A keyArg is the argument of a statement that the values of a key are bound to.
type keyArg struct {
	arg int
	key plan.KeyOf
}

// keyArgs finds them, and gives them a list without values until there are some.
func keyArgs(s *store.Statement) (found []keyArg) {
	for i := range s.Args {
		if key, ok := s.Args[i].Value.(plan.KeyOf); ok {
			found = append(found, keyArg{i, key})
			s.Args[i].Value = []string{}
		}
	}
	return found
}
