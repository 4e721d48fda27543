package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Seal implements [store.Deriver]. It skips days if rows change meanwhile on them or on the days from which
// they are computed; that is not an error. Only one Seal runs at a time.
func (s *Store) Seal(ctx context.Context, d store.Derivation) error {
	if s.closing.Err() != nil {
		return errClosed
	}
	if max(d.Before, d.After) > mostAround {
		return fmt.Errorf("clickhouse: seal: Before and After must be at most %d days, not %d", mostAround,
			max(d.Before, d.After))
	}
	if err := schema.CheckRows(d); err != nil {
		return fmt.Errorf("clickhouse: seal: %w", err)
	}
	s.deriving.Lock()
	defer s.deriving.Unlock()
	if err := s.seal(ctx, d); err != nil && ctx.Err() == nil {
		return fmt.Errorf("clickhouse: seal: %w", explain(err))
	}
	return ctx.Err()
}

func (s *Store) seal(ctx context.Context, d store.Derivation) error {
	first, last := utcDay(d.From.UnixMilli()), utcDay(d.To.Add(-1).UnixMilli())
	before, err := s.states(ctx, d.Subject, first, last)
	if err != nil {
		return err
	}
	// it is at most mostAround
	window := func(day int32) (int32, int32) { return day - int32(d.Before), day + int32(d.After) }
	some := false
	for day := first; day <= last; day++ {
		some = some || !before.changes(window(day))
	}
	if !some {
		return nil
	}
	number := rand.Uint64() //nolint:gosec // no secret
	for i, t := range schema.SealedTables() {
		if err := s.keep(ctx, &t, d.Rows[i], number); err != nil {
			return err
		}
	}
	after, err := s.states(ctx, d.Subject, first, last)
	if err != nil {
		return err
	}
	days, seals, changed := sealable(before, after, first, last, window)
	if err := s.publish(ctx, subjectText(d.Subject), number, days, seals); err != nil {
		return err
	}
	if err := errors.Join(s.discard(ctx, number, changed), s.sweep(ctx)); err != nil && ctx.Err() == nil {
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn,
			"clickhouse: could not delete unused rows of seals; trying again in an hour or two",
			slog.Any("error", explain(err)))
	}
	return nil
}

// sealable returns the days from first to last that did not change between the two states, with their seals,
// and the days that changed.
func sealable(before, after *dayStates, first, last int32, window func(int32) (int32, int32)) (days []int32,
	seals []daySeal, changed []int32) {
	for day := first; day <= last; day++ {
		from, to := window(day)
		seal := daySeal{from, to, before.sum(from, to)}
		if before.changes(from, to) || after.sum(from, to) != seal.version {
			changed = append(changed, day)
		} else {
			days, seals = append(days, day), append(seals, seal)
		}
	}
	return days, seals, changed
}

// keep computes and inserts the rows of a sealed table. The seal of each day is number plus the day.
func (s *Store) keep(ctx context.Context, t *schema.DayTable, from store.Statement, number uint64) error {
	args, err := bindArguments(s.lang, from.Args)
	if err != nil {
		return err
	}
	names := append([]string{"subject"}, t.ColumnNames()...)
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = "k." + name
	}
	q, err := bindStatement("INSERT INTO "+t.Name+" (seal, "+strings.Join(names, ", ")+
		") SELECT {seal:UInt64} + toUInt64("+utcDayOf("k."+t.Day)+"), "+
		strings.Join(values, ", ")+" FROM ("+from.SQL+") AS k", append(args, argument{"seal", "UInt64", number}))
	if err != nil {
		return err
	}
	settings := s.reading(ctx, "seal")
	delete(settings, "readonly")
	maps.Copy(settings, s.inserting())
	if s.cfg.Cluster != "" {
		settings["select_sequential_consistency"] = 1
	}
	options := []driver.QueryOption{driver.WithSettings(settings)}
	if q.table != nil {
		options = append(options, driver.WithExternalTable(q.table))
	}
	return s.conn.Exec(driver.Context(noDeadline{ctx}, options...), q.sql, q.args...)
}

// sealOf returns the seal of a day for a random number.
// it wraps, as it does on the server
func sealOf(number uint64, day int32) uint64 { return number + uint64(int64(day)) }

// publish publishes the seals of days in one insert.
func (s *Store) publish(ctx context.Context, subject string, number uint64, days []int32, seals []daySeal) (err error) {
	if len(days) == 0 {
		return nil
	}
	columns := []driver.ColumnNameAndType{{Name: "subject", Type: types[schema.LowCardinality]},
		{Name: "day", Type: "Int32"},
		{Name: "seal", Type: "UInt64"}, {Name: "first", Type: "Int32"}, {Name: "last", Type: "Int32"},
		{Name: "version", Type: "UInt64"}}
	batch, err := s.prepare(ctx, "seals", columns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, batch.Close()) }()
	for i, day := range days {
		of := seals[i]
		if err := batch.Append(subject, day, sealOf(number, day), of.first, of.last, of.version); err != nil {
			return err
		}
	}
	return batch.Send()
}

// discard deletes the inserted rows of days whose seals are not published.
func (s *Store) discard(ctx context.Context, number uint64, days []int32) (err error) {
	seals := make([]uint64, len(days))
	for i, day := range days {
		seals[i] = sealOf(number, day)
	}
	for _, t := range schema.SealedTables() {
		err = errors.Join(err, s.deleteSeals(ctx, t.Name, seals))
	}
	return err
}

// deleteSeals deletes the rows of seals from a table.
func (s *Store) deleteSeals(ctx context.Context, table string, seals []uint64) error {
	settings := s.settings(ctx, "delete "+table)
	settings["lightweight_deletes_sync"] = 2
	ctx = driver.Context(noDeadline{ctx}, driver.WithSettings(settings))
	for some := range slices.Chunk(seals, 500) {
		statement := "DELETE FROM " + s.cfg.local(table) + s.cfg.on() + " WHERE seal IN {seals:Array(UInt64)}"
		if err := s.conn.Exec(ctx, statement, driver.Named("seals", some)); err != nil {
			return err
		}
	}
	return nil
}

// sweepEvery is the time between deletions of unused rows.
const sweepEvery = time.Hour

// readSeals selects the seals that are in use by queries that began within the last hour.
const readSeals = "(SELECT argMax(z.seal, (z.at, z.seal)) FROM seals AS z WHERE z.at < now64() - toIntervalHour(1) GROUP BY z.subject, z.day" +
	" UNION ALL SELECT z.seal FROM seals AS z WHERE z.at >= now64() - toIntervalHour(1))"

// sweep deletes rows of seals that were replaced or never published, at most once per sweepEvery.
func (s *Store) sweep(ctx context.Context) error {
	now := s.cfg.Now()
	if now.Sub(s.swept) < sweepEvery {
		return nil
	}
	s.swept = now
	for _, of := range sealTables() {
		var seals []uint64
		question := "SELECT groupUniqArray(x.seal) FROM " + of.table + " AS x WHERE x." + of.made +
			" < now() - toIntervalHour(1) AND x.seal GLOBAL NOT IN " + readSeals
		err := s.conn.QueryRow(driver.Context(noDeadline{ctx}, driver.WithSettings(s.reading(ctx, "sweep"))),
			question).Scan(&seals)
		if err == nil {
			err = s.deleteSeals(ctx, of.table, seals)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
