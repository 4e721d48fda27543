//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store/meta"
)

const (
	keysRotateHelp = `All else of the key stays. The old secret works on for --grace, and without it no more. The
new one is written to stdout, alone and this once; all else goes to stderr.`

	keysTokenHelp = `What the token opens is at every use what the key opens then and these flags leave of it.
It ends with --ttl, with the key, and with the secret that the key has now. The token is
written to stdout, alone; nothing of it is kept.`
)

func rotateKey(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("keys rotate", to)
	r.redisFlag(set)
	set.StringVar(&r.pepperFile, "pepper-file", "", pepperHelp)
	var grace time.Duration
	set.Func("grace", "how `long` the old secret works on, as 7d or 1h", func(text string) (err error) {
		grace, err = parseSpan(text)
		return err
	})
	named, err := parseArgs(set, args, to)
	if err != nil {
		return err
	}
	return r.reissue(ctx, func(m *meta.Store) error {
		var k auth.Key
		var secret auth.Secret
		err := r.telling(m, func() (err error) {
			k, secret, err = m.RotateKey(ctx, named[0], grace)
			return err
		})
		if errors.Is(err, auth.ErrConflict) {
			return fmt.Errorf("%q was rotated or revoked at the same time; this did nothing", named[0])
		}
		if err != nil {
			return noKey(err, named[0])
		}
		return r.handOut(k, secret)
	})
}

func revokeKey(ctx context.Context, args []string, to streams) error {
	return switchKey(ctx, "keys revoke", args, to, (*meta.Store).RevokeKey)
}

func disableKey(ctx context.Context, args []string, to streams) error {
	return switchKey(ctx, "keys disable", args, to, func(m *meta.Store, ctx context.Context, id string) error {
		return m.SetKeyDisabled(ctx, id, true)
	})
}

func enableKey(ctx context.Context, args []string, to streams) error {
	return switchKey(ctx, "keys enable", args, to, func(m *meta.Store, ctx context.Context, id string) error {
		return m.SetKeyDisabled(ctx, id, false)
	})
}

// switchKey runs a command that changes the state of a key, and shows the key.
func switchKey(ctx context.Context, name string, args []string, to streams, change func(*meta.Store, context.Context, string) error) error {
	set, r := recordFlags(name, to)
	r.redisFlag(set)
	named, err := parseArgs(set, args, to)
	if err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error {
		if err := r.telling(m, func() error { return change(m, ctx, named[0]) }); err != nil {
			return noKey(err, named[0])
		}
		return r.showKey(ctx, m, named[0])
	})
}

func mintToken(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("keys token", to)
	set.StringVar(&r.pepperFile, "pepper-file", "", pepperHelp)
	var left rights
	left.flags(set)
	ttl := time.Hour
	set.Func("ttl", "how `long` it lives, at most 24h; 1h when not given", func(text string) (err error) {
		ttl, err = parseSpan(text)
		return err
	})
	named, err := parseArgs(set, args, to)
	if err != nil {
		return err
	}
	if err := left.check(); err != nil {
		return &usageError{set.Name(), err}
	}
	return r.reissue(ctx, func(m *meta.Store) error {
		k, err := m.Key(ctx, named[0])
		if err == nil {
			err = owns(ctx, m, k.Owner, left.resources)
		}
		if err != nil {
			return noKey(err, named[0])
		}
		expires := r.now().Add(ttl)
		token, err := m.MintToken(ctx, k.ID, auth.Claims{
			Scopes: left.scopes, Resources: left.resources, Filters: left.filters, Types: left.types,
		}, ttl)
		if err != nil {
			return noKey(err, k.ID)
		}
		return r.handOutToken(k.ID, token, expires)
	})
}

func (r *records) handOutToken(key string, token auth.Secret, expires time.Time) error {
	if r.json {
		return writeJSON(r.to.out, struct {
			Token   string    `json:"token"`
			Key     string    `json:"key"`
			Expires time.Time `json:"expires"`
		}{token.Reveal(), key, expires.UTC()})
	}
	if _, err := fmt.Fprintf(r.to.err, "A token of %s that lives until %s, to be sent as Authorization: Bearer.\n", key, at(expires)); err != nil {
		return err
	}
	_, err := io.WriteString(r.to.out, token.Reveal()+"\n")
	return err
}
