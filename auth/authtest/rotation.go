package authtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

func rotation(b *bench) {
	made, old := b.create(b.full())
	b.clock.add(time.Hour)
	rotated, fresh := b.rotate(made.ID, 0)
	if old.Reveal() == fresh.Reveal() {
		b.failf("the secret did not change")
	}
	want := made
	want.Start = fresh.Start()
	if got := *b.find("new secret", fresh); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(rotated, want) {
		b.failf("found   %+v\nrotated %+v\nwant    %+v", got, rotated, want)
	}
	if k, err := b.look(old); !errors.Is(err, auth.ErrNotFound) {
		b.failf("old secret: %v, %v", k, err)
	}
}

func rotationWithGrace(b *bench) {
	made, old := b.create(b.full())
	_, fresh := b.rotate(made.ID, time.Minute)
	for _, wait := range []time.Duration{0, time.Minute - 2*time.Millisecond} {
		b.clock.add(wait)
		if k := b.find("old secret in its grace", old); k.ID != made.ID {
			b.failf("old secret finds %s", k.ID)
		}
		if k := b.find("new secret", fresh); k.ID != made.ID {
			b.failf("new secret finds %s", k.ID)
		}
	}
	b.clock.add(2*time.Millisecond + b.lag)
	if k, err := b.look(old); !errors.Is(err, auth.ErrNotFound) {
		b.failf("old secret after its grace: %v, %v", k, err)
	}
	b.find("new secret after the grace", fresh)
}

// rotatedTwice rotates a key twice within a grace period. Each old secret keeps its own grace period.
func rotatedTwice(b *bench) {
	made, first := b.create(b.full())
	_, second := b.rotate(made.ID, time.Hour)
	b.clock.add(10 * time.Minute)
	rotated, third := b.rotate(made.ID, 2*time.Hour)
	if got := *b.find("third secret", third); !reflect.DeepEqual(got, rotated) || len(got.Old) != 2 ||
		got.Old[0].Start != second.Start() || got.Old[1].Start != first.Start() {
		b.failf("found   %+v\nrotated %+v", got, rotated)
	}
	b.find("first secret", first)
	b.find("second secret", second)
	b.clock.add(50*time.Minute + b.lag)
	if k, err := b.look(first); !errors.Is(err, auth.ErrNotFound) {
		b.failf("first secret after its grace: %v, %v", k, err)
	}
	b.find("second secret in its grace", second)
	b.clock.add(70 * time.Minute)
	if k, err := b.look(second); !errors.Is(err, auth.ErrNotFound) {
		b.failf("second secret after its grace: %v, %v", k, err)
	}
	b.find("third secret", third)
}

// manyRotations rotates until the key has too many old secrets.
func manyRotations(b *bench) {
	made, first := b.create(b.full())
	secrets := []auth.Secret{first}
	_, short := b.rotate(made.ID, time.Hour)
	_, next := b.rotate(made.ID, time.Minute) // expires after a minute
	b.clock.add(time.Minute + b.lag)
	if k, err := b.look(short); !errors.Is(err, auth.ErrNotFound) {
		b.failf("a secret after its grace: %v, %v", k, err)
	}
	for secrets = append(secrets, next); len(secrets) <= auth.MaxOldSecrets; {
		_, s := b.rotate(made.ID, time.Hour)
		secrets = append(secrets, s)
	}
	for i, s := range secrets {
		b.find(fmt.Sprintf("secret %d; an expired one does not count", i), s)
	}
	_, newest := b.rotate(made.ID, time.Hour)
	if k, err := b.look(first); !errors.Is(err, auth.ErrNotFound) {
		b.failf("the oldest of %d old secrets: %v, %v", auth.MaxOldSecrets+1, k, err)
	}
	for i, s := range append(secrets[1:], newest) {
		b.find(fmt.Sprintf("secret %d after the oldest ended", i+1), s)
	}
}

// rotatedAfterALeak rotates without a grace period while old secrets are in theirs.
func rotatedAfterALeak(b *bench) {
	made, first := b.create(b.full())
	_, second := b.rotate(made.ID, time.Hour)
	_, third := b.rotate(made.ID, time.Hour)
	b.find("first secret in its grace", first)
	rotated, fourth := b.rotate(made.ID, 0)
	if len(rotated.Old) != 0 {
		b.failf("rotated %+v", rotated)
	}
	for what, s := range map[string]auth.Secret{"first": first, "second": second, "third": third} {
		if k, err := b.look(s); !errors.Is(err, auth.ErrNotFound) {
			b.failf("%s secret after a rotation without grace: %v, %v", what, k, err)
		}
	}
	b.find("fourth secret", fourth)
}

