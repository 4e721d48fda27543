package track

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/internal/uuid"
	"github.com/sightline-analytics/sightline/store"
)

// Blocked requests are counted in memory and stored at intervals, so that their senders cannot cause work for the
// store. A crash loses the counts of a few seconds.
const (
	blockedEvery = 10 * time.Second
	blockedKinds = 10_000 // maximum number of separate counters; further kinds are not counted
)

// reasons maps the counted codes to the reasons in statistics.
var reasons = map[code]string{
	codeOrigin: "origin", codeAddress: "address", codePaused: "paused", codeKeyedEvents: "key", codeTooOld: "window",
	codeQuota: "quota",
}

// botReason is recorded for bots.
const botReason = "bot"

// A blockedKind identifies a counter.
type blockedKind struct{ website, reason, bot string }

// A blockedCounter counts blocked requests until the counts are stored. It is safe for concurrent use.
type blockedCounter struct {
	writer store.Writer
	now    func() time.Time
	logger *slog.Logger

	mu     sync.Mutex
	counts map[blockedKind]*store.Blocked
	timer  *time.Timer // nil if no flush is scheduled
	closed bool
	work   sync.WaitGroup // flushes that are scheduled or running

	flushing sync.Mutex
	unsaved  *store.Batch // may have been stored; written again unchanged
}

// add counts one request or event of an existing website.
func (b *blockedCounter) add(kind blockedKind) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	one := b.counts[kind]
	if one == nil {
		if len(b.counts) == blockedKinds {
			return
		}
		one = &store.Blocked{Website: kind.website, ID: uuid.Random(), Time: b.now().UTC(), Reason: kind.reason,
			Bot: kind.bot}
		if b.counts == nil {
			b.counts = map[blockedKind]*store.Blocked{}
		}
		b.counts[kind] = one
	}
	one.Requests++
	b.schedule()
}

// schedule makes flushLater run soon, unless it will already. The caller holds the lock.
func (b *blockedCounter) schedule() {
	if b.timer != nil || b.closed {
		return
	}
	b.work.Add(1)
	//background:stop=close bound=one fails="counts of blocked requests could not be stored"
	b.timer = time.AfterFunc(blockedEvery, b.flushLater)
}

// flushLater stores the counts. If that fails, it schedules another attempt.
func (b *blockedCounter) flushLater() {
	defer b.work.Done()
	b.mu.Lock()
	b.timer = nil // it has fired
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	err := b.flush(ctx)
	if err == nil {
		return
	}
	b.logger.Warn("counts of blocked requests could not be stored", "error", err)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.schedule()
}

// flush stores the current counts and counts that could not be stored before.
func (b *blockedCounter) flush(ctx context.Context) error {
	b.flushing.Lock()
	defer b.flushing.Unlock()
	if err := b.save(ctx); err != nil {
		return err
	}
	b.mu.Lock()
	b.unsaved = &store.Batch{}
	for _, one := range slices.SortedFunc(maps.Values(b.counts), byID) {
		b.unsaved.Blocked = append(b.unsaved.Blocked, *one)
	}
	b.counts = nil
	b.mu.Unlock()
	return b.save(ctx)
}

func byID(x, y *store.Blocked) int { return strings.Compare(x.ID, y.ID) }

// save writes unsaved counts. It discards rejected rows, since the store would always reject them.
func (b *blockedCounter) save(ctx context.Context) error {
	if b.unsaved == nil || b.unsaved.Len() == 0 {
		return nil
	}
	_, err := b.writer.Write(ctx, b.unsaved)
	if err == nil || errors.Is(err, store.ErrInvalid) {
		b.unsaved = nil
	}
	return err
}

// close stores the counts and stops counting.
func (b *blockedCounter) close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	if b.timer != nil && b.timer.Stop() {
		b.work.Done() // it will not run
	}
	b.mu.Unlock()
	b.work.Wait()
	return b.flush(ctx)
}
