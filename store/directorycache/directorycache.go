// Package directorycache caches for less than a second what a [store.Directory] answered about a
// website, link or monitor, so that a busy one costs about one look-up a second rather than one per
// request. It is a [store.Directory] around another.
//
// No answer is older than Config.TTL, counted from before the directory was asked. A change made by
// this process is seen at once when it calls [Cache.Forget]; changes of other processes are seen after
// the TTL. That something does not exist is cached too, so that response times do not show whether it
// does; failures and lists are not cached.
package directorycache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/recent"
	"github.com/sightline-analytics/sightline/store"
)

// The longest time for which an answer may be remembered, and the defaults.
const (
	MaxTTL      = time.Second
	DefaultTTL  = 750 * time.Millisecond
	DefaultSize = 10_000
)

// maxID is the longest id in bytes that is remembered: callers choose ids.
const maxID = 256

// kindEnd is between the kind of a subject, which has none, and its id in a key of owners.
const kindEnd = "\x00"

// Config is what [New] needs.
type Config struct {
	Directory store.Directory  // required
	TTL       time.Duration    // at most MaxTTL; 0 means DefaultTTL
	Size      int              // how many owners are cached, and likewise websites, and of each those that do not exist; 0 means DefaultSize
	Now       func() time.Time // nil means time.Now
}

// A Cache is safe for concurrent use.
type Cache struct {
	cfg    Config
	owners *recent.Cache[string]
	sites  *recent.Cache[store.Website]
}

var _ store.Directory = (*Cache)(nil)

// New makes a Cache. Its error joins all problems of cfg.
func New(cfg Config) (*Cache, error) {
	var faults []error
	if cfg.Directory == nil {
		faults = append(faults, errors.New("store/directorycache: directory is missing"))
	}
	if cfg.TTL < 0 || cfg.TTL > MaxTTL {
		faults = append(faults, fmt.Errorf("store/directorycache: TTL of %v, more than %v or negative", cfg.TTL, MaxTTL))
	}
	if cfg.Size < 0 {
		faults = append(faults, fmt.Errorf("store/directorycache: room for %d subjects", cfg.Size))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if cfg.TTL == 0 {
		cfg.TTL = DefaultTTL
	}
	if cfg.Size == 0 {
		cfg.Size = DefaultSize
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	each := recent.Config{TTL: cfg.TTL, Known: cfg.Size, Unknown: cfg.Size, NotFound: store.ErrNotFound, Now: cfg.Now}
	owners, err1 := recent.New(each, func(ctx context.Context, key string) (string, error) {
		kind, id, _ := strings.Cut(key, kindEnd)
		return cfg.Directory.Owner(ctx, store.Subject{Kind: store.SubjectKind(kind), ID: id})
	})
	sites, err2 := recent.New(each, cfg.Directory.Website)
	if err := errors.Join(err1, err2); err != nil {
		return nil, fmt.Errorf("store/directorycache: %w", err)
	}
	return &Cache{cfg, owners, sites}, nil
}

// Forget drops everything. Call it after a change of the directory in this process, which is then seen
// at once.
func (c *Cache) Forget() {
	c.owners.Forget(func(string) bool { return true })
	c.sites.Forget(func(store.Website) bool { return true })
}

// Websites implements [store.Directory]. Lists are not remembered.
func (c *Cache) Websites(ctx context.Context, owner string) ([]store.Website, error) {
	return c.cfg.Directory.Websites(ctx, owner)
}

// Website implements [store.Directory].
func (c *Cache) Website(ctx context.Context, id string) (store.Website, error) {
	if len(id) > maxID {
		return c.cfg.Directory.Website(ctx, id)
	}
	return c.sites.Get(ctx, id)
}

// Owner implements [store.Directory].
func (c *Cache) Owner(ctx context.Context, s store.Subject) (string, error) {
	if len(s.ID)+len(s.Kind) > maxID {
		return c.cfg.Directory.Owner(ctx, s)
	}
	return c.owners.Get(ctx, string(s.Kind)+kindEnd+s.ID)
}
