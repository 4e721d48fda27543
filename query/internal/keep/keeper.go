// Package keep computes the stored results of quiet days in advance: seals and states. They make answers faster and
// change none.
//
//	keeper := keep.New(keep.Config{Store: s, Merger: merger, Batch: batch, Now: now, StoreFrom: 10_000, Log: log})
//	go keeper.Run(ctx, nil)                           // seals and states, as days become quiet
//	keeper.NoteAsked(website)                         // it comes first in the next round
//	report, err := keeper.Seals.Verify(ctx, website, from, to)
//	days, err := keeper.RebuildSeals(ctx, website, from, to)
//
// A seal has the sessions and hits of a day: see package days. A state has partials of a day: see package state.
//
// # The life of a day
//
// In each round a [Keeper] reads the days from the store, and compares them with the days of the round before. The
// table upkeep says how it recognises the state of a day, and its next step:
//
//	changing    its rows are not the same in two rounds → due. With a [store.Resealer], it is sealed now and then.
//	due         it has no valid seal → sealed. If only changed ids are computed → fragmented.
//	asked       as due, and a statement read its seal: it is sealed within about a second, not half a minute.
//	fragmented  its sealed rows are stored in several places. Once it has been over for a day → sealed.
//	sealed      until no earlier day is due → quiet.
//	quiet       its states are loaded or computed. Once it has been over for a day → settled.
//	settled     its states are stored, too.
//
// A late row takes a day back to changing. States of older rows are replaced.
//
// [Keeper.Expire] removes the rows of old days. Their seals are computed again without rows. It may store totals of
// them before: see package merge. No step of the table removes or changes totals.
//
// [Seals.Verify] compares sealed days with their rows and changes nothing. [Keeper.RebuildSeals] makes days due again,
// whatever their state, seals them, drops their states and computes states again.
package keep

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// A Config has what a Keeper works with.
type Config struct {
	Store     store.Store
	Merger    *merge.Merger // merges the states
	Batch     *memory.Cache // memory for states that are to be stored; nil: there are none
	Now       func() time.Time
	StoreFrom int64        // pageviews a day of websites whose states are stored
	Forget    func()       // drops remembered answers
	Log       *slog.Logger // gets errors of Run that nobody else gets
	Trace     store.Tracer // of seals, and of statements that compare them; may be nil
}

// A Keeper decides when seals and states are computed: in rounds, for quiet days. It is safe for concurrent use. Of
// Seal, Reseal and Finish, one runs at a time.
type Keeper struct {
	Seals  *Seals
	States *States

	merger  *merge.Merger
	now     func() time.Time
	forget  func()
	log     *slog.Logger
	asked   lastAsked
	backlog atomic.Pointer[Backlog]

	round    sync.Mutex // held during Seal, Reseal and Finish
	progress func(Backlog)
	sites    sites
}

// sites has the knowledge of a Keeper about websites between rounds. The caller of its methods holds Keeper.round.
type sites map[store.Subject]*site

// of returns the knowledge about a website.
func (s sites) of(website store.Subject) *site {
	known := s[website]
	if known == nil {
		known = &site{}
		s[website] = known
	}
	return known
}

// A site is a website between two rounds.
type site struct {
	days   []store.Day // as the round before found them
	done   uint64      // the number of Deriver.Websites when no day was due
	sealed time.Time   // when the days that change were sealed, or when none was due; zero: never
	ahead  []store.Day // the quiet days whose states were computed
	// fragmented has the days that were resealed: their sealed rows are stored in several places, between rows of other
	// websites.
	fragmented map[int64]bool
}

// New returns a keeper.
func New(cfg Config) *Keeper {
	seals := newSeals(cfg.Store, cfg.Trace)
	return &Keeper{
		Seals: seals,
		States: &States{merger: cfg.Merger, deriver: seals.deriver, now: cfg.Now, storeFrom: cfg.StoreFrom,
			batch: cfg.Batch},
		merger: cfg.Merger, now: cfg.Now, forget: cfg.Forget, log: cfg.Log, sites: sites{},
	}
}

// Prepare is called before Run. Then progress is called with the backlog whenever it has changed. Prepare also finds
// out which states there are, so that no question waits for that.
func (k *Keeper) Prepare(progress func(Backlog)) {
	k.round.Lock()
	k.progress = progress
	k.round.Unlock()
	if k.merger.Keeper != nil {
		k.merger.StateSets()
	}
}

// NoteAsked records that somebody asks about a website now. Other subjects are ignored.
func (k *Keeper) NoteAsked(of store.Subject) {
	if of.Kind == store.KindWebsite {
		k.asked.note(of, k.now())
	}
}

// A Backlog is the remaining work. Days of websites that receive events are due time and again.
type Backlog struct {
	Days   int       // UTC days to seal, added up over all websites
	Oldest time.Time // the first of them; zero: there are none
	States int       // UTC days whose stored states and partials have to be looked at, added up over all websites
}

// Backlog returns the work that k had when it last looked, at most about a minute ago.
func (k *Keeper) Backlog() Backlog {
	if known := k.backlog.Load(); known != nil {
		return *known
	}
	return Backlog{}
}

// setBacklog is called by the holder of k.round.
func (k *Keeper) setBacklog(b Backlog) {
	before := k.Backlog()
	k.backlog.Store(&b)
	if b != before && k.progress != nil {
		k.progress(b)
	}
}

const (
	// resealEvery is the interval of resealing days that questions found out of date.
	resealEvery = time.Second
	// sealEvery is the time for which the rows of a day have to stay the same before it is sealed. It is longer than a
	// busy store needs to be ready for the next row: DuckDB stores none during a checkpoint.
	sealEvery = 30 * time.Second
)

// Run calls Reseal and, now and then, Seal until ctx ends. A call that fails is tried again. failed is called with each
// error; if it is nil, errors are logged. A panic is an error, too.
func (k *Keeper) Run(ctx context.Context, failed func(error)) {
	if failed == nil {
		failed = func(err error) { k.log.ErrorContext(ctx, "query: sealing days", "error", err) }
	}
	sealed, began := k.now(), k.now()
	for {
		rest(ctx, resealEvery-k.now().Sub(began))
		if ctx.Err() != nil {
			return
		}
		began = k.now()
		err := failure.Try(func() error { return k.Reseal(ctx) }) // a host's store may panic
		if now := k.now(); now.Sub(sealed) >= sealEvery {
			sealed = now
			err = errors.Join(err, failure.Try(func() error {
				_, err := k.Seal(ctx)
				return err
			}))
		}
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
