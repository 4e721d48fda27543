package keep

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

const (
	aheadDays  = 90 // of which partials are computed ahead
	aheadShare = 4  // none are begun when this part of the memory for partials is taken
)

// ahead has the partials stored that questions about a website without filters are merged from, of the latest of days,
// which are quiet, and loads or computes them as far as there is memory. It reports whether it has come to the end, and
// looks after every state set whether it is time to stop. What fails is computed when it is asked for.
func (k *Keeper) ahead(ctx context.Context, website store.Subject, days []store.Day, stop func() bool) (done bool, err error) {
	for len(days) > 0 && days[len(days)-1].Version == 0 { // it has a seal, and never had rows
		days = days[:len(days)-1]
	}
	if k.merger.Partials == nil || len(days) == 0 {
		return true, nil
	}
	var latest []calendar.Interval
	last := days[len(days)-1].Start
	for n := aheadDays - 1; n >= 0; n-- {
		latest = append(latest, merge.DayOf(last.AddDate(0, 0, -n)))
	}
	if k.merger.Keeper != nil {
		settled := k.settledBefore().UnixMilli()
		over := slices.DeleteFunc(slices.Clone(latest), func(s calendar.Interval) bool { return s.From >= settled })
		if done, err = k.keep(ctx, website, over, k.storeFrom, stop); !done {
			return false, err
		}
	}
	for _, bu := range k.merger.StateSets().All {
		if k.merger.Partials.Size() > k.merger.Partials.MaxBytes()/aheadShare {
			break
		}
		g := bu.Lookup(k.merger, k.merger.Partials.Shelf(website), website, latest)
		if !g.Site.Fit(bu.Aggregates) {
			continue
		}
		failed := g.Load(ctx)
		if failed == nil {
			failed = g.GatherPart(ctx, bu.Part)
		}
		if !merge.TooLarge(failed) && !errors.Is(failed, merge.ErrNoRoom) { // else a type that needs less of it may yet be merged
			err = errors.Join(err, failed)
		}
		if stop() {
			return false, err
		}
	}
	return true, err
}

// settledBefore returns the time before which days started whose rows are assumed to be complete: they were over one day ago.
func (k *Keeper) settledBefore() time.Time { return k.now().Add(-48 * time.Hour) }
