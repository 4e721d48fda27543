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
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Seal has the store of e compute and keep the sessions and hits of the UTC days of a website that [from, to)
// touches. Days whose rows change meanwhile may be left as they are: see [store.Deriver]. It fails when the
// store is not one.
func (k *Keeper) Seal(ctx context.Context, website store.Subject, from, to time.Time) error {
	return k.sealDays(ctx, website, calendar.UTCDays(from, to))
}

func (k *Keeper) sealDays(ctx context.Context, website store.Subject, w calendar.Interval) error {
	s, ok := k.store.(store.Deriver)
	if !ok {
		return merge.ErrNotDerived
	}
	return k.Trace.Seal(ctx, s, compile.Derivation(k.store.Dialect(), website, w, nil))
}

// Reseal is Seal for days that are sealed: it computes only the session ids with rows that are newer than the seals. So its cost
// depends on the new rows, not on all rows of the days. If a day with rows has no seal yet, it is Seal. If all seals are valid,
// it does nothing.
func (k *Keeper) Reseal(ctx context.Context, website store.Subject, from, to time.Time) error {
	_, err := k.reseal(ctx, website, calendar.UTCDays(from, to))
	return err
}

// reseal tells, too, whether only a part of the days was computed.
func (k *Keeper) reseal(ctx context.Context, website store.Subject, w calendar.Interval) (partly bool, err error) {
	s, ok := k.store.(store.Deriver)
	if !ok {
		return false, merge.ErrNotDerived
	}
	changes, ok, err := changesOf(ctx, s, website, w)
	if err != nil || ok && changes == nil {
		return false, err
	}
	return ok, k.Trace.Seal(ctx, s, compile.Derivation(k.store.Dialect(), website, w, changes))
}

// changesOf reads which session ids changed since whole days were sealed: see [days.Snapshot.Changes].
func changesOf(ctx context.Context, d store.Deriver, website store.Subject, w calendar.Interval) (changes *days.Changes, ok bool, err error) {
	snapshot, err := days.Read(ctx, d, website, catalog.ReachOfSessions.Around(w))
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

// outlast reports whether a seal is of use after later rows. Where a store keeps the rows of replaced seals, it
// is not: see [store.Day].
func (k *Keeper) outlast() bool { return !k.store.Dialect().Has(dialect.InSeals) }

// staleRuns returns the days of a website to seal: see [days.Stale].
func (k *Keeper) staleRuns(of store.Subject, now, before []store.Day) []dayRun {
	return runsOf(of, days.Stale(now, before, k.outlast(), sealAtOnce))
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
