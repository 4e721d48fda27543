//go:build cgo

package duckdb

import (
	"cmp"
	sqldriver "database/sql/driver"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A catalog has the numbers of all subjects and their days, in memory. Open reads it from the
// tables. The writer updates it after each commit, never before.
type catalog struct {
	mu      sync.RWMutex
	numbers map[store.Subject]int32
	days    map[int32][]store.Day // of each subject number, ordered by time: those with a version, a seal or both
	version uint64                // of the latest commit
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
		for _, day := range days {
			n += int64(min(day.Version, 1))
		}
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
	return c.day(subjectDay{c.numbers[s], day}).Version // no subject has the number 0
}

// states returns the days of s from first to last that have a version or a seal, ordered by time.
func (c *catalog) states(s store.Subject, first, last int32) []store.Day {
	c.mu.RLock()
	defer c.mu.RUnlock()
	days := c.days[c.numbers[s]] // no subject has the number 0
	from, _ := place(days, first)
	to, found := place(days, last)
	if found {
		to++
	}
	return slices.Clone(days[from:max(from, to)])
}

// place returns the index of a day in ordered days, or the index where it belongs.
func place(days []store.Day, day int32) (i int, found bool) {
	return slices.BinarySearchFunc(days, int64(day)*dayMillis,
		func(d store.Day, start int64) int { return cmp.Compare(d.Start.UnixMilli(), start) })
}

// day returns what is known of a day.
func (c *catalog) day(of subjectDay) store.Day {
	days := c.days[of.subject]
	if i, found := place(days, of.day); found {
		return days[i]
	}
	return store.Day{}
}

// change changes what is known of a day.
func (c *catalog) change(of subjectDay, change func(*store.Day)) {
	days := c.days[of.subject]
	i, found := place(days, of.day)
	if !found {
		days = slices.Insert(days, i, store.Day{Start: time.UnixMilli(int64(of.day) * dayMillis).UTC()})
	}
	change(&days[i])
	c.days[of.subject] = days
}

// dropUnknown drops the days of a subject that have neither a version nor a seal any more.
func (c *catalog) dropUnknown(number int32) {
	c.days[number] = slices.DeleteFunc(c.days[number],
		func(d store.Day) bool { return d.Version == 0 && d.Sealed == 0 })
}

// seal records that days are sealed.
func (c *catalog) seal(days sealedDays) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for day := days.first; day <= days.last; day++ {
		c.change(subjectDay{days.subject, day}, func(d *store.Day) { d.Sealed = days.version })
	}
}

// unseal removes all seals of a subject, whose rows are all gone, and forgets which of its days expired.
func (c *catalog) unseal(number int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.days[number] {
		c.days[number][i].Sealed, c.days[number][i].Expired = 0, 0
	}
	c.dropUnknown(number)
}

// expire records that rows of a day expired. If all are gone, so is the seal.
func (c *catalog) expire(t subjectDay, expired uint64, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(t, func(d *store.Day) {
		d.Expired = expired
		if all {
			d.Sealed = 0
		}
	})
	c.dropUnknown(t.subject)
}

// expiry returns the version of a day, and the version after its rows expired.
func (c *catalog) expiry(t subjectDay) (version, expired uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	day := c.day(t)
	return day.Version, day.Expired
}

// unsealDays removes the seals of the days from first to last of a subject.
func (c *catalog) unsealDays(number, first, last int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	days := c.days[number]
	for i, _ := place(days, first); i < len(days) && days[i].Start.UnixMilli() <= int64(last)*dayMillis; i++ {
		days[i].Sealed = 0
	}
	c.dropUnknown(number)
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
		for _, day := range c.days[number] {
			if day.Version > 0 {
				found[of] = max(found[of], day.Version)
			}
		}
	}
	return found
}

// daysOf lists the days on which a subject ever had rows.
func (c *catalog) daysOf(number int32) []subjectDay {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var days []subjectDay
	for _, day := range c.days[number] {
		if day.Version > 0 {
			days = append(days, subjectDay{number, utcDay(day.Start.UnixMilli())})
		}
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
		c.change(t, func(d *store.Day) { d.Version = version })
	}
	c.version = version
}

// replace replaces the content of c, which is shared with queries, by that just read from the tables.
func (c *catalog) replace(from *catalog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers, c.days, c.version = from.numbers, from.days, from.version
}

// readCatalog reads the catalog from the tables. It also returns the number of rows of the table versions,
// which grows with every commit.
func readCatalog(c engine) (cat *catalog, versionRows int64, err error) {
	cat = &catalog{numbers: make(map[store.Subject]int32), days: make(map[int32][]store.Day)}
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
	const latest = "SELECT subject::BIGINT, day::BIGINT, max(version), count(*) FROM versions GROUP BY subject, day ORDER BY subject, day"
	err = c.each(latest, nil, func(v []sqldriver.Value) error {
		var subject, day, version, rows int64
		if err := scan(v, &subject, &day, &version, &rows); err != nil {
			return err
		}
		cat.change(subjectDay{int32(subject), int32(day)}, func(d *store.Day) { d.Version = uint64(version) })
		cat.version = max(cat.version, uint64(version))
		versionRows += rows
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for _, of := range []struct {
		table string
		set   func(d *store.Day, version uint64)
	}{
		{"seals", func(d *store.Day, version uint64) { d.Sealed = version }},
		{"expired", func(d *store.Day, version uint64) { d.Expired = max(version, 1) }}, // 0 while rows may be left
	} {
		err = c.each("SELECT subject::BIGINT, day::BIGINT, version FROM "+of.table, nil,
			func(v []sqldriver.Value) error {
				var subject, day, version int64
				if err := scan(v, &subject, &day, &version); err != nil {
					return err
				}
				cat.change(subjectDay{int32(subject), int32(day)}, func(d *store.Day) { of.set(d, uint64(version)) })
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
