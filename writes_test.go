package sightline

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

type answers struct{ err error }

func (a *answers) Write(context.Context, *store.Batch) (store.Written, error) {
	return store.Written{}, a.err
}

func TestHealthKnowsOfFailedWrites(t *testing.T) {
	events, now := &answers{}, readyAt
	w := &writes{Writer: events, now: func() time.Time { return now }}
	full := fmt.Errorf("commit: %w", store.ErrFull)
	for _, step := range []struct {
		says  string
		err   error // result of the write
		later time.Duration
		want  error // result of the probe
	}{
		{"a good write", nil, 0, nil},
		{"a full disk", full, 0, store.ErrFull},
		{"a full disk, some time ago", full, 59 * time.Second, store.ErrFull},
		{"a full disk, long ago", full, time.Minute, nil},
		{"a full disk again", full, 0, store.ErrFull},
		{"a mistake of the sender changes nothing", store.ErrInvalid, 0, store.ErrFull},
		{"a good write after that", nil, 0, nil},
	} {
		events.err = step.err
		if _, err := w.Write(t.Context(), nil); !errors.Is(err, step.err) {
			t.Errorf("%s: want the error %v, got %v", step.says, step.err, err)
		}
		now = now.Add(step.later)
		if err := w.probe(t.Context()); !errors.Is(err, step.want) {
			t.Errorf("%s: the probe says %v, want %v", step.says, err, step.want)
		}
	}
}

var readyAt = time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
