package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// slowDirectory counts how often it is asked.
type slowDirectory struct {
	MemoryDirectory
	asked int
	err   error
}

func (d *slowDirectory) Owner(ctx context.Context, s Subject) (string, error) {
	d.asked++
	if d.err != nil {
		return "", d.err
	}
	return d.MemoryDirectory.Owner(ctx, s)
}

func (d *slowDirectory) Website(ctx context.Context, id string) (Website, error) {
	d.asked++
	if d.err != nil {
		return Website{}, d.err
	}
	return d.MemoryDirectory.Website(ctx, id)
}

// cached is a directory with one website behind a cache, whose clock is now.
func cached(t *testing.T, now *time.Time, size int) (*CachedDirectory, *slowDirectory) {
	t.Helper()
	slow := &slowDirectory{}
	if err := slow.AddWebsite(Website{ID: "w", Owner: "acme"}); err != nil {
		t.Fatal(err)
	}
	d, err := NewCachedDirectory(CachedDirectoryConfig{Directory: slow, Size: size, Now: func() time.Time { return *now }})
	if err != nil {
		t.Fatal(err)
	}
	return d, slow
}

func site(id string) Subject { return Subject{KindWebsite, id} }

func TestWhatExistsAndWhatDoesNotAreRememberedAlike(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for id, want := range map[string]error{"w": nil, "nowhere": ErrNotFound} {
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
		now = now.Add(DefaultDirectoryTTL - time.Millisecond)
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
	if _, err := d.Owner(t.Context(), site("new")); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	if err := slow.AddWebsite(Website{ID: "new", Owner: "acme"}); err != nil {
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

// An answer that was under way when something was forgotten may be from before.
func TestAnAnswerFromBeforeIsNotRemembered(t *testing.T) {
	var r recent[string, int]
	_, changes := r.get("x")
	r.forget()
	r.put("x", said[int]{value: 1, known: true}, changes, 10)
	if found, _ := r.get("x"); found.known {
		t.Error("it is remembered")
	}
}

func TestFailuresAreNotRemembered(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 0)
	slow.err = ErrUnavailable
	if _, err := d.Owner(t.Context(), site("w")); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	slow.err = nil
	if owner, err := d.Owner(t.Context(), site("w")); owner != "acme" || err != nil {
		t.Errorf("%q, %v", owner, err)
	}
	slow.err = ErrUnavailable
	if owner, err := d.Owner(t.Context(), site("w")); owner != "acme" || err != nil {
		t.Errorf("while it is away: %q, %v", owner, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Owner(ctx, site("w")); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	d, slow := cached(t, &now, 100)
	for n := range 10_000 {
		_, _ = d.Owner(t.Context(), site(fmt.Sprint("made-up-", n)))
		_, _ = d.Owner(t.Context(), site(strings.Repeat("x", 300+n)))
	}
	if n := len(d.owners.young) + len(d.owners.old); n > 100 || n < 50 {
		t.Errorf("%d owners are remembered, with room for 100", n)
	}
	for s := range d.owners.young {
		if len(s.ID) > maxCachedID {
			t.Errorf("an id of %d bytes is remembered", len(s.ID))
		}
	}
	before := slow.asked
	_, _ = d.Owner(t.Context(), site("made-up-9999"))
	if slow.asked != before {
		t.Error("the last one is forgotten")
	}
}

func TestNewCachedDirectoryTellsEverythingThatIsWrong(t *testing.T) {
	_, err := NewCachedDirectory(CachedDirectoryConfig{TTL: 2 * time.Second, Size: -1})
	for _, want := range []string{"missing", "2s", "-1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
}
