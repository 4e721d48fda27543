package compile

import (
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A StateQuery asks for the rows that mergeable states of one table are computed from.
type StateQuery struct {
	Table   *catalog.Table
	In      calendar.Interval
	Width   int64 // of the cells that rows are grouped by, in milliseconds
	Keyed   bool  // rows are grouped by the keys of the answer, too
	Columns []StateColumn
}

// A StateColumn is one aggregate of a StateQuery.
type StateColumn struct {
	Name  expr.Ident
	E     expr.Expr // the aggregate or, with lists, the value of a single row
	Lists bool      // rows are grouped by the value
	Text  bool      // the value is a text
}

// CompileStates compiles the statement of q, by which p is about the time q.In. It returns the columns of the keys and
// of the aggregates. The first column is the number of the cell.
func CompileStates(p *plan.Plan, d *dialect.Dialect, sealed days.Sealed, of StateQuery) (_ *Compiled, keyColumns,
	columns []int) {
	c := newCompiler(p, d, sealed, of.In)
	q, at := c.rows(of.Table), catalog.Row("time")
	if of.Table.Rows == catalog.SessionRows {
		at = catalog.OfSession("start")
	}
	var keys []named
	if of.Keyed { // else the bucket of a series is made of its cells
		keys = c.partKeys(of.Table)
	}
	kinds := []dialect.Kind{dialect.Int}
	q.columns = append(q.columns, named{"cell", expr.Call(dialect.FloorDiv, at, expr.Int(of.Width))})
	q.group = 1 + len(keys)
	for _, key := range keys {
		keyColumns = append(keyColumns, len(q.columns))
		q.columns, kinds = append(q.columns, key), append(kinds, dialect.Text)
	}
	for _, one := range of.Columns {
		kind := dialect.Int
		if one.Lists {
			q.group = len(q.columns) + 1
		}
		if one.Text {
			kind = dialect.Text
		}
		columns = append(columns, len(q.columns))
		q.columns, kinds = append(q.columns, named{one.Name, one.E}), append(kinds, kind)
	}
	read := &part{tb: of.Table, q: q}
	c.fromHits(read)
	c.sessionsFor([]*part{read})
	c.hits(read)
	statement := c.statement(p.Type.Name, read.q)
	statement.Kinds = kinds
	return &Compiled{Statement: statement}, keyColumns, columns
}
