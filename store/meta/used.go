package meta

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	sq "github.com/Masterminds/squirrel"
)

const (
	usedEvery = time.Minute     // minimum time between two stored uses of a key
	usedFlush = 5 * time.Second // time between two checks for uses to store
	usedBatch = 500             // keys in one transaction, so that other updates do not wait long
)

// uses collects the times at which keys were used, so that requests do not wait for the database. Its size is
// bounded by the number of keys that are used within a minute.
type uses struct {
	mu     sync.Mutex
	last   map[string]time.Time // the newest use of each key that is not stored yet
	stored map[string]time.Time // the newest stored use of each key, within the last minute
	stop   context.CancelFunc
	ended  chan struct{}
}

// KeyUsed records that the key with an id was accepted at an instant. The time is stored within seconds, but at
// most once a minute for each key. [Store.Close] stores the rest. A crash loses at most a minute. KeyUsed can be
// used as auth.Config.Used.
func (s *Store) KeyUsed(id string, at time.Time) {
	u := &s.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	if at.After(u.last[id]) {
		u.last[id] = at
	}
}

// due removes and returns the uses to store now: uses at least a minute after the stored use of the key, or all
// uses. If the clock was set back, a use is due as well.
func (u *uses) due(all bool) map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	due := map[string]time.Time{}
	for id, at := range u.last {
		stored, known := u.stored[id]
		if since := at.Sub(stored); all || !known || since >= usedEvery || since < 0 {
			due[id] = at
			delete(u.last, id)
		}
	}
	return due
}

// done records that the uses of ids were stored. If err is not nil, it puts them back.
func (u *uses) done(ids []string, due map[string]time.Time, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		switch {
		case err == nil:
			u.stored[id] = due[id]
		case due[id].After(u.last[id]):
			u.last[id] = due[id]
		}
	}
}

// forget removes stored uses that are more than a minute old, because they no longer delay new uses.
func (u *uses) forget(now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.stored, func(_ string, stored time.Time) bool {
		since := now.Sub(stored)
		return since >= usedEvery || since < 0
	})
}

// startUses starts to store uses in the background, until stopUses.
func (s *Store) startUses() {
	ctx, stop := context.WithCancel(context.Background())
	s.uses = uses{
		last: map[string]time.Time{}, stored: map[string]time.Time{},
		stop: stop, ended: make(chan struct{}),
	}
	//background:stop=stopUses bound=usedFlush fails="could not store uses of keys"
	go func() {
		defer close(s.uses.ended)
		tick := time.NewTicker(usedFlush)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := s.storeUses(ctx, false); err != nil && ctx.Err() == nil {
				s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "could not store uses of keys; trying again later",
					slog.Any("error", err))
			}
		}
	}()
}

// stopUses ends the background work, and stores the remaining uses.
func (s *Store) stopUses() error {
	if s.uses.stop == nil {
		return nil // startUses was not called
	}
	s.uses.stop()
	<-s.uses.ended
	return s.storeUses(context.Background(), true)
}

// storeUses stores the uses that are due. It sorts the ids, so that two processes cannot deadlock on their rows.
func (s *Store) storeUses(ctx context.Context, all bool) error {
	due := s.uses.due(all)
	defer s.uses.forget(s.cfg.Now())
	var failed error
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(due)), usedBatch) {
		err := failed // after a failure the remaining uses are put back
		if err == nil {
			err = s.update(ctx, "store uses of keys", func(ctx context.Context, db querier) error {
				return s.writeUses(ctx, db, ids, due)
			})
		}
		s.uses.done(ids, due, err)
		failed = err
	}
	return failed
}

func (s *Store) writeUses(ctx context.Context, db querier, ids []string, due map[string]time.Time) error {
	for _, id := range ids {
		at := due[id].UnixMilli()
		older := sq.Or{sq.Eq{"last_used_at": nil}, sq.Lt{"last_used_at": at}}
		_, err := change(ctx, db, s.sql.Update("api_keys").Set("last_used_at", at).Where(sq.Eq{"id": id}).Where(older))
		if err != nil {
			return err
		}
	}
	return nil
}
