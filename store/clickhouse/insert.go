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

// blockRows ends a block. The samples of one vital are in one block whatever their number.
const blockRows = 500_000

// A block is rows of one month. Of each table they become one part, which is there whole
// or not at all.
type block struct {
	rows [schema.NumTables][]schema.Row
	size int
}

// blocks are the rows of writes that are not stored yet.
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

// parallelBlocks is how many blocks are inserted side by side.
const parallelBlocks = 8

// insertRows stores the rows of writes that are not stored yet. Its error says nothing
// about which of them are.
func (s *Store) insertRows(ctx context.Context, a attempt, writes []*write) error {
	for some := range slices.Chunk(blocks(writes), parallelBlocks) {
		var inserts []func() error
		for _, b := range some {
			for id, rows := range b.rows {
				if len(rows) == 0 {
					continue
				}
				one := func(ctx context.Context) error { return s.insert(ctx, a, &tables[id], rows) }
				inserts = append(inserts, func() error { return s.retryIf(ctx, "insert", s.cfg.WriteTimeout/2, s.notBegun, one) })
			}
		}
		if err := inParallel(inserts); err != nil {
			return err
		}
	}
	return nil
}

// notBegun reports whether the server had no room for a statement and did not begin it:
// the one failure of an insert whose outcome is known. In a cluster it may be that of one
// shard, while others went on.
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

// withoutCodec is the type of a column's definition, without its codec.
func withoutCodec(kind string) string {
	kind, _, _ = strings.Cut(kind, " CODEC(")
	return kind
}

// prepare begins an insert of one block. The columns come with their types: over HTTP the
// driver would ask for them every time.
func (s *Store) prepare(ctx context.Context, table string, columns []driver.ColumnNameAndType) (chdriver.Batch, error) {
	settings := s.settings(ctx, "insert "+table)
	maps.Copy(settings, s.inserting())
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.Name
	}
	return s.conn.PrepareBatch(driver.Context(ctx, driver.WithSettings(settings), driver.WithColumnNamesAndTypes(columns)),
		"INSERT INTO "+table+" ("+strings.Join(names, ", ")+")")
}

// inserting are the settings of one insert, beside those of everything.
func (s *Store) inserting() driver.Settings {
	settings := driver.Settings{
		"async_insert": 0,
		// No other insert has this token, so that the server takes none for a repeat: its
		// log of tokens is written before a part is, and tells of some that are not there.
		"insert_deduplication_token": rand.Text(),
	}
	if s.cfg.Cluster != "" {
		settings["distributed_foreground_insert"] = 1
		// A cluster without internal_replication sends a block to each of its replicas.
		settings["insert_deduplicate"] = 1
		// A look-up elsewhere must find what was stored here.
		settings["insert_quorum"] = "auto"
		settings["insert_quorum_parallel"] = 0
	}
	return settings
}
