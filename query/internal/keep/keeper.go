// Package keep computes the stored results of quiet days, and compares them with the rows.
//
//	keeper := keep.New(store, merger, batch, now, storeFrom, false, forget)
//	go keep.NewSealer(keeper).Run(ctx, nil)           // seals and states, as days become quiet
//	report, err := keeper.VerifySeals(ctx, website, from, to)
//	days, err := keeper.RebuildSeals(ctx, website, from, to)
//
// A seal has the sessions and hits of a day: see package days. A state has partials of a day: see package state. Both are computed in
// advance and make answers faster. They change none.
package keep

import (
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// A Keeper computes and stores seals and states of quiet days. It is safe for concurrent use.
type Keeper struct {
	store     store.Store
	merger    *merge.Merger
	now       func() time.Time
	storeFrom int64  // pageviews a day of websites whose states are stored
	plain     bool   // nothing is computed in advance
	forget    func() // drops remembered answers
	Asked     lastAsked
	batch     *memory.Cache // of states that are to be stored
	keeping   sync.Mutex    // held while states are in the batch
}

// BatchSize returns about how many bytes of memory the states take that are to be stored.
func (k *Keeper) BatchSize() int64 {
	if k.batch == nil {
		return 0
	}
	return k.batch.Size()
}

// New returns a keeper of the states that mr merges. batch is the memory for states that are to be stored.
func New(s store.Store, mr *merge.Merger, batch *memory.Cache, now func() time.Time, storeFrom int64, plain bool, forget func()) *Keeper {
	return &Keeper{store: s, merger: mr, batch: batch, now: now, storeFrom: storeFrom, plain: plain, forget: forget}
}
