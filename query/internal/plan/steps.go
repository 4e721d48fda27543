package plan

import (
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Steps say how the rows of an answer are made after aggregation. All of it is decided here: package compile writes the
// steps as SQL, and package finish carries them out in Go. In this order:
//
//  1. The parts are joined by Keys, and by the bucket of a series. A metric is 0 or null in a row that its part does not have, as its
//     Zero says.
//  2. A row exists if part Lead has it.
//  3. A row is added for each of ZeroValues, or ZeroNumbers, that does not exist yet.
//  4. Rows are left out: those of combinations of groupBy that part ShownBy does not have, and those in which one of Positive is not
//     above 0.
//  5. Columns are computed. A sum over all rows, as of a share, is over the rows that are left now.
//  6. Rows with a key that is not in Among are left out, and rows that Only does not mean.
//  7. Rows are put into their Order, Offset of them are skipped, and at most Limit are returned.
//
// Package finish cannot carry out Only, ZeroNumbers, nor sums over a part of the rows. So answers with these are never
// merged.
//
// A list has only Columns, Order, Offset and Limit, since it has no aggregates. A series is put in order after it was
// filled, by package finish.
type Steps struct {
	Parts  []Part
	Keys   []*catalog.Field // the fields of groupBy, then the type's dimensions
	Groups int              // the number of the fields of groupBy
	Single bool             // there is one row even if no part has rows
	Lead   int              // a place in Parts, or AnyPart
	// of the only dimension, in each combination of groupBy that exists; then there is one part
	ZeroValues []string
	// of the dimensions, which are parts of local time: the values of each in all combinations; instead of ZeroValues
	ZeroNumbers [][]int64
	ShownBy     int // a place in Parts, or AnyPart
	Positive    []*catalog.BoundMetric
	Columns     []Column
	Among       []Among
	Only        []Only
	Order       []Step // nil: any order
	Offset      int
	Limit       int // one more than are shown, so that it is known whether more follow; 0: all
}

// AnyPart stands for the place of a part where every part will do.
const AnyPart = -1

// A Part is the share of one table in an answer: metrics by the keys of the answer.
type Part struct {
	Table   *catalog.Table
	Metrics []*catalog.BoundMetric
}

// A Column is a column of the rows.
type Column struct {
	Name expr.Ident
	E    expr.Expr // over the relation j, which has keys and metrics; in a list, over a row of the table
	Kind dialect.Kind
}

// Among leaves out rows: they have, in a column, a value that the rows of another answer have as their key.
type Among struct {
	Column expr.Ident
	Key    KeyOf
}

// Only leaves out rows: they have another text in a column.
type Only struct {
	Column expr.Ident
	Value  string
}

// A Step is a value that rows are ordered by. Null comes last in both directions.
type Step struct {
	Column expr.Ident // that has the value; empty: no column has to
	E      expr.Expr  // as in Column
	Desc   bool
}

// StepsOf returns the steps of p.
func StepsOf(p *Plan) *Steps {
	s := &Steps{Lead: AnyPart, ShownBy: AnyPart, Columns: columnsOf(p), Offset: p.Offset * p.Block(),
		Limit: p.Limit*p.Block() + 1}
	if p.Type.Shape == catalog.List {
		s.Order = orderOf(p, s.Columns)
		return s
	}
	s.Parts, s.Keys, s.Groups = partsOf(p.Type), slices.Concat(p.Group, p.Type.DimensionFields), len(p.Group)
	s.Single = p.Type.Shape == catalog.Totals && len(s.Keys) == 0
	own := slices.IndexFunc(s.Parts, func(part Part) bool { return part.Table == p.Type.Table })
	if p.Type.LeftJoin {
		s.Lead = own
	}
	if p.Type.ZeroFill {
		s.ZeroValues, s.ZeroNumbers = p.Type.Values, p.Type.ZeroNumbers()
	}
	if len(s.Parts) > 1 && s.Groups > 0 {
		s.ShownBy = own
		for i, part := range s.Parts {
			if part.Table.LeadsGroups {
				s.ShownBy = i
			}
		}
	}
	s.Positive, s.Only = p.Type.SkipZeroMetrics, p.Behaviour.ends()
	switch {
	case p.Type.Shape == catalog.Series: // it is filled, ordered and paged when all of it is there
		s.Offset, s.Limit = 0, ask.MaxLimit+1
	case p.Difference != nil: // they are put in order with the rows of the other period
		s.Offset, s.Limit = 0, 0
	case p.OfKeys:
		s.Among, s.Offset, s.Limit = amongOf(p), 0, 0
	default:
		s.Order = orderOf(p, s.Columns)
	}
	return s
}

// partsOf returns a part for each table whose metrics the type shows, in the order of their use.
func partsOf(ty *catalog.BoundType) (found []Part) {
	for _, m := range ty.Metrics {
		i := slices.IndexFunc(found, func(part Part) bool { return part.Table == m.Table })
		if i < 0 {
			i = len(found)
			found = append(found, Part{Table: m.Table})
		}
		found[i].Metrics = append(found[i].Metrics, m)
	}
	return found
}

// columnsOf returns the columns of p's rows: p.Columns, then p.Keys.
func columnsOf(p *Plan) []Column {
	found := make([]Column, 0, len(p.Group)+len(p.Type.Outputs)+len(p.Keys()))
	for _, f := range p.Group {
		found = append(found, Column{f.Alias(), joined(f), dialect.Text})
	}
	for i, col := range p.Type.Outputs {
		name := expr.Ident(col.Name)
		if p.Type.Choice != nil {
			name = expr.Ident("column_" + strconv.Itoa(i+1)) // no name that a caller gives is in a statement
		}
		found = append(found, Column{name, p.Type.OutputExprs[i], kindOf(col.Format)})
	}
	for i, f := range p.Keys() {
		kind := dialect.Text
		if f.Number {
			kind = dialect.Int
		}
		found = append(found, Column{keyColumn(i), joined(f), kind})
	}
	return found
}

func kindOf(format catalog.Format) dialect.Kind {
	switch format {
	case catalog.String, catalog.JSON:
		return dialect.Text
	case catalog.Number:
		return dialect.Float
	}
	return dialect.Int
}

func joined(f *catalog.Field) expr.Expr { return catalog.Joined(f.Alias()) }

// orderOf returns the order of p's rows: the type's values if it lists them, what p sorts by, and what breaks ties.
// Each column is used once.
func orderOf(p *Plan, columns []Column) (found []Step) {
	outputs := p.Columns()
	add := func(name string, desc bool) {
		i := slices.IndexFunc(outputs, func(c catalog.Output) bool { return c.Name == name })
		used := func() bool {
			return slices.ContainsFunc(found, func(s Step) bool { return s.Column == columns[i].Name })
		}
		if i >= 0 && !used() {
			found = append(found, Step{columns[i].Name, columns[i].E, desc})
		}
	}
	ty := p.Type
	if ty.Table.Rows == catalog.GoalRows && len(p.Sort) == 0 {
		found = append(found, Step{E: expr.Call(dialect.ListPosition, joined(ty.DimensionFields[0]),
			expr.Arg(dialect.Texts, p.Behaviour.GoalNames()))})
		add("visitors", true)
	}
	if ty.LedByMetric != nil {
		found = append(found, Step{E: catalog.Joined(ty.LedByMetric.Alias()), Desc: true})
	}
	if len(ty.Values) > 0 && len(p.Sort) == 0 {
		found = append(found, Step{E: expr.Call(dialect.ListPosition, joined(ty.DimensionFields[0]),
			expr.Arg(dialect.Texts, ty.Values))})
	}
	for _, o := range p.Sort {
		add(o.Column, o.Desc)
	}
	for _, f := range p.Group {
		found = append(found, Step{E: joined(f)})
	}
	for _, name := range ty.TieBreak {
		add(name, false)
	}
	for _, f := range ty.DimensionFields {
		found = append(found, Step{E: joined(f)})
	}
	for _, e := range rowOrder(ty) {
		found = append(found, Step{E: e})
	}
	add(catalog.Website.Name, false) // of lists about several websites
	return found
}

// rowOrder returns what orders the rows of a list that have all else in common. It is nil if a type is not a list of
// rows.
func rowOrder(ty *catalog.BoundType) []expr.Expr {
	switch {
	case ty.Shape != catalog.List || ty.Table.Rows == catalog.SessionRows:
		return nil
	case ty.Table.Events:
		return catalog.EventOrder("t")
	}
	return []expr.Expr{catalog.Row("event_id")}
}

// amongOf returns the columns of p's keys that are compared with the keys of an answer. Keys that are numbers are not.
func amongOf(p *Plan) (found []Among) {
	for i, f := range p.Group {
		found = append(found, Among{f.Alias(), KeyOf(i)})
	}
	for i, f := range p.Keys() {
		if !f.Number {
			found = append(found, Among{keyColumn(i), KeyOf(len(p.Group) + i)})
		}
	}
	return found
}
