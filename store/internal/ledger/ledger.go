// Package ledger holds the subjects of an embedded store and the versions of their days in memory:
//
//	l, _, err := ledger.Read(each) // when the store is opened
//	number := l.Number(subject)
//	days := l.Days(number, first, last)
//	l.Publish(version, newcomers, touched) // after a commit, never before
//
// The store has four tables of the same content: subject_numbers, versions, and the tables seals and expired of
// [schema.DayTables].
package ledger

import (
	"cmp"
	"database/sql/driver"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/internal/collect"
	"github.com/sightline-analytics/sightline/store/schema"
)

// Unknown is the number of a subject without rows. Others are numbered from 1.
const Unknown int64 = -1

// The days before and after all days with rows.
const (
	FirstDay int64 = math.MinInt32
	FinalDay int64 = math.MaxInt32
)

// RememberDays is the number of UTC days after the day of its receipt during which an event id is remembered. This is
// at least eight times 24 hours; package store promises seven.
const RememberDays = 8

// A SubjectDay is one UTC day of a subject. See [schema.DayOf].
type SubjectDay struct{ Subject, Day int64 }

// A Ledger is safe for concurrent use. Make one with [New] or [Read].
type Ledger struct {
	mu      sync.RWMutex
	numbers map[store.Subject]int64
	days    map[int64][]store.Day // of each subject number, ordered by time: those with a version, a seal or both
	version uint64                // of the latest commit
}

// New returns the ledger of a store without rows.
func New() *Ledger {
	return &Ledger{numbers: map[store.Subject]int64{}, days: map[int64][]store.Day{}}
}

