package query

import (
	"context"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/keep"
	"github.com/sightline-analytics/sightline/store"
)

// Seal computes and stores the sessions and hits of the UTC days of a website that [from, to) touches. Days whose rows
// change meanwhile may be left unchanged: see [store.Deriver]. It fails if the store is not a Deriver.
func (e *Engine) Seal(ctx context.Context, website store.Subject, from, to time.Time) error {
	return e.keeper.Seals.Seal(ctx, website, from, to)
}

// Reseal is Seal for days that are sealed: it computes only the session ids with rows that are newer than the seals. So
// its cost depends on the new rows, not on all rows of the days. It is Seal if a day with rows has no seal yet, or the
// store is not a [store.Resealer]. If all seals are valid, it does nothing.
func (e *Engine) Reseal(ctx context.Context, website store.Subject, from, to time.Time) error {
	return e.keeper.Seals.Reseal(ctx, website, from, to)
}

// VerifySeals computes the sealed rows of the UTC days of a website again that [from, to) touches and whose seals are
// valid, and compares them. It changes nothing, and may run beside queries and writes. A row that is stored too often
// or not often enough is a difference.
func (e *Engine) VerifySeals(ctx context.Context, website store.Subject, from, to time.Time) (SealReport, error) {
	return e.keeper.Seals.Verify(ctx, website, from, to)
}

// RebuildSeals seals the UTC days of a website again that [from, to) touches and that have rows or a seal, and returns
// how many days it sealed. Days whose rows change meanwhile may stay unchanged. It drops the partials of the website,
// in memory and in the store, and all remembered answers: they have the same versions, and may have been computed from
// the old seals. Then it computes and stores the partials that a [Sealer] would. Other processes do not drop their
// partials in memory.
func (e *Engine) RebuildSeals(ctx context.Context, website store.Subject, from, to time.Time) (sealed int, err error) {
	return e.keeper.RebuildSeals(ctx, website, from, to)
}

// StorePartials computes and stores the partials for answers without filters about the UTC days of a website that
// [from, to) touches, unless the store has them. A [Sealer] does so in time, for days that are over and for websites
// with EngineOptions.StoreFrom. It fails if the store is not a [store.StateKeeper], and if the engine has no partials.
func (e *Engine) StorePartials(ctx context.Context, website store.Subject, from, to time.Time) error {
	return e.keeper.States.Store(ctx, website, from, to)
}

// Errors of [Engine.Expire].
var (
	// ErrNotExpirer: the store is not a [store.Expirer].
	ErrNotExpirer = keep.ErrNotExpirer
	// ErrNoTotals: the engine cannot store totals, because the store is not a [store.StateKeeper] or Config turns
	// partials off.
	ErrNoTotals = keep.ErrNoTotals
)

// Expire removes the rows of the UTC days of a website that were over before a time, and for at least a day, the oldest
// day first, and returns the number of days that it changed. It runs in the background: between days it rests while
// somebody asks or writes. It ends when ctx does; another call continues.
//
// With totals it first stores totals of the days. Answers about these days that can be merged from totals stay the
// same. All other answers count only the rows that are left, and a note in [ResultMeta.Notes] says so. Without totals
// it also removes those of an earlier call. In the end it seals the days again whose seals were made with removed rows.
// Rows that are written later for such a day are removed by the next call, and never added to totals.
//
// The error wraps [ErrNotExpirer] or [ErrNoTotals] if the store cannot do it. If rows of the days change at the same
// time, it fails and leaves them; a later call works.
func (e *Engine) Expire(ctx context.Context, website store.Subject, before time.Time, totals bool) (expired int,
	err error) {
	return e.keeper.Expire(ctx, website, before, totals)
}

// ErrNotEraser: the store is not a [store.PersonEraser].
var ErrNotEraser = keep.ErrNotEraser

// ErasePerson implements [store.PersonEraser]: it erases a person from the store, and from the totals of days whose
// rows [Engine.Expire] removed. Totals have a hash of each visitor; a random number takes the place of the person's, so
// counts of these days stay. If there are totals with the person, the result also has their number of days, as
// "totals".
//
// Do not call ErasePerson of the store if its rows expire: then totals keep the hashes, and totals of the days next to
// removed rows are lost. The error wraps [ErrNotEraser] if the store is not a store.PersonEraser. After an error
// another call removes the rest.
func (e *Engine) ErasePerson(ctx context.Context, p store.Person) (map[string]int64, error) {
	return e.keeper.ErasePerson(ctx, p)
}

// ErrNotRemover: the store is not a [store.Remover].
var ErrNotRemover = keep.ErrNotRemover

// RemoveImport takes an import back as [store.Remover] says: answers are as if it had never been. Answers about days
// whose rows [Engine.Expire] removed stay as they are: their totals still count it. In the end it seals the days again
// that were sealed before.
//
// Do not call RemoveImport of the store if its rows expire: then totals of the days next to removed rows are lost. The
// error wraps [ErrNotRemover] if the store is not a store.Remover. After an error another call removes the rest.
func (e *Engine) RemoveImport(ctx context.Context, of store.Subject, id string) (map[string]int64, error) {
	return e.keeper.RemoveImport(ctx, of, id)
}

// A Sealer computes in advance the sessions and hits of days whose rows no longer change, and the partials of these
// days. It makes answers faster and changes none. It is safe for concurrent use. A nil *Sealer has nothing to do.
type Sealer struct {
	// Progress, if not nil, is called with the backlog whenever it has changed. Set it before you call a method.
	Progress func(Backlog)

	keeper *keep.Keeper
}

// NewSealer returns the Sealer of e. It is nil if EngineOptions.NoDerived is set or the store is not a [store.Deriver]:
// [New] logs what the store lacks.
func NewSealer(e *Engine) *Sealer {
	if _, derives := e.store.(store.Deriver); !derives || e.plain {
		return nil
	}
	s := &Sealer{keeper: e.keeper}
	e.keeper.Prepare(func(left Backlog) {
		if s.Progress != nil {
			s.Progress(left)
		}
	})
	return s
}

// Run calls Reseal and, now and then, Seal until ctx ends. A call that fails is tried again. failed is called with each
// error; if it is nil, errors go to Config.Logger. Call Run once, in a separate goroutine.
func (s *Sealer) Run(ctx context.Context, failed func(error)) {
	if s != nil {
		s.keeper.Run(ctx, failed)
	}
}

// Seal runs one round. It seals the days that need it and whose rows did not change since the round before, and returns
// the number of sealed days. From time to time it also seals days whose rows do change. Then it computes partials. The
// websites that were asked about last come first. Between statements it rests as [store.Pace] does. It returns after
// about a minute, and when ctx ends.
func (s *Sealer) Seal(ctx context.Context) (sealedDays int, err error) { return s.keeper.Seal(ctx) }

// Reseal updates the seals of the websites that were asked about since the last call, if rows came after they were
// sealed. After each statement it rests nineteen times as long as the statement took while somebody asks or writes. It
// ends when ctx does.
func (s *Sealer) Reseal(ctx context.Context) error { return s.keeper.Reseal(ctx) }

// Finish seals all days that need it now, whether or not their rows changed a short time ago, and stores partials. It
// is for commands that end when their work is done. Days whose rows change meanwhile may be left; Backlog returns how
// many.
func (s *Sealer) Finish(ctx context.Context) error {
	if s == nil {
		return nil
	}
	return s.keeper.Finish(ctx)
}

// Backlog returns the work that was left when s last looked, at most about a minute ago.
func (s *Sealer) Backlog() Backlog {
	if s == nil {
		return Backlog{}
	}
	return s.keeper.Backlog()
}
