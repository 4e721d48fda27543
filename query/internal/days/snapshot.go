// Package days knows the UTC days of a website: the versions of their rows, and their seals.
//
//	snapshot, err := days.Read(ctx, deriver, website, around)
//	sealed := snapshot.Sealed(counted)               // which seals a statement may read
//	gap, partly := sealed.Sessions.Gap(counted)      // the time that it computes from rows
//	version := snapshot.Version(day)                 // a state computed from older rows is out of date
//
// A seal is the stored sessions and hits of a day. It was computed from the rows of the days around it as well. It is
// valid while the rows of none of them change. After that it is still valid for the session ids without newer rows,
// unless rows of one of these days were removed because of their age.
//
// A request reads one [Snapshot], so that all its statements and states agree about the days. Whether a stored number
// is up to date is decided in this package alone.
package days

import (
	"context"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// A Snapshot has the UTC days of a website as the store reported them at one time. It is immutable and safe for
// concurrent use. A nil *Snapshot covers no time.
type Snapshot struct {
	span calendar.Interval
	days []store.Day // one for each day of span; Version is 0 for days that never had rows
	// outlast says that seals are of use after later rows: the store is a [store.Resealer].
	outlast bool
}

// Read asks d for the days of website that w touches.
func Read(ctx context.Context, d store.DayLister, website store.Subject, w calendar.Interval) (*Snapshot, error) {
	w = w.WholeDays()
	from, to := w.Times()
	found, err := d.Days(ctx, website, from, to)
	if err != nil {
		return nil, err
	}
	return New(d, found, w), nil
}

// New returns the days of w, whose ends are starts of days, as d listed them. Days that never had rows may be missing.
func New(d store.DayLister, found []store.Day, w calendar.Interval) *Snapshot {
	s := &Snapshot{span: w, days: make([]store.Day, w.Days())}
	_, s.outlast = d.(store.Resealer)
	for _, known := range found {
		if at := known.Start.UnixMilli(); s.span.Has(at) {
			s.days[(at-s.span.From)/calendar.Day] = known
		}
	}
	return s
}

// Covers reports whether s has all days of w.
func (s *Snapshot) Covers(w calendar.Interval) bool {
	return s != nil && s.span.Contains(w)
}

// Of returns the days of w, whose ends are starts of days and which s covers. The slice must not be changed.
func (s *Snapshot) Of(w calendar.Interval) []store.Day {
	return s.days[(w.From-s.span.From)/calendar.Day : (w.To-s.span.From)/calendar.Day]
}

// Version returns the version of the rows of all days of w together, or 0 if they have no rows. s covers w.
func (s *Snapshot) Version(w calendar.Interval) uint64 { return store.VersionOf(s.Of(w)) }

// Expired reports whether rows of one of the days of w, whose ends are starts of days, were removed because of their
// age. s covers w.
func (s *Snapshot) Expired(w calendar.Interval) bool {
	return slices.ContainsFunc(s.Of(w), func(d store.Day) bool { return d.Expired > 0 })
}

// LastExpired returns the end of the last day that w touches and whose rows were removed because of their age, or zero
// if there is none. s covers w.
func (s *Snapshot) LastExpired(w calendar.Interval) time.Time {
	if w.Empty() {
		return time.Time{}
	}
	w = w.WholeDays()
	for _, d := range slices.Backward(s.Of(w)) {
		if d.Expired > 0 {
			return d.Start.AddDate(0, 0, 1)
		}
	}
	return time.Time{}
}

// SameExpired reports whether the rows of the same days that w touches were removed in s and in another snapshot. Both
// cover w.
func (s *Snapshot) SameExpired(other *Snapshot, w calendar.Interval) bool {
	w = w.WholeDays()
	return slices.EqualFunc(s.Of(w), other.Of(w),
		func(a, b store.Day) bool { return (a.Expired > 0) == (b.Expired > 0) })
}
