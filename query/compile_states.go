package query

import (
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A stateQuery asks for what the mergeable states of one table are made of.
type stateQuery struct {
	table  *catalog.Table
	in     calendar.Interval
	width  int64 // of the cells that rows are grouped by, in milliseconds
	keyed  bool  // rows are grouped by the keys of the answer, too
	leaves []stateLeaf
}

// A stateLeaf is one aggregate of a stateQuery.
type stateLeaf struct {
	name  expr.Ident
	e     expr.Expr // the aggregate or, with lists, the value of a single row
	lists bool      // rows are grouped by the value
	text  bool      // the value is a text
}

// compileStates compiles the statement of q, by which p is about the time q.in. It returns the columns of the keys and of the leaves.
// The first column is the number of the cell.
func compileStates(p *plan, d *dialect.Dialect, kept days.Sealed, of stateQuery) (_ *compiled, keyColumns, leafColumns []int) {
	c := &compiler{p: p, kept: kept, rng: of.in, depends: of.in, w: expr.Writer{Dialect: d, From: of.in.From, To: of.in.To}}
	q, at := c.rows(of.table), catalog.Row("time")
	if of.table.Rows == catalog.SessionRows {
		at = catalog.OfSession("start")
	}
	var keys []named
	if of.keyed { // else the bucket of a series is made of its cells
		keys = c.partKeys(of.table)
	}
	kinds := []dialect.Kind{dialect.Int}
	q.columns = append(q.columns, named{"cell", expr.Call(dialect.FloorDiv, at, expr.Int(of.width))})
	q.group = 1 + len(keys)
	for _, key := range keys {
		keyColumns = append(keyColumns, len(q.columns))
		q.columns, kinds = append(q.columns, key), append(kinds, dialect.Text)
	}
	for _, leaf := range of.leaves {
		kind := dialect.Int
		if leaf.lists {
			q.group = len(q.columns) + 1
		}
		if leaf.text {
			kind = dialect.Text
		}
		leafColumns = append(leafColumns, len(q.columns))
		q.columns, kinds = append(q.columns, named{leaf.name, leaf.e}), append(kinds, kind)
	}
	read := &part{tb: of.table, q: q}
	c.fromHits(read)
	c.sessionsFor([]*part{read})
	c.hits(read)
	statement := c.statement(p.Type.Name, read.q)
	statement.Kinds = kinds
	return &compiled{statement: statement, depends: c.depends}, keyColumns, leafColumns
}
