//go:build cgo

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// websites runs the commands about websites. They use the relational file alone, so
// they work beside a running server as well as without one.
func websites(ctx context.Context, args []string, to streams) error {
	action := ""
	if len(args) > 0 {
		action, args = args[0], args[1:]
	}
	switch action {
	case "add":
		return addWebsite(ctx, args, to)
	case "list":
		return listWebsites(ctx, args, to)
	default:
		return &usageError{"websites add", fmt.Errorf("unknown command %q; there are websites add and websites list", "websites "+action)}
	}
}

func addWebsite(ctx context.Context, args []string, to streams) (err error) {
	set := flag.NewFlagSet("websites add", flag.ContinueOnError)
	dir := set.String("data", "./sightline-data", dataHelp)
	name := set.String("name", "", "`name` for people; the domain when there is none")
	domain := set.String("domain", "", "`host` of the website, as shop.example; required")
	if err := parse(set, args, to); err != nil {
		return err
	}
	if *domain == "" {
		return &usageError{set.Name(), errors.New("--domain is required")}
	}
	if err := makeFolder(*dir); err != nil {
		return err
	}
	m, err := openRecords(ctx, *dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	w, err := m.CreateWebsite(ctx, store.Website{Owner: owner, Name: *name, Domain: *domain})
	if err != nil {
		return err
	}
	return writeJSON(to.out, show(w))
}

func listWebsites(ctx context.Context, args []string, to streams) (err error) {
	set := flag.NewFlagSet("websites list", flag.ContinueOnError)
	dir := set.String("data", "./sightline-data", dataHelp)
	if err := parse(set, args, to); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(*dir, metaFile)); err != nil {
		return fmt.Errorf("no data yet: %w", err)
	}
	m, err := openRecords(ctx, *dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	all, err := m.Websites(ctx, owner)
	if err != nil {
		return err
	}
	shown := make([]website, len(all))
	for i, w := range all {
		shown[i] = show(w)
	}
	return writeJSON(to.out, shown)
}

// openRecords opens the relational file. No pepper: these commands make no keys.
func openRecords(ctx context.Context, dir string) (*meta.Store, error) {
	return openMeta(ctx, dir, nil, slog.New(slog.DiscardHandler), time.Now)
}

// website is a website as the commands show it.
type website struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Domain    string    `json:"domain"`
	CreatedAt time.Time `json:"createdAt"`
}

func show(w store.Website) website { return website{w.ID, w.Name, w.Domain, w.CreatedAt} }

func writeJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
