package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// proveReading tests the reading of rows: the kinds of values, the results of every template of the dialect,
// exact answers about a small dataset, answers of every query type, cancellation, and sixteen concurrent
// callers. s is empty.
func proveReading(t *testing.T, h Harness, s store.Store) {
	b := fixture()
	b.Events = append(b.Events, fewEvents()...)
	b.Events = append(b.Events, latestEvents()...)
	h.fill(t, s, b)
	t.Run("kinds", func(t *testing.T) { kinds(t, s) })
	t.Run("size", func(t *testing.T) { answerSize(t, s) })
	t.Run("lower case", func(t *testing.T) { lowerCase(t, s) })
	t.Run("templates", func(t *testing.T) { templates(t, s) })
	t.Run("cases", func(t *testing.T) {
		for _, c := range cases() {
			t.Run(c.name, func(t *testing.T) { c.check(t, s) })
		}
	})
	t.Run("cancellation", func(t *testing.T) { cancellation(t, s, h.Slow) })
	t.Run("sixteen at once", func(t *testing.T) { concurrent(t, s, max(1, h.SampleEvery)) })
	if _, writes := s.(store.Writer); !writes && h.SampleEvery > 1 {
		return
	}
	t.Run("every dataset", func(t *testing.T) { everyDataset(t, s, h.SampleEvery > 1) })
	t.Run("choices", func(t *testing.T) { choices(t, h) })
	t.Run("pages of the latest", func(t *testing.T) { pagesOfLatest(t, s, h.plants()) })
	t.Run("every type", func(t *testing.T) { everyType(t, s, h.SampleEvery) })
}

// kinds queries a value and a null of every kind of column, with arguments of every kind.
func kinds(t *testing.T, s store.Store) {
	d := s.Dialect()
	null := d.Call(dialect.NullIf, d.Arg("i", dialect.Int), d.Arg("i", dialect.Int))
	stmt := store.Statement{
		Label: "kinds",
		SQL: fmt.Sprintf("SELECT %s AS a, %s AS b, %s AS c, %s AS d, %s AS e", d.Arg("i", dialect.Int),
			d.Arg("f", dialect.Float),
			d.Arg("t", dialect.Text),
			d.Call(dialect.Lookup, d.Arg("t", dialect.Text), d.Arg("l", dialect.Texts), d.Arg("l", dialect.Texts),
				"'no'"), null),
		Args: []dialect.Arg{
			{Name: "i", Kind: dialect.Int, Value: int64(-1 << 53)}, {Name: "f", Kind: dialect.Float, Value: 0.1},
			{Name: "t", Kind: dialect.Text, Value: "ü\x01'\"\\%_🎉"},
			{Name: "l", Kind: dialect.Texts, Value: []string{"a", "ü\x01'\"\\%_🎉"}},
		},
		Kinds: []dialect.Kind{dialect.Int, dialect.Float, dialect.Text, dialect.Text, dialect.Int},
	}
	rows, err := s.Query(t.Context(), stmt)
	if err != nil {
		t.Fatal(err)
	}
	if rows.Len != 1 || len(rows.Columns) != 5 {
		t.Fatalf("%d rows of %d columns", rows.Len, len(rows.Columns))
	}
	for i, want := range stmt.Kinds {
		if got := rows.Columns[i].Kind; got != want {
			t.Errorf("column %d has kind %d, want %d", i, got, want)
		}
	}
	nothing := stmt
	nothing.SQL += " FROM (SELECT 1 AS n) AS t WHERE n > 1"
	if empty, err := s.Query(t.Context(), nothing); err != nil || empty.Len != 0 ||
		len(empty.Columns) != len(stmt.Kinds) {
		t.Errorf("%s\nmust return no rows and %d columns: %+v, %v", nothing.SQL, len(stmt.Kinds), empty, err)
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"an argument of kind Int", rows.Columns[0].Ints[0], int64(-1 << 53)},
		{"an argument of kind Float", rows.Columns[1].Floats[0], 0.1},
		{"an argument of kind Text", rows.Columns[2].Texts[0], "ü\x01'\"\\%_🎉"},
		{"Lookup in arguments of kind Texts", rows.Columns[3].Texts[0], "ü\x01'\"\\%_🎉"},
		{"NullIf of equal values is null", rows.Columns[4].Null(0), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#v, want %#v", c.what, c.got, c.want)
		}
	}
}

