package directorycache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/directorycache"
	"github.com/sightline-analytics/sightline/store"
)

// The tests of internal/recent cover age, eviction, shared look-ups and cancellation. These cover what a directory
// adds.

// A counted directory counts its look-ups.
type counted struct {
	store.MemoryDirectory
	asked int
	err   error // instead of every answer
}

func (d *counted) Owner(ctx context.Context, s store.Subject) (string, error) {
	d.asked++
	if d.err != nil {
		return "", d.err
	}
	return d.MemoryDirectory.Owner(ctx, s)
}

func (d *counted) Website(ctx context.Context, id string) (store.Website, error) {
	d.asked++
	if d.err != nil {
		return store.Website{}, d.err
	}
	return d.MemoryDirectory.Website(ctx, id)
}

var noon = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)

// newCache returns a cache over a directory with the website "w" of acme. Its clock stands still, unless cfg has one.
func newCache(t *testing.T, cfg directorycache.Config) (*directorycache.Cache, *counted) {
	t.Helper()
	d := &counted{}
	add(t, d, "w")
	cfg.Directory = d
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return noon }
	}
	c, err := directorycache.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c, d
}

func add(t *testing.T, d *counted, id string) {
	t.Helper()
	if err := d.AddWebsite(store.Website{ID: id, Owner: "acme"}); err != nil {
		t.Fatal(err)
	}
}

func site(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }

// TestAnswers walks owners and websites that exist and that do not, through their age and a change.
func TestAnswers(t *testing.T) {
	for _, row := range []struct{ set, want time.Duration }{
		{0, directorycache.DefaultTTL}, {directorycache.MaxTTL, time.Second},
	} {
		now := noon
		c, d := newCache(t, directorycache.Config{TTL: row.set, Now: func() time.Time { return now }})
		ask := func(says, id string, want error, asked int) {
			t.Helper()
			owner, err1 := c.Owner(t.Context(), site(id))
			w, err2 := c.Website(t.Context(), id)
			if !errors.Is(err1, want) || !errors.Is(err2, want) || (owner == "acme") != (want == nil) ||
				w.Owner != owner {
				t.Errorf("%s: %q, %v and %v, %v", says, owner, err1, w, err2)
			}
			if d.asked != asked {
				t.Errorf("%s: %d look-ups, want %d", says, d.asked, asked)
			}
		}
		ask("at first", "w", nil, 2)
		ask("again", "w", nil, 2)
		ask("an id that does not exist", "new", store.ErrNotFound, 4)
		ask("the same again", "new", store.ErrNotFound, 4)
		now = now.Add(row.want - 1)
		ask("before the TTL", "w", nil, 4)
		now = now.Add(1)
		ask("after the TTL", "w", nil, 6)
		ask("the id that does not exist, after the TTL", "new", store.ErrNotFound, 8)
		add(t, d, "new")
		ask("created, not yet forgotten", "new", store.ErrNotFound, 8)
		c.Forget()
		ask("created and forgotten", "new", nil, 10)
		ask("another, which is forgotten too", "w", nil, 12)
	}
}

func TestListsAreNotCached(t *testing.T) {
	c, d := newCache(t, directorycache.Config{})
	for want := 1; want <= 2; want++ {
		if list, err := c.Websites(t.Context(), "acme"); len(list) != want || err != nil {
			t.Errorf("%v, %v; want %d websites", list, err, want)
		}
		add(t, d, fmt.Sprint("w", want))
	}
}

// TestKindsAreApart asks for subjects whose kind and id have the same text when they are joined.
func TestKindsAreApart(t *testing.T) {
	c, _ := newCache(t, directorycache.Config{})
	for s, want := range map[store.Subject]error{
		site("w"):                                         nil,
		{Kind: store.KindLink, ID: "w"}:                   store.ErrNotFound,
		{Kind: store.KindWebsite + "w", ID: ""}:           store.ErrNotFound,
		{Kind: store.KindWebsite[:1], ID: "ebsite" + "w"}: store.ErrNotFound,
	} {
		if owner, err := c.Owner(t.Context(), s); !errors.Is(err, want) || (owner == "acme") != (want == nil) {
			t.Errorf("%+v: %q, %v; want %v", s, owner, err, want)
		}
	}
}

func TestFailuresAreNotCached(t *testing.T) {
	c, d := newCache(t, directorycache.Config{})
	d.err = store.ErrUnavailable
	_, err1 := c.Owner(t.Context(), site("w"))
	_, err2 := c.Website(t.Context(), "w")
	if !errors.Is(err1, store.ErrUnavailable) || !errors.Is(err2, store.ErrUnavailable) {
		t.Errorf("%v, %v", err1, err2)
	}
	d.err = nil
	owner, err1 := c.Owner(t.Context(), site("w"))
	w, err2 := c.Website(t.Context(), "w")
	if owner != "acme" || w.Owner != "acme" || err1 != nil || err2 != nil {
		t.Errorf("%q, %v and %v, %v", owner, err1, w, err2)
	}
}

// TestBounds checks how many ids are cached, and how long they may be.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", 256)
	beside := append(append([]string{"w"}, made(3)...), "w")
	owners := long[len(store.KindWebsite):] // with its kind it is as long
	for name, row := range map[string]struct {
		cfg   directorycache.Config
		ids   []string
		asked int // for an owner and a website of each
	}{
		"the default size":      {directorycache.Config{}, append(made(10_000), made(1)...), 2 * 10_000},
		"one more than it":      {directorycache.Config{}, append(made(10_001), made(1)...), 2 * 10_002},
		"a size of 3":           {directorycache.Config{Size: 3}, append(made(3), made(3)...), 2 * 3},
		"one more than 3":       {directorycache.Config{Size: 3}, append(made(4), made(1)...), 2 * 5},
		"unknown beside known":  {directorycache.Config{Size: 3}, beside, 2 * 4},
		"a website's longest":   {directorycache.Config{}, []string{long, long}, 1 + 2},
		"longer than it may be": {directorycache.Config{}, []string{long + "x", long + "x"}, 2 + 2},
		"an owner's longest":    {directorycache.Config{}, []string{owners, owners}, 2},
	} {
		c, d := newCache(t, row.cfg)
		for _, id := range row.ids {
			_, _ = c.Owner(t.Context(), site(id))
			_, _ = c.Website(t.Context(), id)
		}
		if d.asked != row.asked {
			t.Errorf("%s: %d look-ups, want %d", name, d.asked, row.asked)
		}
	}
}

func made(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprint("made-up-", i))
	}
	return ids
}
