//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// monitorView is an uptime monitor as the commands show it.
type monitorView struct {
	ID        string    `json:"id"`
	Owner     string    `json:"owner"`
	Name      string    `json:"name"`
	URL       string    `json:"url"`
	WebsiteID string    `json:"websiteId"`
	CreatedAt time.Time `json:"createdAt"`
}

func viewMonitor(m meta.Monitor) monitorView { return monitorView(m) }

func monitorColumns() []column[monitorView] {
	return []column[monitorView]{
		{"MONITOR", func(m monitorView) string { return m.ID }},
		{"NAME", func(m monitorView) string { return m.Name }},
		{"ADDRESS", func(m monitorView) string { return m.URL }},
		{"WEBSITE", func(m monitorView) string { return m.WebsiteID }},
		{"OWNER", func(m monitorView) string { return m.Owner }},
		{"CREATED", func(m monitorView) string { return at(m.CreatedAt) }},
	}
}

func addMonitor(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("monitors add", to)
	r.ownerFlag(set)
	id := set.String("id", "", "`id` of the monitor; made when there is none")
	url := set.String("url", "", "`address` that is checked, as https://shop.example/; required")
	website := set.String("website", "", "`id` of the website that it is of, when it is of one")
	name := set.String("name", "", "`name` for people; the address when there is none")
	if err := parse(set, args, to); err != nil {
		return err
	}
	if *url == "" {
		return &usageError{set.Name(), errors.New("--url is required")}
	}
	return r.change(ctx, func(m *meta.Store) error {
		kept, err := m.CreateMonitor(ctx, meta.Monitor{ID: *id, Owner: r.owner, Name: *name, URL: *url, WebsiteID: *website})
		if errors.Is(err, store.ErrNotFound) && !errors.Is(err, meta.ErrNoOwner) {
			return fmt.Errorf("%s has no website %q; see websites list --owner %[1]s", r.owner, *website)
		}
		if err != nil {
			return unusable(err, fmt.Sprintf("there is a monitor %q already; choose another --id", *id))
		}
		return showOne(r, monitorColumns(), viewMonitor(kept))
	})
}

func listMonitors(ctx context.Context, args []string, to streams) error {
	set, r := recordFlags("monitors list", to)
	r.ownerFlag(set)
	if err := parse(set, args, to); err != nil {
		return err
	}
	return r.list(ctx, func(m *meta.Store) error {
		all, err := m.Monitors(ctx, r.owner)
		if err := errors.Join(r.known(ctx, m), err); err != nil {
			return err
		}
		return showAll(r, monitorColumns(), views(all, viewMonitor))
	})
}
