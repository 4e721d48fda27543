//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func TestQueryFillsColumnsByKind(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	kinds := []dialect.Kind{dialect.Int, dialect.Int, dialect.Int, dialect.Float, dialect.Text, dialect.Int}
	got := ask(t, s, `SELECT a, a::UTINYINT, sum(a) OVER (), a / 4, 't' || a, nullif(a, 2)
		FROM (SELECT unnest([1, 2, 3]) AS a) ORDER BY a`, kinds)
	want := &store.Rows{Len: 3, Columns: []store.Column{
		{Kind: dialect.Int, Ints: []int64{1, 2, 3}},
		{Kind: dialect.Int, Ints: []int64{1, 2, 3}},
		{Kind: dialect.Int, Ints: []int64{6, 6, 6}}, // the engine's type has more than 64 bits
		{Kind: dialect.Float, Floats: []float64{0.25, 0.5, 0.75}},
		{Kind: dialect.Text, Texts: []string{"t1", "t2", "t3"}},
		{Kind: dialect.Int, Ints: []int64{1, 0, 3}, Valid: []bool{true, false, true}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	empty := ask(t, s, "SELECT 1 WHERE false", []dialect.Kind{dialect.Int})
	if empty.Len != 0 || len(empty.Columns) != 1 {
		t.Errorf("an answer without rows has the form %+v", empty)
	}
	many := ask(t, s, "SELECT range FROM range(10000)", []dialect.Kind{dialect.Int})
	if many.Len != 10_000 || many.Columns[0].Ints[9_999] != 9_999 {
		t.Errorf("%d rows, want 10000 with the last value 9999", many.Len)
	}
}

// TestQueryBindsEdges tests extreme and empty arguments. storetest tests ordinary ones.
func TestQueryBindsEdges(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	d := s.Dialect()
	for _, c := range []struct {
		name string
		kind dialect.Kind
		v    any
		text string // SQL, with %s for the placeholder
		want string
	}{
		{"an integer", dialect.Int, int64(-1 << 63), "%s::VARCHAR", "-9223372036854775808"},
		{"no integers", dialect.Ints, []int64{}, "len(%s)::VARCHAR", "0"},
		{"nil integers", dialect.Ints, []int64(nil), "len(%s)::VARCHAR", "0"},
		{"no texts", dialect.Texts, []string{}, "list_contains(%s, '')::VARCHAR", "false"},
		{"nil texts", dialect.Texts, []string(nil), "len(%s)::VARCHAR", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, s, "SELECT "+fmt.Sprintf(c.text, d.Arg("p1", c.kind)), []dialect.Kind{dialect.Text},
				dialect.Arg{Name: "p1", Kind: c.kind, Value: c.v})
			if got.Len != 1 || got.Columns[0].Texts[0] != c.want {
				t.Errorf("argument %v: answer %q, want %q", c.v, got.Columns[0].Texts, c.want)
			}
		})
	}
}

