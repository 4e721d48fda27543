//go:build cgo

package duckdb

import (
	"crypto/sha256"
	sqldriver "database/sql/driver"
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// rememberDays is the number of UTC days after the day of its receipt during which an event id is remembered.
// This is at least eight times 24 hours; package store promises seven.
const rememberDays = 8

// A key is a hash of an event id, its subject, its kind of row, and whether it was sent with an API key. It has
// 96 bits.
type key struct {
	hi int64
	lo int32
}

// The kinds of row. Ids of different kinds are separate. The numbers are part of stored hashes, so add new
// kinds at the end.
const (
	pageRow byte = iota + 1
	customRow
	clickRow
	errorRow
	vitalRow
	visitRow
	checkRow
	spanRow
	blockedRow
)

// rowKinds has the kind of the rows of each table. Events also have customRow and clickRow.
var rowKinds = [schema.NumTables]byte{
	schema.Events: pageRow, schema.Errors: errorRow, schema.Vitals: vitalRow,
	schema.Spans: spanRow, schema.Visits: visitRow, schema.Checks: checkRow, schema.Blocked: blockedRow,
}

func rowKind(of schema.Identity) byte {
	switch store.EventKind(of.Kind) {
	case store.Custom:
		return customRow
	case store.Click:
		return clickRow
	default:
		return rowKinds[of.Table]
	}
}

// keyedRow is a bit that is added to the kind of rows sent with an API key.
const keyedRow byte = 0x80

func keyOf(of schema.Identity) key {
	kind := rowKind(of)
	if of.Keyed {
		kind |= keyedRow
	}
	return newKey(kind, of.Subject, of.ID)
}

// newKey returns the hash of an event id. The kind of row implies the kind of subject.
func newKey(kind byte, subject, id string) key {
	text := make([]byte, 0, 1+binary.MaxVarintLen64+len(subject)+len(id))
	text = append(text, kind)
	text = binary.AppendUvarint(text, uint64(len(subject)))
	text = append(text, subject...)
	text = append(text, id...)
	sum := sha256.Sum256(text)
	return key{
		hi: int64(binary.BigEndian.Uint64(sum[0:8])),
		lo: int32(binary.BigEndian.Uint32(sum[8:12])),
	}
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

// receiptDay returns the UTC day of now.
func receiptDay(now time.Time) int32 { return utcDay(now.UnixMilli()) }

// deleteReceipts deletes the receipts that are no longer needed on day.
func deleteReceipts(c engine, day int32) error {
	return c.exec("DELETE FROM receipts WHERE day < $day::INTEGER", named("day", day-rememberDays))
}
