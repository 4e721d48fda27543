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

// SealDays computes and stores the sessions and hits of the UTC days of a website that [from, to) touches. Days whose rows change
// meanwhile may be left unchanged: see [store.Deriver]. It fails if the store is not a Deriver.
func (k *Keeper) SealDays(ctx context.Context, website store.Subject, from, to time.Time) error {
	return k.sealDays(ctx, website, calendar.UTCDays(from, to))
}

func (k *Keeper) sealDays(ctx context.Context, website store.Subject, w calendar.Interval) error {
	if k.deriver == nil {
		return merge.ErrNotDerived
	}
	derivation, _ := compile.Derivation(k.store.Dialect(), website, w, nil)
	return k.trace.Seal(ctx, derivation, func(ctx context.Context) error { return k.deriver.Seal(ctx, derivation) })
}

// ResealDays is SealDays for days that are sealed: it computes only the session ids with rows that are newer than the seals. So its
// cost depends on the new rows, not on all rows of the days. It is SealDays if a day with rows has no seal yet, or the store is not a
// [store.Resealer]. If all seals are valid, it does nothing.
func (k *Keeper) ResealDays(ctx context.Context, website store.Subject, from, to time.Time) error {
	_, err := k.resealDays(ctx, website, calendar.UTCDays(from, to))
	return err
}

// resealDays also reports whether only a part of the days was computed.
func (k *Keeper) resealDays(ctx context.Context, website store.Subject, w calendar.Interval) (partly bool, err error) {
	if k.deriver == nil {
		return false, merge.ErrNotDerived
	}
	changes, ok, err := k.changesOf(ctx, website, w)
	switch {
	case err != nil || ok && changes == nil:
		return false, err
	case !ok:
		return false, k.sealDays(ctx, website, w)
	}
	derivation, changed := compile.Derivation(k.store.Dialect(), website, w, changes)
	return true, k.trace.Seal(ctx, derivation, func(ctx context.Context) error { return k.resealer.Reseal(ctx, derivation, changed) })
}

// changesOf reads which session ids changed since whole days were sealed: see [days.Snapshot.Changes].
func (k *Keeper) changesOf(ctx context.Context, website store.Subject, w calendar.Interval) (changes *days.Changes, ok bool, err error) {
	snapshot, err := days.Read(ctx, k.deriver, website, catalog.ReachOfSessions.Around(w))
	if err != nil {
		return nil, false, err
	}
	changes, ok = snapshot.Changes(w)
	return changes, ok, nil
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
