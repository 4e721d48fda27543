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

// A catalog is what readers need to know before they ask the engine: the numbers of
// the subjects and the versions of their days. It is read from the tables at Open
// and changed by the writer after each commit, never before.
type catalog struct {
	mu      sync.RWMutex
	numbers map[store.Subject]int32
	days    map[int32]map[int32]uint64 // by subject number and UTC day since 1970
	sealed  map[int32]map[int32]uint64 // the versions of seals, likewise
	version uint64                     // of the latest commit
}

// unknownSubject is bound for a subject that has no rows.
const unknownSubject int32 = -1

// number is the number of s, or unknownSubject.
func (c *catalog) number(s store.Subject) int32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if n, ok := c.numbers[s]; ok {
		return n
	}
	return unknownSubject
}

// size is how many subjects have a number; the numbers run from 1 without a gap.
func (c *catalog) size() int32 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return int32(len(c.numbers))
}

// countDays is how many days of all subjects have a version.
func (c *catalog) countDays() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var n int64
	for _, days := range c.days {
		n += int64(len(days))
	}
	return n
}

// latest is the version of the last commit.
func (c *catalog) latest() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// between is the greatest version of s on the days first to last.
func (c *catalog) between(s store.Subject, first, last int32) uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	days := c.days[c.numbers[s]] // no subject has the number 0
	var greatest uint64
	if int64(last)-int64(first) < int64(len(days)) {
		for day := first; day <= last; day++ {
			greatest = max(greatest, days[day])
		}
		return greatest
	}
	for day, version := range days {
		if first <= day && day <= last {
			greatest = max(greatest, version)
		}
	}
	return greatest
}

// states tells of the days first to last of s that have a version or a seal.
func (c *catalog) states(s store.Subject, first, last int32) []store.Day {
	c.mu.RLock()
	defer c.mu.RUnlock()
	number := c.numbers[s] // no subject has the number 0
	versions, sealed := c.days[number], c.sealed[number]
	var found []store.Day
	add := func(day int32) {
		version, seal := versions[day], sealed[day]
		if first <= day && day <= last && (version > 0 || seal > 0) {
			found = append(found, store.Day{Start: time.UnixMilli(int64(day) * dayMillis).UTC(), Version: version, Sealed: seal})
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

// seal makes it known that days are sealed.
func (c *catalog) seal(days sealedDays) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for day := days.first; day <= days.last; day++ {
		set(c.sealed, subjectDay{days.subject, day}, days.version)
	}
}

// unseal forgets all seals of subject number.
func (c *catalog) unseal(number int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sealed, number)
}

// subjects lists those that have a number.
func (c *catalog) subjects() []store.Subject {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Collect(maps.Keys(c.numbers))
}

// websites are those that ever had rows, with the version of the latest commit that touched them.
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

// daysOf lists the days on which subject number ever had rows.
func (c *catalog) daysOf(number int32) []subjectDay {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var days []subjectDay
	for day := range c.days[number] {
		days = append(days, subjectDay{number, day})
	}
	return days
}

// A subjectDay is one UTC day of one subject.
type subjectDay struct{ subject, day int32 }

// publish makes a commit known: its new subjects and the days it touched.
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

// replace takes over what was read from the tables.
func (c *catalog) replace(from *catalog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers, c.days, c.sealed, c.version = from.numbers, from.days, from.sealed, from.version
}

// readCatalog reads the tables, and counts the rows of the one that grows.
func readCatalog(c engine) (cat *catalog, versionRows int64, err error) {
	cat = &catalog{numbers: make(map[store.Subject]int32), days: make(map[int32]map[int32]uint64), sealed: make(map[int32]map[int32]uint64)}
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
	err = c.each("SELECT subject::BIGINT, day::BIGINT, version FROM seals", nil, func(v []sqldriver.Value) error {
		var subject, day, version int64
		if err := scan(v, &subject, &day, &version); err != nil {
			return err
		}
		set(cat.sealed, subjectDay{int32(subject), int32(day)}, uint64(version))
		return nil
	})
	return cat, versionRows, err
}

const dayMillis = 24 * 60 * 60 * 1000

// utcDay is the UTC day of an instant in milliseconds, counted from 1970. Days that
// no row can have become the nearest that fits.
func utcDay(millis int64) int32 {
	const farthest = 1 << 30
	day := millis / dayMillis
	if millis%dayMillis < 0 {
		day--
	}
	return int32(min(max(day, -farthest), farthest))
}

// lastDay is the UTC day of the last instant before to.
func lastDay(to time.Time) int32 { return utcDay(to.Add(-1).UnixMilli()) }
