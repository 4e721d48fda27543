package sightline

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A writes passes events to their store and remembers whether the last write failed. A store whose disk is full
// still answers queries, so its Ping does not show that.
type writes struct {
	store.Writer

	now    func() time.Time
	failed atomic.Pointer[failedWrite] // the last write; nil if it was good
}

type failedWrite struct {
	err error
	at  time.Time
}

// The probe reports a failed write for failedFor. This must end without another write, because a proxy that asks the
// probe sends no events here meanwhile.
const failedFor = time.Minute

func (w *writes) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	written, err := w.Writer.Write(ctx, b)
	switch {
	case err == nil:
		w.failed.Store(nil)
	case errors.Is(err, store.ErrFull), errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrCorrupt):
		w.failed.Store(&failedWrite{err, w.now()})
	}
	return written, err
}

// probe is a [health.Probe]. It fails for a minute after a failed write, or until a write succeeds. On nil it returns
// nil.
func (w *writes) probe(context.Context) error {
	if w == nil {
		return nil
	}
	if last := w.failed.Load(); last != nil && w.now().Sub(last.at) < failedFor {
		return last.err
	}
	return nil
}
