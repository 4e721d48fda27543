package clickhouse_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// nasty returns texts that some step on the way to a database might change.
func nasty() []string {
	var low strings.Builder
	for c := range 128 {
		low.WriteByte(byte(c))
	}
	return []string{
		"", "'", `"`, "`", `\`, `\\`, `\'`, `\N`, `\0`, `\t`, "\t", "\n", "\r\n", "\x00", "a\x00b", low.String(),
		"NULL", "[]", "['a']", "{p:String}", "%41", "+", "&a=b",
		"😀", "ẞ", "\u2028", "\ufeff", "İ", "--", "/*", "a;b", "__exception__\r\n", strings.Repeat("ü'\\", 682),
	}
}

func TestArgumentsArriveUnchanged(t *testing.T) {
	t.Parallel()
	type echo struct {
		kind dialect.Kind
		in   any
		want store.Column
	}
	all := []echo{{dialect.Subject, store.Subject{Kind: store.KindWebsite, ID: "a'b"}, texts("a'b")}}
	for _, text := range nasty() {
		all = append(all, echo{dialect.Text, text, texts(text)})
	}
	for _, list := range [][]string{nasty(), {}, nil, {""}, slices.Repeat([]string{"ü'\\\t"}, 500)} {
		all = append(all, echo{dialect.Texts, list, texts(list...)})
	}
	for _, list := range [][]int64{{math.MinInt64, -1, 0, 1, math.MaxInt64}, {}, nil,
		slices.Repeat([]int64{math.MinInt64}, 10_000)} {
		all = append(all, echo{dialect.Ints, list, ints(list...)})
	}
	for _, n := range []int64{math.MinInt64, 0, math.MaxInt64} {
		all = append(all, echo{dialect.Int, n, ints(n)})
	}
	for _, f := range []float64{0, 0.1, 1.0 / 3, -1e308, 5e-324, math.MaxFloat64} {
		all = append(all, echo{dialect.Float, f, floats(f)})
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		all = append(all, echo{dialect.Float, f, holes(floats(0), false)})
	}
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn})
		for _, c := range all {
			read := s.Dialect().Arg("p1", c.kind)
			if c.kind == dialect.Texts || c.kind == dialect.Ints {
				read = "arrayJoin(" + read + ")"
			}
			rows, err := s.Query(t.Context(), store.Statement{
				Label: "echo", SQL: "SELECT " + read, Args: []dialect.Arg{{Name: "p1", Kind: c.kind, Value: c.in}},
				Kinds: []dialect.Kind{c.want.Kind},
			})
			if err != nil {
				t.Errorf("%.60q: %v", c.in, err)
			} else if diff := cmp.Diff(c.want, rows.Columns[0], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%.60q came back changed: %s", c.in, diff)
			}
		}
	})
}

// asksMuch sends s the largest possible request. It has 50 filters with 500 values each, and 1 MiB in total. Most
// characters take twelve bytes in a URL.
func asksMuch(t *testing.T, s *clickhouse.Store) {
	t.Helper()
	values := slices.Repeat([]string{strings.Repeat("\x01'", 20)}, 500)
	values[17] = strings.Repeat("😀", 512) // 2 048 bytes
	values = append(values, strings.Repeat("ü", 2048))
	var sql []string
	var args []dialect.Arg
	size := 0
	for i := range 50 {
		name := fmt.Sprintf("p%d", i+1)
		args = append(args, dialect.Arg{Name: name, Kind: dialect.Texts, Value: values})
		sql = append(sql, "has("+s.Dialect().Arg(name, dialect.Texts)+", a.x)")
		for _, v := range values {
			size += len(v)
		}
	}
	if size < 1<<20 {
		t.Fatalf("the request has %d bytes, want at least 1 MiB", size)
	}
	args = append(args, dialect.Arg{Name: "x", Kind: dialect.Text, Value: values[17]},
		dialect.Arg{Name: "unused", Kind: dialect.Text, Value: strings.Repeat("y", 1<<20)})
	for i := range 50 { // small texts
		name := fmt.Sprintf("t%d", i+1)
		args = append(args, dialect.Arg{Name: name, Kind: dialect.Text, Value: strings.Repeat("'", 2048)})
		sql = append(sql, "a.x <> "+s.Dialect().Arg(name, dialect.Text))
	}
	rows, err := s.Query(t.Context(), store.Statement{
		Label: "much",
		SQL: "WITH a AS (SELECT " + s.Dialect().Arg("x", dialect.Text) +
			" AS x FROM numbers(3)) SELECT toInt64(count()), any(a.x) FROM a WHERE " +
			strings.Join(sql, " AND "),
		Args: args, Kinds: []dialect.Kind{dialect.Int, dialect.Text},
	})
	if err != nil {
		t.Errorf("%.300s", err)
		return
	}
	if rows.Columns[0].Ints[0] != 3 || rows.Columns[1].Texts[0] != values[17] {
		t.Errorf("got %d rows, want 3", rows.Columns[0].Ints[0])
	}
}

