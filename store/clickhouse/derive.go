package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/schema"
)

// How days are sealed, with several processes that write and seal.
//
// The rows that are kept of a day have the number of a seal, which is random. A row of the table seals
// publishes it: with the day, the days that it was computed from, and the sum of their versions before.
// Of several seals of a day the one published last counts, and readers leave out the rows of all others
// (dialect.InSeals), so that a day is replaced at once, and rows of a seal that nobody published are
// never seen. Versions only grow: while the sum is the same none of them changed, and the seal is valid.
// So a process may die at any point, and two may seal a day at once: what is wrong is only what is kept
// too long, until it is swept.

// mostAround is how many days before or after a sealed one may have rows that it was computed from.
const mostAround = 7

// dayStates are what the server says of days of a subject, by their number.
type dayStates struct {
	versions map[int32]uint64
	changing map[int32]bool // rows of theirs are being written or removed
	seals    map[int32]publishedSeal
}

// A publishedSeal is a row of seals.
type publishedSeal struct {
	first, last int32 // the days that it was computed from
	version     uint64
}

// sum is the version of the days first to last together.
func (d *dayStates) sum(first, last int32) (version uint64) {
	for day := first; day <= last; day++ {
		version += d.versions[day]
	}
	return version
}

// changes reports whether a day from first to last is changing.
func (d *dayStates) changes(first, last int32) bool {
	for day := first; day <= last; day++ {
		if d.changing[day] {
			return true
		}
	}
	return false
}

// Days implements [store.Deriver]. It asks the server each time, as Version does. Days written by a
// release from before versions existed are among them once Migrate was called.
func (s *Store) Days(ctx context.Context, subject store.Subject, from, to time.Time) ([]store.Day, error) {
	if !from.Before(to) {
		return nil, ctx.Err()
	}
	first, last := utcDay(from.UnixMilli()), utcDay(to.Add(-1).UnixMilli())
	states, err := s.states(ctx, subject, first, last)
	if err != nil {
		return nil, err
	}
	known := maps.Clone(states.versions)
	for day := range states.seals {
		known[day] = states.versions[day]
	}
	var days []store.Day
	for _, day := range slices.Sorted(maps.Keys(known)) {
		if day < first || day > last {
			continue
		}
		one := store.Day{Start: time.Unix(int64(day)*86400, 0).UTC(), Version: known[day]}
		if seal, ok := states.seals[day]; ok && states.sum(seal.first, seal.last) == seal.version {
			one.Sealed = math.MaxUint64
		}
		days = append(days, one)
	}
	return days, nil
}

// Websites implements [store.Deriver].
func (s *Store) Websites(ctx context.Context) (map[store.Subject]uint64, error) {
	found, kind := map[store.Subject]uint64{}, versioned(store.KindWebsite, "")
	const question = "SELECT v.subject, sum(v.begun + v.ended) FROM versions AS v WHERE startsWith(v.subject, {kind:String}) GROUP BY v.subject"
	err := s.versions(ctx, question, func(scan func(...any) error) error {
		var name string
		var version uint64
		err := scan(&name, &version)
		found[store.Subject{Kind: store.KindWebsite, ID: strings.TrimPrefix(name, kind)}] = version
		return err
	}, driver.Named("kind", kind))
	return found, err
}

// states asks for the days first to last, and for the versions of those around.
func (s *Store) states(ctx context.Context, subject store.Subject, first, last int32) (*dayStates, error) {
	found := &dayStates{map[int32]uint64{}, map[int32]bool{}, map[int32]publishedSeal{}}
	const changing = "d.begun > d.ended AND toInt64(now()) - toInt64(d.at) < " + recentSeconds
	statement := "SELECT d.day, toUInt64(" + versionOfDay + s.cfg.expiring() + "), " + changing + ", toInt32(0), toInt32(-1)" + changedDays +
		" UNION ALL SELECT n.day, argMax(n.version, (n.at, n.seal)), false, argMax(n.first, (n.at, n.seal)), argMax(n.last, (n.at, n.seal))" +
		" FROM seals AS n WHERE n.subject = {sealed:String} AND n.day BETWEEN {from:Int32} + {around:Int32} AND {to:Int32} - {around:Int32} GROUP BY n.day"
	err := s.versions(ctx, statement, func(scan func(...any) error) error {
		var day, first, last int32
		var version uint64
		var changing bool
		if err := scan(&day, &version, &changing, &first, &last); err != nil {
			return err
		}
		if first <= last {
			found.seals[day] = publishedSeal{first, last, version}
		} else {
			found.versions[day], found.changing[day] = version, changing
		}
		return nil
	}, append(daysFrom(subject, first-mostAround, last+mostAround), driver.Named("sealed", subjectText(subject)), driver.Named("around", int32(mostAround)))...)
	return found, err
}

