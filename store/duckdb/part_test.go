//go:build cgo

package duckdb

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// Ids are found in every part: one that ended, one whose filter was read, one whose filter
// was not stored when the process was killed, and one that takes more again after that.
func TestIdsAreFoundInEveryPart(t *testing.T) {
	t.Parallel()
	const batches, rows, ended = 33, 7, 11 // three batches are a part, and eight parts a group
	path := filepath.Join(t.TempDir(), "s.duckdb")
	s := open(t, Config{Path: path})
	do(t, s, func(w *writer) { w.parts.keys = 2*rows + 1 })
	for i := range batches {
		mustWrite(t, s, batch(fmt.Sprintf("%d-", i), rows))
	}
	for _, c := range []struct {
		name    string
		killed  string // filters that are not in the file
		parts   int
		filters int64 // in the file when all was written again
	}{
		{"while open", "false", ended + 1, ended},
		{"after a restart", "false", ended + 1, ended},
		{"after a kill before the last filter was stored", "part = 10", ended, ended - 1},
		{"after a kill before any filter was stored", "true", ended, ended - 1},
	} {
		if c.name != "while open" {
			do(t, s, func(w *writer) {
				if err := w.engine.exec("DELETE FROM receipt_filters WHERE " + c.killed); err != nil {
					t.Error(err)
				}
			})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, Config{Path: path})
		}
		do(t, s, func(w *writer) {
			if n := w.parts.count(); n != c.parts {
				t.Errorf("%s: %d parts, want %d", c.name, n, c.parts)
			}
			if in := w.parts.maybe(nil, newKey(pageRow, site.ID, "0-0")); !slices.Equal(in, []int32{0}) {
				t.Errorf("%s: the first id may be in the parts %v, want 0 alone", c.name, in)
			}
		})
		for i := range batches {
			if got, want := mustWrite(t, s, batch(fmt.Sprintf("%d-", i), rows)), (store.Written{Repeated: rows}); got != want {
				t.Errorf("%s: batch %d again = %+v, want %+v", c.name, i, got, want)
			}
		}
		do(t, s, func(*writer) {}) // which comes after the maintenance
		if n := count(t, s, "receipt_filters"); n != c.filters*bloomWords/filterRow {
			t.Errorf("%s: %d rows of filters, want those of %d", c.name, n, c.filters)
		}
	}
}

// count is how many parts there are.
func (p *parts) count() int {
	n := len(p.all)
	for _, some := range p.grouped {
		n += bits.OnesCount8(some.has)
	}
	return n
}
