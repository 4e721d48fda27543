package keep

import (
	"context"
	"fmt"
	"slices"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/store"
)

// ErrNotRemover: the store is not a [store.Remover].
var ErrNotRemover = failure.New(failure.Internal, "query: the store cannot take back an import")

// RemoveImport takes an import back as [store.Remover] says. The totals of days whose rows expired stay, with what they
// count of the import: nothing is left to compute them again. In the end it seals the days again that were sealed.
func (k *Keeper) RemoveImport(ctx context.Context, of store.Subject, id string) (map[string]int64, error) {
	remover, ok := k.Seals.store.(store.Remover)
	if !ok {
		return nil, ErrNotRemover
	}
	e, has := k.totalsIn(of.ID)
	if !has || of.Kind != store.KindWebsite {
		return remover.RemoveImport(ctx, of, id)
	}
	var before []store.Day
	var err error
	if k.Seals.deriver != nil {
		if before, err = k.Seals.daysOf(ctx, of); err != nil {
			return nil, err
		}
	}
	k.States.storing.Lock() // no totals are made meanwhile
	removed, err := e.around(ctx, func() (map[string]int64, error) { return remover.RemoveImport(ctx, of, id) })
	k.States.storing.Unlock()
	if err != nil {
		return nil, err
	}
	if err := k.sealAgain(ctx, of, before); err != nil {
		return nil, fmt.Errorf("query: the import is taken back, but not all days are sealed again, which happens later: %w",
			err)
	}
	return removed, nil
}

// sealAgain seals the days of a website that were sealed before and are no more.
func (k *Keeper) sealAgain(ctx context.Context, of store.Subject, before []store.Day) error {
	before = slices.DeleteFunc(before, func(d store.Day) bool { return d.Sealed == 0 })
	if len(before) == 0 {
		return nil
	}
	now, err := k.Seals.daysOf(ctx, of)
	if err != nil {
		return err
	}
	span := spanned(of, before)
	wanted := make([]bool, span.Days())
	for _, d := range before {
		wanted[span.index(d.Start)] = !slices.ContainsFunc(now, func(at store.Day) bool {
			return at.Start.Equal(d.Start) && (at.Sealed > 0 || at.Expired > 0)
		})
	}
	return k.renew(ctx, span.runs(wanted))
}
