//go:build cgo

package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// ask runs text with args and fails the test on an error.
func ask(t testing.TB, s *duckdb.Store, text string, kinds []dialect.Kind, args ...dialect.Arg) *store.Rows {
	t.Helper()
	rows, err := s.Query(context.Background(), store.Statement{Label: "test", SQL: text, Args: args, Kinds: kinds})
	if err != nil {
		t.Fatalf("Query %s: %v", text, err)
	}
	return rows
}

func TestQueryFillsColumnsByKind(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	kinds := []dialect.Kind{dialect.Int, dialect.Int, dialect.Int, dialect.Float, dialect.Text, dialect.Int}
	got := ask(t, s, `SELECT a, a::UTINYINT, sum(a) OVER (), a / 4, 't' || a, nullif(a, 2)
		FROM (SELECT unnest([1, 2, 3]) AS a) ORDER BY a`, kinds)
	want := &store.Rows{Len: 3, Columns: []store.Column{
		{Kind: dialect.Int, Ints: []int64{1, 2, 3}},
		{Kind: dialect.Int, Ints: []int64{1, 2, 3}},
		{Kind: dialect.Int, Ints: []int64{6, 6, 6}}, // wider than 64 bits in the engine
		{Kind: dialect.Float, Floats: []float64{0.25, 0.5, 0.75}},
		{Kind: dialect.Text, Texts: []string{"t1", "t2", "t3"}},
		{Kind: dialect.Int, Ints: []int64{1, 0, 3}, Valid: []bool{true, false, true}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	empty := ask(t, s, "SELECT 1 WHERE false", []dialect.Kind{dialect.Int})
	if empty.Len != 0 || len(empty.Columns) != 1 {
		t.Errorf("no rows came back as %+v", empty)
	}
	many := ask(t, s, "SELECT range FROM range(10000)", []dialect.Kind{dialect.Int})
	if many.Len != 10_000 || many.Columns[0].Ints[9_999] != 9_999 {
		t.Errorf("%d rows, want 10000 up to 9999", many.Len)
	}
}

func TestQueryBindsEveryKind(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	d := s.Dialect()
	for _, c := range []struct {
		name string
		kind dialect.Kind
		v    any
		text string // over the placeholder
		want string
	}{
		{"an integer", dialect.Int, int64(-1 << 63), "%s::VARCHAR", "-9223372036854775808"},
		{"a float", dialect.Float, 0.1, "%s::VARCHAR", "0.1"},
		{"a text with everything", dialect.Text, "' \" \\ \x00 😀 %_ $1", "%s", "' \" \\ \x00 😀 %_ $1"},
		{"integers", dialect.Ints, []int64{3, 1, 2}, "%s::VARCHAR", "[3, 1, 2]"},
		{"no integers", dialect.Ints, []int64{}, "len(%s)::VARCHAR", "0"},
		{"nil integers", dialect.Ints, []int64(nil), "len(%s)::VARCHAR", "0"},
		{"texts", dialect.Texts, []string{"", "a\x00'", "😀"}, "array_to_string(%s, '|')", "|a\x00'|😀"},
		{"no texts", dialect.Texts, []string{}, "list_contains(%s, '')::VARCHAR", "false"},
		{"nil texts", dialect.Texts, []string(nil), "len(%s)::VARCHAR", "0"},
		{"a stranger", dialect.Subject, store.Subject{Kind: store.KindLink, ID: "x"}, "%s::VARCHAR", "-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ask(t, s, "SELECT "+fmt.Sprintf(c.text, d.Arg("p1", c.kind)), []dialect.Kind{dialect.Text},
				dialect.Arg{Name: "p1", Kind: c.kind, Value: c.v})
			if got.Len != 1 || got.Columns[0].Texts[0] != c.want {
				t.Errorf("%v came back as %q, want %q", c.v, got.Columns[0].Texts, c.want)
			}
		})
	}
}

func TestQueryBindsByName(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	var args []dialect.Arg
	var terms []string
	for i := range 30 { // enough for p1 and p10 to be mixed up by anything but their names
		name := fmt.Sprintf("p%d", 30-i)
		args = append(args, dialect.Arg{Name: name, Kind: dialect.Text, Value: name})
		terms = append(terms, fmt.Sprintf("$p%d::VARCHAR = 'p%d' AND $p%d::VARCHAR = 'p%d'", i+1, i+1, i+1, i+1))
	}
	got := ask(t, s, "SELECT ("+strings.Join(terms, " AND ")+")::BIGINT", []dialect.Kind{dialect.Int}, args...)
	if got.Columns[0].Ints[0] != 1 {
		t.Error("an argument was bound to another's name")
	}
}

func TestQueryRefuses(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	one := []dialect.Kind{dialect.Int}
	text := func(v any) []dialect.Arg { return []dialect.Arg{{Name: "a", Kind: dialect.Text, Value: v}} }
	for _, c := range []struct {
		name string
		stmt store.Statement
		is   error // nil: any error that is no outage
	}{
		{"a text that is not UTF-8", store.Statement{SQL: "SELECT $a::VARCHAR", Args: text("\xff"), Kinds: one}, store.ErrInvalid},
		{"a list with a text that is not UTF-8", store.Statement{
			SQL: "SELECT $a::VARCHAR[]", Kinds: one,
			Args: []dialect.Arg{{Name: "a", Kind: dialect.Texts, Value: []string{"ok", "\xff"}}},
		}, store.ErrInvalid},
		{"a value of another kind", store.Statement{SQL: "SELECT $a::VARCHAR", Args: text(int64(1)), Kinds: one}, store.ErrInvalid},
		{"a value of an odd type", store.Statement{SQL: "SELECT $a::VARCHAR", Args: text(1), Kinds: one}, store.ErrInvalid},
		{"a subject that is only an id", store.Statement{
			SQL: "SELECT $a::INTEGER", Kinds: one, Args: []dialect.Arg{{Name: "a", Kind: dialect.Subject, Value: "w"}},
		}, store.ErrInvalid},
		{"a parameter without argument", store.Statement{SQL: "SELECT $a::VARCHAR || $b::VARCHAR", Args: text("x"), Kinds: one}, nil},
		{"fewer columns than promised", store.Statement{SQL: "SELECT 1", Kinds: []dialect.Kind{dialect.Int, dialect.Int}}, nil},
		{"text where a number was promised", store.Statement{SQL: "SELECT 'x'", Kinds: one}, nil},
		{"a number that does not fit", store.Statement{SQL: "SELECT 1::HUGEINT << 80", Kinds: one}, nil},
		{"bad SQL", store.Statement{SQL: "SELEC 1", Kinds: one}, nil},
		{"an error that quotes an outage", store.Statement{SQL: "SELECT $a::VARCHAR::BIGINT", Args: text("No space left on device"), Kinds: one}, nil},
		{"two statements", store.Statement{SQL: "SELECT 1; SELECT 2", Kinds: one}, nil},
		{"a change", store.Statement{SQL: "DELETE FROM events", Kinds: one}, nil},
		{"a change of the schema", store.Statement{SQL: "DROP TABLE events", Kinds: one}, nil},
		{"a setting", store.Statement{SQL: "SET threads = 8", Kinds: one}, nil},
		{"another file", store.Statement{SQL: "SELECT count(*) FROM read_text('/etc/passwd')", Kinds: one}, nil},
		{"the network", store.Statement{SQL: "SELECT count(*) FROM 'https://localhost/x.parquet'", Kinds: one}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Query(context.Background(), c.stmt)
			switch {
			case err == nil:
				t.Error("no error")
			case c.is != nil && !errors.Is(err, c.is):
				t.Errorf("error %v, want one that wraps %v", err, c.is)
			case c.is == nil && (errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrCorrupt)):
				t.Errorf("error %v says that the store is at fault", err)
			}
		})
	}
	if err := s.Ping(context.Background()); err != nil {
		t.Errorf("Ping afterwards: %v", err)
	}
}