// Seal implements [store.Deriver]. Days whose rows change meanwhile are left as they are. One Seal runs
// at a time.
func (s *Store) Seal(ctx context.Context, d store.Derivation) error {
	if s.closing.Err() != nil {
		return errClosed
	}
	if d.Changed != nil || max(d.Before, d.After) > mostAround {
		return errors.New("clickhouse: seal: a part of a day, or one that depends on so many, cannot be sealed")
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
	window := func(day int32) (int32, int32) { return day - int32(d.Before), day + int32(d.After) } //nolint:gosec // it is below mostAround
	settled := false
	for day := first; day <= last; day++ {
		settled = settled || !before.changes(window(day))
	}
	if !settled {
		return nil
	}
	number := rand.Uint64() //nolint:gosec // no secret
	for i, statement := range []store.Statement{d.Sessions, d.Hits} {
		if err := s.keep(ctx, sealedTables[i], statement, number); err != nil {
			return err
		}
	}
	after, err := s.states(ctx, d.Subject, first, last)
	if err != nil {
		return err
	}
	var unchanged, rest []int32
	var seals []publishedSeal
	for day := first; day <= last; day++ {
		from, to := window(day)
		seal := publishedSeal{from, to, before.sum(from, to)}
		if before.changes(from, to) || after.sum(from, to) != seal.version {
			rest = append(rest, day)
		} else {
			unchanged, seals = append(unchanged, day), append(seals, seal)
		}
	}
	subject := subjectText(d.Subject)
	if err := errors.Join(s.publish(ctx, subject, number, unchanged, seals), s.discard(ctx, number, rest)); err != nil {
		return err
	}
	return s.sweep(ctx)
}

// keep computes and inserts what a table keeps, under seals counted from number by day.
func (s *Store) keep(ctx context.Context, t sealedTable, from store.Statement, number uint64) error {
	args, err := bind(s.lang, from.Args)
	if err != nil {
		return err
	}
	names, values := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i], values[i] = c.name, "k."+c.name
	}
	q, err := bindStatement("INSERT INTO "+t.name+" (seal, "+strings.Join(names, ", ")+") SELECT {seal:UInt64} + toUInt64("+utcDayOf("k."+t.time)+"), "+
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

// sealOf is the seal of a day among those counted from number.
func sealOf(number uint64, day int32) uint64 { return number + uint64(int64(day)) } //nolint:gosec // it wraps, as it does on the server

// publish makes seals of days known, all at once.
func (s *Store) publish(ctx context.Context, subject string, number uint64, days []int32, seals []publishedSeal) (err error) {
	if len(days) == 0 {
		return nil
	}
	columns := []driver.ColumnNameAndType{{Name: "subject", Type: types[schema.LowCardinality]}, {Name: "day", Type: "Int32"},
		{Name: "seal", Type: "UInt64"}, {Name: "first", Type: "Int32"}, {Name: "last", Type: "Int32"}, {Name: "version", Type: "UInt64"}}
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

// discard deletes what was inserted under seals of these days that are not published.
func (s *Store) discard(ctx context.Context, number uint64, days []int32) (err error) {
	seals := make([]uint64, len(days))
	for i, day := range days {
		seals[i] = sealOf(number, day)
	}
	for _, t := range sealedTables {
		err = errors.Join(err, s.deleteSeals(ctx, t.name, seals))
	}
	return err
}

// deleteSeals deletes what a table has of seals.
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

// sweepEvery is how often what no reader needs any more is deleted.
const sweepEvery = time.Hour

// readSeals are the seals that a query may read that began within the last hour.
const readSeals = "(SELECT argMax(z.seal, (z.at, z.seal)) FROM seals AS z WHERE z.at < now64() - toIntervalHour(1) GROUP BY z.subject, z.day" +
	" UNION ALL SELECT z.seal FROM seals AS z WHERE z.at >= now64() - toIntervalHour(1))"

// sweep deletes, now and then, what is kept under seals that others replaced, or that nobody published.
func (s *Store) sweep(ctx context.Context) error {
	now := s.cfg.Now()
	if now.Sub(s.swept) < sweepEvery {
		return nil
	}
	s.swept = now
	for _, of := range []struct{ table, made string }{{"sealed_sessions", "made"}, {"sealed_hits", "made"}, {"seals", "at"}} {
		var seals []uint64
		question := "SELECT groupUniqArray(x.seal) FROM " + of.table + " AS x WHERE x." + of.made + " < now() - toIntervalHour(1) AND x.seal GLOBAL NOT IN " + readSeals
		err := s.conn.QueryRow(driver.Context(noDeadline{ctx}, driver.WithSettings(s.reading(ctx, "sweep"))), question).Scan(&seals)
		if err == nil {
			err = s.deleteSeals(ctx, of.table, seals)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
