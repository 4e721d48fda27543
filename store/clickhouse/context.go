package clickhouse

import (
	"context"
	"time"
)

// A timeless is a context whose deadline is not told: it ends with its parent all the
// same. The driver would make a setting of the deadline that overrides MaxExecutionTime,
// and time-outs of a connection that lie about why a query failed.
type timeless struct{ context.Context } //nolint:containedctx // it is a context

// Deadline is none.
func (timeless) Deadline() (time.Time, bool) { return time.Time{}, false }

type hiddenKey struct{}

// Value is that of the parent, or what hiddenDeadline asks for.
func (c timeless) Value(key any) any {
	if key == (hiddenKey{}) {
		if at, ok := c.Context.Deadline(); ok {
			return at
		}
		return nil
	}
	return c.Context.Value(key)
}

// hiddenDeadline is the deadline that a timeless context above ctx does not tell.
func hiddenDeadline(ctx context.Context) (time.Time, bool) {
	at, ok := ctx.Value(hiddenKey{}).(time.Time)
	return at, ok
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
