//go:build cgo

package main

import (
	"context"
	"errors"
	"time"

	"github.com/sightline-analytics/sightline/store/meta"
)

// linkView is a short link as the commands show it.
type linkView struct {
	ID        string    `json:"id"`
	Owner     string    `json:"owner"`
	Slug      string    `json:"slug"`
	TargetURL string    `json:"targetUrl"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
}

func viewLink(l meta.Link) linkView { return linkView(l) }

func linkColumns() []column[linkView] {
	return []column[linkView]{
		{"LINK", func(l linkView) string { return l.ID }},
		{"SLUG", func(l linkView) string { return l.Slug }},
		{"TARGET", func(l linkView) string { return l.TargetURL }},
		{"NAME", func(l linkView) string { return l.Name }},
		{"OWNER", func(l linkView) string { return l.Owner }},
		{"CREATED", func(l linkView) string { return at(l.CreatedAt) }},
	}
}

func addLink(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("links add", to)
	r.ownerFlag(set)
	id := set.String("id", "", "`id` of the link; made when there is none")
	slug := set.String("slug", "", "last `part` of the link's address, unique among those of the owner")
	target := set.String("target", "", "`address` that it leads to, as https://shop.example/sale; required")
	name := set.String("name", "", "`name` for people; the slug, else the target, when there is none")
	if err := parse(set, args, to); err != nil {
		return err
	}
	if *target == "" {
		return &usageError{set.Name(), errors.New("--target is required")}
	}
	return r.change(ctx, func(m *meta.Store) error {
		l, err := m.CreateLink(ctx, meta.Link{ID: *id, Owner: r.owner, Slug: *slug, TargetURL: *target, Name: *name})
		if err != nil {
			return unusable(err, "there is a link of that --id or --slug already; see links list")
		}
		return showOne(r, linkColumns(), viewLink(l))
	})
}

func listLinks(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("links list", to)
	r.ownerFlag(set)
	if err := parse(set, args, to); err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error {
		all, err := m.Links(ctx, r.owner)
		if err := errors.Join(r.known(ctx, m), err); err != nil {
			return err
		}
		return showAll(r, linkColumns(), views(all, viewLink))
	})
}
