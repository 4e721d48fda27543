package clickhouse

import (
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// collect copies an answer into columns of the promised kinds.
func collect(from driver.Rows, kinds []dialect.Kind) (*store.Rows, error) {
	rows := &store.Rows{Columns: make([]store.Column, len(kinds))}
	for i, k := range kinds {
		rows.Columns[i].Kind = k
	}
	types := from.ColumnTypes()
	if len(types) == 0 && !from.Next() {
		return rows, from.Err() // over HTTP an answer without rows has no columns either
	}
	if len(types) != len(kinds) {
		return nil, fmt.Errorf("clickhouse: %d columns where %d were promised", len(types), len(kinds))
	}
	cells, into := make([]cell, len(kinds)), make([]any, len(kinds))
	for i, k := range kinds {
		c, ok := cellOf(k, types[i].ScanType())
		if !ok {
			return nil, fmt.Errorf("clickhouse: column %d is %s where kind %d was promised", i+1, types[i].DatabaseTypeName(), k)
		}
		cells[i], into[i] = c, c.into()
	}
	for from.Next() {
		if err := from.Scan(into...); err != nil {
			return nil, err
		}
		for i, c := range cells {
			if err := c.move(&rows.Columns[i], rows.Len); err != nil {
				return nil, fmt.Errorf("clickhouse: column %d: %w", i+1, err)
			}
		}
		rows.Len++
	}
	return rows, from.Err()
}

// null appends an unknown value to c, which has n values so far.
func null(c *store.Column, n int) {
	if c.Valid == nil {
		c.Valid = make([]bool, n, n+1)
		for i := range c.Valid {
			c.Valid[i] = true
		}
	}
	c.Valid = append(c.Valid, false)
	switch c.Kind {
	case dialect.Int:
		c.Ints = append(c.Ints, 0)
	case dialect.Float:
		c.Floats = append(c.Floats, 0)
	default:
		c.Texts = append(c.Texts, "")
	}
}
