package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/collect"
)

// A catalog has the numbers of all subjects, and the versions and seals of their days, in memory. Open reads it
// from the tables. It changes after each commit, never before.
type catalog struct {
	mu      sync.RWMutex
	numbers map[store.Subject]int64
	days    map[subjectDay]dayState
	listed  map[int64][]int64 // the days of a subject that are in days, in order
	version uint64            // of the latest commit
}

// A subjectDay is one UTC day of a subject. Days are numbered from 1970.
type subjectDay struct{ subject, day int64 }

// A dayState has the version and the seal of a day, and the version after its rows expired, as a store.Day.
type dayState struct{ version, sealed, expired uint64 }

// unknownSubject is bound for a subject without rows.
const unknownSubject int64 = -1

// number returns the number of s, or unknownSubject.
func (c *catalog) number(s store.Subject) int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if n, ok := c.numbers[s]; ok {
		return n
	}
	return unknownSubject
}

// latest returns the version of the latest commit.
func (c *catalog) latest() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}

// size returns the number of subjects. They have the numbers from 1 to size.
func (c *catalog) size() int64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return int64(len(c.numbers))
}

// between returns the known days of a subject from first to last, in order.
func (c *catalog) between(subject, first, last int64) (found []store.Day) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	listed := c.listed[subject]
	begin, _ := slices.BinarySearch(listed, first)
	for _, day := range listed[begin:] {
		if day > last {
			break
		}
		state := c.days[subjectDay{subject, day}]
		if state != (dayState{}) {
			found = append(found, store.Day{Start: time.UnixMilli(day * dayMillis).UTC(), Version: state.version,
				Sealed: state.sealed, Expired: state.expired})
		}
	}
	return found
}

// newest returns the largest version of a subject on the days from first to last.
func (c *catalog) newest(subject, first, last int64) (greatest uint64) {
	for _, day := range c.between(subject, first, last) {
		greatest = max(greatest, day.Version)
	}
	return greatest
}

// subjects lists all subjects that ever had rows.
func (c *catalog) subjects() []store.Subject {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Collect(maps.Keys(c.numbers))
}

// publish adds a commit: its new subjects, and the days that it changed.
func (c *catalog) publish(version uint64, subjects map[store.Subject]int64, touched []subjectDay) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.numbers, subjects)
	for _, t := range touched {
		c.set(t, func(s *dayState) { s.version = version })
	}
	c.version = version
}

// unseal removes all seals of a subject, whose rows are all gone, and forgets which of its days expired.
func (c *catalog) unseal(subject int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, day := range c.listed[subject] {
		c.set(subjectDay{subject, day}, func(s *dayState) { s.sealed, s.expired = 0, 0 })
	}
}

// unsealDays removes the seals of the known days from first to last.
func (c *catalog) unsealDays(subject, first, last int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, day := range c.listed[subject] {
		if first <= day && day <= last {
			c.set(subjectDay{subject, day}, func(s *dayState) { s.sealed = 0 })
		}
	}
}

// expire records that rows of a day expired. If all are gone, so is the seal.
func (c *catalog) expire(t subjectDay, expired uint64, all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(t, func(s *dayState) {
		if s.expired = expired; all {
			s.sealed = 0
		}
	})
}

// state returns the state of a day.
func (c *catalog) state(t subjectDay) dayState {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.days[t]
}

// seal sets the seals of days.
func (c *catalog) seal(subject, first, last int64, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for day := first; day <= last; day++ {
		c.set(subjectDay{subject, day}, func(s *dayState) { s.sealed = version })
	}
}

// set changes the state of a day. The caller holds mu.
func (c *catalog) set(t subjectDay, change func(*dayState)) {
	state, known := c.days[t]
	change(&state)
	c.days[t] = state
	if !known {
		listed := c.listed[t.subject]
		at, _ := slices.BinarySearch(listed, t.day)
		c.listed[t.subject] = slices.Insert(listed, at, t.day)
	}
}

// read reads the catalog from the tables.
func (c *catalog) read(from *conn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers, c.days, c.listed = map[store.Subject]int64{}, map[subjectDay]dayState{}, map[int64][]int64{}
	ctx := context.Background()
	err := from.each(ctx, "SELECT number, kind, id FROM subjects", nil, func(v []sqldriver.Value) error {
		number, err := collect.Int(v[0])
		kind, _ := v[1].(string)
		id, _ := v[2].(string)
		c.numbers[store.Subject{Kind: store.SubjectKind(kind), ID: id}] = number
		return err
	})
	if err != nil {
		return err
	}
	days := func(table string, change func(*dayState, uint64)) error {
		return from.each(ctx, "SELECT subject, day, version FROM "+table, nil, func(v []sqldriver.Value) error {
			var n [3]int64
			for i := range n {
				var err error
				if n[i], err = collect.Int(v[i]); err != nil {
					return err
				}
			}
			c.set(subjectDay{n[0], n[1]}, func(s *dayState) { change(s, uint64(n[2])) }) // versions count from 1
			return nil
		})
	}
	err = days("versions", func(s *dayState, version uint64) {
		s.version, c.version = version, max(c.version, version)
	})
	if err != nil {
		return err
	}
	if err = days("seals", func(s *dayState, version uint64) { s.sealed = version }); err != nil {
		return err
	}
	return days("expired", func(s *dayState, version uint64) { s.expired = max(version, 1) }) // 0: rows may be left
}

const dayMillis = 24 * 60 * 60 * 1000

// utcDay returns the UTC day of an instant in milliseconds.
func utcDay(millis int64) int64 {
	day := millis / dayMillis
	if millis%dayMillis < 0 {
		day--
	}
	return day
}

// lastDay returns the UTC day of the last instant before to.
func lastDay(to time.Time) int64 { return utcDay(to.Add(-1).UnixMilli()) }
