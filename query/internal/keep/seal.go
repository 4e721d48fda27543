package keep

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

// Seals computes, updates and compares the seals of a store. It is safe for concurrent use. Its methods fail with
// [merge.ErrNotDerived] if the store is not a [store.Deriver].
type Seals struct {
	store    store.Store
	deriver  store.Deriver  // nil: nothing is sealed
	resealer store.Resealer // nil: a late row makes a seal invalid for all session ids
	trace    store.Tracer
}

func newSeals(s store.Store, trace store.Tracer) *Seals {
	seals := &Seals{store: s, trace: trace}
	seals.deriver, _ = s.(store.Deriver)
	seals.resealer, _ = s.(store.Resealer)
	return seals
}

// Seal computes and stores the sessions and hits of the UTC days of a website that [from, to) touches. Days whose rows
// change meanwhile may be left unchanged: see [store.Deriver].
func (s *Seals) Seal(ctx context.Context, website store.Subject, from, to time.Time) error {
	return s.seal(ctx, website, calendar.UTCDays(from, to))
}

func (s *Seals) seal(ctx context.Context, website store.Subject, w calendar.Interval) error {
	if s.deriver == nil {
		return merge.ErrNotDerived
	}
	derivation, _ := compile.Derivation(s.store.Dialect(), website, w, nil)
	return s.trace.Seal(ctx, derivation, func(ctx context.Context) error { return s.deriver.Seal(ctx, derivation) })
}

// Reseal is Seal for days that are sealed: it computes only the session ids with rows that are newer than the seals. So
// its cost depends on the new rows, not on all rows of the days. It is Seal if a day with rows has no seal yet, or the
// store is not a [store.Resealer]. If all seals are valid, it does nothing.
func (s *Seals) Reseal(ctx context.Context, website store.Subject, from, to time.Time) error {
	_, err := s.reseal(ctx, website, calendar.UTCDays(from, to))
	return err
}

// reseal also reports whether only a part of the days was computed.
func (s *Seals) reseal(ctx context.Context, website store.Subject, w calendar.Interval) (partly bool, err error) {
	if s.deriver == nil {
		return false, merge.ErrNotDerived
	}
	changes, ok, err := s.changesOf(ctx, website, w)
	switch {
	case err != nil || ok && changes == nil:
		return false, err
	case !ok:
		return false, s.seal(ctx, website, w)
	}
	derivation, changed := compile.Derivation(s.store.Dialect(), website, w, changes)
	return true, s.trace.Seal(ctx, derivation,
		func(ctx context.Context) error { return s.resealer.Reseal(ctx, derivation, changed) })
}

// changesOf reads which session ids changed since whole days were sealed: see [days.Snapshot.Changes].
func (s *Seals) changesOf(ctx context.Context, website store.Subject, w calendar.Interval) (changes *days.Changes,
	ok bool, err error) {
	snapshot, err := days.Read(ctx, s.deriver, website, catalog.ReachOfSessions.Around(w))
	if err != nil {
		return nil, false, err
	}
	changes, ok = snapshot.Changes(w)
	return changes, ok, nil
}

// daysOf lists all days of a website.
func (s *Seals) daysOf(ctx context.Context, website store.Subject) ([]store.Day, error) {
	return s.deriver.Days(ctx, website, time.UnixMilli(-1<<53), time.UnixMilli(1<<53))
}

// A dayRun is a run of whole UTC days of a website.
type dayRun struct {
	of store.Subject
	calendar.Interval
	whole bool // all session ids are computed, not only those that changed
}

func runsOf(of store.Subject, all []calendar.Interval) []dayRun {
	found := make([]dayRun, len(all))
	for i, w := range all {
		found[i] = dayRun{of: of, Interval: w}
	}
	return found
}

// index returns the place of a day in r.
func (r dayRun) index(day time.Time) int { return int((day.UnixMilli() - r.From) / calendar.Day) }

// spanned returns the run from the first to the last of all, which must not be empty.
func spanned(website store.Subject, all []store.Day) dayRun {
	return dayRun{of: website, Interval: days.Span(all)}
}

// runs joins the wanted days of r that follow one another.
func (r dayRun) runs(wanted []bool) []dayRun {
	return runsOf(r.of, days.Runs(r.From, wanted, sealAtOnce))
}

// halves splits r, which has more than one day, into two runs.
func (r dayRun) halves() []dayRun {
	first, second := r, r
	first.To = r.From + int64(r.Days()/2)*calendar.Day
	second.From = first.To
	return []dayRun{first, second}
}
