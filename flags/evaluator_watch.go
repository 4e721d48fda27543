package flags

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
)

const (
	idle      = 10 * time.Minute // a client that is not used for this long is dropped
	idleEmpty = 10 * time.Second // the same for a client without flags
	lookAt    = 500              // clients per query, so that statements stay short
)

// watch checks for changes until Close.
func (e *Evaluator) watch() {
	tick := time.NewTicker(e.cfg.Every)
	defer tick.Stop()
	for {
		select {
		case <-e.work.Done():
			return
		case <-tick.C:
		case <-e.look:
		}
		err := e.compare()
		if e.work.Err() == nil {
			e.note(err)
		}
	}
}

// compare gets the revisions of all clients in memory, and reloads clients with another revision. Its error is a
// failure of the store, or the reason why a changed client could not be loaded before.
func (e *Evaluator) compare() (failed error) {
	for clients := range slices.Chunk(e.inUse(), lookAt) {
		found, err := e.revisions(clients)
		if err != nil {
			return err
		}
		for _, client := range clients {
			failed = cmp.Or(failed, e.follow(client, found[client]))
		}
	}
	return failed
}

// follow reloads a client that is not at revision. It returns the error of the client's last load.
func (e *Evaluator) follow(client Client, revision int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.clients[client]
	// A running first load may miss a change. The next check finds it.
	if k == nil || k.index == nil || e.work.Err() != nil {
		return nil
	}
	if k.index.revision == revision {
		k.failed = nil
		return nil
	}
	e.refresh(client, k, false)
	return k.failed
}

func (e *Evaluator) revisions(clients []Client) (found map[Client]int64, err error) {
	defer failure.Recovered(&err) // a panic in this goroutine would end the process
	ctx, cancel := context.WithTimeout(e.work, e.cfg.Timeout)
	defer cancel()
	return e.cfg.Store.Revisions(ctx, clients)
}

// inUse returns the clients in memory, after dropping unused ones. While the store fails it drops no clients, since
// they could not be loaded again.
func (e *Evaluator) inUse() []Client {
	now := e.cfg.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failing == nil {
		maps.DeleteFunc(e.clients, func(_ Client, k *known) bool {
			return k.running == nil && now.Sub(time.Unix(0, k.used.Load())) > k.patience()
		})
	}
	return slices.Collect(maps.Keys(e.clients))
}

func (k *known) patience() time.Duration {
	if k.empty() {
		return idleEmpty
	}
	return idle
}

func (k *known) empty() bool { return k.index != nil && len(k.index.flags) == 0 }

// makeRoom drops a tenth of the clients if the limit is reached. It drops clients without flags first, so that
// made-up ids do not replace real clients, and then the least recently used ones. It reports whether one more
// client fits. The caller holds the lock.
func (e *Evaluator) makeRoom() bool {
	if len(e.clients) < e.cfg.Clients {
		return true
	}
	if e.failing != nil {
		return false // dropped clients could not be loaded again
	}
	type candidate struct {
		client Client
		empty  bool
		used   int64
	}
	var all []candidate
	for client, k := range e.clients {
		if k.running == nil {
			all = append(all, candidate{client, k.empty(), k.used.Load()})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.empty != b.empty {
			if a.empty {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.used, b.used)
	})
	for _, c := range all[:min(len(all), e.cfg.Clients/10+1)] {
		delete(e.clients, c.client)
	}
	return len(all) > 0
}

// note stores the result of the last check, and logs changes between success and failure.
func (e *Evaluator) note(err error) {
	e.mu.Lock()
	was := e.failing
	e.failing = err
	if err != nil && was == nil {
		e.since = e.cfg.Now()
	}
	e.mu.Unlock()
	switch {
	case err != nil && was == nil:
		e.cfg.Logger.LogAttrs(context.Background(), slog.LevelWarn,
			"flags cannot be updated; using the last known flags", slog.Any("error", err))
	case err == nil && was != nil:
		e.cfg.Logger.LogAttrs(context.Background(), slog.LevelInfo, "flags are up to date again")
	}
}
