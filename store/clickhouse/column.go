package clickhouse

import (
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/store/schema"
)

// A column is one column of a table: its type and its values. receipt is that of the
// attempt that inserts rows.
type column struct {
	name string
	kind string
	fill func(to driver.BatchColumn, rows []schema.Row, receipt uint64) error
}

// The types of columns by kind. Texts with few values are numbers in a dictionary of the
// part. No text is Nullable: an absent one is empty.
var types = map[schema.Kind]string{
	schema.Text:           "String",
	schema.LowCardinality: "LowCardinality(String)",
	schema.Compressed:     "String CODEC(ZSTD(1))",
	schema.Instant:        "Int64 CODEC(Delta, ZSTD(1))",
	schema.Integer:        "Int64",
	schema.Small:          "UInt8",
	schema.Measure:        "Nullable(Int64)",
}

const receiptType = "UInt64 CODEC(ZSTD(1))"

func columnOf(c schema.Column) column {
	switch {
	case c.Kind.IsText():
		return text(c)
	case c.Kind == schema.Small:
		return of(c.Name, types[c.Kind], func(r schema.Row) uint8 { return uint8(c.Number(r).V) }) //nolint:gosec // it was checked
	case c.Kind == schema.Measure:
		return measure(c)
	default:
		return of(c.Name, types[c.Kind], func(r schema.Row) int64 { return c.Number(r).V })
	}
}

func of[V any](name, kind string, value func(schema.Row) V) column {
	return column{name, kind, func(to driver.BatchColumn, rows []schema.Row, _ uint64) error {
		values := make([]V, len(rows))
		for i, r := range rows {
			values[i] = value(r)
		}
		return to.Append(values)
	}}
}

func text(c schema.Column) column {
	return column{c.Name, types[c.Kind], func(to driver.BatchColumn, rows []schema.Row, _ uint64) error {
		values := make([]string, len(rows))
		for i, r := range rows {
			values[i] = c.Text(r)
		}
		return to.Append(values)
	}}
}

// measure is null when the value is absent.
func measure(c schema.Column) column {
	return column{c.Name, types[c.Kind], func(to driver.BatchColumn, rows []schema.Row, _ uint64) error {
		numbers, values := make([]int64, len(rows)), make([]*int64, len(rows))
		for i, r := range rows {
			if m := c.Number(r); m.Valid {
				numbers[i] = m.V
				values[i] = &numbers[i]
			}
		}
		return to.Append(values)
	}}
}

// receiptColumn tells which of several rows of one event came first.
func receiptColumn() column {
	return column{"receipt", receiptType, func(to driver.BatchColumn, rows []schema.Row, receipt uint64) error {
		return to.Append(slices.Repeat([]uint64{receipt}, len(rows)))
	}}
}
