package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/redisbus"
	"github.com/sightline-analytics/sightline/store/meta"
)

// cachedKey has the options of commands that change a key. Servers may have the key in a cache.
type cachedKey struct {
	ofKey
	pepperFlags

	Redis dsn `env:"SIGHTLINE_REDIS" placeholder:"ADDRESS|@FILE" help:"Redis of the servers, to notify them immediately. Without it they see the change within a second."`
}

// publish changes a key of m and notifies servers through Redis.
func (c *cachedKey) publish(e environment, m *meta.Store, change func() error) (err error) {
	if c.Redis == "" {
		return change()
	}
	client, err := install.OpenRedis(string(c.Redis))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	bus, err := redisbus.New(redisbus.Config{Client: client, Timeout: time.Second, Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bus.Close(context.Background())) }()
	m.Notify(bus)
	return change()
}

// switchState changes the state of the key and shows the key. It changes the state also if the audit trail
// cannot record the change, because a leaked key must be revoked in any case.
func (c *cachedKey) switchState(ctx context.Context, e environment, command string,
	change func(*meta.Store) error) error {
	if err := c.needData(); err != nil {
		return err
	}
	pepper, noPepper := c.pepper(ctx, e, c.PepperFile)
	return c.read(ctx, e, func(m *meta.Store) error {
		var t *trail
		broken := noPepper
		if broken == nil {
			t, broken = c.openTrail(ctx, e, m, pepper)
		}
		err := c.publish(e, m, func() error { return change(m) })
		if broken == nil {
			k, _ := m.Key(ctx, c.Key) // a key that does not exist is not recorded
			k.ID = c.Key
			broken = errors.Join(t.record(ctx, command, k, err), t.close(ctx))
		} else if err == nil {
			broken = notRecorded(broken)
		}
		if err != nil {
			return errors.Join(c.explain(err), broken)
		}
		return errors.Join(c.show(ctx, e, m), broken)
	})
}

type revokeKey struct{ cachedKey }

func (r *revokeKey) Run(ctx context.Context, e environment) error {
	return r.switchState(ctx, e, "keys revoke", func(m *meta.Store) error { return m.RevokeKey(ctx, r.Key, nil) })
}

type disableKey struct{ cachedKey }

func (d *disableKey) Run(ctx context.Context, e environment) error {
	return d.switchState(ctx, e, "keys disable",
		func(m *meta.Store) error { return m.SetKeyDisabled(ctx, d.Key, true) })
}

type enableKey struct{ cachedKey }

func (n *enableKey) Run(ctx context.Context, e environment) error {
	return n.switchState(ctx, e, "keys enable", func(m *meta.Store) error {
		k, err := m.Key(ctx, n.Key)
		if err == nil && !k.Revoked.IsZero() {
			err = auth.ErrRevoked
		}
		if err != nil {
			return err
		}
		return m.SetKeyDisabled(ctx, n.Key, false)
	})
}

type rotateKey struct {
	cachedKey

	Grace span `placeholder:"TIME" help:"How long the replaced secret stays valid, such as 7d or 1h."`
}

func (*rotateKey) Help() string {
	return `Only the secret changes. The secret that is replaced stays valid for --grace. Secrets from earlier rotations keep their own grace periods; at most 5 old secrets are valid, and the oldest one ends first. Without --grace all old secrets end at once. The new secret is printed once, to stdout; everything else goes to stderr.`
}

func (r *rotateKey) Run(ctx context.Context, e environment) error {
	return r.reissue(ctx, e, r.PepperFile, func(m *meta.Store, t *trail) error {
		k := auth.Key{ID: r.Key}
		var secret auth.Secret
		err := r.publish(e, m, func() error {
			changed, made, err := m.RotateKey(ctx, r.Key, time.Duration(r.Grace), nil)
			if err == nil {
				k, secret = changed, made
			}
			return err
		})
		noted := t.record(ctx, "keys rotate", k, err)
		if err != nil {
			return errors.Join(r.explain(err), noted)
		}
		return errors.Join(showSecret(e, r.JSON, k, secret), noted)
	})
}

