package merge

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// A filter on a key of the answer, as of pages whose path begins with /blog, chooses among its rows. Where the partials
// of the answer without that filter are in memory it is merged from these, also when the filter is asked for the first
// time.

// mergeOnKeys is mergeOf with filters on keys compared with the keys, so that the partials are the same as without
// these filters. It returns nil without such filters, or if they choose more than rows of the answer.
func mergeOnKeys(p *plan.Plan) *Merge {
	if len(p.Group) > 0 || p.Type.ZeroFill {
		return nil
	}
	var where []plan.Condition
	without := *p
	without.Filters = slices.DeleteFunc(slices.Clone(p.Filters), func(c plan.Condition) bool {
		onKeys := c.All(func(f *catalog.Field) bool { return slices.Contains(p.Type.DimensionFields, f) })
		if onKeys {
			where = append(where, c)
		}
		return onKeys
	})
	if len(where) == 0 {
		return nil
	}
	m := mergeOf(&without)
	if m == nil {
		return nil
	}
	for _, of := range m.parts { // of sessions, a filter on rows asks about their pageviews
		if of.tb.Rows == catalog.SessionRows &&
			slices.ContainsFunc(where, func(c plan.Condition) bool { return !c.OfSession() }) {
			return nil
		}
	}
	m.where = where
	return m
}

// sparse is the least number of rows for each row that passes the filters on keys, if only these are counted and are
// more than fewShown: to find one takes about as long as to read so many.
const sparse = 16

// Rows returns the rows whose keys pass the filters on keys. Where these are few, only they are counted from then on.
func (g *merged) Rows() []int32 {
	rows := make([]int32, 0, g.rows)
	for row := range int32(g.rows) {
		key := func(f *catalog.Field) string { return g.Key(row, slices.Index(g.p.Type.DimensionFields, f)) }
		if !slices.ContainsFunc(g.where, func(c plan.Condition) bool { return !c.Passes(key) }) {
			rows = append(rows, row)
		}
	}
	if len(g.where) > 0 && (len(rows) <= fewShown || sparse*len(rows) <= g.rows) {
		g.few = slices.Clone(rows)
	}
	return rows
}
