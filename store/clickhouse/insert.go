package clickhouse

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	chdriver "github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// blockRows is the number of rows that ends a block. All samples of one vital are in one block, however many
// they are.
const blockRows = 500_000

// A block has rows of one month. In each table they become one part, which is stored completely or not at all.
type block struct {
	rows [schema.NumTables][]schema.Row
	size int
}

// blocks returns blocks with the rows of writes that are not stored yet.
func blocks(writes []*write) (all []*block) {
	open := map[int]*block{}
	for _, w := range writes {
		for i := range w.rows {
			r := &w.rows[i]
			if r.stored {
				continue
			}
			year, month, _ := time.UnixMilli(r.millis).UTC().Date()
			b := open[year*12+int(month)]
			if b == nil || b.size >= blockRows {
				b = &block{}
				open[year*12+int(month)] = b
				all = append(all, b)
			}
			b.add(w.batch, r)
		}
	}
	return all
}

func (b *block) add(from *store.Batch, r *row) {
	n := tables[r.Table].Rows(from, r.index)
	for sample := range n {
		b.rows[r.Table] = append(b.rows[r.Table], schema.Row{Batch: from, Item: r.index, Sample: sample})
	}
	b.size += max(n, 1)
}

// parallelBlocks is the number of blocks that are inserted concurrently.
const parallelBlocks = 8

// insertRows stores the rows of writes that are not stored yet. After an error any of them may be stored.
func (s *Store) insertRows(ctx context.Context, a attempt, writes []*write) error {
	for some := range slices.Chunk(blocks(writes), parallelBlocks) {
		var inserts []func() error
		for _, b := range some {
			for id, rows := range b.rows {
				if len(rows) == 0 {
					continue
				}
				one := func(ctx context.Context) error { return s.insert(ctx, a, &tables[id], rows) }
				inserts = append(inserts,
					func() error { return s.retryIf(ctx, "insert", s.cfg.WriteTimeout/2, s.notBegun, one) })
			}
		}
		if err := inParallel(inserts); err != nil {
			return err
		}
	}
	return nil
}

// notBegun reports whether the server was overloaded and did not begin a statement. This is the only failure of
// an insert with a known outcome. In a cluster it may come from one shard while others continue.
func (s *Store) notBegun(err error) bool {
	said, ok := errors.AsType[*driver.Exception](err)
	return ok && said.Code == 202 && s.cfg.Cluster == ""
}

// insert stores rows in one block, column by column.
func (s *Store) insert(ctx context.Context, a attempt, t *table, rows []schema.Row) (err error) {
	columns := make([]driver.ColumnNameAndType, len(t.columns))
	for i, column := range t.columns {
		columns[i] = driver.ColumnNameAndType{Name: column.name, Type: withoutCodec(column.kind)}
	}
	batch, err := s.prepare(ctx, t.ID.String(), columns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	for i, column := range t.columns {
		if err := column.fill(batch.Column(i), rows, a.receipt); err != nil {
			return fmt.Errorf("column %s: %w", column.name, err)
		}
	}
	return batch.Send()
}

// withoutCodec returns the type of a column's definition, without its codec.
func withoutCodec(kind string) string {
	kind, _, _ = strings.Cut(kind, " CODEC(")
	return kind
}

// prepare begins an insert of one block. The column types are given, because the driver would otherwise query
// them for every insert over HTTP.
func (s *Store) prepare(ctx context.Context, table string, columns []driver.ColumnNameAndType) (chdriver.Batch, error) {
	settings := s.settings(ctx, "insert "+table)
	maps.Copy(settings, s.inserting())
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.Name
	}
	return s.conn.PrepareBatch(driver.Context(ctx, driver.WithSettings(settings),
		driver.WithColumnNamesAndTypes(columns)),
		"INSERT INTO "+table+" ("+strings.Join(names, ", ")+")")
}

// inserting returns the additional settings of an insert.
func (s *Store) inserting() driver.Settings {
	settings := driver.Settings{
		"async_insert": 0,
		// The token is unique, so that the server never drops the insert as a repeat. Its log of tokens is
		// written before the part, so it may contain tokens of inserts that were lost.
		"insert_deduplication_token": rand.Text(),
	}
	if s.cfg.Cluster != "" {
		settings["distributed_foreground_insert"] = 1
		// Without internal_replication, a cluster sends a block to each of its replicas.
		settings["insert_deduplicate"] = 1
		// A look-up on another replica must find the inserted rows.
		settings["insert_quorum"] = "auto"
		settings["insert_quorum_parallel"] = 0
	}
	return settings
}
