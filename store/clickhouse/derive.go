package clickhouse

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// This file explains how several processes seal days.
//
// The stored rows of a day carry the number of its seal. That number is random, the same for all days of one
// call of Seal, plus the number of the day. A row in the table seals publishes a seal. It has the day, the days
// from which the seal was computed, and the sum of their versions before. If a day has several seals, only the
// one published last counts. Readers skip the rows of all others (dialect.InSeals). So a seal is replaced
// atomically, and rows of unpublished seals are never visible.
//
// Versions only grow. So while their sum is unchanged, no version changed, and the seal is valid. A process may
// die at any point, and two may seal the same day at once: they can only leave rows that no reader uses. The
// method sweep deletes these.

// Dialect returns the SQL of the stores of this package: dialect.ClickHouse with a template for dialect.InSeals.
func Dialect() *dialect.Dialect {
	d := dialect.ClickHouse()
	d.Templates[dialect.InSeals] = "$1.seal GLOBAL IN (SELECT argMax(z.seal, (z.at, z.seal)) FROM seals AS z" +
		" WHERE z.subject = $2 AND z.day BETWEEN " + utcDayOf("$3") + " AND " + utcDayOf("$4") + " GROUP BY z.day)"
	return d
}

// mostAround is the maximum number of days before or after a sealed day whose rows may be used to compute it.
const mostAround = store.MaxAround

// dayStates has the server's data about days of a subject, by day number.
type dayStates struct {
	versions map[int32]uint64
	changing map[int32]bool // days whose rows are being written or removed
	seals    map[int32]daySeal
	expired  map[int32]uint64 // versions after rows expired
}

// A daySeal is a row of the table seals, or one to be inserted.
type daySeal struct {
	first, last int32 // the days from which it was computed
	version     uint64
}

// sealed returns the [store.Day.Sealed] of a day: the greatest version of the days that its seal was computed from, or
// 0 if there is no valid seal. Versions of several days cannot be compared, so the store is not a [store.Resealer].
func (d *dayStates) sealed(day int32) uint64 {
	seal, ok := d.seals[day]
	if !ok || d.sum(seal.first, seal.last) != seal.version {
		return 0
	}
	greatest := uint64(1) // a day without rows may be sealed
	for near := seal.first; near <= seal.last; near++ {
		greatest = max(greatest, d.versions[near])
	}
	return greatest
}

// sum returns the sum of the versions of the days from first to last.
func (d *dayStates) sum(first, last int32) (version uint64) {
	for day := first; day <= last; day++ {
		version += d.versions[day]
	}
	return version
}

// changes reports whether any day from first to last is changing.
func (d *dayStates) changes(first, last int32) bool {
	for day := first; day <= last; day++ {
		if d.changing[day] {
			return true
		}
	}
	return false
}

// Days implements [store.DayLister]. It queries the server each time, so it includes every write that another process
// acknowledged. It reads a few rows by the keys of two tables. With replicas, versions and seals agree with answers
// only if [Config.Settings] has select_sequential_consistency = 1. While rows of a day expire, during the two months
// after [Config.Retention], its version changes every second.
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
		days = append(days, store.Day{Start: time.Unix(int64(day)*86_400, 0).UTC(), Version: known[day],
			Sealed: states.sealed(day), Expired: states.expired[day]})
	}
	return days, nil
}

// Websites implements [store.Deriver]. It reads the versions of all days of all websites.
func (s *Store) Websites(ctx context.Context) (map[store.Subject]uint64, error) {
	found, kind := map[store.Subject]uint64{}, versioned(store.KindWebsite, "")
	const question = "SELECT v.subject, sum(v.begun + v.ended) FROM versions AS v WHERE startsWith(v.subject, {kind:String}) GROUP BY v.subject"
	err := s.versions(ctx, "websites", question, func(scan func(...any) error) error {
		var name string
		var version uint64
		err := scan(&name, &version)
		found[store.Subject{Kind: store.KindWebsite, ID: strings.TrimPrefix(name, kind)}] = version
		return err
	}, driver.Named("kind", kind))
	return found, err
}

// states queries the days from first to last, and the versions of the days around them.
func (s *Store) states(ctx context.Context, subject store.Subject, first, last int32) (*dayStates, error) {
	found := &dayStates{map[int32]uint64{}, map[int32]bool{}, map[int32]daySeal{}, map[int32]uint64{}}
	const changing = "d.begun > d.ended AND toInt64(now()) - toInt64(d.at) < " + recentSeconds
	statement := "SELECT d.day, toUInt64(" + versionOfDay + s.cfg.expiring() + "), " + changing +
		", toInt32(0), toInt32(-1)" + changedDays +
		" UNION ALL SELECT n.day, argMax(n.version, (n.at, n.seal)), false, argMax(n.first, (n.at, n.seal)), argMax(n.last, (n.at, n.seal))" +
		" FROM seals AS n WHERE n.subject = {sealed:String} AND n.day BETWEEN {from:Int32} + {around:Int32} AND {to:Int32} - {around:Int32} GROUP BY n.day" +
		" UNION ALL " + expiredDays
	err := s.versions(ctx, "days", statement, func(scan func(...any) error) error {
		var day, first, last int32
		var version uint64
		var changing bool
		if err := scan(&day, &version, &changing, &first, &last); err != nil {
			return err
		}
		switch {
		case last == -2:
			found.expired[day] = version
		case first <= last:
			found.seals[day] = daySeal{first, last, version}
		default:
			found.versions[day], found.changing[day] = version, changing
		}
		return nil
	}, append(daysFrom(subject, first-mostAround, last+mostAround), driver.Named("sealed", subjectText(subject)),
		driver.Named("around", int32(mostAround)))...)
	return found, err
}
