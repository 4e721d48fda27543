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

// Every install has the same demo records and traffic.
const (
	demoKeyID   = "key_demo"
	demoWebsite = "web_demo"
	demoLink    = "lnk_demo"
	demoMonitor = "mon_demo"
	demoDomain  = "notes.example"

	demoPerMinute = 60_000 // rate limit of the demo key
)

// demoKey reads the demo key from the data folder. It creates a key on the first start and when the file was
// lost, but not after the key was revoked.
func (a *app) demoKey(ctx context.Context, r *ready) error {
	file, err := filepath.Abs(filepath.Join(a.settings.Data, install.DemoKeyFile))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	secret := strings.TrimSpace(string(text))
	known, err := a.keyOf(ctx, secret)
	switch {
	case errors.Is(err, auth.ErrNotFound):
		secret, r.noKey, err = a.createDemoKey(ctx, file)
	case err != nil:
		return err
	case !known.Revoked.IsZero():
		secret, r.noKey = "", demoKeyRevoked
	}
	r.Key, r.keyFile = secret, file
	return err
}

// These are the reasons for a demo without a key.
const (
	demoKeyRevoked   = "the demo's key was revoked"
	demoKeyElsewhere = "the demo's key is in another data folder, or lost"
)

// createDemoKey creates the key and writes its secret to file. noKey is the reason if it creates none.
func (a *app) createDemoKey(ctx context.Context, file string) (text, noKey string, err error) {
	_, secret, err := a.records.CreateKey(ctx, auth.Key{
		ID: demoKeyID, Owner: install.Owner, Name: "Demo", All: true, Scopes: auth.Scopes(),
		Limits: &auth.Limits{PerMinute: demoPerMinute},
	})
	if errors.Is(err, auth.ErrExists) {
		secret, noKey, err = a.renewDemoKey(ctx)
	}
	if err != nil || noKey != "" {
		return "", noKey, err
	}
	return secret.Reveal(), "", install.Replace(file, []byte(secret.Reveal()+"\n"))
}

// renewDemoKey gives the key a new secret if the store is in this folder, because then the old secret is lost.
// With a shared store another folder may have the secret.
func (a *app) renewDemoKey(ctx context.Context) (secret auth.Secret, noKey string, err error) {
	known, err := a.records.Key(ctx, demoKeyID)
	switch {
	case err != nil:
		return auth.Secret{}, "", err
	case !known.Revoked.IsZero():
		return auth.Secret{}, demoKeyRevoked, nil
	case a.settings.Meta != "":
		return auth.Secret{}, demoKeyElsewhere, nil
	}
	_, secret, err = a.records.RotateKey(ctx, demoKeyID, 0)
	return secret, "", err
}

// keyOf returns the key with the secret text, also a revoked one, or an error that wraps auth.ErrNotFound.
func (a *app) keyOf(ctx context.Context, text string) (*auth.Key, error) {
	secret, err := auth.ParseSecret(text, "")
	if errors.Is(err, auth.ErrInvalid) {
		return nil, auth.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return a.records.KeyByDigest(ctx, secret.Digest(a.pepper))
}

// demoSite creates the demo website, link and monitor if they are missing, and their traffic up to now.
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
		note, step = install.ClickHouseProgressFile, 5*oneDay // ClickHouse needs few and large writes
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

// progressOn returns a function that writes a line for every tenth of the work.
func progressOn(to io.Writer) func(done float64, rows int) {
	shown := 0
	return func(done float64, rows int) {
		if tenths := int(done * 10); tenths > shown {
			shown = tenths
			_, _ = fmt.Fprintf(to, "demo traffic: %3d %%, %d rows\n", tenths*10, rows)
		}
	}
}
