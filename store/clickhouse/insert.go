package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	chdriver "github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// insert stores rows in one block, column by column.
func insert[T any](ctx context.Context, s *Store, t *table[T], rows []T, c commit) (err error) {
	if len(rows) == 0 {
		return nil
	}
	columns := make([]driver.ColumnNameAndType, len(t.columns))
	for i, column := range t.columns {
		columns[i] = driver.ColumnNameAndType{Name: column.name, Type: bare(column.kind)}
	}
	batch, err := s.block(ctx, t.name, columns, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	for i, column := range t.columns {
		if err := column.fill(batch.Column(i), rows); err != nil {
			return fmt.Errorf("column %s: %w", column.name, err)
		}
	}
	return batch.Send()
}

// bare is the type of a column's definition, without its codec.
func bare(kind string) string {
	kind, _, _ = strings.Cut(kind, " CODEC(")
	return kind
}

// block begins an insert that counts once however often it is sent for the commit. The
// columns come with their types: over HTTP the driver would ask for them every time.
func (s *Store) block(ctx context.Context, table string, columns []driver.ColumnNameAndType, c commit) (chdriver.Batch, error) {
	settings := s.settings(ctx, "insert "+table)
	maps.Copy(settings, driver.Settings{
		"async_insert":                    0,
		"insert_deduplicate":              1,
		"insert_deduplication_token":      table + " " + c.token,
		"max_partitions_per_insert_block": 0,
	})
	if s.cfg.Cluster != "" {
		settings["distributed_foreground_insert"] = 1
		// A look-up elsewhere must find what was stored here.
		settings["insert_quorum"] = "auto"
		settings["insert_quorum_parallel"] = 0
	}
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.Name
	}
	return s.conn.PrepareBatch(driver.Context(ctx, driver.WithSettings(settings), driver.WithColumnNamesAndTypes(columns)),
		"INSERT INTO "+table+" ("+strings.Join(names, ", ")+")")
}
