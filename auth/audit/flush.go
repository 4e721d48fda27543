package audit

import (
	"context"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// run flushes in the background until Close.
func (w *Writer) run(ctx context.Context) {
	tick := time.NewTicker(w.cfg.Every)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		case <-w.wake:
		}
		bounded, cancel := context.WithTimeout(ctx, flushTimeout)
		err := w.Flush(bounded)
		cancel()
		switch {
		case err != nil && !failing:
			w.cfg.Logger.LogAttrs(ctx, slog.LevelError, "audit trail cannot be written; entries are held", slog.Any("error", err))
		case err == nil && failing:
			w.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "audit trail is written again")
		}
		failing = err != nil
	}
}

// Flush appends all entries recorded before the call. On an error they stay in the
// buffer, and are tried again with the next flush.
func (w *Writer) Flush(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	taken := w.take()
	w.chain.link(taken)
	w.giveBack(taken)
	err := w.chain.write(ctx, func(n int, head Mark) {
		w.release(n, nil)
		if w.cfg.OnHead != nil {
			w.cfg.OnHead(head)
		}
	})
	w.release(0, err)
	return err
}

// take empties the buffer.
func (w *Writer) take() []auth.Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.buffer
	w.buffer, w.spare = w.spare, nil
	return taken
}

// giveBack keeps the memory of what was taken for the next buffer.
func (w *Writer) giveBack(taken []auth.Entry) {
	clear(taken)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spare = taken[:0]
}

// release notes how a flush goes, and wakes who waits for room or for a refusal.
func (w *Writer) release(n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held -= n
	w.failed = err
	if n > 0 || err != nil {
		close(w.room)
		w.room = make(chan struct{})
	}
}