// Read reads the tables. each runs a query and calls row with each of its rows. versions is the number of rows of the
// table versions, of which only the largest version of a day counts.
func Read(each func(query string, row func([]driver.Value) error) error) (l *Ledger, versions int64, err error) {
	l = New()
	err = each("SELECT kind, id, number FROM subject_numbers", func(v []driver.Value) error {
		kind, _ := v[0].(string)
		id, _ := v[1].(string)
		number, err := collect.Int(v[2])
		l.numbers[store.Subject{Kind: store.SubjectKind(kind), ID: id}] = number
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	// In the order of days, so that each is appended.
	err = each("SELECT subject, day, max(version), count(*) FROM versions GROUP BY subject, day ORDER BY subject, day",
		func(v []driver.Value) error {
			n, err := numbers(v)
			if err != nil {
				return err
			}
			version := uint64(n[2]) // versions count from 1
			l.change(SubjectDay{n[0], n[1]}, func(d *store.Day) { d.Version = version })
			l.version = max(l.version, version)
			versions += n[3]
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
		err = each("SELECT subject, day, version FROM "+of.table, func(v []driver.Value) error {
			n, err := numbers(v)
			if err == nil {
				l.change(SubjectDay{n[0], n[1]}, func(d *store.Day) { of.set(d, uint64(n[2])) })
			}
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return l, versions, nil
}

func numbers(values []driver.Value) (n [4]int64, err error) {
	for i, v := range values {
		if n[i], err = collect.Int(v); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Replace moves the content of from to l. The caller must not use from again.
func (l *Ledger) Replace(from *Ledger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.numbers, l.days, l.version = from.numbers, from.days, from.version
}

// Number returns the number of s, or Unknown.
func (l *Ledger) Number(s store.Subject) int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if n, ok := l.numbers[s]; ok {
		return n
	}
	return Unknown
}

// Size returns the number of subjects. They have the numbers from 1 to Size.
func (l *Ledger) Size() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return int64(len(l.numbers))
}

// Subjects lists all subjects that ever had rows.
func (l *Ledger) Subjects() []store.Subject {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Collect(maps.Keys(l.numbers))
}

// Websites returns the websites that ever had rows, each with the version of the latest commit that changed it.
func (l *Ledger) Websites() map[store.Subject]uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	found := map[store.Subject]uint64{}
	for of, number := range l.numbers {
		if of.Kind != store.KindWebsite {
			continue
		}
		for _, day := range l.days[number] {
			if day.Version > 0 {
				found[of] = max(found[of], day.Version)
			}
		}
	}
	return found
}

// Latest returns the version of the latest commit.
func (l *Ledger) Latest() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.version
}

// CountDays returns the number of days with a version, of all subjects.
func (l *Ledger) CountDays() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var n int64
	for _, days := range l.days {
		for _, day := range days {
			n += int64(min(day.Version, 1))
		}
	}
	return n
}

// Days returns the days of a subject from first to last that have a version or a seal, ordered by time.
func (l *Ledger) Days(number, first, last int64) []store.Day {
	l.mu.RLock()
	defer l.mu.RUnlock()
	days := l.days[number]
	from, _ := place(days, first)
	to, found := place(days, last)
	if found {
		to++
	}
	return slices.Clone(days[from:max(from, to)])
}

// WithVersion lists the days of a subject from first to last that ever had rows.
func (l *Ledger) WithVersion(number, first, last int64) (found []SubjectDay) {
	for _, day := range l.Days(number, first, last) {
		if day.Version > 0 {
			found = append(found, SubjectDay{number, schema.DayOf(day.Start.UnixMilli())})
		}
	}
	return found
}

// Unsealed reports whether a day of a subject from first to last has rows but no seal.
func (l *Ledger) Unsealed(number, first, last int64) bool {
	return slices.ContainsFunc(l.Days(number, first, last), func(d store.Day) bool { return d.Sealed == 0 })
}

// Day returns what is known of a day: its version, its seal, and the version after its rows expired.
func (l *Ledger) Day(of SubjectDay) store.Day {
	l.mu.RLock()
	defer l.mu.RUnlock()
	days := l.days[of.Subject]
	if i, found := place(days, of.Day); found {
		return days[i]
	}
	return store.Day{}
}

// place returns the index of a day in ordered days, or the index where it belongs.
func place(days []store.Day, day int64) (i int, found bool) {
	return slices.BinarySearchFunc(days, day*schema.DayMillis,
		func(d store.Day, start int64) int { return cmp.Compare(d.Start.UnixMilli(), start) })
}

// change changes what is known of a day. The caller holds mu.
func (l *Ledger) change(of SubjectDay, change func(*store.Day)) {
	days := l.days[of.Subject]
	i, found := place(days, of.Day)
	if !found {
		days = slices.Insert(days, i, store.Day{Start: time.UnixMilli(of.Day * schema.DayMillis).UTC()})
	}
	change(&days[i])
	l.days[of.Subject] = days
}

// dropUnknown drops the days of a subject that have neither a version nor a seal any more. The caller holds mu.
func (l *Ledger) dropUnknown(number int64) {
	l.days[number] = slices.DeleteFunc(l.days[number],
		func(d store.Day) bool { return d.Version == 0 && d.Sealed == 0 })
}

// Publish adds a commit: its new subjects, and the days that it changed.
func (l *Ledger) Publish(version uint64, subjects map[store.Subject]int64, touched []SubjectDay) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.Copy(l.numbers, subjects)
	for _, t := range touched {
		l.change(t, func(d *store.Day) { d.Version = version })
	}
	l.version = version
}

// Seal records that the days from first to last are sealed.
func (l *Ledger) Seal(number, first, last int64, version uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for day := first; day <= last; day++ {
		l.change(SubjectDay{number, day}, func(d *store.Day) { d.Sealed = version })
	}
}

// Unseal removes the seals of the days from first to last.
func (l *Ledger) Unseal(number, first, last int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	days := l.days[number]
	for i, _ := place(days, first); i < len(days) && days[i].Start.UnixMilli() <= last*schema.DayMillis; i++ {
		days[i].Sealed = 0
	}
	l.dropUnknown(number)
}

// Expire records that rows of a day expired. If all are gone, so is the seal.
func (l *Ledger) Expire(of SubjectDay, expired uint64, all bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change(of, func(d *store.Day) {
		d.Expired = expired
		if all {
			d.Sealed = 0
		}
	})
	l.dropUnknown(of.Subject)
}

// Erase removes all seals of a subject, whose rows are all gone, and forgets which of its days expired.
func (l *Ledger) Erase(number int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.days[number] {
		l.days[number][i].Sealed, l.days[number][i].Expired = 0, 0
	}
	l.dropUnknown(number)
}
