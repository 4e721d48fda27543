package compile

import (
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// TestLabels writes labels of one and of several columns. Labels share the columns added for them, and a
// label of one column needs none.
func TestLabels(t *testing.T) {
	t.Parallel()
	code, kind := expr.Col("s", "code"), expr.Col("s", "kind")
	name := func(of expr.Expr) expr.Expr {
		return catalog.Lookup(of, []string{"a", "b"}, []string{"Ann", "Ben"}, of)
	}
	q := selection{columns: []named{
		{"kind", kind},
		{"plain", name(code)},
		{"both", catalog.IfElse(expr.Eq(kind, expr.Lit("x")), name(code),
			expr.Call(dialect.Concat, expr.Lit("no "), code))},
		{"other", catalog.IfElse(expr.Ne(kind, expr.Lit("x")), name(code), kind)},
		{"ordered", name(kind)},
	}, order: []ordering{{e: expr.Out("ordered")}}}
	labels, further := q.takeLabels()
	if len(labels) != 3 || further != 1 || len(q.columns) != 6 {
		t.Fatalf("%d labels, %d further columns of %d, want 3, 1 of 6", len(labels), further, len(q.columns))
	}
	column := func(texts ...string) store.Column { return store.Column{Kind: dialect.Text, Texts: texts} }
	codes, kinds := column("a", "b", "c", "a"), column("x", "", "x", "x")
	rows := &store.Rows{Len: 4, Columns: []store.Column{kinds, codes, codes, codes, column("1", "2", "3", "4"), kinds}}
	for _, l := range labels {
		l.write(rows)
	}
	for i, want := range [][]string{{"x", "", "x", "x"}, {"Ann", "Ben", "c", "Ann"}, {"Ann", "no b", "c", "Ann"},
		{"x", "Ben", "x", "x"}} {
		if got := rows.Columns[i].Texts; !slices.Equal(got, want) {
			t.Errorf("column %s is %q, want %q", q.columns[i].as, got, want)
		}
	}
	if !slices.Equal(codes.Texts, []string{"a", "b", "c", "a"}) {
		t.Errorf("the store's own texts are changed: %q", codes.Texts)
	}
}
