//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// websiteView is a website as the commands show it.
type websiteView struct {
	ID        string    `json:"id"`
	Owner     string    `json:"owner"`
	Name      string    `json:"name"`
	Domain    string    `json:"domain"`
	IsPublic  bool      `json:"isPublic"`
	CreatedAt time.Time `json:"createdAt"`
}

func viewWebsite(w store.Website) websiteView { return websiteView(w) }

func websiteColumns() []column[websiteView] {
	return []column[websiteView]{
		{"WEBSITE", func(w websiteView) string { return w.ID }},
		{"NAME", func(w websiteView) string { return w.Name }},
		{"DOMAIN", func(w websiteView) string { return w.Domain }},
		{"PUBLIC", func(w websiteView) string { return strconv.FormatBool(w.IsPublic) }},
		{"OWNER", func(w websiteView) string { return w.Owner }},
		{"CREATED", func(w websiteView) string { return at(w.CreatedAt) }},
	}
}

func addWebsite(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("websites add", to)
	r.ownerFlag(set)
	id := set.String("id", "", "`id` of the website; made when there is none")
	name := set.String("name", "", "`name` for people; the domain when there is none")
	domain := set.String("domain", "", "`host` of the website, as shop.example; required")
	public := set.Bool("public", false, "list it as public; that opens nothing")
	if err := parse(set, args, to); err != nil {
		return err
	}
	if *domain == "" {
		return &usageError{set.Name(), errors.New("--domain is required")}
	}
	return r.change(ctx, func(m *meta.Store) error {
		w, err := m.CreateWebsite(ctx, store.Website{ID: *id, Owner: r.owner, Name: *name, Domain: *domain, IsPublic: *public})
		if err != nil {
			return unusable(err, fmt.Sprintf("there is a website %q already; choose another --id", *id))
		}
		return showOne(r, websiteColumns(), viewWebsite(w))
	})
}

func listWebsites(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("websites list", to)
	r.ownerFlag(set)
	if err := parse(set, args, to); err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error {
		all, err := m.Websites(ctx, r.owner)
		if err := errors.Join(r.known(ctx, m), err); err != nil {
			return err
		}
		return showAll(r, websiteColumns(), views(all, viewWebsite))
	})
}
