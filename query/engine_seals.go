package query

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/keep"
	"github.com/sightline-analytics/sightline/store"
)

// Seal has the store of e compute and keep the sessions and hits of the UTC days of a website that [from, to)
// touches. Days whose rows change meanwhile may be left as they are: see [store.Deriver]. It fails when the
// store is not one.
func (e *Engine) Seal(ctx context.Context, website store.Subject, from, to time.Time) error {
	return e.keeper.Seal(ctx, website, from, to)
}

// Reseal is Seal for days that are sealed: it computes only the session ids with rows that are newer than the seals. So its cost
// depends on the new rows, not on all rows of the days. If a day with rows has no seal yet, it is Seal. If all seals are valid,
// it does nothing.
func (e *Engine) Reseal(ctx context.Context, website store.Subject, from, to time.Time) error {
	return e.keeper.Reseal(ctx, website, from, to)
}

// VerifySeals computes the sealed rows of the UTC days of a website again that [from, to) touches and whose seals are valid, and
// compares them. It changes nothing, and may run beside queries and writes. A row that is stored too often or not often enough is
// a difference.
func (e *Engine) VerifySeals(ctx context.Context, website store.Subject, from, to time.Time) (keep.SealReport, error) {
	return e.keeper.VerifySeals(ctx, website, from, to)
}

// RebuildSeals seals the UTC days of a website again that [from, to) touches and that have rows or a seal, and returns how many
// days it sealed. Days whose rows change meanwhile may stay unchanged. It drops the partials of the website, in memory and in the
// store, and all remembered answers: they have the same versions, and may have been computed from the old seals. Then it computes
// and stores the partials that a [Sealer] would. Other processes do not drop their partials in memory.
func (e *Engine) RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (sealed int, err error) {
	return e.keeper.RebuildSeals(ctx, website, from, to)
}

// StorePartials computes and stores the partials for answers without filters about the UTC days of a website that [from, to)
// touches, unless the store has them. A [Sealer] does so in time, for days that are over and for websites with Config.StoreFrom.
// It fails if the store is not a [store.StateKeeper], and if the engine has no partials.
func (e *Engine) StorePartials(ctx context.Context, website store.Subject, from, to time.Time) error {
	return e.keeper.StorePartials(ctx, website, from, to)
}

// NewSealer makes a Sealer for the store of e. It is nil when that is not a [store.Deriver], and with
// Config.NoDerived.
func NewSealer(e *Engine) *keep.Sealer { return keep.NewSealer(e.keeper) }
