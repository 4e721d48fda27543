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
)

// blockRows ends a block. The samples of one vital are in one block whatever their number.
const blockRows = 500_000

// A block is rows of one month. Of each table they become one part, which is there whole
// or not at all.
type block struct {
	events []eventRow
	errors []errorRow
	vitals []vitalRow
	spans  []spanRow
	visits []visitRow
	checks []checkRow
	rows   int
}

// blocks are the rows of writes that are not stored yet.
func blocks(a attempt, writes []*write) (all []*block) {
	open := map[int]*block{}
	for _, w := range writes {
		for i := range w.rows {
			r := &w.rows[i]
			if r.stored {
				continue
			}
			year, month, _ := time.UnixMilli(r.millis).UTC().Date()
			b := open[year*12+int(month)]
			if b == nil || b.rows >= blockRows {
				b = &block{}
				open[year*12+int(month)] = b
				all = append(all, b)
			}
			b.add(a.receipt, w, r)
		}
	}
	return all
}

func (b *block) add(receipt uint64, w *write, r *row) {
	b.rows++
	switch from := w.batch; r.table {
	case inEvents:
		b.events = append(b.events, eventRow{&from.Events[r.index], receipt})
	case inErrors:
		b.errors = append(b.errors, errorRow{&from.Errors[r.index], receipt})
	case inVitals:
		vital := &from.Vitals[r.index]
		for _, sample := range vital.Samples {
			b.vitals = append(b.vitals, vitalRow{vital, sample, receipt})
		}
		b.rows += len(vital.Samples)
	case inSpans:
		b.spans = append(b.spans, spanRow{&from.Spans[r.index], receipt})
	case inVisits:
		b.visits = append(b.visits, visitRow{&from.Visits[r.index], receipt})
	default:
		b.checks = append(b.checks, checkRow{&from.Checks[r.index], receipt})
	}
}

// parallelBlocks is how many blocks are inserted side by side.
const parallelBlocks = 8

// insertRows stores the rows of writes that are not stored yet. Its error says nothing
// about which of them are.
func (s *Store) insertRows(ctx context.Context, a attempt, writes []*write) error {
	for some := range slices.Chunk(blocks(a, writes), parallelBlocks) {
		var inserts []func() error
		for _, b := range some {
			for _, one := range []func(context.Context) error{
				func(ctx context.Context) error { return insert(ctx, s, &tableOf.events, b.events) },
				func(ctx context.Context) error { return insert(ctx, s, &tableOf.errors, b.errors) },
				func(ctx context.Context) error { return insert(ctx, s, &tableOf.vitals, b.vitals) },
				func(ctx context.Context) error { return insert(ctx, s, &tableOf.spans, b.spans) },
				func(ctx context.Context) error { return insert(ctx, s, &tableOf.visits, b.visits) },
				func(ctx context.Context) error { return insert(ctx, s, &tableOf.checks, b.checks) },
			} {
				inserts = append(inserts, func() error { return s.retryIf(ctx, "insert", s.cfg.WriteTimeout/2, s.turnedAway, one) })
			}
		}
		if err := inParallel(inserts); err != nil {
			return err
		}
	}
	return nil
}

// turnedAway reports whether the server had no room for a statement and did not begin it:
// the one failure of an insert whose outcome is known. In a cluster it may be that of one
// shard, while others went on.
func (s *Store) turnedAway(err error) bool {
	said, ok := errors.AsType[*driver.Exception](err)
	return ok && said.Code == 202 && s.cfg.Cluster == ""
}

// insert stores rows in one block, column by column.
func insert[T any](ctx context.Context, s *Store, t *table[T], rows []T) (err error) {
	if len(rows) == 0 {
		return nil
	}
	columns := make([]driver.ColumnNameAndType, len(t.columns))
	for i, column := range t.columns {
		columns[i] = driver.ColumnNameAndType{Name: column.name, Type: bare(column.kind)}
	}
	batch, err := s.prepare(ctx, t.name, columns)
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

// prepare begins an insert of one block. The columns come with their types: over HTTP the
// driver would ask for them every time.
func (s *Store) prepare(ctx context.Context, table string, columns []driver.ColumnNameAndType) (chdriver.Batch, error) {
	settings := s.settings(ctx, "insert "+table)
	maps.Copy(settings, driver.Settings{
		"async_insert": 0,
		// No other insert has this token, so that the server takes none for a repeat: its
		// log of tokens is written before a part is, and tells of some that are not there.
		"insert_deduplication_token": rand.Text(),
	})
	if s.cfg.Cluster != "" {
		settings["distributed_foreground_insert"] = 1
		// A cluster without internal_replication sends a block to each of its replicas.
		settings["insert_deduplicate"] = 1
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
