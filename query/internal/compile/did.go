package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Conditions on what else people did are numbered in the order of the plan, each once. What a session did is a fact of
// sessions: the number of its events that pass. What a visitor did in the range is a relation of visitors with such an
// event, which rows are looked up in. The fact and the relation have the name of the condition.

// didPrefix begins the names of the conditions of a statement on what else people did.
const didPrefix = "did_"

// didName returns the name of d in the statement.
func (c *reader) didName(d *plan.Did) expr.Ident {
	key := string(d.AppendKey(nil))
	i := slices.IndexFunc(c.dids, func(known *plan.Did) bool { return string(known.AppendKey(nil)) == key })
	if i < 0 {
		i, c.dids = len(c.dids), append(c.dids, d)
	}
	return didName(i)
}

func didName(i int) expr.Ident { return expr.Ident(fmt.Sprintf("%s%d", didPrefix, i+1)) }

// didFact returns the condition whose fact is called name, or nil.
func (c *reader) didFact(name string) *plan.Did {
	if !strings.HasPrefix(name, didPrefix) {
		return nil
	}
	i := slices.IndexFunc(c.dids, func(d *plan.Did) bool { return string(c.didName(d)) == name })
	if i < 0 {
		return nil
	}
	return c.dids[i]
}

// row says what conditions ask about a row, whose session and visitor are under these aliases.
func (c *reader) row(value func(*catalog.Field) expr.Expr, session, event expr.Alias) plan.Row {
	return plan.Row{Value: value, Did: func(d *plan.Did) expr.Expr {
		name := c.didName(d)
		if d.InRange {
			return among(expr.Col(event, "visitor_hash"), expr.Alias(name), "visitor_hash")
		}
		return expr.Gt(expr.Call(dialect.Coalesce, expr.Col(session, name), expr.Int(0)), expr.Int(0))
	}}
}

// visitorsWhoDid adds the relations of visitors who did something in the range, once. They look at events that the
// caller may see. So it is called before sessions are formed and, if mandatory filters remove sessions, after the
// relation unfiltered.
func (c *sessionizer) visitorsWhoDid(bySession []expr.Expr) {
	if c.toldDids {
		return
	}
	c.toldDids = true
	byRow, _ := c.mandatory()
	for i, d := range c.dids {
		if !d.InRange {
			continue
		}
		q := selection{from: relation{"events", "t"}, group: 1,
			columns: []named{{"visitor_hash", catalog.Row("visitor_hash")}},
			where: slices.Concat(c.read(c.rng), byRow, bySession,
				[]expr.Expr{expr.Ne(catalog.Row("visitor_hash"), expr.Int(0)), d.Holds("t")})}
		if len(bySession) > 0 {
			q.joins = []join{{left: true, to: relation{"unfiltered", "m"}, on: within("m")}}
		}
		c.withOnce(string(didName(i)), c.build(q))
	}
}

// numberDids numbers the conditions of the plan on what else people did.
func (c *reader) numberDids() {
	for _, cond := range slices.Concat(c.p.Mandatory, c.p.Filters) {
		for leaf := range cond.Leaves() {
			if leaf.Did != nil {
				c.didName(leaf.Did)
			}
		}
	}
}
