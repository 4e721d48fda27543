//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store/meta"
)

// ownerView is an owner as the commands show it.
type ownerView struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
}

func viewOwner(o meta.Owner) ownerView { return ownerView(o) }

func ownerColumns() []column[ownerView] {
	return []column[ownerView]{
		{"OWNER", func(o ownerView) string { return o.ID }},
		{"NAME", func(o ownerView) string { return o.Name }},
		{"CREATED", func(o ownerView) string { return at(o.CreatedAt) }},
	}
}

func addOwner(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("owners add", to)
	id := set.String("id", "", "`id` that other commands name; made when there is none")
	name := set.String("name", "", "`name` for people")
	if err := parse(set, args, to); err != nil {
		return err
	}
	if *id == "" && *name == "" {
		return &usageError{set.Name(), errors.New("--name or --id is required")}
	}
	return r.change(ctx, func(m *meta.Store) error {
		o, err := m.CreateOwner(ctx, meta.Owner{ID: *id, Name: *name})
		if err != nil {
			return unusable(err, fmt.Sprintf("there is an owner %q already; choose another --id", *id))
		}
		return showOne(r, ownerColumns(), viewOwner(o))
	})
}

func listOwners(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("owners list", to)
	if err := parse(set, args, to); err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error {
		all, err := m.Owners(ctx)
		if err != nil {
			return err
		}
		return showAll(r, ownerColumns(), views(all, viewOwner))
	})
}

// unusable is err, or what to do when it says that a record is there already.
func unusable(err error, exists string) error {
	if errors.Is(err, meta.ErrExists) {
		return errors.New(exists)
	}
	return err
}
