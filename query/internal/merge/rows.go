package merge

import (
	"cmp"
	"slices"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// shown are the rows of the answer, before it is paged.
func (g *merged) shown() []int32 {
	rows := slices.DeleteFunc(g.candidates(), func(row int32) bool { return !g.exists(row) })
	rows = append(rows, g.zeroRows(rows)...)
	groups := g.shownGroups()
	return slices.DeleteFunc(rows, func(row int32) bool {
		if groups != nil && !groups[g.group(row)] {
			return true
		}
		return slices.ContainsFunc(g.p.Type.SkipZeroMetrics, func(m *catalog.BoundMetric) bool {
			v := g.columns[string(m.Alias())](row)
			return v.Null || v.Int <= 0
		})
	})
}

// exists reports whether a row has something that makes a row of the answer.
func (g *merged) exists(row int32) bool {
	return slices.ContainsFunc(g.parts, func(of *mergedPart) bool {
		return g.has(of, row) && (!g.p.Type.LeftJoin || of.tb == g.p.Type.Table)
	})
}

// group is the combination of groupBy that a row has.
func (g *merged) group(row int32) string { return state.JoinKey(g.key(row)[:len(g.p.Group)]) }

// shownGroups are the combinations of groupBy that are shown; nil: all are. See
// compiler.shownGroups.
func (g *merged) shownGroups() map[string]bool {
	if len(g.parts) == 1 || len(g.p.Group) == 0 {
		return nil
	}
	by := g.p.Type.Table
	for _, of := range g.parts {
		if of.tb.LeadsGroups {
			by = of.tb
		}
	}
	found := map[string]bool{}
	for _, of := range g.parts {
		for row := range int32(g.rows) {
			if of.tb == by && g.has(of, row) {
				found[g.group(row)] = true
			}
		}
	}
	return found
}

// zeroRows returns rows for the values of the type that do not exist yet, in every combination of groupBy that its table has.
func (g *merged) zeroRows(exist []int32) []int32 {
	if !g.p.Type.ZeroFill {
		return nil
	}
	there, groups := map[string]bool{}, map[string][]string{}
	if len(g.p.Group) == 0 {
		groups[""] = nil
	}
	for _, row := range exist {
		there[g.texts[row]] = true
		for _, of := range g.parts {
			if of.tb == g.p.Type.Table && len(g.p.Group) > 0 && g.has(of, row) {
				groups[g.group(row)] = g.key(row)[:len(g.p.Group)]
			}
		}
	}
	var added []int32
	g.texts = slices.Clone(g.texts)
	for _, group := range groups {
		for _, value := range g.p.Type.Values {
			if key := append(slices.Clone(group), value); !there[state.JoinKey(key)] {
				added = append(added, int32(len(g.texts)))
				g.texts, g.values = append(g.texts, state.JoinKey(key)), append(g.values, key)
			}
		}
	}
	return added
}

// isAmong reports whether each key of a row, if it has any, is among the keys of an answer.
func (g *merged) isAmong(row int32, among [][]string) bool {
	if len(g.keys) == 0 {
		return true
	}
	for i, value := range g.key(row) {
		if _, found := slices.BinarySearch(among[i], value); !found {
			return false
		}
	}
	return true
}

// A step is one of the values that rows are ordered by.
type step struct {
	e    expr.Expr
	desc bool
}

// compare orders two values; null comes last in either direction.
func (s step) compare(v, w expr.Value) int {
	order := v.Compare(w)
	if s.desc && !v.Null && !w.Null {
		return -order
	}
	return order
}

// steps returns the order of the plan and the keys that break ties, as compile orders them.
func (g *merged) steps() []step {
	var found []step
	used := map[string]bool{}
	add := func(name string, desc bool) {
		if used[name] {
			return
		}
		used[name] = true
		if i := g.p.Type.OutputIndex(name); i >= 0 {
			found = append(found, step{g.p.Type.OutputExprs[i], desc})
		} else {
			found = append(found, step{catalog.Joined(expr.Ident(name)), desc}) // a field of groupBy
		}
	}
	if values := g.p.Type.Values; len(values) > 0 && len(g.p.Sort) == 0 {
		found = append(found, step{e: expr.Call(dialect.ListPosition, catalog.Joined(expr.Ident(g.p.Type.DimensionFields[0].Name)), expr.Arg(dialect.Texts, values))})
	}
	for _, o := range g.p.Sort {
		add(o.Column, o.Desc)
	}
	for _, f := range g.p.Group {
		found = append(found, step{e: catalog.Joined(expr.Ident(f.Name))})
	}
	for _, name := range g.p.Type.TieBreak {
		add(name, false)
	}
	for _, f := range g.p.Type.DimensionFields {
		found = append(found, step{e: catalog.Joined(expr.Ident(f.Name))})
	}
	return found
}

// page orders rows and cuts them, with one row more than the limit where there is one. Rows of a
// series, which are filled first, and those beside an answer stay as they are.
func (g *merged) page(rows []int32) []int32 {
	if g.p.Type.Shape == catalog.Series || g.p.OfKeys {
		return rows
	}
	steps := g.steps()
	values := make([]func(int32) expr.Value, len(steps))
	for i, s := range steps {
		values[i] = g.valueOf(s.e)
	}
	type ordered struct {
		row   int32
		first int64 // what the first step is, if that is a number
	}
	all := make([]ordered, len(rows))
	var numbers []int64
	if len(steps) > 0 {
		numbers = g.numbersOf(steps[0].e, len(rows))
	}
	for i, row := range rows {
		all[i].row = row
		if int(row) < len(numbers) {
			all[i].first = numbers[row]
		}
	}
	all = least(all, g.p.Offset+g.p.Limit+1, func(a, b ordered) int {
		for i, s := range steps {
			var order int
			if i == 0 && numbers != nil {
				if order = cmp.Compare(a.first, b.first); s.desc {
					order = -order
				}
			} else {
				order = s.compare(values[i](a.row), values[i](b.row))
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	all = all[min(g.p.Offset, len(all)):]
	rows = rows[:0]
	for _, o := range all {
		rows = append(rows, o.row)
	}
	return rows
}

// least are the first n of all in their order.
func least[T any](all []T, n int, compare func(a, b T) int) []T {
	if len(all) > 4*n {
		var kept []T
		full := false // then the last of kept is one that the others have to be before
		for _, one := range all {
			if full && compare(one, kept[n-1]) >= 0 {
				continue
			}
			if kept = append(kept, one); len(kept) == 2*n {
				slices.SortFunc(kept, compare)
				kept, full = kept[:n], true
			}
		}
		all = kept
	}
	slices.SortFunc(all, compare)
	return all[:min(n, len(all))]
}

// output makes columns of rows, as the statement of the plan has them.
func (g *merged) output(rows []int32) *store.Rows {
	out := &store.Rows{Len: len(rows)}
	var exprs []expr.Expr
	for _, f := range g.p.Group {
		exprs = append(exprs, catalog.Joined(expr.Ident(f.Name)))
	}
	exprs = append(exprs, g.p.Type.OutputExprs...)
	for _, f := range g.p.Keys() {
		exprs = append(exprs, catalog.Joined(expr.Ident(f.Name)))
	}
	for i, kind := range compile.Kinds(g.p) {
		c, value := store.Column{Kind: kind}, g.valueOf(exprs[i])
		for n, row := range rows {
			v := value(row)
			if v.Null && c.Valid == nil {
				c.Valid = slices.Repeat([]bool{true}, len(rows))
			}
			if v.Null {
				c.Valid[n] = false
			}
			switch kind {
			case dialect.Text:
				c.Texts = append(c.Texts, v.Text)
			case dialect.Float:
				c.Floats = append(c.Floats, v.Number())
			default:
				c.Ints = append(c.Ints, v.Int)
			}
		}
		out.Columns = append(out.Columns, c)
	}
	return out
}
