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
	usedEvery = time.Minute     // how often the use of one key is kept
	usedFlush = 5 * time.Second // how often what was noted is looked through
	usedBatch = 500             // keys in a transaction, so that others get their turn
)

// uses notes when keys were used, beside the requests that use them. What it holds is
// bounded by the keys that are used within a minute.
type uses struct {
	mu    sync.Mutex
	last  map[string]time.Time // newest use that is not kept yet
	kept  map[string]time.Time // newest use that is kept, of the last minute
	stop  context.CancelFunc
	ended chan struct{}
}

// KeyUsed records in memory that the key of id was accepted at an instant. It is stored within seconds,
// at most once a minute per key, and the rest by [Store.Close]: a crash loses a minute at most. It fits
// auth.Config.Used.
func (s *Store) KeyUsed(id string, at time.Time) {
	u := &s.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	if at.After(u.last[id]) {
		u.last[id] = at
	}
}

// due takes out what is to be kept now: uses a minute after those that are kept, or all.
// A clock that was set back counts as a minute.
func (u *uses) due(all bool) map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	due := map[string]time.Time{}
	for id, at := range u.last {
		kept, known := u.kept[id]
		if since := at.Sub(kept); all || !known || since >= usedEvery || since < 0 {
			due[id] = at
			delete(u.last, id)
		}
	}
	return due
}

// done says that the uses of ids were kept, or puts them back.
func (u *uses) done(ids []string, due map[string]time.Time, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range ids {
		switch {
		case err == nil:
			u.kept[id] = due[id]
		case due[id].After(u.last[id]):
			u.last[id] = due[id]
		}
	}
}

// forget drops what cannot hold anything back any more.
func (u *uses) forget(now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.kept, func(_ string, kept time.Time) bool {
		since := now.Sub(kept)
		return since >= usedEvery || since < 0
	})
}

// startUses begins to keep uses now and then, until stopUses.
func (s *Store) startUses() {
	ctx, stop := context.WithCancel(context.Background())
	s.uses = uses{
		last: map[string]time.Time{}, kept: map[string]time.Time{},
		stop: stop, ended: make(chan struct{}),
	}
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
			if err := s.keepUses(ctx, false); err != nil && ctx.Err() == nil {
				s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "uses of keys not kept yet", slog.Any("error", err))
			}
		}
	}()
}

// stopUses keeps what is left.
func (s *Store) stopUses() error {
	if s.uses.stop == nil {
		return nil // it never began
	}
	s.uses.stop()
	<-s.uses.ended
	return s.keepUses(context.Background(), true)
}

// keepUses writes what is due. Ids go in order, so that two processes do not wait for
// each other's rows crosswise.
func (s *Store) keepUses(ctx context.Context, all bool) error {
	due := s.uses.due(all)
	defer s.uses.forget(s.cfg.Now())
	var failed error
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(due)), usedBatch) {
		err := failed // after a failure the rest is put back
		if err == nil {
			err = s.update(ctx, "keep uses", func(ctx context.Context, db querier) error {
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
