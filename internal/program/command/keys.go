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

type addKey struct {
	owned
	pepperFlags
	rights

	ID      string  `placeholder:"ID" help:"Id of the key. Default: a random id."`
	Name    string  `placeholder:"NAME" help:"Display name."`
	All     bool    `help:"Allow everything that the owner has now and later."`
	Expires instant `placeholder:"WHEN" help:"When the key expires: a UTC day, an instant, or a duration from now such as 90d. Default: never."`
	Limit   int     `placeholder:"REQUESTS" help:"Requests per minute, in place of the default limits."`
}

func (*addKey) Help() string {
	return `The secret is printed once, to stdout; everything else goes to stderr. With --json both are one object on stdout. Use --all to allow everything that the owner has now and later, or --resource to list websites, links and monitors. Without --scope the key can read data.`
}

// AfterApply returns an error for a key that would allow nothing, or has contradicting options.
func (a *addKey) AfterApply(e environment) error {
	switch expires := a.Expires.after(e.now()); {
	case a.All == (len(a.Resource) > 0):
		return errors.New("use either --all or --resource")
	case !expires.IsZero() && !expires.After(e.now()):
		return fmt.Errorf("--expires %s is in the past", at(expires))
	case a.Limit < 0:
		return fmt.Errorf("--limit must not be negative, but is %d", a.Limit)
	}
	return a.check()
}

func (a *addKey) Run(ctx context.Context, e environment) error {
	return a.issue(ctx, e, a.PepperFile, func(m *meta.Store, t *trail) error {
		key := a.key(e.now())
		if err := checkOwner(ctx, m, a.Owner, key.Resources); err != nil {
			return err
		}
		k, secret, err := m.CreateKey(ctx, key)
		if err == nil {
			key = k
		}
		noted := t.record(ctx, "keys add", key, err)
		if err != nil {
			return errors.Join(a.refused(err, fmt.Sprintf("key %q already exists; choose another --id", a.ID)), noted)
		}
		return errors.Join(showSecret(e, a.JSON, k, secret), noted)
	})
}

func (a *addKey) key(now time.Time) auth.Key {
	claims := a.claims()
	k := auth.Key{
		ID: a.ID, Owner: a.Owner, Name: a.Name, Scopes: claims.Scopes, All: a.All,
		Resources: claims.Resources, Filters: claims.Filters, Types: claims.Types, Expires: a.Expires.after(now),
	}
	if len(k.Scopes) == 0 {
		k.Scopes = []auth.Scope{auth.ReadData}
	}
	if a.Limit > 0 {
		k.Limits = &auth.Limits{PerMinute: a.Limit}
	}
	return k
}

// showSecret prints the new secret of a key. No other command can print it.
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
	if _, err := io.WriteString(e.errs,
		"The secret follows on stdout. It is not stored and cannot be shown again.\n"); err != nil {
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

// ofKey has the options of commands about one key.
type ofKey struct {
	records

	Key string `arg:"" help:"Id of the key."`
}

// show shows the stored key.
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

// explain returns err, or says what to do if the key does not exist or cannot be used.
func (o *ofKey) explain(err error) error {
	switch {
	case errors.Is(err, auth.ErrBadKey):
		return fmt.Errorf("key %q: %w", o.Key, plain(err))
	case errors.Is(err, auth.ErrNotFound):
		return fmt.Errorf("key %q does not exist; see keys list --owner", o.Key)
	case errors.Is(err, auth.ErrConflict):
		return fmt.Errorf("key %q was rotated or revoked at the same time; this command changed nothing", o.Key)
	}
	return err
}

type showKey struct{ ofKey }

func (s *showKey) Run(ctx context.Context, e environment) error {
	return s.read(ctx, e, func(m *meta.Store) error { return s.show(ctx, e, m) })
}