// answerSize tests that an answer larger than Statement.MaxBytes returns ErrTooLarge.
func answerSize(t *testing.T, s store.Store) {
	d := s.Dialect()
	stmt := store.Statement{
		Label: "size",
		SQL: fmt.Sprintf("SELECT v.%s AS a FROM %s AS v", d.Ident("value"),
			d.Call(dialect.Unnest, d.Arg("l", dialect.Texts))),
		Args:  []dialect.Arg{{Name: "l", Kind: dialect.Texts, Value: []string{"four", "five!", "", "ü"}}},
		Kinds: []dialect.Kind{dialect.Text},
	}
	for most, want := range map[int64]error{0: nil, 11: nil, 10: store.ErrTooLarge} {
		stmt.MaxBytes = most
		rows, err := s.Query(t.Context(), stmt)
		if !errors.Is(err, want) || err == nil && rows.Len != 4 {
			t.Errorf("at most %d bytes: %v, want %v", most, err, want)
		}
	}
}

// lowerCase tests that the store converts every letter to lower case like Go, whatever is next to it, because
// filters are converted by Go.
func lowerCase(t *testing.T, s store.Store) {
	words := []string{"", "ΌΔΟΣ", "ΣΊΣΥΦΟΣ ΑΣ.", "İSTANBUL", "I", "ẞ ß", "ΐ ΰ ŉ ǰ", "ǅ Ǆ", "A\u0300", "ᾈ", "ﬁ", "Ⓐ",
		"𐐀", "K", "ÅÅ"}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.ToLower(r) != r || unicode.ToUpper(r) != r || unicode.ToTitle(r) != r {
			words = append(words, string(r))
		}
	}
	d := s.Dialect()
	value := "v." + d.Ident("value")
	stmt := store.Statement{
		Label: "lower case",
		SQL: fmt.Sprintf("SELECT %s AS a, %s AS b FROM %s AS v", value, d.Call(dialect.Lower, value),
			d.Call(dialect.Unnest, d.Arg("l", dialect.Texts))),
		Args:  []dialect.Arg{{Name: "l", Kind: dialect.Texts, Value: words}},
		Kinds: []dialect.Kind{dialect.Text, dialect.Text},
	}
	rows, err := s.Query(t.Context(), stmt)
	if err != nil {
		t.Fatal(err)
	}
	if rows.Len != len(words) {
		t.Fatalf("%d rows, want %d", rows.Len, len(words))
	}
	for i, word := range rows.Columns[0].Texts {
		if got, want := rows.Columns[1].Texts[i], strings.ToLower(word); got != want {
			t.Errorf("%q (%U) in lower case is %q, want %q", word, []rune(word), got, want)
		}
	}
}

// cancellation tests that a query ends when its context does. The limit is high enough for a busy machine, but
// lower than the time of a store that waits for the answer.
func cancellation(t *testing.T, s store.Store, slow store.Statement) {
	if slow.SQL == "" {
		t.Skip("not tested: Harness.Slow is empty")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	deadline, _ := ctx.Deadline()
	_, err := s.Query(ctx, slow)
	if late := time.Since(deadline); late > time.Minute {
		t.Errorf("the query ended %s after its context", late)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// concurrent runs sixteen callers at once. Each starts with a different case and asks every n-th one, where n
// is every.
func concurrent(t *testing.T, s store.Store, every int) {
	all := cases()
	var running sync.WaitGroup
	for i := range 16 {
		running.Go(func() {
			for j := 0; j < len(all); j += every {
				all[(i+j)%len(all)].check(t, s)
			}
		})
	}
	running.Wait()
}
