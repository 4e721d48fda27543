package query

import (
	"strconv"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// keys are the dimensions whose values follow the columns of a keyed plan's rows. What tells
// rows apart may be shown otherwise, by a name, or not at all.
func (p *plan) keys() []*catalog.Field {
	if !p.Keyed {
		return nil
	}
	return p.Type.DimensionFields
}

// keyColumn is what the i-th of the keys is called.
func keyColumn(i int) expr.Ident { return expr.Ident("key_" + strconv.Itoa(i+1)) }

// keyOf stands for the values that the rows of an answer have in their i-th key, fields of groupBy
// first. They are known when the answer is.
type keyOf int

// ofKeys selects those rows of q whose keys, each by itself, are among those of an answer. So
// shares are still of all rows.
func (c *compiler) ofKeys(q selection) selection {
	q.order, q.tail = nil, ""
	c.with("compared", c.build(q))
	y := func(name expr.Ident) expr.Expr { return expr.Col("y", name) }
	final := selection{from: relation{"compared", "y"}}
	for _, col := range q.columns {
		final.columns = append(final.columns, named{col.as, y(col.as)})
	}
	among := func(name expr.Ident, i int) {
		final.where = append(final.where, expr.Call(dialect.InList, y(name), expr.Arg(dialect.Texts, keyOf(i))))
	}
	for i, f := range c.p.Group {
		among(expr.Ident(f.Name), i)
	}
	for i, f := range c.p.keys() {
		if !f.Number {
			among(keyColumn(i), len(c.p.Group)+i)
		}
	}
	return final
}

// A keyArg is the argument of a statement that the values of a key are bound to.
type keyArg struct {
	arg int
	key keyOf
}

// keyArgs finds them, and gives them a list without values until there are some.
func keyArgs(s *store.Statement) (found []keyArg) {
	for i := range s.Args {
		if key, ok := s.Args[i].Value.(keyOf); ok {
			found = append(found, keyArg{i, key})
			s.Args[i].Value = []string{}
		}
	}
	return found
}
