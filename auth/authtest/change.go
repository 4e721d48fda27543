package authtest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

func changedKey(b *bench) {
	ctx := b.t.Context()
	made, secret := b.create(b.full())
	b.find("new key", secret)
	want := made
	want.Name, want.Types, want.Limits = "narrower", []string{}, nil
	want.Scopes = []auth.Scope{auth.ReadLinks}
	want.Filters = []auth.Filter{{Field: "country", Op: "eq", Values: []string{"FR"}}}
	want.Expires = b.clock.now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	changed, err := b.Change(ctx, made.ID, func(k *auth.Key) error {
		k.Name, k.Types, k.Limits, k.Scopes, k.Filters = want.Name, want.Types, nil, want.Scopes, want.Filters
		k.Expires = b.clock.now().Add(time.Hour)
		k.ID, k.Owner, k.Start, k.Prefix, k.CreatedAt = "x", "other", "x", "x", time.Time{}
		k.Revoked, k.LastUsed, k.Shares = b.clock.now(), b.clock.now(), nil
		return nil
	})
	if got := *b.find("changed key", secret); err != nil || !reflect.DeepEqual(changed, want) ||
		!reflect.DeepEqual(got, want) {
		b.failf("Change: %v\nreturned %+v\nfound    %+v\nwant     %+v", err, changed, got, want)
	}
	everything := func(k *auth.Key) error {
		k.All = true
		return nil
	}
	if _, err := b.Change(ctx, made.ID, everything); !errors.Is(err, auth.ErrBadKey) {
		b.failf("change to All with a list of resources: %v", err)
	}
	if _, err := b.Change(ctx, "nobody", everything); !errors.Is(err, auth.ErrNotFound) {
		b.failf("change of an unknown key: %v", err)
	}
	refuse := func(k *auth.Key) error {
		k.Name = "refused"
		return auth.ErrForbidden
	}
	if _, err := b.Change(ctx, made.ID, refuse); !errors.Is(err, auth.ErrForbidden) {
		b.failf("refused change: %v", err)
	}
	if got := *b.find("key after refused changes", secret); !reflect.DeepEqual(got, want) {
		b.failf("found %+v\nwant  %+v", got, want)
	}
	changesAtOnce(b, made.ID, secret)
	if err := b.Revoke(ctx, made.ID, nil); err != nil {
		b.failf("Revoke: %v", err)
	}
	if _, err := b.Change(ctx, made.ID, everything); !errors.Is(err, auth.ErrRevoked) {
		b.failf("change of a revoked key: %v", err)
	}
}

// changesAtOnce makes several goroutines add a resource each.
func changesAtOnce(b *bench, id string, secret auth.Secret) {
	const together = 8
	before := len(b.find("key", secret).Resources)
	var wg sync.WaitGroup
	var errs [together]error
	for i := range together {
		wg.Go(func() {
			_, errs[i] = b.Change(b.t.Context(), id, func(k *auth.Key) error {
				k.Resources = append(k.Resources, auth.Resource{Kind: auth.KindWebsite, ID: fmt.Sprint("more-", i)})
				return nil
			})
		})
	}
	wg.Wait()
	got := *b.find("key that many changed", secret)
	if err := errors.Join(errs[:]...); err != nil || len(got.Resources) != before+together {
		b.failf("%d resources, %v; want %d", len(got.Resources), err, before+together)
	}
}

func lastUse(b *bench) {
	made, _ := b.create(b.full())
	first := b.clock.now().UTC().Truncate(time.Millisecond)
	for _, step := range []struct {
		at, want time.Duration
	}{
		{0, 0},
		{time.Second, 0},
		{59 * time.Second, 0},
		{time.Minute, time.Minute},
		{-time.Hour, time.Minute},
		{3 * time.Minute, 3 * time.Minute},
	} {
		if err := b.Used(b.t.Context(), made.ID, b.clock.now().Add(step.at)); err != nil {
			b.failf("Used: %v", err)
		}
		k, err := b.Key(b.t.Context(), made.ID)
		if err != nil || !k.LastUsed.Equal(first.Add(step.want)) {
			b.failf("used after %v: last used %v, %v; want %v", step.at, k.LastUsed, err, first.Add(step.want))
		}
	}
	if err := b.Used(b.t.Context(), "nobody", b.clock.now()); err != nil {
		b.failf("use of an unknown key: %v", err)
	}
}