func TestQueryRejects(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	one := []dialect.Kind{dialect.Int}
	text := func(v any) []dialect.Arg { return []dialect.Arg{{Name: "a", Kind: dialect.Text, Value: v}} }
	for _, c := range []struct {
		name string
		stmt store.Statement
		want error // nil means any error that does not blame the store
	}{
		{"a text that is not UTF-8", store.Statement{SQL: "SELECT $a::VARCHAR", Args: text("\xff"), Kinds: one},
			store.ErrInvalid},
		{"a list with a text that is not UTF-8", store.Statement{
			SQL: "SELECT $a::VARCHAR[]", Kinds: one,
			Args: []dialect.Arg{{Name: "a", Kind: dialect.Texts, Value: []string{"ok", "\xff"}}},
		}, store.ErrInvalid},
		{"a value of another kind", store.Statement{SQL: "SELECT $a::VARCHAR", Args: text(int64(1)), Kinds: one},
			store.ErrInvalid},
		{"a value of an unsupported type", store.Statement{SQL: "SELECT $a::VARCHAR", Args: text(1), Kinds: one},
			store.ErrInvalid},
		{"a subject that is only an id", store.Statement{
			SQL: "SELECT $a::INTEGER", Kinds: one, Args: []dialect.Arg{{Name: "a", Kind: dialect.Subject, Value: "w"}},
		}, store.ErrInvalid},
		{"a parameter without argument",
			store.Statement{SQL: "SELECT $a::VARCHAR || $b::VARCHAR", Args: text("x"), Kinds: one}, nil},
		{"fewer columns than kinds", store.Statement{SQL: "SELECT 1", Kinds: []dialect.Kind{dialect.Int, dialect.Int}},
			nil},
		{"text in a column of kind Int", store.Statement{SQL: "SELECT 'x'", Kinds: one}, nil},
		{"a number that does not fit", store.Statement{SQL: "SELECT 1::HUGEINT << 80", Kinds: one}, nil},
		{"bad SQL", store.Statement{SQL: "SELEC 1", Kinds: one}, nil},
		{"an error that quotes the text of a full disk",
			store.Statement{SQL: "SELECT $a::VARCHAR::BIGINT", Args: text("No space left on device"), Kinds: one}, nil},
		{"two statements", store.Statement{SQL: "SELECT 1; SELECT 2", Kinds: one}, nil},
		{"a DELETE", store.Statement{SQL: "DELETE FROM events", Kinds: one}, nil},
		{"a DROP", store.Statement{SQL: "DROP TABLE events", Kinds: one}, nil},
		{"a setting", store.Statement{SQL: "SET threads = 8", Kinds: one}, nil},
		{"another file", store.Statement{SQL: "SELECT count(*) FROM read_text('/etc/passwd')", Kinds: one}, nil},
		{"the network", store.Statement{SQL: "SELECT count(*) FROM 'https://localhost/x.parquet'", Kinds: one}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Query(context.Background(), c.stmt)
			switch {
			case err == nil:
				t.Error("Query returned no error")
			case c.want != nil && !errors.Is(err, c.want):
				t.Errorf("Query: %v, want an error that wraps %v", err, c.want)
			case c.want == nil && (errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFull) ||
				errors.Is(err, store.ErrCorrupt)):
				t.Errorf("Query: %v, want an error that does not blame the store", err)
			}
		})
	}
	if err := s.Ping(context.Background()); err != nil {
		t.Errorf("Ping afterwards: %v", err)
	}
}

// busy runs a query that uses the only slot of MaxReaders, until its context ends or the store is closed. The
// query's error is sent to the returned channel.
func busy(ctx context.Context, s *Store) <-chan error {
	fault := make(chan error, 1)
	go func() {
		_, err := s.Query(ctx, store.Statement{SQL: endless, Kinds: []dialect.Kind{dialect.Int}})
		fault <- err
	}()
	for len(s.slots) < cap(s.slots) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // usually the engine has begun by then
	return fault
}

func TestMaxReaders(t *testing.T) {
	t.Parallel()
	s := open(t, Config{MaxReaders: 1})
	ctx, cancel := context.WithCancel(t.Context())
	fault := busy(ctx, s)
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := s.Ping(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Ping while the only slot is used: %v, want the context's error", err)
	}
	cancel()
	if err := <-fault; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled query: %v, want the context's error", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping after the slot was freed: %v", err)
	}
}

func TestCloseStopsEverything(t *testing.T) {
	t.Parallel()
	s := open(t, Config{MaxReaders: 1})
	ctx := t.Context()
	running := busy(ctx, s)
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
	_, writing := s.Write(ctx, event("e"))
	_, asking := s.Days(ctx, site, time.Time{}, time.Now())
	_, erasing := s.Erase(ctx, site)
	for call, err := range map[string]error{
		"the running query": <-running, "Ping": s.Ping(ctx), "Write": writing, "Days": asking, "Erase": erasing,
		"Restore": s.Restore(ctx, "", event("e")),
	} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", call, err)
		}
	}
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestQueriesSpillToDisk(t *testing.T) {
	t.Parallel()
	const big = "SELECT count(*) FROM (SELECT md5(range::VARCHAR) AS x, count(*) FROM range(1000000) GROUP BY x)"
	s := open(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb"), MemoryLimit: 40 << 20})
	if n := ask(t, s, big, []dialect.Kind{dialect.Int}).Columns[0].Ints[0]; n != 1_000_000 {
		t.Errorf("with a file: count is %d, want 1000000", n)
	}
	s = open(t, Config{MemoryLimit: 40 << 20})
	if _, err := s.Query(t.Context(), store.Statement{SQL: big, Kinds: []dialect.Kind{dialect.Int}}); !errors.Is(err,
		store.ErrTooMuch) {
		t.Errorf("in memory, without a directory to spill to: %v, want ErrTooMuch", err)
	}
	s = open(t, Config{Path: filepath.Join(t.TempDir(), "s.duckdb"), MemoryLimit: 40 << 20, TempLimit: 1 << 20})
	if _, err := s.Query(t.Context(), store.Statement{SQL: big, Kinds: []dialect.Kind{dialect.Int}}); !errors.Is(err,
		store.ErrTooMuch) {
		t.Errorf("with a TempLimit of 1 MiB: %v, want ErrTooMuch", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping afterwards: %v", err)
	}
}