func refusedRotations(b *bench) {
	made, secret := b.create(b.full())
	if _, _, err := b.Rotate(b.t.Context(), "nobody", 0, nil); !errors.Is(err, auth.ErrNotFound) {
		b.failf("unknown key: %v", err)
	}
	if _, _, err := b.Rotate(b.t.Context(), made.ID, -time.Second, nil); !errors.Is(err, auth.ErrBadKey) {
		b.failf("negative grace: %v", err)
	}
	forbid := func(k auth.Key) error {
		if k.ID != made.ID || k.Start != made.Start {
			b.failf("allow was asked about %+v", k)
		}
		return auth.ErrForbidden
	}
	if _, s, err := b.Rotate(b.t.Context(), made.ID, 0, forbid); !errors.Is(err, auth.ErrForbidden) ||
		s.Reveal() != "" {
		b.failf("forbidden rotation: %v", err)
	}
	if err := b.Revoke(b.t.Context(), made.ID, forbid); !errors.Is(err, auth.ErrForbidden) {
		b.failf("forbidden revocation: %v", err)
	}
	b.find("secret after refused rotations", secret)
	if err := b.Revoke(b.t.Context(), made.ID, nil); err != nil {
		b.failf("Revoke: %v", err)
	}
	if _, _, err := b.Rotate(b.t.Context(), made.ID, 0, nil); !errors.Is(err, auth.ErrRevoked) {
		b.failf("revoked key: %v", err)
	}
}

func rotationsAtOnce(b *bench) {
	const together = 8
	for _, grace := range []time.Duration{0, time.Hour} {
		k := b.full()
		k.ID += "-rotated-" + grace.String()
		made, first := b.create(k)
		var wg sync.WaitGroup
		var secrets [together]auth.Secret
		var errs [together]error
		for i := range together {
			wg.Go(func() { _, secrets[i], errs[i] = b.Rotate(b.t.Context(), made.ID, grace, nil) })
		}
		wg.Wait()
		rotated, working := 0, 0
		for i, s := range secrets {
			if errs[i] != nil {
				if !errors.Is(errs[i], auth.ErrConflict) || s.Reveal() != "" {
					b.failf("a concurrent rotation: %v", errs[i])
				}
				continue
			}
			rotated++
			if k, err := b.look(s); err == nil && k.ID == made.ID {
				working++
			}
		}
		most := 1
		if grace > 0 {
			most = 1 + auth.MaxOldSecrets
		}
		if rotated == 0 || working == 0 || working > most {
			b.failf("with a grace of %v: %d rotations succeeded, %d of their secrets work", grace, rotated, working)
		}
		if _, err := b.look(first); grace == 0 && !errors.Is(err, auth.ErrNotFound) {
			b.failf("the previous secret: %v", err)
		}
	}
}

func gracePastExpiry(b *bench) {
	k := b.full()
	k.Expires = b.clock.now().Add(time.Hour)
	made, old := b.create(k)
	_, fresh := b.rotate(made.ID, 2*time.Hour)
	b.clock.add(time.Hour - 2*time.Millisecond)
	for what, s := range map[string]auth.Secret{"old": old, "new": fresh} {
		if k := b.find(what+" secret before the expiry", s); !k.Valid(b.clock.now()) {
			b.failf("%s secret before the expiry: %+v is not valid", what, *k)
		}
	}
	b.clock.add(2*time.Millisecond + b.lag)
	for what, s := range map[string]auth.Secret{"old": old, "new": fresh} {
		if k, err := b.look(s); err == nil && k.Valid(b.clock.now()) || err != nil &&
			!errors.Is(err, auth.ErrNotFound) {
			b.failf("%s secret after the expiry: %+v, %v", what, k, err)
		}
	}
	if _, _, err := b.Rotate(b.t.Context(), made.ID, 0, nil); !errors.Is(err, auth.ErrBadKey) {
		b.failf("rotation of an expired key: %v", err)
	}
}

func clockSetBack(b *bench) {
	made, old := b.create(b.full())
	_, fresh := b.rotate(made.ID, time.Minute)
	b.clock.add(time.Minute + b.lag)
	if _, err := b.look(old); !errors.Is(err, auth.ErrNotFound) {
		b.failf("old secret after its grace: %v", err)
	}
	b.clock.add(-time.Hour - b.lag)
	b.find("old secret after the clock was set back", old)
	b.find("new secret after the clock was set back", fresh)
	b.clock.add(48 * time.Hour)
	if _, err := b.look(old); !errors.Is(err, auth.ErrNotFound) {
		b.failf("old secret after the clock was set forward: %v", err)
	}
	b.find("new secret after the clock was set forward", fresh)
}

// seenAtOnce changes keys while other goroutines look them up.
func seenAtOnce(b *bench) {
	ctx, stop := context.WithCancel(b.t.Context())
	made, secret := b.create(b.full())
	_, fresh := b.rotate(made.ID, time.Hour)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				_, _ = b.KeyByDigest(ctx, secret.Digest(b.pepper))
				_, _ = b.KeyByDigest(ctx, fresh.Digest(b.pepper))
			}
		})
	}
	defer wg.Wait()
	defer stop()
	for n := range 50 {
		if err := b.SetDisabled(b.t.Context(), made.ID, n%2 == 0); err != nil {
			b.failf("SetDisabled: %v", err)
		}
		for _, s := range []auth.Secret{secret, fresh} {
			if k := b.find("key", s); k.Disabled != (n%2 == 0) {
				b.failf("after SetDisabled(%v): %+v", n%2 == 0, *k)
			}
		}
	}
	if err := b.Revoke(b.t.Context(), made.ID, nil); err != nil {
		b.failf("Revoke: %v", err)
	}
	for _, s := range []auth.Secret{secret, fresh} {
		if k := b.find("revoked key", s); k.Revoked.IsZero() {
			b.failf("after Revoke: %+v", *k)
		}
	}
}
