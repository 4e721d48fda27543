package clickhouse

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// parallelGroups is the number of groups that are stored at a time: one waits for the server's disk while the
// other works. More parallel groups would be smaller, and each costs the same number of inserts.
const parallelGroups = 2

// run is the writer's loop. It stores groups until the store is closed and no writes wait, and checks pending
// conflicts again.
func (s *Store) run() {
	defer close(s.ended)
	tick := time.NewTicker(s.conflicts.every)
	defer tick.Stop()
	rest := time.NewTimer(0) // fires when the next group may be stored
	defer rest.Stop()
	groups := &groups{free: make(chan struct{}, parallelGroups)}
	for {
		select {
		case <-s.queue.wake:
			s.gather(rest)
			rest.Reset(s.cfg.BatchDelay)
			s.storeNext(context.Background(), groups)
		case <-tick.C:
			s.recheckConflicts(context.Background(), false)
		case <-s.closing.Done():
			s.finish(groups)
			return
		}
	}
}

// groups counts the groups in progress.
type groups struct {
	sync.WaitGroup
	free chan struct{} // one token per group in progress
}

// gather waits, so that writes that arrive shortly after the last group can be joined by more.
func (s *Store) gather(rest *time.Timer) {
	select {
	case <-rest.C:
	case <-s.queue.filled:
	case <-s.closing.Done():
	}
}

// finish stores the waiting writes within Config.WriteTimeout.
func (s *Store) finish(groups *groups) {
	s.queue.end()
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.WriteTimeout)
	defer cancel()
	for s.storeNext(ctx, groups) {
	}
	groups.Wait()
	for s.storeNext(ctx, groups) { // writes that shared an event id with one of them
		groups.Wait()
	}
	s.recheckConflicts(ctx, true)
}

// storeNext starts to store the next group when fewer than parallelGroups are in progress. It returns false if
// no writes wait.
func (s *Store) storeNext(ctx context.Context, groups *groups) bool {
	groups.free <- struct{}{}
	writes := s.queue.take()
	if len(writes) == 0 {
		<-groups.free
		return false
	}
	//background:stop=finish bound=parallelGroups fails=caller
	groups.Go(func() {
		defer func() { <-groups.free }()
		defer s.queue.release(writes)
		s.store(ctx, &group{writes: writes})
	})
	return true
}

// store stores a group. If the servers reject it, store splits it in halves, down to the batches that cause the
// error.
func (s *Store) store(ctx context.Context, g *group) {
	timed, cancel := context.WithTimeout(ctx, s.cfg.WriteTimeout)
	err := s.commit(timed, g, s.newAttempt)
	cancel()
	if len(g.writes) > 1 && maybeOfOne(err) {
		half := len(g.writes) / 2
		s.store(ctx, &group{g.writes[:half], slices.Clip(g.receipts)})
		s.store(ctx, &group{g.writes[half:], slices.Clip(g.receipts)})
		return
	}
	for _, w := range g.writes {
		w.done <- err
	}
}

// maybeOfOne reports whether err may be caused by a single batch.
func maybeOfOne(err error) bool {
	if err == nil {
		return false
	}
	for _, general := range []error{
		store.ErrUnavailable, store.ErrFull, store.ErrNewerSchema, ErrAccess, ErrRights, ErrNoSchema, ErrTooOld, ErrTLS,
	} {
		if errors.Is(err, general) {
			return false
		}
	}
	return true
}
