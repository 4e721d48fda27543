// Package merge gives answers that are merged from partials, in place of a statement over all rows.
//
//	merger := merge.New(store, types, cache, keeper, pace, logger)
//	found, err := merger.Rows(ctx, question, facts)  // as the statement of its plan gives them
//	if found.Rows == nil && err == nil { … }         // the statement has to run: found.Decision has the reason
//
// It finds the aggregates of a plan whose states merge, and their partials in memory or in the store. It computes the
// missing partials, at once or in the background, and merges them.
package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// An answer that counts can be merged from partials of its aggregates, one per UTC day, in place of a statement over
// all of its rows. Partials without keys have a cell for each quarter of an hour, so that they cut at midnight of every
// zone that is whole quarters from UTC. Partials with keys, and those of goals that are not a series, cover whole days,
// and the pieces of days at the ends of a range. The days of whole UTC months are rolled up if there is room, so that a
// long range costs hardly more than its two ends.

// Quarter is the length of the cells of other partials than those of whole days, in milliseconds.
const Quarter = 15 * 60 * 1000

// A Merge says how the answer to a plan is merged.
type Merge struct {
	p          *plan.Plan
	steps      *plan.Steps
	keys       []*catalog.Field // of the answer
	width      int64            // of the cells of partials: Quarter or calendar.Day
	parts      []*mergedPart    // of the steps
	aggregates []aggregate      // of all parts
	where      []plan.Condition // on keys of the answer: its rows have to pass them
	goals      []goalAggregates // of an answer about goals

	stretches []calendar.Interval
}

// A mergedPart is the share of one table in the answer.
type mergedPart struct {
	tb         *catalog.Table
	needs      neighbours  // the days around a day whose rows decide what its partials are
	Count      int         // the aggregate that counts its rows
	aggregates []int       // all that it has
	metrics    []expr.Expr // over the aggregates
}

// An aggregate has partials. Metrics are made of aggregates.
type aggregate struct {
	state.Aggregate
	part *mergedPart
	e    expr.Expr // the aggregate or, where single rows are listed, what they have
}

// neighbours are the days around a day whose rows decide what its partials are. They are a part of the name of an
// aggregate: a partial is used only where the same neighbours decide, since a version counts the rows of all of them.
type neighbours struct{ catalog.Reach }

func (n neighbours) text() string {
	return fmt.Sprintf("\nwith %d days before and %d after", n.Before, n.After)
}

// states says how the states of aggregates merge. Other aggregates do not merge.
var states = map[dialect.Op]state.Kind{
	dialect.Count: state.Sum, dialect.CountIf: state.Sum, dialect.Sum: state.Sum, dialect.SumIf: state.Sum,
	dialect.Min: state.Least, dialect.MinIf: state.Least, dialect.Max: state.Greatest, dialect.MaxIf: state.Greatest,
	dialect.CountDistinctHash: state.Set, dialect.CountDistinct: state.TextSet,
	dialect.Median: state.Sample, dialect.Quantile: state.Sample,
}

// mergeOf tells how the answer to p is merged; nil where it cannot be.
func mergeOf(p *plan.Plan) *Merge {
	if p.Type.Shape == catalog.List || p.Type.UntilNow() || p.Subject.Kind != store.KindWebsite || p.Websites != nil ||
		p.Type.Shape == catalog.Series && p.Grain == calendar.Minutely || // shorter than the cells of partials
		slices.ContainsFunc(slices.Concat(p.Mandatory, p.Filters), asksDid) {
		return nil
	}
	steps := plan.StepsOf(p)
	m := &Merge{p: p, steps: steps, keys: steps.Keys, width: Quarter}
	if len(m.keys) > 0 && p.Type.Shape != catalog.Series {
		m.width = calendar.Day
	}
	if ofGoals(p) && !m.addGoals() {
		return nil
	}
	if p.Type.Shape == catalog.Series && len(m.keys) > 0 ||
		slices.ContainsFunc(m.keys, func(f *catalog.Field) bool { return f.Number }) {
		return nil
	}
	if len(steps.Only) > 0 {
		return nil
	}
	for _, part := range steps.Parts {
		if !ofGoals(p) && !m.add(part) {
			return nil
		}
	}
	for _, c := range steps.Columns {
		if !expr.CanEval(c.E, func(op dialect.Op) bool { return op == dialect.SumOver }) {
			return nil
		}
	}
	for _, part := range m.parts {
		part.needs = m.needs(part)
		for _, i := range part.aggregates {
			m.aggregates[i].Name += part.needs.text()
		}
		// What rows are grouped by first.
		slices.SortStableFunc(part.aggregates, func(a, b int) int {
			return cmp.Compare(m.aggregates[b].Kind, m.aggregates[a].Kind)
		})
	}
	if !m.cut() {
		return nil
	}
	return m
}

// asksDid reports whether c asks what else people did: a day does not tell what a visitor did in the range.
func asksDid(c plan.Condition) bool { return c.Asks() }

// add adds a part, if its metrics merge.
func (m *Merge) add(of plan.Part) (merges bool) {
	tb := of.Table
	if tb.Rows != catalog.SessionRows && tb.Rows != catalog.PlainRows || len(compile.RowFields(m.p, tb)) > 0 {
		return false
	}
	part := &mergedPart{tb: tb}
	part.Count = m.aggregateOf(part, dialect.Count, nil)
	m.parts, merges = append(m.parts, part), true
	for _, metric := range of.Metrics {
		made := expr.ReplaceCalls(metric.Expr, ofRows, func(op dialect.Op, args []expr.Expr) expr.Expr {
			if _, ok := states[op]; !ok {
				merges = false
				return expr.Null()
			}
			column := aggregateColumn(m.aggregateOf(part, op, args))
			switch op {
			case dialect.Median:
				return expr.Call(dialect.Quantile, column, expr.Int(500))
			case dialect.Quantile:
				return expr.Call(op, column, args[1])
			}
			return column
		})
		part.metrics = append(part.metrics, made)
		merges = merges && !metric.PerRow && metric.NameOf == "" && expr.CanEval(made, ofRows)
	}
	return merges
}

