package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Harness lets Run reach a store.
type Harness struct {
	// Open returns an empty store that takes rows; the test's Cleanup closes it.
	Open func(t *testing.T) Filled
	// Slow is a statement that runs for minutes, to be cancelled.
	Slow store.Statement
	// SampleEvery is for stores that are slow to answer little: Run asks every type in one of so
	// many ways, Properties each property about one type in so many, another one property by property, and breaks
	// none unless AllMutations. 0 means all.
	SampleEvery int
}

// Filled is a store that takes rows.
type Filled interface {
	store.Store
	store.Writer
}

// Run proves that a store answers as the engine needs it to: that it can be pinged,
// that values come back as the promised kinds, that every operation of its dialect
// gives what is said of it, that the answers of a small dataset of traps are exactly
// these rows, that a cancelled question ends, and that sixteen callers at once get what
// one gets.
func Run(t *testing.T, h Harness) {
	t.Run("ping", func(t *testing.T) {
		s := h.Open(t)
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Dialect().Check(); err != nil {
			t.Error(err)
		}
	})
	t.Run("kinds", func(t *testing.T) { kinds(t, h.Open(t)) })
	t.Run("letters", func(t *testing.T) { letters(t, h.Open(t)) })
	t.Run("spellings", func(t *testing.T) { spellings(t, h.Open(t)) })
	t.Run("cases", func(t *testing.T) {
		s := filled(t, h)
		for _, c := range cases() {
			t.Run(c.name, func(t *testing.T) { c.check(t, s) })
		}
	})
	t.Run("every type", func(t *testing.T) { everyType(t, filled(t, h), h.SampleEvery) })
	t.Run("cancellation", func(t *testing.T) { cancellation(t, h.Open(t), h.Slow) })
	t.Run("sixteen at once", func(t *testing.T) { concurrent(t, filled(t, h)) })
}

func filled(t *testing.T, h Harness) Filled {
	t.Helper()
	return filledWith(t, h, fixture())
}

// kinds asks for a value and a null of every kind of column, by arguments of every kind.
func kinds(t *testing.T, s store.Store) {
	d := s.Dialect()
	null := d.Call(dialect.NullIf, d.Arg("i", dialect.Int), d.Arg("i", dialect.Int))
	stmt := store.Statement{
		Label: "kinds",
		SQL: fmt.Sprintf("SELECT %s AS a, %s AS b, %s AS c, %s AS d, %s AS e", d.Arg("i", dialect.Int), d.Arg("f", dialect.Float),
			d.Arg("t", dialect.Text), d.Call(dialect.Lookup, d.Arg("t", dialect.Text), d.Arg("l", dialect.Texts), d.Arg("l", dialect.Texts), "'no'"), null),
		Args: []dialect.Arg{
			{Name: "i", Kind: dialect.Int, Value: int64(-1 << 53)}, {Name: "f", Kind: dialect.Float, Value: 0.1},
			{Name: "t", Kind: dialect.Text, Value: "ü\x00'\"\\%_🎉"}, {Name: "l", Kind: dialect.Texts, Value: []string{"a", "ü\x00'\"\\%_🎉"}},
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
	got := []any{rows.Columns[0].Ints[0], rows.Columns[1].Floats[0], rows.Columns[2].Texts[0], rows.Columns[3].Texts[0], rows.Columns[4].Null(0)}
	if diff := cmp.Diff([]any{int64(-1 << 53), 0.1, "ü\x00'\"\\%_🎉", "ü\x00'\"\\%_🎉", true}, got); diff != "" {
		t.Error(diff)
	}
}

// cancellation wants a question to end when its context does. The bound tells a busy
// machine from a store that waits for the answer, for minutes.
func cancellation(t *testing.T, s store.Store, slow store.Statement) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	deadline, _ := ctx.Deadline()
	_, err := s.Query(ctx, slow)
	if late := time.Since(deadline); late > 20*time.Second {
		t.Errorf("ended %s after its context", late)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func concurrent(t *testing.T, s store.Store) {
	all := cases()
	var running sync.WaitGroup
	for i := range 16 {
		running.Go(func() {
			for j := range all {
				all[(i+j)%len(all)].check(t, s)
			}
		})
	}
	running.Wait()
}

// check asks the case's question and compares the rows, as JSON.
func (c testCase) check(t *testing.T, s store.Store) {
	t.Helper()
	asked := fmt.Sprintf("%s\nasked of %s %q, filters of the key %v: %s", c.name, c.of.Kind, c.of.ID, c.filters, c.request)
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Error(err)
		return
	}
	requests, _, err := query.Decode([]byte(c.request), 1)
	if err == nil && len(requests[0].Errors) > 0 {
		err = requests[0].Errors
	}
	if err != nil {
		t.Errorf("%s\nis refused: %v", asked, err)
		return
	}
	got := answerOf(t.Context(), engine, query.Access{Subject: c.of, Filters: c.filters}, requests[0].Request)
	if got.fault != "" {
		t.Errorf("%s\nfails: %s", asked, got.fault)
	} else if diff := differingRow(c.rows(), got.texts); diff != "" {
		t.Errorf("%s\nThe rule: %s\n%s", asked, c.rule, diff)
	}
}
