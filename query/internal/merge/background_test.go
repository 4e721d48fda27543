package merge

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// stuck is a store that never lists its days.
type stuck struct{ nothing }

func (stuck) Days(ctx context.Context, _ store.Subject, _, _ time.Time) ([]store.Day, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (stuck) Websites(context.Context) (map[store.Subject]uint64, error) { return nil, nil }

func (stuck) Seal(context.Context, store.Derivation) error { return nil }

// Questions wait for their partials once each, and not more than there is room for. Close forgets them.
func TestComputeLater(t *testing.T) {
	e, err := testMerger(stuck{})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(website string) {
		t.Helper()
		found, mistakes := plan.Resolve(e.types,
			ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: website}},
			ask.Request{Parameters: []ask.Parameter{{Name: "countries"}}, StartDate: "2026-03-01",
				EndDate: "2026-03-20"}, time.Unix(1_780_000_000, 0), nil)
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		e.computeLater(mergeOf(found.Parameters[0].Plan))
	}
	waiting := func() int {
		e.Background.mu.Lock()
		defer e.Background.mu.Unlock()
		return len(e.Background.known)
	}
	for range 10 {
		ask("same")
	}
	if n := waiting(); n != 1 {
		t.Errorf("a question waits %d times", n)
	}
	for i := range 3 * maxWaiting {
		ask(strconv.Itoa(i))
	}
	if n := waiting(); n < maxWaiting || n > maxWaiting+1 { // one of them runs
		t.Errorf("%d questions wait, want %d", n, maxWaiting)
	}
	e.Background.Stop()
	if err := e.Background.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask("after the end")
	if n := waiting(); n != 0 {
		t.Errorf("%d questions wait after Close", n)
	}
}
