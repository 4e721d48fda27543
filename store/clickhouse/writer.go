package clickhouse

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// parallelGroups is how many groups are stored side by side, at most: one waits for the disk of
// its server while the other works. More make smaller groups, each of which costs as many inserts.
const parallelGroups = 2

// run is the writer: it stores groups until the store is closed and nothing waits, and looks
// again at pending conflicts.
func (s *Store) run() {
	defer close(s.ended)
	tick := time.NewTicker(s.conflicts.every)
	defer tick.Stop()
	rest := time.NewTimer(0) // until the next group may be stored
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

// groups are those that are being stored.
type groups struct {
	sync.WaitGroup
	free chan struct{} // has room for as many as may be
}

// gather waits until writes that came shortly after the last group was taken had time to
// be joined by more.
func (s *Store) gather(rest *time.Timer) {
	select {
	case <-rest.C:
	case <-s.queue.filled:
	case <-s.closing.Done():
	}
}

// finish stores what waits, as far as Config.WriteTimeout reaches.
func (s *Store) finish(groups *groups) {
	s.queue.end()
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.WriteTimeout)
	defer cancel()
	for s.storeNext(ctx, groups) {
	}
	groups.Wait()
	for s.storeNext(ctx, groups) { // what had an event id of one of those
		groups.Wait()
	}
	s.recheckConflicts(ctx, true)
}

// storeNext begins to store the next group, when fewer than parallelGroups are under way;
// false when none waits.
func (s *Store) storeNext(ctx context.Context, groups *groups) bool {
	groups.free <- struct{}{}
	writes := s.queue.take()
	if len(writes) == 0 {
		<-groups.free
		return false
	}
	groups.Go(func() {
		defer func() { <-groups.free }()
		defer s.queue.release(writes)
		s.store(ctx, &group{writes: writes})
	})
	return true
}

// store stores a group. When the servers refuse it, it tries halves, down to the batches
// that are to blame.
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

// maybeOfOne reports whether err may be about one batch alone.
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
