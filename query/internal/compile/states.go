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
	Table  *catalog.Table
	In     calendar.Interval
	Width  int64 // of the cells that rows are grouped by, in milliseconds
	Keyed  bool  // rows are grouped by the keys of the answer, too
	Leaves []StateLeaf
}

// A StateLeaf is one aggregate of a stateQuery.
type StateLeaf struct {
	Name  expr.Ident
	E     expr.Expr // the aggregate or, with lists, the value of a single row
	Lists bool      // rows are grouped by the value
	Text  bool      // the value is a text
}

// CompileStates compiles the statement of q, by which p is about the time q.in. It returns the columns of the keys and
// of the leaves. The first column is the number of the cell.
func CompileStates(p *plan.Plan, d *dialect.Dialect, kept days.Sealed, of StateQuery) (_ *Compiled, keyColumns,
	leafColumns []int) {
	c := newCompiler(p, d, kept, of.In)
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
	for _, leaf := range of.Leaves {
		kind := dialect.Int
		if leaf.Lists {
			q.group = len(q.columns) + 1
		}
		if leaf.Text {
			kind = dialect.Text
		}
		leafColumns = append(leafColumns, len(q.columns))
		q.columns, kinds = append(q.columns, named{leaf.Name, leaf.E}), append(kinds, kind)
	}
	read := &part{tb: of.Table, q: q}
	c.fromHits(read)
	c.sessionsFor([]*part{read})
	c.hits(read)
	statement := c.statement(p.Type.Name, read.q)
	statement.Kinds = kinds
	return &Compiled{Statement: statement}, keyColumns, leafColumns
}
