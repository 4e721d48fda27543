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

	"github.com/sightline-analytics/sightline/store"
)

// What is turned away is counted in memory and stored by and by, so that whoever is turned away
// cannot make the store work; a crash loses some seconds of it.
const (
	blockedEvery = 10 * time.Second
	blockedKinds = 10_000 // that are counted apart at a time; what is more is not counted
)

// reasons are the codes that are counted, and the words that they are counted by.
var reasons = map[code]string{
	codeOrigin: "origin", codeAddress: "address", codePaused: "paused", codeKeyedEvents: "key", codeTooOld: "window", codeQuota: "quota",
}

// botReason is the reason of those that are no people.
const botReason = "bot"

// A blockedKind is what is counted apart.
type blockedKind struct{ website, reason, bot string }

// A blockedCounter counts what is turned away until it is stored. It is safe for concurrent use.
type blockedCounter struct {
	writer store.Writer
	now    func() time.Time
	logger *slog.Logger

	mu     sync.Mutex
	counts map[blockedKind]*store.Blocked
	timer  *time.Timer // nil: no flush is due
	closed bool

	flushing sync.Mutex
	unsaved  *store.Batch // of which it is not known whether it was stored; written again as it is
}

// add counts one request or event of a website that exists.
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
		one = &store.Blocked{Website: kind.website, ID: newID(), Time: b.now().UTC(), Reason: kind.reason, Bot: kind.bot}
		if b.counts == nil {
			b.counts = map[blockedKind]*store.Blocked{}
		}
		b.counts[kind] = one
	}
	one.Requests++
	if b.timer == nil {
		b.timer = time.AfterFunc(blockedEvery, b.flushLater)
	}
}

// flushLater stores what was counted; when that fails, it is tried again after as long.
func (b *blockedCounter) flushLater() {
	b.mu.Lock()
	b.timer = nil // it has fired
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	err := b.flush(ctx)
	if err == nil {
		return
	}
	b.logger.Warn("what was turned away could not be stored", "error", err)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer == nil && !b.closed {
		b.timer = time.AfterFunc(blockedEvery, b.flushLater)
	}
}

// flush stores what was counted and what could not be stored before.
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

// save writes what is unsaved. Rows that are refused are given up: they always would be.
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

// close stores what was counted, and counts no more.
func (b *blockedCounter) close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	if b.timer != nil {
		b.timer.Stop()
	}
	b.mu.Unlock()
	return b.flush(ctx)
}
