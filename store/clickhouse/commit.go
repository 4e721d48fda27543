package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

// commit stores a group under one receipt. Every step may be done again, since the
// server drops a block that comes twice under one token.
func (s *Store) commit(ctx context.Context, group []*write) error {
	fresh := distinct(group)
	r := s.newReceipt()
	if err := s.again(ctx, "receipts", func() error { return s.claim(ctx, r, fresh) }); err != nil {
		return err
	}
	if err := s.again(ctx, "repeats", func() error { return s.markRepeats(ctx, r, fresh) }); err != nil {
		return err
	}
	if err := s.insertGroup(ctx, r, group); err != nil {
		return err
	}
	return s.again(ctx, "settling", func() error { return s.settle(ctx, r, fresh) })
}

// distinct marks the rows whose identity came before in the group, and returns the others.
func distinct(group []*write) []*row {
	var fresh []*row
	seen := map[identity]bool{}
	for _, w := range group {
		for i := range w.rows {
			r := &w.rows[i]
			if r.repeated = seen[r.identity]; !r.repeated {
				seen[r.identity] = true
				fresh = append(fresh, r)
			}
		}
	}
	return fresh
}

// again does one step until it succeeds, the servers refuse it for good, or ctx ends.
func (s *Store) again(ctx context.Context, what string, step func() error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := step()
		if err == nil {
			return nil
		}
		if err = explain(err); ctx.Err() != nil {
			return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, what, err)
		}
		if !errors.Is(err, store.ErrUnavailable) {
			return fmt.Errorf("%s: %w", what, err)
		}
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: a write is tried again",
			slog.String("step", what), slog.Any("error", err), slog.Duration("after", wait))
		pause(ctx, wait)
	}
}

// insertGroup stores the rows of a group that are no repeats, table by table.
func (s *Store) insertGroup(ctx context.Context, receipt uint64, group []*write) error {
	var kept struct {
		events []eventRow
		errors []errorRow
		vitals []vitalRow
		spans  []spanRow
		visits []visitRow
		checks []checkRow
	}
	for _, w := range group {
		for _, r := range w.rows {
			if r.repeated {
				continue
			}
			switch b := w.batch; r.table {
			case inEvents:
				kept.events = append(kept.events, eventRow{&b.Events[r.index], receipt})
			case inErrors:
				kept.errors = append(kept.errors, errorRow{&b.Errors[r.index], receipt})
			case inVitals:
				for _, sample := range b.Vitals[r.index].Samples {
					kept.vitals = append(kept.vitals, vitalRow{&b.Vitals[r.index], sample, receipt})
				}
			case inSpans:
				kept.spans = append(kept.spans, spanRow{&b.Spans[r.index], receipt})
			case inVisits:
				kept.visits = append(kept.visits, visitRow{&b.Visits[r.index], receipt})
			default:
				kept.checks = append(kept.checks, checkRow{&b.Checks[r.index], receipt})
			}
		}
	}
	for _, insert := range []func() error{
		func() error { return insert(ctx, s, eventTable(), kept.events, receipt) },
		func() error { return insert(ctx, s, errorTable(), kept.errors, receipt) },
		func() error { return insert(ctx, s, vitalTable(), kept.vitals, receipt) },
		func() error { return insert(ctx, s, spanTable(), kept.spans, receipt) },
		func() error { return insert(ctx, s, visitTable(), kept.visits, receipt) },
		func() error { return insert(ctx, s, checkTable(), kept.checks, receipt) },
	} {
		if err := s.again(ctx, "rows", insert); err != nil {
			return err
		}
	}
	return nil
}

// insert stores rows in one block, column by column.
func insert[T any](ctx context.Context, s *Store, t table[T], rows []T, receipt uint64) (err error) {
	if len(rows) == 0 {
		return nil
	}
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	batch, err := s.block(ctx, t.name, names, receipt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	for i, c := range t.columns {
		if err := c.fill(batch.Column(i), rows); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return batch.Send()
}

// block begins an insert that counts once however often it is sent under the receipt.
func (s *Store) block(ctx context.Context, table string, columns []string, receipt uint64) (driverBatch, error) {
	settings := s.settings(ctx, "insert "+table)
	for name, value := range map[string]any{
		"async_insert":                    0,
		"insert_deduplicate":              1,
		"insert_deduplication_token":      fmt.Sprintf("%s %d", table, receipt),
		"max_partitions_per_insert_block": 0,
	} {
		settings[name] = value
	}
	if s.cfg.Cluster != "" {
		settings["distributed_foreground_insert"] = 1
		// A look-up elsewhere must find what was stored here.
		settings["insert_quorum"] = "auto"
		settings["insert_quorum_parallel"] = 0
	}
	return s.conn.PrepareBatch(driver.Context(ctx, driver.WithSettings(settings)),
		"INSERT INTO "+table+" ("+strings.Join(columns, ", ")+")")
}
