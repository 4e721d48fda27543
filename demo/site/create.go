// Package site creates the demo: a website with saved goals, two short links and two uptime monitors with traffic up to
// now, and a key for them.
//
//	ready, err := site.Create(ctx, site.Config{Events: events, Records: records, Folder: "sightline-data", Now: time.Now})
//	ready.Address, ready.TrackAddress = "http://127.0.0.1:8080", "http://127.0.0.1:8080/ingest"
//	err = ready.Text(os.Stdout, "sightline-data", false) // the addresses, and three commands to try
//
// Create continues where an earlier call ended, also after a crash. Every install has the same records and traffic.
package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/atomicfile"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
)

// Owner is the id of the owner of the demo, and of everything that is created without an owner in a standalone install.
const Owner = "local"

// The files of the demo in its folder.
const (
	KeyFile      = "demo-key"  // the key
	ProgressFile = "demo.json" // how much traffic was written
)

// The ids and the domain of the demo.
const (
	demoKeyID   = "key_demo"
	demoWebsite = "web_demo"
	demoLink    = "lnk_demo"
	demoMonitor = "mon_demo"
	demoDomain  = "notes.example"

	otherLink    = "lnk_letter"
	otherMonitor = "mon_docs"
	otherDomain  = "docs.notes.example"
	otherPerDay  = 120 // sets the clicks of otherLink, which are fewer than those of demoLink

	demoPerMinute = 60_000 // rate limit of the demo key
)

// Config configures [Create].
type Config struct {
	Events  Store       // required
	Records *meta.Store // required
	Folder  string      // for the files of the demo; must exist
	Days    int         // days of traffic before today when the demo is created; 0 means 90
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Progress gets a line for each tenth of the traffic. Nil means no lines.
	Progress io.Writer

	// SharedRecords says that other folders use the same records, and may have the key.
	SharedRecords bool
	// ProgressFile is the name of the file with the progress. Empty means ProgressFile.
	ProgressFile string
	// Step is the length of the traffic that is written at once. 0 means a day.
	Step time.Duration
}

// A Store is a store of events that can hold the demo.
type Store interface {
	store.Store
	store.Writer
}

// Create creates the demo, or continues it up to now. The result has no addresses. If ctx ends, the error wraps its
// error, and the next call continues.
func Create(ctx context.Context, cfg Config) (Ready, error) {
	cfg = cfg.withDefaults()
	c := &creator{cfg: cfg}
	if _, err := cfg.Records.EnsureOwner(ctx, meta.Owner{ID: Owner, Name: "This install"}); err != nil {
		return Ready{}, fmt.Errorf("demo: %w", err)
	}
	if err := c.key(ctx); err != nil {
		return Ready{}, fmt.Errorf("demo key: %w", err)
	}
	if err := c.site(ctx); err != nil {
		return Ready{}, fmt.Errorf("demo: %w", err)
	}
	return c.ready, nil
}

func (cfg Config) withDefaults() Config {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Progress == nil {
		cfg.Progress = io.Discard
	}
	return cfg
}

// A creator creates the demo.
type creator struct {
	cfg   Config
	ready Ready
}

// key reads the demo key from the data folder. It creates a key on the first start and when the file was
// lost, but not after the key was revoked.
func (c *creator) key(ctx context.Context) error {
	file, err := filepath.Abs(filepath.Join(c.cfg.Folder, KeyFile))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	secret := strings.TrimSpace(string(text))
	known, err := c.keyOf(ctx, secret)
	switch {
	case errors.Is(err, auth.ErrNotFound):
		secret, c.ready.NoKey, err = c.createKey(ctx, file)
	case err != nil:
		return err
	case !known.Revoked.IsZero():
		secret, c.ready.NoKey = "", demoKeyRevoked
	}
	c.ready.Key, c.ready.KeyFile = secret, file
	return err
}

// These are the reasons for a demo without a key.
const (
	demoKeyRevoked   = "the demo's key was revoked"
	demoKeyElsewhere = "the demo's key is in another data folder, or lost"
)

// createKey creates the key and writes its secret to file. noKey is the reason if it creates none.
func (c *creator) createKey(ctx context.Context, file string) (text, noKey string, err error) {
	_, secret, err := c.cfg.Records.CreateKey(ctx, auth.Key{
		ID: demoKeyID, Owner: Owner, Name: "Demo", All: true, Scopes: auth.Scopes(),
		Limits: &auth.Limits{PerMinute: demoPerMinute},
	})
	if errors.Is(err, auth.ErrExists) {
		secret, noKey, err = c.renewKey(ctx)
	}
	if err != nil || noKey != "" {
		return "", noKey, err
	}
	return secret.Reveal(), "", atomicfile.Replace(file, []byte(secret.Reveal()+"\n"))
}

// renewKey gives the key a new secret if the store is in this folder, because then the old secret is lost.
// With a shared store another folder may have the secret.
func (c *creator) renewKey(ctx context.Context) (secret auth.Secret, noKey string, err error) {
	known, err := c.cfg.Records.Key(ctx, demoKeyID)
	switch {
	case err != nil:
		return auth.Secret{}, "", err
	case !known.Revoked.IsZero():
		return auth.Secret{}, demoKeyRevoked, nil
	case c.cfg.SharedRecords:
		return auth.Secret{}, demoKeyElsewhere, nil
	}
	_, secret, err = c.cfg.Records.RotateKey(ctx, demoKeyID, 0, nil)
	return secret, "", err
}

// keyOf returns the key with the secret text, also a revoked one, or an error that wraps auth.ErrNotFound.
func (c *creator) keyOf(ctx context.Context, text string) (*auth.Key, error) {
	secret, err := auth.ParseSecret(text, "")
	if errors.Is(err, auth.ErrInvalid) {
		return nil, auth.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return c.cfg.Records.KeyByDigest(ctx, secret.Digest(c.cfg.Records.Pepper()))
}

// site creates the demo website, links and monitors if they are missing, and their traffic up to now.
func (c *creator) site(ctx context.Context) error {
	_, err := c.cfg.Records.CreateWebsite(ctx,
		store.Website{ID: demoWebsite, Owner: Owner, Name: "Notes (demo)", Domain: demoDomain})
	if err == nil {
		err = c.save(ctx)
	}
	if err := unlessExists(err); err != nil {
		return err
	}
	for _, link := range []meta.Link{
		{ID: demoLink, Owner: Owner, Slug: "demo", TargetURL: "https://" + demoDomain + "/pricing"},
		{ID: otherLink, Owner: Owner, Name: "Newsletter", Slug: "letter", TargetURL: "https://" + demoDomain + "/blog"},
	} {
		_, err := c.cfg.Records.CreateLink(ctx, link)
		if err := unlessExists(err); err != nil {
			return err
		}
	}
	for _, monitor := range []meta.Monitor{
		{ID: demoMonitor, Owner: Owner, Name: "Front page", URL: "https://" + demoDomain + "/", WebsiteID: demoWebsite},
		{ID: otherMonitor, Owner: Owner, Name: "Documentation", URL: "https://" + otherDomain + "/",
			WebsiteID: demoWebsite},
	} {
		_, err := c.cfg.Records.CreateMonitor(ctx, monitor)
		if err := unlessExists(err); err != nil {
			return err
		}
	}
	c.ready.WebsiteID, c.ready.LinkID, c.ready.ScheduleID = demoWebsite, demoLink, demoMonitor
	return newFiller(c.cfg).fill(ctx, c.cfg.Now())
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
