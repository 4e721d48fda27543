package keep

import (
	"context"
	"errors"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

// RebuildSeals seals the UTC days of a website again that [from, to) touches and that have rows or a seal, and returns
// how many days it sealed. Days whose rows change meanwhile may stay unchanged. It drops the partials of the website,
// in memory and in the store but for totals of expired days, and all remembered answers: they have the same versions,
// and may have been computed from the old seals. Then it computes and stores the partials that Run would. Other
// processes do not drop their partials in memory.
func (k *Keeper) RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (sealed int, err error) {
	if k.Seals.deriver == nil {
		return 0, merge.ErrNotDerived
	}
	known, err := k.Seals.deriver.Days(ctx, website, from, to)
	if err != nil || len(known) == 0 {
		return 0, err
	}
	all := spanned(website, known)
	wanted := make([]bool, all.Days())
	for _, one := range known {
		wanted[all.index(one.Start)] = true
	}
	err = inHalves(ctx, all.runs(wanted), func(run dayRun) error {
		err := k.Seals.seal(ctx, website, run.Interval)
		if err == nil {
			sealed += run.Days()
		}
		return err
	})
	if k.merger.Partials != nil {
		k.merger.Partials.Forget(website)
	}
	if keeper, ok := k.Seals.store.(store.StateKeeper); ok {
		err = errors.Join(err, keeper.DropStates(ctx, website, merge.PartialKinds(), nil))
	}
	k.forget()
	if err != nil {
		return sealed, err
	}
	if known, err = k.Seals.daysOf(ctx, website); err != nil {
		return sealed, err
	}
	_, err = k.States.ahead(ctx, website, days.Quiet(known), func() bool { return ctx.Err() != nil })
	return sealed, errors.Join(err, ctx.Err())
}
