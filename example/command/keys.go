//go:build cgo

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/keycache/redisbus"
	"github.com/sightline-analytics/sightline/example/install"
	"github.com/sightline-analytics/sightline/store/meta"
)

type createKey struct {
	owned
	pepperFlags
	rights

	ID      string  `placeholder:"ID" help:"Id of the key; made when there is none."`
	Name    string  `placeholder:"NAME" help:"Name for people."`
	All     bool    `help:"It opens everything that its owner has and will have."`
	Expires instant `placeholder:"WHEN" help:"When it ends: a UTC day, an instant, or a length of time from now, as 90d; without it never."`
	Limit   int     `placeholder:"REQUESTS" help:"Requests per minute, in place of the default limits."`
}

func (*createKey) Help() string {
	return `The secret is written to stdout, alone and this once; all else goes to stderr. With --json both come as one object on stdout. Say what the key opens: --all for everything that its owner has and will have, or --resource for what you list. Without --scope it may read data.`
}

// AfterApply finds keys that would open nothing, or not what was meant.
func (c *createKey) AfterApply(e environment) error {
	switch expires := c.Expires.after(e.now()); {
	case c.All == (len(c.Resource) > 0):
		return errors.New("say either --all or what it opens with --resource")
	case !expires.IsZero() && !expires.After(e.now()):
		return fmt.Errorf("--expires %s is in the past", at(expires))
	case c.Limit < 0:
		return fmt.Errorf("--limit %d is negative", c.Limit)
	}
	return c.check()
}

func (c *createKey) Run(ctx context.Context, e environment) error {
	return c.issue(ctx, e, c.PepperFile, func(m *meta.Store) error {
		key := c.key(e.now())
		if err := checkOwner(ctx, m, c.Owner, key.Resources); err != nil {
			return err
		}
		k, secret, err := m.CreateKey(ctx, key)
		if err != nil {
			return c.refused(err, fmt.Sprintf("there is a key %q already; choose another --id", c.ID))
		}
		return showSecret(e, c.JSON, k, secret)
	})
}

func (c *createKey) key(now time.Time) auth.Key {
	claims := c.claims()
	k := auth.Key{
		ID: c.ID, Owner: c.Owner, Name: c.Name, Scopes: claims.Scopes, All: c.All,
		Resources: claims.Resources, Filters: claims.Filters, Types: claims.Types, Expires: c.Expires.after(now),
	}
	if len(k.Scopes) == 0 {
		k.Scopes = []auth.Scope{auth.ReadData}
	}
	if c.Limit > 0 {
		k.Limits = &auth.Limits{PerMinute: c.Limit}
	}
	return k
}

// showSecret shows a key's new secret, this once.
func showSecret(e environment, asJSON bool, k auth.Key, secret auth.Secret) error {
	shown := viewKey(k, e.now())
	if asJSON {
		return writeJSON(e.out, struct {
			Key    keyView `json:"key"`
			Secret string  `json:"secret"`
		}{shown, secret.Reveal()})
	}
	if err := sheet(e.errs, shown.details()); err != nil {
		return err
	}
	if _, err := io.WriteString(e.errs, "The secret follows on stdout. It is not kept, and not shown again.\n"); err != nil {
		return err
	}
	_, err := fmt.Fprintln(e.out, secret.Reveal())
	return err
}

type listKeys struct{ owned }

func (l *listKeys) Run(ctx context.Context, e environment) error {
	now := e.now()
	return list(ctx, e, &l.owned, (*meta.Store).Keys, func(k auth.Key) keyView { return viewKey(k, now) })
}

// ofKey is for commands about one key.
type ofKey struct {
	records

	Key string `arg:"" help:"Id of the key."`
}

