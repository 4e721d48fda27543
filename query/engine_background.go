package query

import (
	"context"
)

// Wait returns when the partials that earlier questions lacked are computed, or when ctx ends.
func (e *Engine) Wait(ctx context.Context) error { return e.merger.Background.Wait(ctx) }

// Close stops the work that no caller waits for. Call it before the store is closed. An engine answers questions after
// it, too, but computes no further partials in the background. Close returns when the work has ended, or when ctx ends.
func (e *Engine) Close(ctx context.Context) error {
	e.merger.Background.Stop()
	return e.merger.Background.Wait(ctx)
}
