package expr_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/internal/expr"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func write(e expr.Expr) (string, []dialect.Arg) {
	w := expr.Writer{Dialect: dialect.DuckDB()}
	return w.Write(e), w.Args
}

func TestWrite(t *testing.T) {
	a, b := expr.Col("t", "a"), expr.Col("t", `b"c`)
	for _, c := range []struct {
		name string
		e    expr.Expr
		want string
	}{
		{"nothing is empty", expr.Expr{}, ""},
		{"a column is qualified and quoted", b, `t."b""c"`},
		{"a constant text is quoted", expr.Lit("it's"), `'it''s'`},
		{"conditions are joined", expr.And(expr.Eq(a, expr.Int(1)), expr.Ne(b, expr.Lit(""))),
			`((t."a" = 1) AND (t."b""c" <> ''))`},
		{"absent ones are skipped", expr.And(expr.Expr{}, expr.Lt(a, expr.Int(1)), expr.Expr{}), `(t."a" < 1)`},
		{"a conjunction of nothing is nothing", expr.And(expr.Expr{}, expr.Or()), ""},
		{"negation", expr.Not(expr.Ge(a, b)), `(NOT (t."a" >= t."b""c"))`},
		{"an operation", expr.Call(dialect.CountIf, expr.IsNotNull(a)), `count(*) FILTER (WHERE (t."a" IS NOT NULL))`},
		{"operands of any number", expr.Call(dialect.Greatest, a, b, expr.Int(3)), `greatest(t."a", t."b""c", 3)`},
		{"an output column", expr.Out("n"), `"n"`},
		{"nothing known", expr.Call(dialect.If, expr.Gt(a, b), a, expr.Null()),
			`CASE WHEN (t."a" > t."b""c") THEN t."a" ELSE NULL END`},
		{"arithmetic", expr.Mul(expr.Add(a, b), expr.Sub(a, expr.Int(-2))), `((t."a" + t."b""c") * (t."a" - -2))`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := write(c.e); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestValuesAreBoundAndShared(t *testing.T) {
	x, list := expr.Arg(dialect.Text, "x"), expr.Arg(dialect.Texts, []string{"x"})
	other := expr.Arg(dialect.Texts, []string{"x"})
	got, args := write(expr.List(x, expr.Arg(dialect.Int, int64(7)), x, list, list, other))
	if want := `$p1::VARCHAR, $p2::BIGINT, $p1::VARCHAR, $p3::VARCHAR[], $p3::VARCHAR[], $p4::VARCHAR[]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := []dialect.Arg{{Name: "p1", Kind: dialect.Text, Value: "x"},
		{Name: "p2", Kind: dialect.Int, Value: int64(7)},
		{Name: "p3", Kind: dialect.Texts, Value: []string{"x"}},
		{Name: "p4", Kind: dialect.Texts, Value: []string{"x"}}}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Error(diff)
	}
}

func TestReplaceAndLookThrough(t *testing.T) {
	e := expr.Call(dialect.Ratio, expr.Ref("pageviews"), expr.Add(expr.Ref("sessions"), expr.Ref("pageviews")))
	if diff := cmp.Diff([]string{"pageviews", "sessions"}, expr.Refs(e)); diff != "" {
		t.Error(diff)
	}
	replaced := expr.Replace(e, func(name string) expr.Expr { return expr.Col("j", expr.Ident(name)) })
	if diff := cmp.Diff([]string{"pageviews", "sessions"}, expr.Columns(replaced, "j")); diff != "" {
		t.Error(diff)
	}
	if got := expr.Columns(replaced, "t"); got != nil {
		t.Errorf("columns of another relation: %v", got)
	}
	if len(expr.Refs(e)) != 2 {
		t.Error("Replace changed its operand")
	}
}

func TestString(t *testing.T) {
	e := expr.And(expr.Call(dialect.CountIf, expr.IsNotNull(expr.Col("t", "a"))),
		expr.Not(expr.Eq(expr.Ref("b"), expr.Arg(dialect.Text, "x"))),
		expr.Lt(expr.RangeFrom(), expr.Int(7)))
	if got, want := e.String(),
		"(CountIf((t.a IS NOT NULL)) AND NOT (ref b = arg \"x\") AND (range.from < 7))"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
