//go:build cgo

package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/example/demo"
	"github.com/sightline-analytics/sightline/example/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// The demo's records. They are the same in every install, as its traffic is.
const (
	demoKeyID   = "key_demo"
	demoWebsite = "web_demo"
	demoLink    = "lnk_demo"
	demoMonitor = "mon_demo"
	demoDomain  = "notes.example"

	demoPerMinute = 60_000 // requests of the demo key: enough for any panel
)

// demoKey reads the key that the data folder keeps, or makes one: on first start, and
// when the key is not known any more.
func (a *app) demoKey(ctx context.Context, r *ready) error {
	file := filepath.Join(a.settings.Data, install.DemoKeyFile)
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.Key = strings.TrimSpace(string(text))
	if known, err := a.knows(ctx, r.Key); known || err != nil {
		return err
	}
	key := auth.Key{
		ID: demoKeyID, Owner: install.Owner, Name: "Demo", All: true, Scopes: auth.Scopes(),
		Limits: &auth.Limits{PerMinute: demoPerMinute},
	}
	_, secret, err := a.records.CreateKey(ctx, key)
	if errors.Is(err, auth.ErrExists) {
		_, secret, err = a.anotherDemoKey(ctx, key)
	}
	if err != nil {
		return err
	}
	r.Key = secret.Reveal()
	return install.Replace(file, []byte(r.Key+"\n"))
}

// anotherDemoKey makes a secret when that of the demo key is not in the data folder. In a
// store of this folder's own it is lost. In one that is shared another folder may have it.
func (a *app) anotherDemoKey(ctx context.Context, key auth.Key) (auth.Key, auth.Secret, error) {
	if a.settings.Meta == "" {
		k, secret, err := a.records.RotateKey(ctx, demoKeyID, 0)
		if !errors.Is(err, auth.ErrBadKey) { // as it is after a revocation
			return k, secret, err
		}
	}
	key.ID = ""
	return a.records.CreateKey(ctx, key)
}

// knows reports whether text is the secret of a key.
func (a *app) knows(ctx context.Context, text string) (bool, error) {
	secret, err := auth.ParseSecret(text, "")
	if errors.Is(err, auth.ErrInvalid) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = a.records.KeyByDigest(ctx, secret.Digest(a.pepper))
	if errors.Is(err, auth.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// demoSite makes sure of the demo website, link and monitor and of their traffic up to now.
func (a *app) demoSite(ctx context.Context, r *ready, progress io.Writer) error {
	_, err := a.records.CreateWebsite(ctx, store.Website{ID: demoWebsite, Owner: install.Owner, Name: "Notes (demo)", Domain: demoDomain})
	if err := unlessExists(err); err != nil {
		return err
	}
	_, err = a.records.CreateLink(ctx, meta.Link{ID: demoLink, Owner: install.Owner, Slug: "demo", TargetURL: "https://" + demoDomain + "/pricing"})
	if err := unlessExists(err); err != nil {
		return err
	}
	_, err = a.records.CreateMonitor(ctx, meta.Monitor{
		ID: demoMonitor, Owner: install.Owner, Name: "Front page", URL: "https://" + demoDomain + "/", WebsiteID: demoWebsite,
	})
	if err := unlessExists(err); err != nil {
		return err
	}
	r.WebsiteID, r.LinkID, r.ScheduleID = demoWebsite, demoLink, demoMonitor
	note, step := install.ProgressFile, oneDay
	if a.settings.ClickHouse.DSN != "" {
		note, step = install.ClickHouseProgressFile, 5*oneDay // it likes few and large writes
	}
	f := &filler{
		store:   a.events,
		website: demoWebsite,
		days:    cmp.Or(a.settings.DemoDays, demoDays),
		step:    step,
		file:    filepath.Join(a.settings.Data, note),
		traffic: demo.New(demo.Config{Seed: demoSeed, Website: demoWebsite, Domain: demoDomain, Link: demoLink, Schedule: demoMonitor}),
		report:  progressOn(progress),
	}
	return f.fill(ctx, a.now())
}

func unlessExists(err error) error {
	if errors.Is(err, meta.ErrExists) {
		return nil
	}
	return err
}

// progressOn writes a line for every tenth that is done.
func progressOn(to io.Writer) func(done float64, rows int) {
	shown := 0
	return func(done float64, rows int) {
		if tenths := int(done * 10); tenths > shown {
			shown = tenths
			_, _ = fmt.Fprintf(to, "demo traffic: %3d %%, %d rows\n", tenths*10, rows)
		}
	}
}
