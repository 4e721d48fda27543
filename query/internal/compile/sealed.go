package compile

import (
	"slices"

	"github.com/huandu/go-sqlbuilder"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Sealed rows are sessions, by the day that they begin on, and hits: pageviews, exits and all other events that are not
// hidden, with the fields of their sessions. A statement reads them on days with valid seals. It computes the time from
// the first to the last day without one from events. This is one stretch, since late rows change single days of the
// past for a short time only, and one stretch is read and ordered at once.

// sealedHits and sealedSessions are the tables that have them.
const (
	sealedSessions = schema.SealedSessions
	sealedHits     = schema.SealedHits
)

// formsSession reports whether a column of sealedSessions says which rows belong to the session. The other columns are
// facts of the session.
func formsSession(column string) bool {
	return column == "session_hash" || column == "start" || column == rowsFrom
}

// sealedColumns has the columns of each sealed table.
var sealedColumns = func() map[string][]string {
	all := map[string][]string{}
	for _, t := range schema.SealedTables() {
		all[t.Name] = t.ColumnNames()
	}
	return all
}()

// isSealed reports whether a sealed table has a column.
func isSealed(table, column string) bool { return slices.Contains(sealedColumns[table], column) }

// fromHits makes p read sealed hits where it can: its rows are among them, nothing else is asked
// of these than hits have, and the caller sees all of them.
func (c *tables) fromHits(p *part) {
	if !p.tb.PageEvents && !p.tb.Visible || len(c.p.Mandatory) > 0 {
		return
	}
	kept := c.kept.Hits
	if p.tb.PageEvents {
		kept = c.kept.PageEvents
	}
	gap, partly := kept.Gap(c.rng)
	if gap == c.rng && !partly {
		return
	}
	q := p.q
	stored := func(e expr.Expr) expr.Expr { return expr.Stored(e, "t") }
	q.columns, q.where = slices.Clone(p.q.columns), slices.Clone(p.q.where)
	for i := range q.columns {
		q.columns[i].e = stored(q.columns[i].e)
	}
	for i := range q.where {
		q.where[i] = stored(q.where[i])
	}
	asked := slices.DeleteFunc(columnsOf("t", q), func(name string) bool { return name == "subject" })
	if len(columnsOf("s", q)) > 0 {
		return
	}
	for _, name := range asked {
		if !isSealed(sealedHits, name) {
			return
		}
	}
	rows := selection{from: relation{"events", "t"}, where: append(c.read(gap), hitRows)}
	for _, name := range append(asked, "subject") {
		rows.columns = append(rows.columns, hitColumn(expr.Ident(name)))
	}
	formed := len(columnsOf("s", rows)) > 0
	if !formed && c.w.Dialect.ReplacesSeals() {
		return // it takes longer to choose the rows of valid seals than to read events without sessions
	}
	if gap.Empty() {
		q.from, q.where = relation{sealedHits, "t"}, append(q.where, c.inSeals(c.rng), c.byNumber())
		p.q = q
		return
	}
	if partly = partly && formed; partly { // without sessions, reading all events of the gap is faster
		c.tellChanged()
		rows.joins = []join{ofChanged()}
	} else if gap == c.rng {
		return
	}
	p.gap, p.partly, p.rows = gap, partly, &rows
	q.from = relation{"hits_" + p.tb.Name, "t"}
	p.q = q
}

// hitRows are the events that hits are made of.
var hitRows = expr.Or(expr.Le(catalog.Row("kind"), expr.Int(int64(store.Exit))), expr.Not(catalog.Hidden))

// hitColumn is a column of hits over the events t and their sessions s.
func hitColumn(name expr.Ident) named {
	for _, f := range catalog.SessionFields() {
		if f.Column == name {
			return named{name, catalog.Attributed(f, catalog.Pageviews, "s")}
		}
	}
	if name == "hidden" {
		return named{name, catalog.Hidden}
	}
	return named{name, catalog.Row(name)}
}

// readKept is readAt for a sealed table: it leaves out rows of replaced seals, too.
func (c *reader) readKept(column expr.Ident, w calendar.Interval) []expr.Expr {
	return append(c.readAt(column, w), c.inSeals(w))
}

// inSeals leaves out rows t of replaced seals of the days of w. It is absent where the store has no such rows.
func (c *reader) inSeals(w calendar.Interval) (e expr.Expr) {
	if c.w.Dialect.ReplacesSeals() {
		e = expr.Call(dialect.InSeals, expr.Relation("t"), expr.Arg(dialect.Subject, c.p.Subject), milli(w.From),
			milli(w.To))
	}
	return e
}

// byNumber returns a condition on the numbers of sealed hits t that follows from a filter of the caller on one country.
// It is absent without such a filter, and in stores without such numbers: see [dialect.Number].
func (c *reader) byNumber() (e expr.Expr) {
	for _, n := range c.w.Dialect.Numbers {
		for _, cond := range c.p.Filters {
			oneCountry := cond.Group == plan.Leaf && cond.Did == nil && cond.Field.Match == catalog.ByCountry &&
				!cond.Negated() && len(cond.Codes) == 1
			if oneCountry && n.Table == sealedHits && string(cond.Field.Column) == n.Of {
				e = expr.Eq(catalog.Row(expr.Ident(n.Column)),
					expr.Call(dialect.PrefixNumber, expr.Arg(dialect.Text, cond.Codes[0])))
			}
		}
	}
	return e
}

// hits adds the relation that p reads: the hits of sealed days and of the gap.
func (c *tables) hits(p *part) {
	if p.rows == nil {
		return
	}
	union := []sqlbuilder.Builder{c.build(*p.rows)}
	for _, w := range days.Parts(c.rng, p.gap, p.partly) {
		kept := unchanged(w, selection{from: relation{sealedHits, "t"},
			where: append(c.readKept("time", w.Interval), c.byNumber())})
		for _, col := range p.rows.columns {
			kept.columns = append(kept.columns, named{col.as, catalog.Row(col.as)})
		}
		union = append(union, c.build(kept))
	}
	c.with("hits_"+p.tb.Name, unionAll(union...))
}

// keptSessions selects the sealed sessions that begin in w, with facts. Rows that come before
// their session belong to it with earlyRows.
func (c *sessionizer) keptSessions(w days.Part, facts []named, earlyRows bool) selection {
	q := unchanged(w, selection{from: relation{sealedSessions, "t"}, where: c.readKept("start", w.Interval),
		columns: []named{{"session_hash", catalog.Row("session_hash")}, {"start", catalog.Row("start")}}})
	matched := false
	for _, fact := range facts {
		e := catalog.Row(fact.as)
		switch {
		case !c.fromMatching(fact.as):
		case fact.as == catalog.MatchingPageviews && c.rowFilters("p").Absent():
			e = catalog.Row("pageviews")
		default:
			e, matched = expr.Call(dialect.Coalesce, expr.Col("n", fact.as), expr.Int(0)), true
		}
		q.columns = append(q.columns, named{fact.as, e})
	}
	if matched {
		q.joins = append(q.joins, join{left: true, to: relation{"matching", "n"}, on: expr.And(
			expr.Eq(expr.Col("n", "session_hash"), catalog.Row("session_hash")),
			expr.Eq(expr.Col("n", "start"), catalog.Row("start")))})
	}
	from := catalog.Row("start")
	if earlyRows {
		from = catalog.Row(rowsFrom)
	}
	q.columns = append(q.columns, named{rowsFrom, from})
	return q
}

// fromMatching reports whether sealed sessions have a fact from the relation matching.
func (c *reader) fromMatching(fact expr.Ident) bool {
	return fact == catalog.MatchingPageviews || c.didFact(string(fact)) != nil
}

// matching adds the relation matching, if spec asks for it: how many events of the sealed sessions that begin in one of
// these parts, in the order of time, are pageviews that pass the filters of the caller on rows, and how many are what
// sessions did.
func (c *sessionizer) matching(of []days.Part, spec sessionSpec) {
	counts, any := []named{}, []expr.Expr{}
	count := func(name expr.Ident, holds expr.Expr) {
		counts, any = append(counts, named{name, expr.Call(dialect.CountIf, holds)}), append(any, holds)
	}
	if passes := c.rowFilters("t"); spec.rowFilters && !passes.Absent() {
		count(catalog.MatchingPageviews, expr.And(catalog.OfKind(store.Pageview), passes))
	}
	for _, name := range spec.columns {
		if did := c.didFact(name); did != nil {
			count(expr.Ident(name), did.Holds("t"))
		}
	}
	switch len(counts) {
	case 0:
		return
	case 1:
		counts[0].e = expr.Call(dialect.Count)
	}
	var union []sqlbuilder.Builder
	for _, w := range of {
		union = append(union, c.build(unchanged(w,
			selection{from: relation{sealedSessions, "t"}, where: append(c.readKept("start", w.Interval), spec.only),
				columns: []named{{"session_hash", catalog.Row("session_hash")}, {"start", catalog.Row("start")}}})))
	}
	c.with("sealed_starts", unionAll(union...))
	n := func(name expr.Ident) expr.Expr { return expr.Col("n", name) }
	around := calendar.Interval{From: of[0].From, To: of[len(of)-1].To}.Widen(0, calendar.Day)
	inside := expr.And(expr.Eq(n("session_hash"), catalog.Row("session_hash")),
		expr.Ge(catalog.Row("time"), n("start")),
		expr.Lt(catalog.Row("time"), expr.Add(n("start"), expr.Int(calendar.Day))))
	c.with("matching", c.build(selection{from: relation{"events", "t"}, group: 2,
		joins:   []join{{to: relation{"sealed_starts", "n"}, on: inside}},
		where:   slices.Concat(c.read(around), visible, []expr.Expr{expr.Or(any...)}),
		columns: slices.Concat([]named{{"session_hash", n("session_hash")}, {"start", n("start")}}, counts)}))
}
