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

// rememberDays is how long an event id is remembered, counted in UTC days of
// receipt: at least eight times 24 hours, where seven are promised.
const rememberDays = 8

// A key stands for an event id of one subject, kind of row and kind of sender: 96 bits of its hash.
type key struct {
	hi int64
	lo int32
}

// The kinds of row that ids are counted by. Their numbers are part of the hashes that
// are stored, so a new kind comes last.
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

// rowKinds are the kinds of row of each table; events have two more.
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

// keyedRow is set beside the kind of rows that were sent with an API key.
const keyedRow byte = 0x80

func keyOf(of schema.Identity) key {
	kind := rowKind(of)
	if of.Keyed {
		kind |= keyedRow
	}
	return newKey(kind, of.Subject, of.ID)
}

// newKey hashes what makes an id the same. The kind of row implies the kind of subject.
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

// lookUp tells which of keys are received in one of parts. It may tell of more keys.
func lookUp(c engine, parts []int32, keys []key) (map[key]bool, error) {
	his := make([]int64, len(keys))
	for i, k := range keys {
		his[i] = k.hi
	}
	// The engine skips the other parts only if the numbers stand in the text, and one
	// question for all parts costs less than one for each.
	in := make([]string, len(parts))
	for i, number := range parts {
		in[i] = strconv.Itoa(int(number))
	}
	known := make(map[key]bool)
	err := c.each("SELECT hi, lo FROM receipts WHERE part IN ("+strings.Join(in, ", ")+") AND hi IN (SELECT unnest($hi::BIGINT[]))",
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

// receiptDay is the UTC day of now.
func receiptDay(now time.Time) int32 { return utcDay(now.UnixMilli()) }

// deleteReceipts drops the receipts that need not be remembered on day.
func deleteReceipts(c engine, day int32) error {
	return c.exec("DELETE FROM receipts WHERE day < $day::INTEGER", named("day", day-rememberDays))
}
