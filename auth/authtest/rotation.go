package authtest

import (
	"errors"
	"reflect"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

func rotation(b *bench) {
	made, old := b.create(full())
	b.clock.add(time.Hour)
	rotated, fresh := b.rotate(made.ID, 0)
	if old.Reveal() == fresh.Reveal() {
		b.failf("the secret is the old one")
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
	made, old := b.create(full())
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
	b.clock.add(2 * time.Millisecond)
	if k, err := b.look(old); !errors.Is(err, auth.ErrNotFound) {
		b.failf("old secret after its grace: %v, %v", k, err)
	}
	b.find("new secret after the grace", fresh)
}

func secondRotation(b *bench) {
	made, first := b.create(full())
	_, second := b.rotate(made.ID, time.Hour)
	_, third := b.rotate(made.ID, time.Hour)
	if k, err := b.look(first); !errors.Is(err, auth.ErrNotFound) {
		b.failf("first secret: %v, %v", k, err)
	}
	b.find("second secret", second)
	b.find("third secret", third)
	_, fourth := b.rotate(made.ID, 0)
	for what, s := range map[string]auth.Secret{"second": second, "third": third} {
		if k, err := b.look(s); !errors.Is(err, auth.ErrNotFound) {
			b.failf("%s secret after a rotation without grace: %v, %v", what, k, err)
		}
	}
	b.find("fourth secret", fourth)
}

func refusedRotations(b *bench) {
	made, secret := b.create(full())
	if _, _, err := b.Rotate(b.t.Context(), "nobody", 0); !errors.Is(err, auth.ErrNotFound) {
		b.failf("unknown key: %v", err)
	}
	if _, _, err := b.Rotate(b.t.Context(), made.ID, -time.Second); !errors.Is(err, auth.ErrBadKey) {
		b.failf("negative grace: %v", err)
	}
	b.find("secret after refused rotations", secret)
	if err := b.Revoke(b.t.Context(), made.ID); err != nil {
		b.failf("Revoke: %v", err)
	}
	if _, _, err := b.Rotate(b.t.Context(), made.ID, 0); !errors.Is(err, auth.ErrBadKey) {
		b.failf("revoked key: %v", err)
	}
}