// show shows the key as it is kept.
func (o *ofKey) show(ctx context.Context, e environment, m *meta.Store) error {
	k, err := m.Key(ctx, o.Key)
	if err != nil {
		return o.explain(err)
	}
	shown := viewKey(k, e.now())
	if o.JSON {
		return writeJSON(e.out, shown)
	}
	return sheet(e.out, shown.details())
}

// explain is err, or what to do when it says that the key is not there or no good.
func (o *ofKey) explain(err error) error {
	switch {
	case errors.Is(err, auth.ErrBadKey):
		return fmt.Errorf("key %q: %w", o.Key, plain(err, auth.ErrBadKey))
	case errors.Is(err, auth.ErrNotFound):
		return fmt.Errorf("there is no key %q; see keys list --owner", o.Key)
	case errors.Is(err, auth.ErrConflict):
		return fmt.Errorf("%q was rotated or revoked at the same time; this did nothing", o.Key)
	}
	return err
}

type showKey struct{ ofKey }

func (s *showKey) Run(ctx context.Context, e environment) error {
	return s.read(ctx, e, func(m *meta.Store) error { return s.show(ctx, e, m) })
}

// changeKey is for commands that change a key which servers may remember.
type changeKey struct {
	ofKey

	Redis dsn `env:"SIGHTLINE_REDIS" placeholder:"ADDRESS|@FILE" help:"Redis of the servers, to tell them at once; without it they see the change within a second."`
}

// publish makes a change to a key of m, and tells servers of it through Redis.
func (c *changeKey) publish(e environment, m *meta.Store, change func() error) (err error) {
	if c.Redis == "" {
		return change()
	}
	client, err := install.OpenRedis(string(c.Redis))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	log := slog.New(slog.NewTextHandler(e.errs, nil))
	bus, err := redisbus.New(redisbus.Config{Client: client, To: noopInvalidator{}, Timeout: time.Second, Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bus.Close()) }()
	m.Notify(bus)
	return change()
}

// noopInvalidator is for a command, which remembers no keys.
type noopInvalidator struct{}

func (noopInvalidator) KeyChanged(context.Context, string) {}

// switchState changes the state of the key, and shows the key.
func (c *changeKey) switchState(ctx context.Context, e environment, change func(*meta.Store) error) error {
	return c.read(ctx, e, func(m *meta.Store) error {
		if err := c.publish(e, m, func() error { return change(m) }); err != nil {
			return c.explain(err)
		}
		return c.show(ctx, e, m)
	})
}

type revokeKey struct{ changeKey }

func (r *revokeKey) Run(ctx context.Context, e environment) error {
	return r.switchState(ctx, e, func(m *meta.Store) error { return m.RevokeKey(ctx, r.Key) })
}

type disableKey struct{ changeKey }

func (d *disableKey) Run(ctx context.Context, e environment) error {
	return d.switchState(ctx, e, func(m *meta.Store) error { return m.SetKeyDisabled(ctx, d.Key, true) })
}

type enableKey struct{ changeKey }

func (n *enableKey) Run(ctx context.Context, e environment) error {
	return n.switchState(ctx, e, func(m *meta.Store) error { return m.SetKeyDisabled(ctx, n.Key, false) })
}

type rotateKey struct {
	changeKey
	pepperFlags

	Grace span `placeholder:"TIME" help:"How long the old secret works on, as 7d or 1h."`
}

func (*rotateKey) Help() string {
	return `All else of the key stays. The old secret works on for --grace, and without it no more. The new one is written to stdout, alone and this once; all else goes to stderr.`
}

func (r *rotateKey) Run(ctx context.Context, e environment) error {
	return r.reissue(ctx, e, r.PepperFile, func(m *meta.Store) error {
		var k auth.Key
		var secret auth.Secret
		err := r.publish(e, m, func() (err error) {
			k, secret, err = m.RotateKey(ctx, r.Key, time.Duration(r.Grace))
			return err
		})
		if err != nil {
			return r.explain(err)
		}
		return showSecret(e, r.JSON, k, secret)
	})
}
