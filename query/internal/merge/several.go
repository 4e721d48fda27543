package merge

import (
	"context"
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// An answer about several websites is merged from the partials of each of them, the same as for questions about one.
// Websites share no visitors or sessions, so sets are counted apart and added. Sums are added, and
// samples are ranked together. Texts in sets, such as links, may be the same on several websites, so these sets are
// united. The website of rows is not a key of partials: each website has its own.

// severalOf returns how the rows of each website of p are merged, by the order of its websites; nil if they are not.
// Websites that filters leave out have none.
func severalOf(p *plan.Plan) []*Merge {
	isWebsite := func(f *catalog.Field) bool { return f == catalog.Website }
	if slices.ContainsFunc(p.Type.DimensionFields, isWebsite) {
		return nil
	}
	merges, any := make([]*Merge, len(p.Websites)), false
	for i, w := range p.Websites {
		one := *p
		one.Subject, one.Websites = store.Subject{Kind: store.KindWebsite, ID: w.ID}, nil
		one.Group = slices.DeleteFunc(slices.Clone(p.Group), isWebsite)
		one.Filters = nil
		passes := true
		for _, c := range p.Filters {
			switch {
			case c.All(isWebsite):
				passes = passes && c.Passes(func(*catalog.Field) string { return w.ID })
			case asksWebsite(c):
				return nil
			default:
				one.Filters = append(one.Filters, c)
			}
		}
		if !passes {
			continue
		}
		if merges[i] = mergeOf(&one); merges[i] == nil || len(merges[i].goals) > 0 && len(p.Group) > 0 {
			return nil
		}
		any = true
	}
	if !any {
		return nil
	}
	return merges
}

// asksWebsite reports whether c asks about the website of a row.
func asksWebsite(c plan.Condition) bool {
	for leaf := range c.Leaves() {
		if leaf.Did == nil && leaf.Field == catalog.Website {
			return true
		}
	}
	return false
}

// several is the merge of an answer about several websites.
type several struct {
	plan    *plan.Plan
	ids     []string        // of the websites that have rows
	lookups []*Lookup       // of these
	choices []origin.Choice // about these
}

// severalOf returns the merge of q, or nil if its rows are not merged.
func (mr *Merger) severalOf(q Question) *several {
	if mr.Partials == nil || !q.Expired.IsZero() {
		return nil
	}
	s := &several{plan: q.Plan}
	for i, m := range severalOf(q.Plan) {
		if m == nil {
			continue
		}
		var snapshot *days.Snapshot
		if i < len(q.Snapshots) {
			snapshot = q.Snapshots[i]
		}
		s.ids = append(s.ids, q.Plan.Websites[i].ID)
		s.lookups = append(s.lookups, mr.lookup(m, origin.Own, snapshot))
	}
	if len(s.lookups) == 0 {
		return nil
	}
	return s
}

// decide decides where the rows come from: all of them are merged, or none.
func (s *several) decide(ctx context.Context, f origin.Facts) (d origin.Decision) {
	for _, g := range s.lookups {
		f.Ways = []origin.Way{g.read(ctx)}
		one := origin.Decide(f)
		if len(one.Ways) == 0 { // a remembered answer
			return one
		}
		s.choices = append(s.choices, one.Ways[0])
		if d.Source != answer.Statement {
			d = one
		}
	}
	return d
}

// rowsOfSeveral is Rows for several websites.
func (mr *Merger) rowsOfSeveral(ctx context.Context, q Question, f origin.Facts) (found Rows, err error) {
	found.Lost, f.Off = q.Expired, mr.Partials == nil && q.Expired.IsZero()
	found.Decision = origin.Decide(f)
	s := mr.severalOf(q)
	if s == nil {
		return found, nil
	}
	if found.Decision = s.decide(ctx, f); len(s.choices) < len(s.lookups) {
		return found, nil
	}
	for i, g := range s.lookups {
		c := s.choices[i]
		g.Site.Admission.NoteAsked(g.all())
		if c.Why == answer.NotStored && g.unread != nil {
			return found, g.unread
		}
		if found.Decision.Source == answer.Statement && c.Why == "" {
			c.Why = found.Decision.Why // the partials count as used, and none is computed
		}
		failed, err := g.gather(ctx, c)
		if err != nil {
			return found, err
		}
		if failed != "" {
			found.Decision.Origin = answer.Origin{Source: answer.Statement, Why: failed}
		}
	}
	if found.Decision.Source != answer.Statement {
		joined := s.groups()
		var of finish.Groups = joined
		if m := s.lookups[0].Merge; len(m.goals) > 0 {
			of = goalRows{m, joined}
		}
		found.Rows = finish.Run(plan.StepsOf(q.Plan), of, q.Among)
	}
	return found, nil
}

// A rowOf is a row of the answer about one website.
type rowOf struct {
	site int
	row  int32
}

// manySites has the groups of an answer about several websites: a row is the rows of websites with the same keys.
type manySites struct {
	ids     []string
	sites   []*merged
	website int // its place among the keys of the answer; -1: it is none
	rows    [][]rowOf
}

var _ finish.Groups = (*manySites)(nil)

// groups joins the rows of the websites. All partials were found.
func (s *several) groups() *manySites {
	g := &manySites{ids: s.ids, website: slices.Index(s.plan.Group, catalog.Website)}
	places := map[string]int{}
	for site, of := range s.lookups {
		one := newMerged(of)
		g.sites = append(g.sites, one)
		counts := one.counting()
		for row := range int32(one.Len()) {
			if len(one.keys) > 0 && !counts(row) { // a key of other days
				continue
			}
			key := one.keyOf(row)
			if g.website >= 0 {
				key = state.JoinKey([]string{s.ids[site], key})
			}
			at, known := places[key]
			if !known {
				at = len(g.rows)
				places[key], g.rows = at, append(g.rows, nil)
			}
			g.rows[at] = append(g.rows[at], rowOf{site, row})
		}
	}
	return g
}

// counting returns a function that reports whether any part counts anything in a row.
func (g *merged) counting() func(row int32) bool {
	has := make([]func(int32) bool, len(g.parts))
	for i := range has {
		has[i] = g.Has(i)
	}
	return func(row int32) bool {
		return slices.ContainsFunc(has, func(has func(int32) bool) bool { return has(row) })
	}
}

// keyOf tells rows apart, also those of other websites.
func (g *merged) keyOf(row int32) string {
	if len(g.keys) > 0 {
		return g.texts[row]
	}
	return strconv.FormatInt(g.Bucket(row), 10)
}

// Len returns the number of rows.
func (g *manySites) Len() int { return len(g.rows) }

// Rows returns all rows.
func (g *manySites) Rows() []int32 {
	all := make([]int32, len(g.rows))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// Key returns the i-th key of a row.
func (g *manySites) Key(row int32, i int) string {
	first := g.rows[row][0]
	switch {
	case i == g.website:
		return g.ids[first.site]
	case g.website >= 0 && i > g.website:
		i--
	}
	return g.sites[first.site].Key(first.row, i)
}

// Bucket returns the number of the bucket of a row.
func (g *manySites) Bucket(row int32) int64 {
	first := g.rows[row][0]
	return g.sites[first.site].Bucket(first.row)
}

// Has returns a function that reports whether a part counts anything in a row.
func (g *manySites) Has(part int) func(row int32) bool {
	has := make([]func(int32) bool, len(g.sites))
	for i, one := range g.sites {
		has[i] = one.Has(part)
	}
	return func(row int32) bool {
		return slices.ContainsFunc(g.rows[row], func(of rowOf) bool { return has[of.site](of.row) })
	}
}

// Metric returns a metric of a part in rows. It is null where its aggregates have no values.
func (g *manySites) Metric(part, metric int) func(row int32) expr.Value {
	made := g.sites[0].parts[part].metrics[metric] // aggregates have the same numbers in all
	return func(row int32) expr.Value {
		return expr.Eval(made, func(e expr.Expr) expr.Value {
			if op, args, ok := e.Calls(); ok && op == dialect.Quantile {
				permille, _ := args[1].Constant()
				return numberOrNull(g.quantile(aggregateIn(args[0]), permille, row))
			}
			return numberOrNull(g.count(aggregateIn(e), row))
		})
	}
}

// Numbers returns nil: the rows of websites are joined one by one.
func (g *manySites) Numbers(int, int, int) []int64 { return nil }

// count returns the count of an aggregate in a row or, for an extreme, its value.
func (g *manySites) count(i int, row int32) int64 {
	kind, n := g.sites[0].aggregates[i].Kind, int64(0)
	switch {
	case kind == state.TextSet && len(g.rows[row]) > 1:
		return g.texts(i, row)
	case kind.Extreme():
		n = state.None
	}
	for _, of := range g.rows[row] {
		if one := g.sites[of.site].count(i, of.row); kind.Extreme() {
			n = kind.Further(n, one)
		} else {
			n += one
		}
	}
	return n
}

// texts returns the number of different texts of a set in a row.
func (g *manySites) texts(i int, row int32) int64 {
	all := map[string]bool{}
	for _, of := range g.rows[row] {
		one := g.sites[of.site]
		names := one.site.Keys(one.aggregates[i].Members)
		for _, member := range state.MembersOf(of.row, one.sources[i]) {
			all[names[member]] = true
		}
	}
	return int64(len(all))
}

// quantile returns a quantile of an aggregate in a row.
func (g *manySites) quantile(i int, permille int64, row int32) int64 {
	var all []state.RowSources
	for _, of := range g.rows[row] {
		all = append(all, state.RowSources{Row: of.row, Of: g.sites[of.site].sources[i]})
	}
	return state.QuantileOf(permille, all)
}
