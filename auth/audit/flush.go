package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// batchSize is the maximum number of records in one append.
const batchSize = 1024

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
			w.cfg.Logger.LogAttrs(ctx, slog.LevelError, "audit trail cannot be written; keeping entries in memory",
				slog.Any("error", err))
		case err == nil && failing:
			w.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "audit trail is written again")
		}
		failing = err != nil
	}
}

// Flush appends all entries that were recorded before the call. If it fails, they stay in the buffer and
// the next flush retries them.
func (w *Writer) Flush(ctx context.Context) error {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	w.mu.Lock()
	taken := w.buffer
	w.buffer, w.spare = w.spare, nil
	clear(w.sums)
	w.mu.Unlock()
	w.chain.link(taken)
	clear(taken)
	w.mu.Lock()
	w.spare = taken[:0]
	w.mu.Unlock()
	err := w.chain.write(ctx, func(n int, head Checkpoint) {
		w.release(n, nil)
		if w.cfg.OnHead != nil {
			w.cfg.OnHead(head)
		}
	})
	w.release(0, err)
	return err
}

// release records the result of a flush and wakes callers that wait for space or for an error.
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

// chain is the newest part of a writer's chain: its head, and the records that are not yet in the log. Only
// one goroutine uses it at a time.
type chain struct {
	log    Log
	sign   *signer
	now    func() time.Time
	logger *slog.Logger

	head    Checkpoint // of the newest record, unsigned; zero before the first
	pending []Record
}

// link appends entries to the chain. A linked record does not change any more, so that it can safely be
// appended again if the result of an append is unknown.
func (c *chain) link(entries []auth.Entry) {
	if c.head.Writer == "" && len(entries) > 0 {
		c.begin()
	}
	c.pending = slices.Grow(c.pending, len(entries))
	for _, e := range entries {
		clean(&e)
		c.pending = append(c.pending, Record{Entry: e})
		c.bind(&c.pending[len(c.pending)-1])
	}
}

func (c *chain) bind(r *Record) {
	c.head.Seq++
	r.Writer, r.Seq = c.head.Writer, c.head.Seq
	r.MAC = c.sign.entry(r, c.head.MAC)
	c.head.MAC = r.MAC
}

// begin starts a new chain. Names of chains sort by time.
func (c *chain) begin() {
	w := c.now().UTC().Format("20060102T150405Z") + "-" + strings.ToLower(rand.Text()[:12])
	c.head = Checkpoint{Writer: w, MAC: c.sign.first(w)}
}

// write appends the pending records in batches. After each batch it calls done with its size and head.
func (c *chain) write(ctx context.Context, done func(int, Checkpoint)) error {
	sent, restarted := 0, false
	defer func() { c.pending = slices.Delete(c.pending, 0, sent) }()
	for sent < len(c.pending) {
		batch := c.pending[sent:min(len(c.pending), sent+batchSize)]
		last := batch[len(batch)-1]
		head := c.sign.head(Checkpoint{Writer: last.Writer, Seq: last.Seq, MAC: last.MAC})
		err := c.log.Append(ctx, head, batch)
		if errors.Is(err, ErrConflict) && !restarted {
			c.restart(ctx, c.pending[sent:], err)
			restarted = true
			continue
		}
		if err != nil {
			return fmt.Errorf("audit: appending to the log: %w", err)
		}
		sent += len(batch)
		done(len(batch), head)
	}
	return nil
}

// restart moves unsent records to a new chain, since the log no longer accepts the old one: it was pruned,
// reset to an earlier state, or tampered with. Records in the log stay as they are, and Verify
// checks them.
func (c *chain) restart(ctx context.Context, unsent []Record, why error) {
	old := c.head.Writer
	c.begin()
	for i := range unsent {
		c.bind(&unsent[i])
	}
	c.logger.LogAttrs(ctx, slog.LevelWarn,
		"audit log was changed by someone else; starting a new chain (run audit verify unless you pruned it)",
		slog.String("chain", c.head.Writer), slog.String("before", old), slog.Any("error", why))
}
