// Package directorycache caches the answers of a [store.Directory] for less than a second:
//
//	sites, err := directorycache.New(directorycache.Config{Directory: records})
//	if err != nil {
//		return err
//	}
//	owner, err := sites.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: "shop"})
//
// So a busy website, link or monitor needs about one look-up a second instead of one per request. A [Cache] is
// itself a [store.Directory].
//
// No answer is older than Config.TTL, counted from the moment before the look-up. Changes made by this process
// are visible at once if it calls [Cache.Forget]; changes of other processes are visible after the TTL. The
// cache also stores that an id does not exist, so that response times do not reveal it. It does not store
// failures and lists.
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

// The maximum of Config.TTL, and the defaults.
const (
	MaxTTL      = time.Second
	DefaultTTL  = 750 * time.Millisecond
	DefaultSize = 10_000
)

// maxID limits the length of cached ids, in bytes, because callers choose ids.
const maxID = 256

// kindEnd separates the kind of a subject from its id in a cache key. It does not occur in a kind.
const kindEnd = "\x00"

// Config has the settings for [New].
type Config struct {
	Directory store.Directory // required
	TTL       time.Duration   // at most MaxTTL; 0 means DefaultTTL
	// how many entries are cached, separately for owners, websites, and unknown ids of each; 0 means DefaultSize
	Size int
	Now  func() time.Time // nil means time.Now
}

// A Cache is a [store.Directory] that caches answers. It is safe for concurrent use.
type Cache struct {
	cfg    Config
	owners *recent.Cache[string]
	sites  *recent.Cache[store.Website]
}

var _ store.Directory = (*Cache)(nil)

// New returns a Cache. The error joins all problems of cfg.
func New(cfg Config) (*Cache, error) {
	var faults []error
	if cfg.Directory == nil {
		faults = append(faults, errors.New("directorycache: Config.Directory is required"))
	}
	if cfg.TTL < 0 || cfg.TTL > MaxTTL {
		faults = append(faults, fmt.Errorf("directorycache: Config.TTL must be between 0 and %v, not %v", MaxTTL,
			cfg.TTL))
	}
	if cfg.Size < 0 {
		faults = append(faults, fmt.Errorf("directorycache: Config.Size must be at least 0, not %d", cfg.Size))
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
		return nil, fmt.Errorf("directorycache: %w", err)
	}
	return &Cache{cfg, owners, sites}, nil
}

// Forget removes all cached answers. Call it after this process changed the directory, so that the change is
// visible at once.
func (c *Cache) Forget() {
	c.owners.Forget(func(string) bool { return true })
	c.sites.Forget(func(store.Website) bool { return true })
}

// Websites implements [store.Directory]. Lists are not cached.
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