func TestArgumentsOfOneMebibyte(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) { asksMuch(t, connect(t, clickhouse.Config{DSN: dsn})) })
}

// The largest allowed request, sent through the engine.
func TestRequestOfTheLargestSize(t *testing.T) {
	t.Parallel()
	oneProtocol(t, func(t *testing.T, dsn string) {
		s := open(t, clickhouse.Config{DSN: chtest.Database(t, dsn)})
		when := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		write(t, s, someEvent("e1"))
		engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return when },
			EngineOptions: query.EngineOptions{Timeout: 2 * time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		ask := query.Request{StartDate: "2026-03-01", EndDate: "2026-03-01"}
		for _, name := range []string{"pages", "session_list"} {
			ask.Parameters = append(ask.Parameters, query.Parameter{Name: name})
		}
		fields := []string{"path", "city", "browser_name", "utm_source", "referrer"}
		for i := range 50 {
			f := query.Filter{Field: fields[i%len(fields)], Op: query.NotIn,
				Values: slices.Repeat([]string{strings.Repeat("'ü", 13)}, 500)}
			f.Values = append(f.Values[1:], strings.Repeat("😀", 2048))
			ask.Filters = append(ask.Filters, f)
		}
		got, err := engine.Run(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}},
			ask)
		if err != nil {
			t.Fatalf("%.500s", err)
		}
		for _, r := range got.Data {
			if !r.Success || r.Data.Len() != map[string]int{"pages": 1, "session_list": 0}[r.Parameter] {
				t.Errorf("%s: %d rows, %s, %.500s", r.Parameter, r.Data.Len(), r.Error, fmt.Sprint(r.Cause))
			}
		}
	})
}

func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn})
		bad := "\xff"
		if utf8.ValidString(bad) {
			t.Fatal("there are no texts to test")
		}
		for name, arg := range map[string]dialect.Arg{
			"a text that is not UTF-8":    {Name: "p1", Kind: dialect.Text, Value: bad},
			"a list with such a text":     {Name: "p1", Kind: dialect.Texts, Value: []string{"a", bad}},
			"a subject with such an id":   {Name: "p1", Kind: dialect.Subject, Value: store.Subject{ID: bad}},
			"a text for a number":         {Name: "p1", Kind: dialect.Int, Value: "1"},
			"an integer of another width": {Name: "p1", Kind: dialect.Int, Value: 1},
			"nothing":                     {Name: "p1", Kind: dialect.Text},
		} {
			_, err := s.Query(t.Context(), store.Statement{
				Label: "bad", SQL: "SELECT " + s.Dialect().Arg("p1", arg.Kind), Args: []dialect.Arg{arg},
				Kinds: []dialect.Kind{dialect.Text},
			})
			if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), "argument p1") {
				t.Errorf("%s: %v, want ErrInvalid of argument p1", name, err)
			}
		}
		_, err := s.Query(t.Context(),
			store.Statement{Label: "bad", SQL: "SELECT {p1:String}", Kinds: []dialect.Kind{dialect.Text}})
		if err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("a placeholder without an argument: %v", err)
		}
	})
}

func TestArgumentsLikeNames(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s := connect(t, clickhouse.Config{DSN: dsn})
		// Names with a common prefix, and a large argument whose text looks like a placeholder.
		long := strings.Repeat("{p1:String}", 2000)
		rows, err := s.Query(t.Context(), store.Statement{
			Label: "names", SQL: "SELECT {p1:String}, {p10:String}, {p1:String} = {p10:String} ? 'same' : 'other'",
			Args: []dialect.Arg{{Name: "p1", Kind: dialect.Text, Value: "one"},
				{Name: "p10", Kind: dialect.Text, Value: long}},
			Kinds: []dialect.Kind{dialect.Text, dialect.Text, dialect.Text},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"one", long, "other"},
			[]string{rows.Columns[0].Texts[0], rows.Columns[1].Texts[0], rows.Columns[2].Texts[0]}); diff != "" {
			t.Error(diff)
		}
	})
}
