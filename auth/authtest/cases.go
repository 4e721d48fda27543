package authtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

func cases() []testCase {
	return []testCase{
		{name: "round trip", run: roundTrip,
			why: "a key is found by its secret's digest, with every field as Create returned it"},
		{name: "bare key", run: bareKey,
			why: "what was not said stays unsaid: nil types are not empty ones, and no time is not 1970"},
		{name: "unknown digest", run: unknownDigest,
			why: "a digest that differs in one bit is another digest; not found wraps ErrNotFound"},
		{name: "no secret inside", run: noSecret,
			why: "a store's answer never holds the secret"},
		{name: "own copy", run: ownCopy,
			why: "what a caller does to a key it was given changes nothing in the store"},
		{name: "taken id", run: takenID,
			why: "creating a key of a known id wraps ErrExists and leaves the first as it was"},
		{name: "refused keys", run: refusedKeys,
			why: "a key that auth.Key.Check refuses is not created"},
		{name: "cancelled", run: cancelled,
			why: "a store that could not look must not say that the key is unknown"},
		{name: "rotation without grace", rotates: true, run: rotation,
			why: "rotation keeps the record, and the old secret dies at once"},
		{name: "rotation with grace", rotates: true, run: rotationWithGrace,
			why: "the old secret lives until the grace period is over, and not a millisecond longer"},
		{name: "rotated twice", rotates: true, run: rotatedTwice,
			why: "each old secret keeps its own grace period when the key is rotated again within it"},
		{name: "many rotations", rotates: true, run: manyRotations,
			why: "at most MaxOldSecrets old secrets are valid: the oldest one ends first, and expired ones do not count"},
		{name: "rotated after a leak", rotates: true, run: rotatedAfterALeak,
			why: "a rotation without a grace period ends all old secrets at once"},
		{name: "rotations at once", rotates: true, run: rotationsAtOnce,
			why: "of rotations at once one is made or all in turn; the others fail with ErrConflict, and the key has a working secret"},
		{name: "grace past expiry", rotates: true, run: gracePastExpiry,
			why: "a key that expires takes both its secrets with it, and is not rotated any more"},
		{name: "clock set back", rotates: true, run: clockSetBack,
			why: "instants are kept, not ages: set back, the clock prolongs a grace and nothing else"},
		{name: "change seen at once", rotates: true, switches: true, run: seenAtOnce,
			why: "what this process changed it sees from then on, whoever looked meanwhile"},
		{name: "changed key", changes: true, switches: true, run: changedKey,
			why: "a change takes effect at once and whole, leaves the secret and whose the key is, and refuses what makes no key"},
		{name: "last use", uses: true, run: lastUse,
			why: "the last use of a key is shown, at most once a minute, and never moves back"},
		{name: "refused rotations", rotates: true, switches: true, run: refusedRotations,
			why: "an unknown key is not rotated, nor a revoked one, nor with a negative grace"},
		{name: "revoked and disabled", switches: true, run: switchedOff,
			why: "a key that is not valid is still found, so that the log can say why it was refused"},
		{name: "concurrency", run: concurrency,
			why: "a store is safe for concurrent use, and keys made together are all kept"},
	}
}

func roundTrip(b *bench) {
	in := b.full()
	made, secret := b.create(in)
	found := b.find("created key", secret)
	if !reflect.DeepEqual(*found, made) {
		b.failf("found   %+v\ncreated %+v", *found, made)
	}
	want := in
	want.Prefix, want.Start = secret.Prefix(), secret.Start()
	want.CreatedAt = b.clock.now().UTC().Truncate(time.Millisecond)
	if !reflect.DeepEqual(made, want) {
		b.failf("created %+v\nwant    %+v", made, want)
	}
}

func bareKey(b *bench) {
	bare, secret := b.create(auth.Key{Owner: "acme", All: true})
	found := b.find("bare key", secret)
	if bare.ID == "" || !reflect.DeepEqual(*found, bare) {
		b.failf("found   %+v\ncreated %+v", *found, bare)
	}
	if found.Types != nil || found.Limits != nil || !found.Expires.IsZero() || !found.Revoked.IsZero() || !found.All {
		b.failf("a bare key came back with more than it had: %+v", *found)
	}
	_, secret = b.create(auth.Key{Owner: "acme", Types: []string{}})
	found = b.find("key of no types", secret)
	if found.Types == nil || len(found.Types) != 0 || found.All {
		b.failf("a key of no types came back as %+v", *found)
	}
}

func unknownDigest(b *bench) {
	_, secret := b.create(b.full())
	good := secret.Digest(b.pepper)
	for _, bit := range []int{0, 7, 128, 255} {
		d := good
		d[bit/8] ^= 1 << (bit % 8)
		if k, err := b.KeyByDigest(b.t.Context(), d); !errors.Is(err, auth.ErrNotFound) || k != nil {
			b.failf("bit %d flipped: %v, %v", bit, k, err)
		}
	}
	if k, err := b.KeyByDigest(b.t.Context(), auth.Digest{}); !errors.Is(err, auth.ErrNotFound) || k != nil {
		b.failf("zero digest: %v, %v", k, err)
	}
}

