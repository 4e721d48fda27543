//go:build cgo

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

const keysCreateHelp = `The secret is written to stdout, alone and this once; all else goes to stderr. With --json
both come as one object on stdout. Say what the key opens: --all for everything that its
owner has and will have, or --resource for what you list. Without --scope it may read data.`

// newKey is what keys create was asked for.
type newKey struct {
	rights
	id, name string
	all      bool
	expires  time.Time
	limit    int
}

func createKey(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("keys create", to)
	r.ownerFlag(set)
	set.StringVar(&r.pepperFile, "pepper-file", "", pepperHelp)
	var asked newKey
	asked.flags(set, r.now)
	err := parse(set, args, to)
	if err == nil {
		err = asked.check(set.Name(), r.now())
	}
	if err != nil {
		return err
	}
	return r.issue(ctx, func(m *meta.Store) error {
		if err := owns(ctx, m, r.owner, asked.resources); err != nil {
			return err
		}
		k, secret, err := m.CreateKey(ctx, asked.key(r.owner))
		if err != nil {
			return unusable(err, fmt.Sprintf("there is a key %q already; choose another --id", asked.id))
		}
		return r.handOut(k, secret)
	})
}

func (n *newKey) flags(set *flag.FlagSet, now func() time.Time) {
	set.StringVar(&n.id, "id", "", "`id` of the key; made when there is none")
	set.StringVar(&n.name, "name", "", "`name` for people")
	set.BoolVar(&n.all, "all", false, "it opens everything that its owner has and will have")
	n.rights.flags(set)
	set.Func("expires", "`when` it ends: a UTC day, an instant, or a length of time from now, as 90d; without it never", func(text string) (err error) {
		n.expires, err = parseInstant(text, now(), false)
		return err
	})
	set.IntVar(&n.limit, "limit", 0, "`requests` per minute, in place of the default limits")
}

func (n *newKey) check(command string, now time.Time) error {
	fault := n.rights.check()
	switch {
	case fault != nil:
	case n.all == (len(n.resources) > 0):
		fault = errors.New("say either --all or what it opens with --resource")
	case !n.expires.IsZero() && !n.expires.After(now):
		fault = fmt.Errorf("--expires %s is in the past", at(n.expires))
	case n.limit < 0:
		fault = fmt.Errorf("--limit %d is negative", n.limit)
	}
	if fault != nil {
		return &usageError{command, fault}
	}
	return nil
}

func (n *newKey) key(owner string) auth.Key {
	k := auth.Key{
		ID: n.id, Owner: owner, Name: n.name, Scopes: n.scopes, All: n.all,
		Resources: n.resources, Filters: n.filters, Types: n.types, Expires: n.expires,
	}
	if len(k.Scopes) == 0 {
		k.Scopes = []auth.Scope{auth.ReadData}
	}
	if n.limit > 0 {
		k.Limits = &auth.Limits{PerMinute: n.limit}
	}
	return k
}

// owns makes sure that resources are owner's: a key for others would open nothing.
func owns(ctx context.Context, m *meta.Store, owner string, resources []auth.Resource) error {
	for _, r := range resources {
		whose, err := m.Owner(ctx, store.Subject{Kind: store.SubjectKind(r.Kind), ID: r.ID})
		if errors.Is(err, store.ErrNotFound) || err == nil && whose != owner {
			list := map[string]string{auth.KindWebsite: "websites", auth.KindLink: "links", auth.KindSchedule: "monitors"}[r.Kind]
			return fmt.Errorf("%s has no %s %q; see %s list --owner %[1]s", owner, r.Kind, r.ID, list)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// handOut shows a key's new secret, this once.
func (r *records) handOut(k auth.Key, secret auth.Secret) error {
	shown := viewKey(k, r.now())
	if r.json {
		return writeJSON(r.to.out, struct {
			Key    keyView `json:"key"`
			Secret string  `json:"secret"`
		}{shown, secret.Reveal()})
	}
	if err := sheet(r.to.err, keyDetails(), shown); err != nil {
		return err
	}
	if _, err := io.WriteString(r.to.err, "The secret follows on stdout. It is not kept, and not shown again.\n"); err != nil {
		return err
	}
	_, err := fmt.Fprintln(r.to.out, secret.Reveal())
	return err
}

func listKeys(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("keys list", to)
	r.ownerFlag(set)
	if err := parse(set, args, to); err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error {
		all, err := m.Keys(ctx, r.owner)
		if err := errors.Join(r.known(ctx, m), err); err != nil {
			return err
		}
		now := r.now()
		return showAll(r, keyColumns(), views(all, func(k auth.Key) keyView { return viewKey(k, now) }))
	})
}

func showKey(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("keys show", to)
	named, err := parseArgs(set, args, to)
	if err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error { return r.showKey(ctx, m, named[0]) })
}

// showKey shows the key of an id as it is kept.
func (r *records) showKey(ctx context.Context, m *meta.Store, id string) error {
	k, err := m.Key(ctx, id)
	if err != nil {
		return noKey(err, id)
	}
	shown := viewKey(k, r.now())
	if r.json {
		return writeJSON(r.to.out, shown)
	}
	return sheet(r.to.out, keyDetails(), shown)
}

// noKey is err, or what to do when it says that the key of an id is not there or no good.
func noKey(err error, id string) error {
	if errors.Is(err, auth.ErrBadKey) {
		return fmt.Errorf("key %q: %w", id, plain(err, auth.ErrBadKey))
	}
	if errors.Is(err, auth.ErrNotFound) {
		return fmt.Errorf("there is no key %q; see keys list --owner", id)
	}
	return err
}
