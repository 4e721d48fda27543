package mistake_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

func TestBounds(t *testing.T) {
	if err := mistake.Within("an owner", "keys", 2, 2); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	err := fmt.Errorf("store/meta: create key: %w", mistake.Within("an owner", "keys", 3, 2))
	bound, ok := errors.AsType[*mistake.BoundError](err)
	if !ok || !errors.Is(err, mistake.ErrBound) ||
		bound.Plain() != "an owner may have at most 2 keys, and would have 3" {
		t.Errorf("beyond the bound: %v", err)
	}
}
