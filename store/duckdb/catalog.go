//go:build cgo

package duckdb

import (
	sqldriver "database/sql/driver"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A catalog has the numbers of all subjects and the versions of their days, in memory. Open reads it from the
// tables. The writer updates it after each commit, never before.
type catalog struct {
	mu      sync.RWMutex
	numbers map[store.Subject]int32
	days    map[int32]map[int32]uint64 // versions by subject number and UTC day, counted from 1970
	sealed  map[int32]map[int32]uint64 // versions of seals, in the same way
	expired map[int32]map[int32]uint64 // versions of days after their rows expired, in the same way
	version uint64                     // of the latest commit
}

// unknownSubject is bound for a subject without rows.
const unknownSubject int32 = -1

// number returns the number of s, or unknownSubject.
func (c *catalog) number(s store.Subject) int32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if n, ok := c.numbers[s]; ok {
		return n
	}
	return unknownSubject
}

// size returns the number of subjects. They have the numbers from 1 to size.
func (c *catalog) size() int32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return int32(len(c.numbers))
}

// countDays returns the number of days with a version, of all subjects.
func (c *catalog) countDays() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var n int64
	for _, days := range c.days {
		n += int64(len(days))
	}
	return n
}

// latest returns the version of the latest commit.
func (c *catalog) latest() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// versionOf returns the version of a day of s, or 0 if it never had rows.
func (c *catalog) versionOf(s store.Subject, day int32) uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.days[c.numbers[s]][day] // no subject has the number 0
}

// states returns the days of s from first to last that have a version or a seal, ordered by time.
func (c *catalog) states(s store.Subject, first, last int32) []store.Day {
	c.mu.RLock()
	defer c.mu.RUnlock()
	number := c.numbers[s] // no subject has the number 0
	versions, sealed, expired := c.days[number], c.sealed[number], c.expired[number]
	found := make([]store.Day, 0, max(0, min(int64(last)-int64(first)+1, int64(len(versions)+len(sealed)))))
	add := func(day int32) {
		version, seal := versions[day], sealed[day]
		if first <= day && day <= last && (version > 0 || seal > 0) {
			found = append(found, store.Day{Start: time.UnixMilli(int64(day) * dayMillis).UTC(), Version: version, Sealed: seal, Expired: expired[day]})
		}
	}
	if int64(last)-int64(first) < int64(len(versions)+len(sealed)) {
		for day := first; day <= last; day++ {
			add(day)
		}
		return found
	}
	for day := range versions {
		add(day)
	}
	for day := range sealed {
		if versions[day] == 0 {
			add(day)
		}
	}
	slices.SortFunc(found, func(a, b store.Day) int { return a.Start.Compare(b.Start) })
	return found
}

// seal records that days are sealed.
func (c *catalog) seal(days sealedDays) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for day := days.first; day <= days.last; day++ {
		set(c.sealed, subjectDay{days.subject, day}, days.version)
	}
}

// unseal removes all seals of a subject, whose rows are all gone, and forgets which of its days expired.
func (c *catalog) unseal(number int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sealed, number)
	delete(c.expired, number)
}

// expire records that rows of a day expired. If all are gone, so is the seal.
func (c *catalog) expire(t subjectDay, expired uint64, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	set(c.expired, t, expired)
	if all {
		delete(c.sealed[t.subject], t.day)
	}
}

// expiry returns the version of a day, and the version after its rows expired.
func (c *catalog) expiry(t subjectDay) (version, expired uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.days[t.subject][t.day], c.expired[t.subject][t.day]
}

// unsealDays removes the seals of the days from first to last of a subject.
func (c *catalog) unsealDays(number, first, last int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.sealed[number], func(day int32, _ uint64) bool { return first <= day && day <= last })
}

// subjects lists all subjects that ever had rows.
func (c *catalog) subjects() []store.Subject {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Collect(maps.Keys(c.numbers))
}

