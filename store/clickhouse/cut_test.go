package clickhouse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// A cut answer is requested again or is an error: a partial answer never passes for a complete one.
// SIGHTLINE_LONG sets the number of random places for a cut.
func TestAnswersAreWhole(t *testing.T) {
	t.Parallel()
	for _, compression := range []string{"none", "lz4"} {
		t.Run(compression, func(t *testing.T) {
			eachProtocol(t, func(t *testing.T, dsn string) {
				method := compression
				if method == "lz4" && strings.HasPrefix(dsn, "http") {
					method = "gzip" // the only one over HTTP
				}
				way, address := newProxy(t, with(t, with(t, dsn, "compress", method), "max_open_conns", "1"), nil)
				s, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: address})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close(context.Background())
				// The answer has several blocks, which arrive in separate pieces.
				const rows = 3_000
				question := store.Statement{
					Label: "cut",
					SQL:   fmt.Sprintf("SELECT toInt64(number) AS n, hex(sipHash64(number)) AS t FROM numbers(%d) AS a SETTINGS max_block_size = 500", rows),
					Kinds: []dialect.Kind{dialect.Int, dialect.Text},
				}
				ask := func(what string) bool {
					got, err := s.Query(t.Context(), question)
					switch {
					case errors.Is(err, store.ErrUnavailable):
						return false
					case err != nil:
						t.Fatalf("%s: %v, want the answer or ErrUnavailable", what, err)
					case got.Len != rows || got.Columns[0].Ints[rows-1] != rows-1:
						t.Fatalf("%s: %d of %d rows, and no error", what, got.Len, rows)
					}
					return true
				}
				if !ask("uncut") { // the handshake is over
					t.Fatal("no answer without a cut")
				}
				way.count()
				ask("uncut")
				size := way.count()
				if size < rows*2 {
					t.Fatalf("an answer of %d bytes cannot hold %d rows", size, rows)
				}
				answered := 0
				places := []int{0, 1, 2, 5, 50, 300, size - 7, size - 5, size - 2, size - 1}
				for range storetest.Number(t, "SIGHTLINE_LONG", 3) {
					places = append(places, rand.IntN(size))
				}
				for i, n := range places {
					way.cut(n, i%2 == 0)
					if ask(fmt.Sprintf("cut after %d of %d bytes", n, size)) {
						answered++
					}
				}
				if answered < len(places)*9/10 {
					t.Errorf("%d of %d cut answers were requested again, want nearly all", answered, len(places))
				}
			})
		})
	}
}

// A cut handshake counts as an unreachable server, whatever the driver's error is.
func TestGreetingCut(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		way, address := newProxy(t, dsn, nil)
		for n := range 64 {
			way.cut(n, n%2 == 0)
			s, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: address})
			switch {
			case err == nil:
				_ = s.Close(context.Background())
			case !errors.Is(err, store.ErrUnavailable):
				t.Errorf("cut after %d bytes: %v, want a store or ErrUnavailable", n, err)
			}
		}
	})
}

// A query that fails after its answer began returns an error.
func TestFailureMidway(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		s, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: dsn})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		for _, at := range []int{0, 70_000, 299_999} {
			got, err := s.Query(t.Context(), store.Statement{
				Label: "midway",
				SQL:   fmt.Sprintf("SELECT toInt64(number + throwIf(number = %d, 'midway')) AS n FROM numbers(300000) AS a SETTINGS max_block_size = 1000", at),
				Kinds: []dialect.Kind{dialect.Int},
			})
			if err == nil {
				t.Fatalf("failing at row %d: %d rows and no error", at, got.Len)
			}
			if !strings.Contains(err.Error(), "midway") {
				t.Errorf("failing at row %d: %v, want the server's message", at, err)
			}
		}
	})
}
