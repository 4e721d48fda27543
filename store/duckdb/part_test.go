//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// TestIdsAreFoundInEveryPart looks up ids in full parts with a filter in memory, with a filter from the file,
// and with a filter that was not stored before the process was killed. It also looks them up in a part that was
// not full before a restart.
func TestIdsAreFoundInEveryPart(t *testing.T) {
	t.Parallel()
	const batches, rows, full = 33, 7, 11 // three batches fill a part, and eight parts form a group
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	do(t, s, func(w *writer) { w.parts.keys = 2*rows + 1 })
	for i := range batches {
		mustWrite(t, s, batch(fmt.Sprintf("%d-", i), rows))
	}
	for _, c := range []struct {
		name    string
		missing string // condition for the filters to delete from the file
		parts   int
		filters int64 // in the file after all batches were written again
	}{
		{"while open", "false", full + 1, full},
		{"after a restart", "false", full + 1, full},
		{"after a kill before the last filter was stored", "part = 10", full, full - 1},
		{"after a kill before any filter was stored", "true", full, full - 1},
	} {
		if c.name != "while open" {
			do(t, s, func(w *writer) {
				if err := w.engine.exec("DELETE FROM receipt_filters WHERE " + c.missing); err != nil {
					t.Error(err)
				}
			})
			if err := s.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			s = open(t, Config{Path: path})
		}
		do(t, s, func(w *writer) {
			if n := w.parts.count(); n != c.parts {
				t.Errorf("%s: %d parts, want %d", c.name, n, c.parts)
			}
			first := keyOf(schema.Identity{Subject: site.ID, ID: "0-0"})
			if in := w.parts.maybe(nil, first); !slices.Equal(in, []int32{0}) {
				t.Errorf("%s: the first id may be in the parts %v, want only part 0", c.name, in)
			}
		})
		for i := range batches {
			if got, want := mustWrite(t, s, batch(fmt.Sprintf("%d-", i), rows)),
				(store.Written{Repeated: rows}); got != want {
				t.Errorf("%s: second Write of batch %d = %+v, want %+v", c.name, i, got, want)
			}
		}
		do(t, s, func(*writer) {}) // waits for the maintenance
		if n := count(t, s, "receipt_filters"); n != c.filters*bloomWords/filterRow {
			t.Errorf("%s: %d rows of filters, want the rows of %d filters", c.name, n, c.filters)
		}
	}
}

// count returns the number of parts.
func (p *parts) count() int {
	n := len(p.all)
	for _, some := range p.grouped {
		n += bits.OnesCount8(some.has)
	}
	return n
}