// websites returns the websites that ever had rows, each with the version of the latest commit that changed it.
func (c *catalog) websites() map[store.Subject]uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found := map[store.Subject]uint64{}
	for of, number := range c.numbers {
		if of.Kind != store.KindWebsite {
			continue
		}
		for _, version := range c.days[number] {
			found[of] = max(found[of], version)
		}
	}
	return found
}

// daysOf lists the days on which a subject ever had rows.
func (c *catalog) daysOf(number int32) []subjectDay {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var days []subjectDay
	for day := range c.days[number] {
		days = append(days, subjectDay{number, day})
	}
	return days
}

// A subjectDay is one UTC day of a subject.
type subjectDay struct{ subject, day int32 }

// publish adds a commit: its new subjects, and the days that it changed.
func (c *catalog) publish(version uint64, subjects map[store.Subject]int32, touched []subjectDay) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.numbers, subjects)
	for _, t := range touched {
		set(c.days, t, version)
	}
	c.version = version
}

func set(versions map[int32]map[int32]uint64, t subjectDay, version uint64) {
	days := versions[t.subject]
	if days == nil {
		days = make(map[int32]uint64)
		versions[t.subject] = days
	}
	days[t.day] = version
}

// replace replaces the content of c, which is shared with queries, by that just read from the tables.
func (c *catalog) replace(from *catalog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers, c.days, c.sealed, c.expired, c.version = from.numbers, from.days, from.sealed, from.expired, from.version
}

// readCatalog reads the catalog from the tables. It also returns the number of rows of the table versions,
// which grows with every commit.
func readCatalog(c engine) (cat *catalog, versionRows int64, err error) {
	cat = &catalog{numbers: make(map[store.Subject]int32), days: make(map[int32]map[int32]uint64), sealed: make(map[int32]map[int32]uint64), expired: make(map[int32]map[int32]uint64)}
	err = c.each("SELECT kind, id, number::BIGINT FROM subject_numbers", nil, func(v []sqldriver.Value) error {
		var kind, id string
		var number int64
		if err := scan(v, &kind, &id, &number); err != nil {
			return err
		}
		cat.numbers[store.Subject{Kind: store.SubjectKind(kind), ID: id}] = int32(number)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	const latest = "SELECT subject::BIGINT, day::BIGINT, max(version), count(*) FROM versions GROUP BY subject, day"
	err = c.each(latest, nil, func(v []sqldriver.Value) error {
		var subject, day, version, rows int64
		if err := scan(v, &subject, &day, &version, &rows); err != nil {
			return err
		}
		set(cat.days, subjectDay{int32(subject), int32(day)}, uint64(version))
		cat.version = max(cat.version, uint64(version))
		versionRows += rows
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for _, of := range []struct {
		table string
		into  map[int32]map[int32]uint64
		least int64 // an expired day has the version 0 while rows may be left
	}{{"seals", cat.sealed, 0}, {"expired", cat.expired, 1}} {
		err = c.each("SELECT subject::BIGINT, day::BIGINT, version FROM "+of.table, nil, func(v []sqldriver.Value) error {
			var subject, day, version int64
			if err := scan(v, &subject, &day, &version); err != nil {
				return err
			}
			set(of.into, subjectDay{int32(subject), int32(day)}, uint64(max(version, of.least)))
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return cat, versionRows, nil
}

const dayMillis = 24 * 60 * 60 * 1000

// utcDay returns the UTC day of an instant in milliseconds, counted from 1970. It limits days that are too far
// away for a row.
func utcDay(millis int64) int32 {
	const farthest = 1 << 30
	day := millis / dayMillis
	if millis%dayMillis < 0 {
		day--
	}
	return int32(min(max(day, -farthest), farthest))
}

// lastDay returns the UTC day of the last instant before to.
func lastDay(to time.Time) int32 { return utcDay(to.Add(-1).UnixMilli()) }