func noSecret(b *bench) {
	made, secret := b.create(b.full())
	found := b.find("created key", secret)
	random := secret.Reveal()[len(secret.Start()):]
	if text := fmt.Sprintf("%+v %#v %+v", *found, *found, made); strings.Contains(text, random) {
		b.failf("the key holds its secret")
	}
}

func ownCopy(b *bench) {
	in := b.full()
	made, secret := b.create(in)
	want := *b.find("created key", secret)
	for _, k := range []*auth.Key{&in, &made, b.find("created key", secret)} {
		k.Scopes[0] = auth.ManageFlags
		k.Resources[0].ID = "w2"
		k.Filters[0].Values[0] = "FR"
		k.Types[0] = "errors"
		k.Limits.PerMinute = 1 << 20
		k.All = true
	}
	if got := *b.find("created key", secret); !reflect.DeepEqual(got, want) {
		b.failf("now    %+v\nbefore %+v", got, want)
	}
}

func takenID(b *bench) {
	first, secret := b.create(b.full())
	second := b.full()
	second.Owner = "other"
	b.own("other")
	if _, _, err := b.Create(b.t.Context(), second); !errors.Is(err, auth.ErrExists) {
		b.failf("second Create: %v", err)
	}
	if got := *b.find("first key", secret); !reflect.DeepEqual(got, first) {
		b.failf("now    %+v\nbefore %+v", got, first)
	}
}

func refusedKeys(b *bench) {
	for what, k := range map[string]auth.Key{
		"no owner":          {All: true},
		"all and a list":    {Owner: "acme", All: true, Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "w1"}}},
		"unknown scope":     {Owner: "acme", Scopes: []auth.Scope{"read:everything"}},
		"filter of nothing": {Owner: "acme", Filters: []auth.Filter{{Field: "country", Op: "eq"}}},
		"filter not UTF-8":  {Owner: "acme", Filters: []auth.Filter{{Field: "path", Op: "eq", Values: []string{"\xff"}}}},
		"NUL in the name":   {Owner: "acme", Name: "a\x00b"},
		"endless id":        {Owner: "acme", ID: strings.Repeat("x", 4096)},
	} {
		if _, s, err := b.Create(b.t.Context(), k); !errors.Is(err, auth.ErrBadKey) || s.Reveal() != "" {
			b.failf("%s: %v", what, err)
		}
	}
}

func cancelled(b *bench) {
	_, secret := b.create(b.full())
	ctx, cancel := context.WithCancel(b.t.Context())
	cancel()
	if _, err := b.KeyByDigest(ctx, secret.Digest(b.pepper)); err == nil || errors.Is(err, auth.ErrNotFound) {
		b.failf("KeyByDigest with a cancelled context: %v", err)
	}
}

func switchedOff(b *bench) {
	made, secret := b.create(b.full())
	b.find("new key", secret) // as a cache would have it
	ctx := b.t.Context()
	for _, disabled := range []bool{true, false} {
		if err := b.SetDisabled(ctx, made.ID, disabled); err != nil {
			b.failf("SetDisabled(%v): %v", disabled, err)
		}
		if k := b.find("key", secret); k.Disabled != disabled {
			b.failf("SetDisabled(%v) left %+v", disabled, *k)
		}
	}
	at := b.clock.now().UTC().Truncate(time.Millisecond)
	for range 2 {
		if err := b.Revoke(ctx, made.ID); err != nil {
			b.failf("Revoke: %v", err)
		}
		if k := b.find("revoked key", secret); !k.Revoked.Equal(at) {
			b.failf("revoked at %v, want the first time, %v", k.Revoked, at)
		}
		b.clock.add(time.Hour)
	}
	for what, err := range map[string]error{
		"Revoke": b.Revoke(ctx, "nobody"), "SetDisabled": b.SetDisabled(ctx, "nobody", true),
	} {
		if !errors.Is(err, auth.ErrNotFound) {
			b.failf("%s of an unknown key: %v", what, err)
		}
	}
}

func concurrency(b *bench) {
	const workers, each = 16, 4
	var wg sync.WaitGroup
	faults := make(chan error, workers*each)
	for w := range workers {
		b.own(fmt.Sprintf("owner-%d", w))
	}
	for w := range workers {
		wg.Go(func() {
			for range each {
				owner := fmt.Sprintf("owner-%d", w)
				made, s, err := b.Create(b.t.Context(), auth.Key{Owner: owner, All: true})
				if err != nil {
					faults <- fmt.Errorf("in Create: %w", err)
					continue
				}
				if k, err := b.look(s); err != nil || k.ID != made.ID || k.Owner != owner {
					faults <- fmt.Errorf("in KeyByDigest: %v, %w; want %s of %s", k, err, made.ID, owner)
				}
			}
		})
	}
	wg.Wait()
	close(faults)
	for err := range faults {
		b.t.Error(err)
	}
	if b.t.Failed() {
		b.failf("keys were lost")
	}
}