// endless is a query that takes far longer than any test.
const endless = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range < 0"

// storetest.Run proves the same of a deadline.
func TestQueryEndsWhenItIsCancelled(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := s.Query(ctx, store.Statement{SQL: endless, Kinds: []dialect.Kind{dialect.Int}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if err := s.Ping(context.Background()); err != nil {
		t.Errorf("Ping afterwards: %v", err)
	}
}

func TestMaxReadersHonoursTheContextAndFreesItsPlaces(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{MaxReaders: 1})
	ctx, cancel := context.WithCancel(context.Background())
	var busy sync.WaitGroup
	busy.Go(func() {
		_, _ = s.Query(ctx, store.Statement{SQL: endless, Kinds: []dialect.Kind{dialect.Int}})
	})
	ping := func() error {
		short, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer stop()
		return s.Ping(short)
	}
	var err error
	for range 100 { // until the only place is taken
		if err = ping(); err != nil {
			break
		}
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Ping while the only place is taken: %v, want its context's error", err)
	}
	cancel()
	busy.Wait()
	long, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	if err := s.Ping(long); err != nil {
		t.Errorf("Ping after the place was freed: %v", err)
	}
}

func TestCloseStopsEverything(t *testing.T) {
	t.Parallel()
	s := open(t, duckdb.Config{})
	running := make(chan error, 1)
	go func() {
		_, err := s.Query(context.Background(), store.Statement{SQL: endless, Kinds: []dialect.Kind{dialect.Int}})
		running <- err
	}()
	time.Sleep(100 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := <-running; !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the query that ran: %v, want ErrUnavailable", err)
	}
	ctx := context.Background()
	if err := s.Ping(ctx); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Ping: %v, want ErrUnavailable", err)
	}
	b := batch("w", "e", 1)
	if _, err := s.Write(ctx, b); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Write: %v, want ErrUnavailable", err)
	}
	if _, err := s.Version(ctx, store.Subject{}, time.Time{}, time.Now()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Version: %v, want ErrUnavailable", err)
	}
	if _, err := s.Erase(ctx, store.Subject{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Erase: %v, want ErrUnavailable", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
}

// batch is n pageviews of one website with ids prefix0, prefix1, ….
func batch(site, prefix string, n int) *store.Batch {
	b := &store.Batch{Events: make([]store.Event, n)}
	for i := range b.Events {
		b.Events[i] = store.Event{
			Website: site, ID: fmt.Sprintf("%s%d", prefix, i), Name: "screen_view",
			Time: time.Date(2026, 3, 1, 0, 0, i, 0, time.UTC), Path: fmt.Sprintf("/page/%d", i%100),
			Identity: store.Identity{AnonymousID: fmt.Sprintf("anon-%d", i%500), SessionID: fmt.Sprintf("s-%d", i%700)},
			Agent:    store.Agent{BrowserName: "Firefox", OSName: "Linux", DeviceType: "desktop", Country: "DE"},
			LoadTime: store.Known(int64(i % 3000)),
		}
	}
	return b
}
