package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// The longest time for which a CachedDirectory may remember, and the defaults.
const (
	MaxDirectoryTTL      = time.Second
	DefaultDirectoryTTL  = 750 * time.Millisecond
	DefaultDirectorySize = 10_000
)

// maxCachedID is the longest id in bytes that is remembered: callers choose ids.
const maxCachedID = 256

// CachedDirectoryConfig is what [NewCachedDirectory] needs.
type CachedDirectoryConfig struct {
	Directory Directory        // required
	TTL       time.Duration    // at most MaxDirectoryTTL; 0 means DefaultDirectoryTTL
	Size      int              // owners, and as many websites; 0 means DefaultDirectorySize
	Now       func() time.Time // nil means time.Now
}

// A CachedDirectory remembers for less than a second what another Directory said of one
// website, link or monitor, so that a busy one costs a look-up a second rather than one a
// request. What does not exist is remembered like what does: both take the same time to
// find out. Failures and lists are not remembered. It is safe for concurrent use.
type CachedDirectory struct {
	cfg    CachedDirectoryConfig
	owners recent[Subject, string]
	sites  recent[string, Website]
}

var _ Directory = (*CachedDirectory)(nil)

// NewCachedDirectory makes a CachedDirectory. Its error joins all problems of cfg.
func NewCachedDirectory(cfg CachedDirectoryConfig) (*CachedDirectory, error) {
	var faults []error
	if cfg.Directory == nil {
		faults = append(faults, errors.New("store: directory is missing"))
	}
	if cfg.TTL < 0 || cfg.TTL > MaxDirectoryTTL {
		faults = append(faults, fmt.Errorf("store: directory remembered for %v, more than %v or negative", cfg.TTL, MaxDirectoryTTL))
	}
	if cfg.Size < 0 {
		faults = append(faults, fmt.Errorf("store: room for %d subjects", cfg.Size))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if cfg.TTL == 0 {
		cfg.TTL = DefaultDirectoryTTL
	}
	if cfg.Size == 0 {
		cfg.Size = DefaultDirectorySize
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &CachedDirectory{cfg: cfg}, nil
}

// Forget forgets everything: whoever changes the directory in this process calls it, and
// what was changed is seen at once.
func (d *CachedDirectory) Forget() {
	d.owners.forget()
	d.sites.forget()
}

// Websites implements [Directory].
func (d *CachedDirectory) Websites(ctx context.Context, owner string) ([]Website, error) {
	return d.cfg.Directory.Websites(ctx, owner)
}

// Website implements [Directory].
func (d *CachedDirectory) Website(ctx context.Context, id string) (Website, error) {
	return look(ctx, d, &d.sites, id, len(id), d.cfg.Directory.Website)
}

// Owner implements [Directory].
func (d *CachedDirectory) Owner(ctx context.Context, s Subject) (string, error) {
	return look(ctx, d, &d.owners, s, len(s.ID)+len(s.Kind), d.cfg.Directory.Owner)
}

// look answers from what is remembered, else asks and remembers.
func look[K comparable, V any](ctx context.Context, d *CachedDirectory, r *recent[K, V], key K, length int,
	ask func(context.Context, K) (V, error),
) (V, error) {
	if err := ctx.Err(); err != nil {
		var none V
		return none, err
	}
	now := d.cfg.Now()
	found, changes := r.get(key)
	if age := now.Sub(found.at); found.known && age >= 0 && age < d.cfg.TTL {
		return found.value, found.err
	}
	value, err := ask(ctx, key)
	if (err == nil || errors.Is(err, ErrNotFound)) && length <= maxCachedID {
		r.put(key, said[V]{value, err, now, true}, changes, d.cfg.Size)
	}
	return value, err
}

// said is an answer, and when it was asked for.
type said[V any] struct {
	value V
	err   error // nil, or one that wraps ErrNotFound
	at    time.Time
	known bool
}

// recent remembers the last answers in two generations of half the room each: when the
// young one is full, the old one goes.
type recent[K comparable, V any] struct {
	mu         sync.RWMutex
	young, old map[K]said[V]
	changes    int // how often it was told to forget
}

func (r *recent[K, V]) get(key K) (said[V], int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	found, ok := r.young[key]
	if !ok {
		found = r.old[key]
	}
	return found, r.changes
}

// put remembers a, unless it may be from before something was forgotten.
func (r *recent[K, V]) put(key K, a said[V], changes, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if changes != r.changes {
		return
	}
	if _, known := r.young[key]; !known && len(r.young) >= (size+1)/2 {
		r.young, r.old = nil, r.young
	}
	if r.young == nil {
		r.young = map[K]said[V]{}
	}
	r.young[key] = a
}

func (r *recent[K, V]) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.young, r.old = nil, nil
	r.changes++
}
