//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/store/internal/ledger"
	"github.com/sightline-analytics/sightline/store/schema"
)

// A key is a hash of an event id, its subject, its kind of row, and whether it was sent with an API key. It has
// 96 bits.
type key struct {
	hi int64
	lo int32
}

func keyOf(of schema.Identity) key {
	hi, lo := of.Hash()
	return key{hi, lo}
}

// lookUp returns the keys that have receipts in one of parts. It may also return other keys.
func lookUp(c engine, parts []int32, keys []key) (map[key]bool, error) {
	his := make([]int64, len(keys))
	for i, k := range keys {
		his[i] = k.hi
	}
	// The engine skips other parts only if the numbers are literals. One query for all parts costs less than a
	// query for each.
	in := make([]string, len(parts))
	for i, number := range parts {
		in[i] = strconv.Itoa(int(number))
	}
	known := make(map[key]bool)
	err := c.each("SELECT hi, lo FROM receipts WHERE part IN ("+strings.Join(in, ", ")+
		") AND hi IN (SELECT unnest($hi::BIGINT[]))",
		[]sqldriver.NamedValue{named("hi", his)},
		func(v []sqldriver.Value) error {
			var k key
			if err := scan(v, &k.hi, &k.lo); err != nil {
				return err
			}
			known[k] = true
			return nil
		})
	return known, err
}

// deleteReceipts deletes the receipts that are no longer needed on day.
func deleteReceipts(c engine, day int64) error {
	return c.exec("DELETE FROM receipts WHERE day < $day::INTEGER", named("day", day-ledger.RememberDays))
}

// readHashKey reads the key for hashes from the file.
func readHashKey(c engine) (key []byte, err error) {
	var text string
	err = c.each("SELECT key FROM hash_key", nil, func(v []sqldriver.Value) error { return scan(v, &text) })
	return []byte(text), err
}
