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

// A slowDirectory counts its look-ups.
type slowDirectory struct {
	store.MemoryDirectory
	lookups int
	err     error
}

func (d *slowDirectory) Owner(ctx context.Context, s store.Subject) (string, error) {
	d.lookups++
	if d.err != nil {
		return "", d.err
	}
	return d.MemoryDirectory.Owner(ctx, s)
}

func (d *slowDirectory) Website(ctx context.Context, id string) (store.Website, error) {
	d.lookups++
	if d.err != nil {
		return store.Website{}, d.err
	}
	return d.MemoryDirectory.Website(ctx, id)
}

// cached returns a cache over a directory with one website. The cache's clock is now.
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

func TestKnownAndUnknownIDsAreCached(t *testing.T) {
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
			if slow.lookups != asked {
				t.Errorf("%s %s: %d look-ups, want %d", id, why, slow.lookups, asked)
			}
		}
		ask(2, "at first")
		ask(2, "again")
		now = now.Add(directorycache.DefaultTTL - time.Millisecond)
		ask(2, "before the TTL is over")
		now = now.Add(time.Millisecond)
		ask(4, "after the TTL")
		now = now.Add(-time.Millisecond)
		ask(6, "after the clock was set back")
		d.Forget()
		ask(8, "after Forget")
	}
}

func TestChangeIsVisibleAfterForget(t *testing.T) {
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

func TestFailuresAreNotCached(t *testing.T) {
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
		t.Errorf("while the directory is unavailable: %q, %v", owner, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Owner(ctx, site("w")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

func TestLongIDsAreNotCached(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 0)
	for range 2 {
		_, _ = d.Owner(t.Context(), site(strings.Repeat("x", 300)))
		_, _ = d.Website(t.Context(), strings.Repeat("x", 300))
	}
	if slow.lookups != 4 {
		t.Errorf("%d look-ups, want 4", slow.lookups)
	}
}

func TestUnknownIDsEvictNoOthers(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 100)
	_, _ = d.Owner(t.Context(), site("w"))
	for n := range 1000 {
		_, _ = d.Owner(t.Context(), site(fmt.Sprint("made-up-", n)))
	}
	before := slow.lookups
	_, _ = d.Owner(t.Context(), site("w"))
	_, _ = d.Owner(t.Context(), site("made-up-999"))
	if slow.lookups != before {
		t.Error("an existing id, or the last unknown one, is not cached any more")
	}
	_, _ = d.Owner(t.Context(), site("made-up-0"))
	if slow.lookups != before+1 {
		t.Error("the cache has more unknown ids than its size")
	}
}

func TestNewReportsAllProblems(t *testing.T) {
	_, err := directorycache.New(directorycache.Config{TTL: 2 * time.Second, Size: -1})
	for _, want := range []string{"Directory is required", "2s", "-1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not contain %q", err, want)
		}
	}
}
