package directorycache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/directorycache"
)

// slowDirectory counts how often it is asked.
type slowDirectory struct {
	store.MemoryDirectory
	asked int
	err   error
}

func (d *slowDirectory) Owner(ctx context.Context, s store.Subject) (string, error) {
	d.asked++
	if d.err != nil {
		return "", d.err
	}
	return d.MemoryDirectory.Owner(ctx, s)
}

func (d *slowDirectory) Website(ctx context.Context, id string) (store.Website, error) {
	d.asked++
	if d.err != nil {
		return store.Website{}, d.err
	}
	return d.MemoryDirectory.Website(ctx, id)
}

// cached is a directory with one website behind a cache, whose clock is now.
func cached(t *testing.T, now *time.Time, size int) (*directorycache.Cache, *slowDirectory) {
	t.Helper()
	slow := &slowDirectory{}
	if err := slow.AddWebsite(store.Website{ID: "w", Owner: "acme"}); err != nil {
		t.Fatal(err)
	}
	d, err := directorycache.New(directorycache.Config{Directory: slow, Size: size, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	return d, slow
}

func site(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }

func TestWhatExistsAndWhatDoesNotAreRememberedAlike(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for id, want := range map[string]error{"w": nil, "nowhere": store.ErrNotFound} {
		d, slow := cached(t, &now, 0)
		ask := func(asked int, why string) {
			t.Helper()
			owner, err1 := d.Owner(t.Context(), site(id))
			w, err2 := d.Website(t.Context(), id)
			if !errors.Is(err1, want) || !errors.Is(err2, want) || (owner == "acme") != (want == nil) || w.Owner != owner {
				t.Errorf("%s %s: %q %v, %v %v", id, why, owner, err1, w, err2)
			}
			if slow.asked != asked {
				t.Errorf("%s %s: it was asked %d times, want %d", id, why, slow.asked, asked)
			}
		}
		ask(2, "at first")
		ask(2, "again")
		now = now.Add(directorycache.DefaultTTL - time.Millisecond)
		ask(2, "before the time is over")
		now = now.Add(time.Millisecond)
		ask(4, "after it")
		now = now.Add(-time.Millisecond)
		ask(6, "when the clock was set back")
		d.Forget()
		ask(8, "when it was told to forget")
	}
}

func TestAChangeIsSeenAfterForget(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 0)
	if _, err := d.Owner(t.Context(), site("new")); !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	if err := slow.AddWebsite(store.Website{ID: "new", Owner: "acme"}); err != nil {
		t.Fatal(err)
	}
	d.Forget()
	if owner, err := d.Owner(t.Context(), site("new")); owner != "acme" || err != nil {
		t.Errorf("%q, %v", owner, err)
	}
	if list, err := d.Websites(t.Context(), "acme"); len(list) != 2 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

func TestFailuresAreNotRemembered(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 0)
	slow.err = store.ErrUnavailable
	if _, err := d.Owner(t.Context(), site("w")); !errors.Is(err, store.ErrUnavailable) {
		t.Error(err)
	}
	slow.err = nil
	if owner, err := d.Owner(t.Context(), site("w")); owner != "acme" || err != nil {
		t.Errorf("%q, %v", owner, err)
	}
	slow.err = store.ErrUnavailable
	if owner, err := d.Owner(t.Context(), site("w")); owner != "acme" || err != nil {
		t.Errorf("while it is away: %q, %v", owner, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Owner(ctx, site("w")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

func TestLongIDsAreNotRemembered(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 0)
	for range 2 {
		_, _ = d.Owner(t.Context(), site(strings.Repeat("x", 300)))
		_, _ = d.Website(t.Context(), strings.Repeat("x", 300))
	}
	if slow.asked != 4 {
		t.Errorf("it was asked %d times, want 4", slow.asked)
	}
}

func TestWhatDoesNotExistPushesOutNothing(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 100)
	_, _ = d.Owner(t.Context(), site("w"))
	for n := range 1000 {
		_, _ = d.Owner(t.Context(), site(fmt.Sprint("made-up-", n)))
	}
	before := slow.asked
	_, _ = d.Owner(t.Context(), site("w"))
	_, _ = d.Owner(t.Context(), site("made-up-999"))
	if slow.asked != before {
		t.Error("what exists, or the last one, is forgotten")
	}
	_, _ = d.Owner(t.Context(), site("made-up-0"))
	if slow.asked != before+1 {
		t.Error("more is remembered than there is room for")
	}
}

func TestNewTellsEverythingThatIsWrong(t *testing.T) {
	_, err := directorycache.New(directorycache.Config{TTL: 2 * time.Second, Size: -1})
	for _, want := range []string{"missing", "2s", "-1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
}
