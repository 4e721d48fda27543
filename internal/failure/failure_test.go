package failure_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/sightline-analytics/sightline/internal/failure"
)

func TestOf(t *testing.T) {
	missing := failure.New(failure.NotFound, "store: not found", "Not there")
	away := failure.New(failure.Unavailable, "store: away")
	for _, c := range []struct {
		err  error
		kind failure.Kind
		text string
		ok   bool
	}{
		{missing, failure.NotFound, "Not there", true},
		{fmt.Errorf("read: %w", missing), failure.NotFound, "Not there", true},
		{fmt.Errorf("%w: %w", away, missing), failure.Unavailable, "", true},
		{errors.Join(context.Canceled, away), failure.Unavailable, "", true},
		{fmt.Errorf("read: %w", context.DeadlineExceeded), failure.TimedOut, "", true},
		{fmt.Errorf("%w: %w", missing, context.DeadlineExceeded), failure.NotFound, "Not there", true},
		{context.Canceled, failure.Unavailable, "", true},
		{errors.New("other"), failure.Internal, "", false},
		{failure.New(failure.Internal, "store: corrupt"), failure.Internal, "", true},
	} {
		if kind, text, ok := failure.Of(c.err); kind != c.kind || text != c.text || ok != c.ok {
			t.Errorf("%v: %d, %q, %t", c.err, kind, text, ok)
		}
	}
	if missing.Error() != "store: not found" || errors.Is(missing, failure.New(failure.NotFound, "store: not found")) {
		t.Error("an error is equal to another one with the same text")
	}
}