type changeKey struct {
	cachedKey
	rights

	Name       *string `placeholder:"NAME" help:"Display name."`
	All        *bool   `negatable:"" help:"Allow everything that the owner has now and later."`
	NoResource bool    `help:"Remove the resource list."`
	NoFilter   bool    `help:"Remove all mandatory filters."`
	AnyType    bool    `help:"Allow all query types."`
	Expires    instant `placeholder:"WHEN" help:"When the key expires: a UTC day, an instant, or a duration from now such as 90d."`
	NoExpiry   bool    `help:"Remove the expiry."`
	Limit      *int    `placeholder:"REQUESTS" help:"Requests per minute, in place of the default limits. 0: the default limits."`
}

func (*changeKey) Help() string {
	return `Options that you leave out do not change. A list replaces the earlier list. The secret stays the same. Changes also apply to existing panel tokens of the key.`
}

// AfterApply returns an error for options that contradict each other.
func (c *changeKey) AfterApply(e environment) error {
	for _, both := range []struct {
		a, b  bool
		names string
	}{
		{c.NoResource, len(c.Resource) > 0, "--resource or --no-resource"},
		{c.NoFilter, len(c.Filter) > 0, "--filter or --no-filter"},
		{c.AnyType, len(c.Type) > 0, "--type or --any-type"},
		{c.NoExpiry, c.Expires != instant{}, "--expires or --no-expiry"},
	} {
		if both.a && both.b {
			return errors.New("use either " + both.names)
		}
	}
	switch expires := c.Expires.after(e.now()); {
	case !expires.IsZero() && !expires.After(e.now()):
		return fmt.Errorf("--expires %s is in the past; see keys revoke", at(expires))
	case c.Limit != nil && *c.Limit < 0:
		return fmt.Errorf("--limit must not be negative, but is %d", *c.Limit)
	}
	return c.check()
}

func (c *changeKey) Run(ctx context.Context, e environment) error {
	return c.reissue(ctx, e, c.PepperFile, func(m *meta.Store, t *trail) error {
		found, err := m.Key(ctx, c.Key)
		if err == nil {
			err = checkOwner(ctx, m, found.Owner, c.claims().Resources)
		}
		if err != nil {
			return c.explain(err)
		}
		if c.amend(&found, e.now()); !found.All && len(found.Resources) == 0 {
			return errors.New("the key would allow nothing: use --all or --resource, or see keys disable")
		}
		err = c.publish(e, m, func() error {
			_, err := m.ChangeKey(ctx, c.Key, func(k *auth.Key) error {
				c.amend(k, e.now())
				return nil
			})
			return err
		})
		noted := t.record(ctx, "keys change", found, err)
		if err != nil {
			return errors.Join(c.explain(err), noted)
		}
		return errors.Join(c.show(ctx, e, m), noted)
	})
}

// amend applies the given options.
func (c *changeKey) amend(k *auth.Key, now time.Time) {
	claims := c.claims()
	assign(&k.Name, c.Name)
	assign(&k.All, c.All)
	if len(claims.Scopes) > 0 {
		k.Scopes = claims.Scopes
	}
	if c.NoResource || len(claims.Resources) > 0 {
		k.Resources = claims.Resources
	}
	if c.NoFilter || len(claims.Filters) > 0 {
		k.Filters = claims.Filters
	}
	if c.AnyType || len(claims.Types) > 0 {
		k.Types = claims.Types
	}
	if expires := c.Expires.after(now); c.NoExpiry || !expires.IsZero() {
		k.Expires = expires
	}
	if c.Limit != nil {
		k.Limits = nil
		if *c.Limit > 0 {
			k.Limits = &auth.Limits{PerMinute: *c.Limit}
		}
	}
}
