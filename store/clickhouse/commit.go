package clickhouse

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A group is a set of writes that are stored together.
type group struct {
	writes   []*write
	receipts []uint64 // of the attempts so far
}

// An attempt is one try to store a group, with its receipt number. See receipt.go.
type attempt struct {
	receipt uint64
	earlier []uint64 // receipts of earlier attempts at the same rows, which may have stored any part of them
	mark    uint64   // the first bits of the receipts of rows restored under one mark; 0 for written rows
}

// newAttempt returns an attempt with a number made of milliseconds and 22 random bits. If two attempts had the
// same number and a common event id, neither would see the other's row.
func (s *Store) newAttempt() attempt {
	return attempt{receipt: uint64(s.cfg.Now().UnixMilli())<<22 | rand.Uint64N(1<<22)} //nolint:gosec // after 1970; no secret
}

// markShift is the number of bits in a receipt that distinguish attempts under one mark.
const markShift = 32

// restoring returns an attempt to restore rows under mark. Its number is smaller than every number of
// newAttempt since 1987, so that a restored row wins over an equal written row.
func restoring(mark string) attempt {
	sum := sha256.Sum256([]byte(mark))
	of := uint64(max(binary.BigEndian.Uint32(sum[:])>>3, 1))
	return attempt{mark: of, receipt: of<<markShift | uint64(rand.Uint32())} //nolint:gosec // no secret
}

// own reports whether receipt belongs to this attempt or to an earlier one at the same rows.
func (a attempt) own(receipt uint64) bool {
	return receipt == a.receipt || slices.Contains(a.earlier, receipt)
}

// concerns reports whether a stored row matters to the attempt. Written rows are compared with all others,
// restored rows only with rows of the same mark.
func (a attempt) concerns(receipt uint64) bool {
	return a.mark == 0 || receipt>>markShift == a.mark
}

// key returns the key that may have only one row. For a written row it is the identity without the time. A
// restored row keeps its time, because the source may have rows with the same identity at several times.
func (a attempt) key(at location) location {
	if a.mark == 0 {
		at.millis = 0
	}
	return at
}

// commit stores a group. A failed insert may have stored any part of its rows, or may store them later.
// Therefore the next attempt finds the stored rows and stores the others with another receipt.
func (s *Store) commit(ctx context.Context, g *group, next func() attempt) error {
	if err := s.retry(ctx, "schema", s.cfg.WriteTimeout/2, s.checkVersion); err != nil {
		return err
	}
	return s.retry(ctx, "storing", s.cfg.WriteTimeout, func(ctx context.Context) error {
		a := next()
		a.earlier = slices.Clone(g.receipts)
		g.receipts = append(g.receipts, a.receipt)
		return s.runAttempt(ctx, a, g.writes)
	})
}

// runAttempt does the four steps of receipt.go. The third step is a change as in version.go. All steps except
// the insert may be repeated.
func (s *Store) runAttempt(ctx context.Context, a attempt, writes []*write) error {
	rows := a.distinct(writes)
	part := s.changes.join(daysOf(rows))
	if err := s.storeRows(ctx, a, part, writes, rows); err != nil {
		s.endChange(ctx, part, err)
		return err
	}
	return inParallel([]func() error{
		func() error {
			s.endChange(ctx, part, nil)
			return nil
		},
		func() error {
			return s.retry(ctx, "duplicates", s.cfg.WriteTimeout/2, func(ctx context.Context) error {
				unresolved, err := s.resolveDuplicates(ctx, a, rows)
				if err == nil {
					s.conflicts.add(conflict{attempt: a, rows: unresolved})
				}
				return err
			})
		},
	})
}

// storeRows does the first three steps, and marks the rows of imports that were sent again.
func (s *Store) storeRows(ctx context.Context, a attempt, part *part, writes []*write, rows []*row) error {
	half := s.cfg.WriteTimeout / 2
	if err := s.retry(ctx, "receipts", half,
		func(ctx context.Context) error { return s.addReceipts(ctx, a, rows) }); err != nil {
		return err
	}
	if err := s.retry(ctx, "look-up", half,
		func(ctx context.Context) error { return s.markStored(ctx, a, rows) }); err != nil {
		return err
	}
	if err := s.beginChange(ctx, part, changedBy(rows)); err != nil {
		return err
	}
	if err := s.insertRows(ctx, a, writes); err != nil {
		return err
	}
	return s.retry(ctx, "claims", half, func(ctx context.Context) error { return s.claim(ctx, claimed(writes)) })
}

// claimed returns the repeats of rows of imports.
func claimed(writes []*write) claims {
	again := claims{}
	for _, w := range writes {
		for i := range w.rows {
			if r := &w.rows[i]; r.claims {
				again.add(r.item)
			}
		}
	}
	return again
}

// distinct returns the rows to store. Of several written rows with one identity it returns the first, and marks
// the others as repeated.
func (a attempt) distinct(writes []*write) []*row {
	var rows []*row
	seen := map[location]*row{}
	for _, w := range writes {
		for i := range w.rows {
			r := &w.rows[i]
			key := a.key(location{r.identity, r.millis})
			if first := seen[key]; a.mark == 0 && first != nil {
				r.stored, r.repeated, r.claims = true, true, first.item.Imports != r.item.Imports
				continue
			}
			seen[key] = r
			rows = append(rows, r)
		}
	}
	return rows
}

// retry repeats step until it succeeds, the servers reject it permanently, or ctx ends. One try may take limit,
// so that time is left for another try if a server hangs.
func (s *Store) retry(ctx context.Context, what string, limit time.Duration, step func(context.Context) error) error {
	return s.retryIf(ctx, what, limit, temporary, step)
}

// temporary reports whether step may succeed later or on another server after err.
func temporary(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled)
}

// retryIf is like retry, for errors that match.
func (s *Store) retryIf(ctx context.Context, what string, limit time.Duration, match func(error) bool,
	step func(context.Context) error) error {
	retries := 0
	defer func() { s.queue.retrying(-retries) }()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		try, cancel := context.WithTimeout(ctx, limit)
		err := explain(step(try))
		if err != nil && try.Err() != nil {
			err = errors.Join(err, context.DeadlineExceeded)
		}
		cancel()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil: // the writer's context ended, not the caller's
			return fmt.Errorf("%w: %s: %s", store.ErrUnavailable, what, err.Error())
		case !match(err):
			return fmt.Errorf("%s: %w", what, err)
		}
		s.queue.retrying(1)
		retries++
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: retrying a write",
			slog.String("step", what), slog.Any("error", err), slog.Duration("after", wait))
		pause(ctx, wait)
	}
}

// inParallel runs all steps concurrently.
func inParallel(steps []func() error) error {
	faults := make([]error, len(steps))
	var all sync.WaitGroup
	for i, step := range steps {
		all.Go(func() { faults[i] = step() })
	}
	all.Wait()
	return errors.Join(faults...)
}