func ofRows(op dialect.Op) bool { return !op.OfRow() }

// aggregateColumn stands for what an aggregate is in a row.
func aggregateColumn(i int) expr.Expr { return expr.Col("x", expr.Ident(strconv.Itoa(i))) }

// aggregateOf is the number of the aggregate of part that is this aggregate.
func (m *Merge) aggregateOf(part *mergedPart, op dialect.Op, args []expr.Expr) int {
	found := aggregate{part: part, e: expr.Call(op, args...)}
	found.Kind = states[op]
	if found.Kind.Lists() {
		found.e = args[0]
		found.Members = membersOf(found.e)
	}
	found.Name = strings.Join([]string{part.tb.Name, strconv.Itoa(int(found.Kind)), found.e.String(), m.rowsText()},
		"\n")
	for _, i := range part.aggregates {
		if m.aggregates[i].Name == found.Name {
			return i
		}
	}
	m.aggregates = append(m.aggregates, found)
	part.aggregates = append(part.aggregates, len(m.aggregates)-1)
	return len(m.aggregates) - 1
}

// membersOf names what sets of e count: a column of rows or of their sessions, also if only some rows count.
func membersOf(e expr.Expr) string {
	if op, args, ok := e.Calls(); ok && op == dialect.If {
		if zero, ok := args[2].Constant(); ok && zero == 0 {
			return membersOf(args[1])
		}
	}
	if _, column, ok := e.Column(); ok {
		return column
	}
	return e.String()
}

// rowsText tells apart all rows and keys that partials may be of.
func (m *Merge) rowsText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "by %s without empty %s, with empty %s", m.keyNames(), m.p.Type.SkipEmpty, m.p.Type.OnlyEmpty)
	if len(m.keys) == 0 && m.width != Quarter {
		b.WriteString(", by day")
	}
	for _, c := range m.p.Mandatory {
		fmt.Fprintf(&b, "\nof all %s", c.AppendKey(nil))
	}
	for _, c := range m.p.Filters {
		fmt.Fprintf(&b, "\nwhere %s", c.AppendKey(nil))
	}
	return b.String()
}

// keyNames returns the names of the keys of the answer.
func (m *Merge) keyNames() string { return m.namesOf((*catalog.Field).Identity) }

// keyTexts names the texts that the keys of the answer are among: keys of one name share their numbers, and where they
// are stored.
func (m *Merge) keyTexts() string {
	return m.namesOf(func(f *catalog.Field) string {
		if f.Name == "entry_page" || f.Name == "exit_page" {
			return "path"
		}
		return f.Identity()
	})
}

func (m *Merge) namesOf(name func(*catalog.Field) string) string {
	names := make([]string, len(m.keys))
	for i, f := range m.keys {
		names[i] = name(f)
		if i < len(m.p.Group) && f.Match == catalog.ByReferrer {
			names[i] = "group " + names[i] // direct traffic has a name there
		}
	}
	return strings.Join(names, ", ")
}

// cut finds the stretches that the answer is merged from, if there are such.
func (m *Merge) cut() bool {
	w := m.p.Counted()
	if m.width == calendar.Day {
		for from := w.From; from < w.To; {
			to := min(calendar.StartOfDay(from)+calendar.Day, w.To)
			m.stretches = append(m.stretches, calendar.Interval{From: from, To: to})
			from = to
		}
		return true
	}
	onQuarter := func(at int64) bool { return at%Quarter == 0 }
	// A range that begins or ends at a time may cut cells. Then the pieces of days at its ends have partials of their
	// own.
	cuts := func(at int64, is bool) bool { return is && !onQuarter(at) && m.p.Until.Equal(m.p.Range.To) }
	begins, ends := cuts(w.From, m.p.Range.FromTime), cuts(w.To, m.p.Range.ToTime)
	for from := calendar.StartOfDay(w.From); from < w.To; from += calendar.Day {
		m.stretches = append(m.stretches, calendar.Interval{From: from, To: from + calendar.Day})
	}
	if n := len(m.stretches); n > 0 && begins {
		m.stretches[0].From = w.From
	}
	if n := len(m.stretches); n > 0 && ends {
		m.stretches[n-1].To = w.To
	}
	for i, s := range calendar.Segments(m.p.Range, m.p.Grain) {
		if i > 0 && !onQuarter(s.From) || m.p.Type.Shape == catalog.Series && !onQuarter(s.Shift) {
			return false
		}
	}
	return (onQuarter(w.From) || begins) && (onQuarter(w.To) || ends)
}

// needs returns how many days around a day have rows that decide what its partials of a part are. These are the days
// that decide the sessions of its rows, if the answer asks anything about them or if mandatory filters remove sessions.
func (m *Merge) needs(of *mergedPart) neighbours {
	removed := m.p.RemovesSessions()
	var asked []expr.Expr
	for _, f := range m.keys {
		asked = append(asked, catalog.Value(f, of.tb))
	}
	for _, i := range of.aggregates {
		asked = append(asked, m.aggregates[i].e)
	}
	switch reach := m.p.ReachOf(of.tb, asked); {
	case removed && of.tb.HasSessions():
		return neighbours{reach.Twice()}
	case plan.AsksSessions(of.tb, asked, m.p.Filters):
		return neighbours{reach}
	}
	return neighbours{}
}
