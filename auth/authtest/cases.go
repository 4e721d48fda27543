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
			why: "the digest of a secret finds its key, with every field as Create returned it"},
		{name: "bare key", run: bareKey,
			why: "absent values stay absent: nil types differ from an empty list, and a zero time from 1970"},
		{name: "unknown digest", run: unknownDigest,
			why: "a digest with one different bit finds no key; the error wraps ErrNotFound"},
		{name: "no secret inside", run: noSecret,
			why: "a returned key never contains the secret"},
		{name: "own copy", run: ownCopy,
			why: "a caller that changes a returned key does not change the store"},
		{name: "taken id", run: takenID,
			why: "creating a key with an existing id fails with ErrExists and does not change the existing key"},
		{name: "refused keys", run: refusedKeys,
			why: "a key that auth.Key.Check refuses is not created"},
		{name: "cancelled", run: cancelled,
			why: "a store that fails to look up a key must not report that it does not exist"},
		{name: "rotation without grace", rotates: true, run: rotation,
			why: "a rotation does not change the other fields, and the old secret becomes invalid at once"},
		{name: "rotation with grace", rotates: true, run: rotationWithGrace,
			why: "the old secret is valid exactly until the end of the grace period"},
		{name: "rotated twice", rotates: true, run: rotatedTwice,
			why: "each old secret keeps its own grace period when the key is rotated again within it"},
		{name: "many rotations", rotates: true, run: manyRotations,
			why: "at most MaxOldSecrets old secrets are valid: the oldest one ends first, and expired ones do not count"},
		{name: "rotated after a leak", rotates: true, run: rotatedAfterALeak,
			why: "a rotation without a grace period invalidates all old secrets at once"},
		{name: "rotations at once", rotates: true, run: rotationsAtOnce,
			why: "concurrent rotations succeed or fail with ErrConflict; at least one succeeds, and the key has a working secret"},
		{name: "grace past expiry", rotates: true, run: gracePastExpiry,
			why: "both secrets of an expired key are invalid, and it cannot be rotated"},
		{name: "clock set back", rotates: true, run: clockSetBack,
			why: "stores save instants, not ages: a clock that is set back only makes grace periods longer"},
		{name: "change seen at once", rotates: true, switches: true, run: seenAtOnce,
			why: "a process sees its own changes at once, even if the key was looked up at the same time"},
		{name: "changed key", changes: true, switches: true, run: changedKey,
			why: "a change is atomic and visible at once, does not change secret and owner, and must result in a valid key"},
		{name: "last use", uses: true, run: lastUse,
			why: "the last use of a key is updated at most once a minute and never becomes earlier"},
		{name: "refused rotations", rotates: true, switches: true, run: refusedRotations,
			why: "unknown keys and revoked keys cannot be rotated, and a negative grace is refused"},
		{name: "revoked and disabled", switches: true, run: switchedOff,
			why: "invalid keys are still found, so that the log can say why they were refused"},
		{name: "concurrency", run: concurrency,
			why: "a store is safe for concurrent use, and all concurrently created keys are stored"},
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
		b.failf("fields of a bare key were set: %+v", *found)
	}
	_, secret = b.create(auth.Key{Owner: "acme", Types: []string{}})
	found = b.find("key with an empty list of types", secret)
	if found.Types == nil || len(found.Types) != 0 || found.All {
		b.failf("a key with an empty list of types came back as %+v", *found)
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
		b.failf("the key contains its secret")
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
		k.Shares[0].Key, k.Shares[1].Limits.PerMinute = "nobody", 1<<20
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
		"no owner": {All: true},
		"all and a list": {Owner: "acme", All: true,
			Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "w1"}}},
		"unknown scope":         {Owner: "acme", Scopes: []auth.Scope{"read:everything"}},
		"filter without values": {Owner: "acme", Filters: []auth.Filter{{Field: "country", Op: "eq"}}},
		"filter not UTF-8": {Owner: "acme",
			Filters: []auth.Filter{{Field: "path", Op: "eq", Values: []string{"\xff"}}}},
		"did in the range": {Owner: "acme",
			Filters: []auth.Filter{{Did: &auth.Did{Page: &auth.Text{Op: "eq", Values: []string{"/"}}, In: "range"}}}},
		"did nothing": {Owner: "acme", Filters: []auth.Filter{{Not: &auth.Filter{Did: &auth.Did{}}}}},
		"did inside did": {Owner: "acme",
			Filters: []auth.Filter{{Did: &auth.Did{Page: &auth.Text{Op: "eq", Values: []string{"/"}},
				Filters: []auth.Filter{{Or: []auth.Filter{{Did: &auth.Did{Page: &auth.Text{Op: "eq",
					Values: []string{"/"}}}}}}}}}}},
		"NUL in the name": {Owner: "acme", Name: "a\x00b"},
		"long id":         {Owner: "acme", ID: strings.Repeat("x", 4096)},
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
	b.find("new key", secret) // so that a cache has it
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
		if err := b.Revoke(ctx, made.ID, nil); err != nil {
			b.failf("Revoke: %v", err)
		}
		if k := b.find("revoked key", secret); !k.Revoked.Equal(at) {
			b.failf("Revoked = %v, want the first time, %v", k.Revoked, at)
		}
		b.clock.add(time.Hour)
	}
	for what, err := range map[string]error{
		"Revoke": b.Revoke(ctx, "nobody", nil), "SetDisabled": b.SetDisabled(ctx, "nobody", true),
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
