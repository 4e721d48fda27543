package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store/meta"
)

type mintToken struct {
	ofKey
	pepperFlags
	rights

	TTL span `name:"ttl" default:"1h" help:"Lifetime of the token, at most 24h."`
}

func (*mintToken) Help() string {
	return `On every request the token can do what the key can do at that moment, narrowed by these options. It expires after --ttl, or earlier if the key or its present secret ends. The token is printed to stdout and is not stored.`
}

func (t *mintToken) Validate() error {
	if ttl := time.Duration(t.TTL); ttl < time.Second || ttl > auth.MaxTokenTTL {
		return errors.New("--ttl must be from 1s to 24h")
	}
	return t.check()
}

func (t *mintToken) Run(ctx context.Context, e environment) error {
	return t.reissue(ctx, e, t.PepperFile, func(m *meta.Store, trail *trail) error {
		claims := t.claims()
		k, err := m.Key(ctx, t.Key)
		if err == nil {
			err = checkOwner(ctx, m, k.Owner, claims.Resources)
		}
		if err != nil {
			return t.explain(err)
		}
		expires := e.now().Add(time.Duration(t.TTL))
		token, err := m.MintToken(ctx, k.ID, claims, time.Duration(t.TTL))
		if err != nil {
			return t.explain(err)
		}
		if err := trail.record(ctx, "keys token", k, nil); err != nil {
			return err
		}
		return showToken(e, t.JSON, k.ID, token, expires)
	})
}

func showToken(e environment, asJSON bool, key string, token auth.Secret, expires time.Time) error {
	if asJSON {
		return writeJSON(e.out, struct {
			Token   string    `json:"token"`
			Key     string    `json:"key"`
			Expires time.Time `json:"expires"`
		}{token.Reveal(), key, expires.UTC()})
	}
	if _, err := fmt.Fprintf(e.errs, "A token of %s, valid until %s. Send it as Authorization: Bearer TOKEN.\n", key,
		at(expires)); err != nil {
		return err
	}
	_, err := io.WriteString(e.out, token.Reveal()+"\n")
	return err
}
