package clickhouse

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A commit is what one group is stored under.
type commit struct {
	receipt uint64 // orders the commits that a row came with
	token   string // of its inserts; no other commit ever has it
}

// newCommit numbers a commit: milliseconds, then 22 random bits. Two commits of one
// number are told apart by their tokens; only if they shared an event id, too, would
// neither see the other's.
func (s *Store) newCommit() commit {
	return commit{
		receipt: uint64(s.cfg.Now().UnixMilli())<<22 | rand.Uint64N(1<<22), //nolint:gosec // after 1970; no secret
		token:   crand.Text(),
	}
}

// commit stores a group under one receipt; receipt.go tells how. Every step may be done
// again, since the server drops a block that comes twice under one token.
func (s *Store) commit(ctx context.Context, group []*write) error {
	if err := s.again(ctx, "schema", s.known); err != nil {
		return err
	}
	return s.steps(ctx, s.newCommit(), group)
}

// steps are those of a commit.
func (s *Store) steps(ctx context.Context, c commit, group []*write) error {
	fresh := distinct(group)
	if err := s.again(ctx, "receipts", func(ctx context.Context) error { return s.claim(ctx, c, fresh) }); err != nil {
		return err
	}
	if err := s.again(ctx, "repeats", func(ctx context.Context) error { return s.markRepeats(ctx, c, fresh) }); err != nil {
		return err
	}
	if err := s.insertGroup(ctx, c, group); err != nil {
		return err
	}
	return s.again(ctx, "settling", func(ctx context.Context) error {
		doubtful, err := s.settle(ctx, c.receipt, fresh)
		if err == nil {
			s.doubts.add(c.receipt, doubtful)
		}
		return err
	})
}

// distinct marks the rows whose identity came before in the group, and returns the others.
func distinct(group []*write) []*row {
	var fresh []*row
	seen := map[identity]bool{}
	for _, w := range group {
		for i := range w.rows {
			r := &w.rows[i]
			if r.repeated = seen[r.identity]; !r.repeated {
				seen[r.identity] = true
				fresh = append(fresh, r)
			}
		}
	}
	return fresh
}

// again does one step until it succeeds, the servers refuse it for good, or ctx ends.
// One try has half of the patience, so that a server that hangs leaves time for another.
func (s *Store) again(ctx context.Context, what string, step func(context.Context) error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		try, cancel := context.WithTimeout(ctx, s.cfg.Patience/2)
		err := step(try)
		late := try.Err() != nil
		cancel()
		if err == nil {
			return nil
		}
		switch err = explain(err); {
		case ctx.Err() != nil:
			return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, what, err)
		case late, errors.Is(err, store.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		default:
			return fmt.Errorf("%s: %w", what, err)
		}
		s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: a write is tried again",
			slog.String("step", what), slog.Any("error", err), slog.Duration("after", wait))
		pause(ctx, wait)
	}
}

// insertGroup stores the rows of a group that are no repeats, table by table.
func (s *Store) insertGroup(ctx context.Context, c commit, group []*write) error {
	var kept struct {
		events []eventRow
		errors []errorRow
		vitals []vitalRow
		spans  []spanRow
		visits []visitRow
		checks []checkRow
	}
	for _, w := range group {
		for _, r := range w.rows {
			if r.repeated {
				continue
			}
			switch b := w.batch; r.table {
			case inEvents:
				kept.events = append(kept.events, eventRow{&b.Events[r.index], c.receipt})
			case inErrors:
				kept.errors = append(kept.errors, errorRow{&b.Errors[r.index], c.receipt})
			case inVitals:
				for _, sample := range b.Vitals[r.index].Samples {
					kept.vitals = append(kept.vitals, vitalRow{&b.Vitals[r.index], sample, c.receipt})
				}
			case inSpans:
				kept.spans = append(kept.spans, spanRow{&b.Spans[r.index], c.receipt})
			case inVisits:
				kept.visits = append(kept.visits, visitRow{&b.Visits[r.index], c.receipt})
			default:
				kept.checks = append(kept.checks, checkRow{&b.Checks[r.index], c.receipt})
			}
		}
	}
	var inserts []func() error
	for _, insert := range []func(context.Context) error{
		func(ctx context.Context) error { return insert(ctx, s, &tableOf.events, kept.events, c) },
		func(ctx context.Context) error { return insert(ctx, s, &tableOf.errors, kept.errors, c) },
		func(ctx context.Context) error { return insert(ctx, s, &tableOf.vitals, kept.vitals, c) },
		func(ctx context.Context) error { return insert(ctx, s, &tableOf.spans, kept.spans, c) },
		func(ctx context.Context) error { return insert(ctx, s, &tableOf.visits, kept.visits, c) },
		func(ctx context.Context) error { return insert(ctx, s, &tableOf.checks, kept.checks, c) },
	} {
		inserts = append(inserts, func() error { return s.again(ctx, "rows", insert) })
	}
	return atOnce(inserts)
}

// atOnce does all steps side by side.
func atOnce(steps []func() error) error {
	faults := make([]error, len(steps))
	var all sync.WaitGroup
	for i, step := range steps {
		all.Go(func() { faults[i] = step() })
	}
	all.Wait()
	return errors.Join(faults...)
}
