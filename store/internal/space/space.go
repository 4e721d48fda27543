// Package space watches the free space of the disk that a store writes to:
//
//	guard := space.New(space.Config{Folder: "sightline-data", Now: time.Now, Logger: log})
//	if err := guard.Check(); err != nil {
//		return err // wraps store.ErrFull: nothing was written
//	}
//
// A store checks before each write, so that it refuses rows while its log can still be moved into its file, instead of
// failing in the middle of a write.
package space

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// The default of Config.Least: defaultLeast bytes, or a share of the disk if that is less.
const (
	defaultLeast = 256 << 20
	shareOfDisk  = 20 // 1/20 is 5 %
)

// fresh is the time for which a result is reused.
const fresh = time.Second

// Config configures [New].
type Config struct {
	Folder string // required
	// Least is the number of free bytes below which Check fails. 0 means 256 MiB, or 5 % of the disk if that is less. A
	// negative number means that Check never fails.
	Least  int64
	Now    func() time.Time // required
	Logger *slog.Logger     // required; gets a warning when space runs out
	// Measure returns the free bytes and the size of the disk of a folder. Nil means those of the system.
	Measure func(folder string) (free, size int64, err error)
}

// A Guard checks the free space of one disk. It is safe for concurrent use. A nil Guard never fails.
type Guard struct {
	cfg Config

	mu   sync.Mutex
	at   time.Time // of the last measurement
	last error     // its result
}

// Free returns the free bytes of the disk of a folder, and the number of free bytes below which a store accepts no
// rows, with a [Config.Least]: 0 if none exists.
func Free(folder string, least int64) (free, limit int64, err error) {
	free, size, err := measure(folder)
	return free, max(0, limitOf(least, size)), err
}

// limitOf returns the limit of a disk of a size.
func limitOf(least, size int64) int64 {
	if least == 0 {
		return min(defaultLeast, size/shareOfDisk)
	}
	return least
}

// New returns a guard, or nil if Config.Least is negative.
func New(cfg Config) *Guard {
	if cfg.Least < 0 {
		return nil
	}
	if cfg.Measure == nil {
		cfg.Measure = measure
	}
	return &Guard{cfg: cfg}
}

// Check returns an error that wraps [store.ErrFull] if the disk has too little free space. It measures at most once a
// second. If the space cannot be measured, it returns nil.
func (g *Guard) Check() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.cfg.Now()
	if age := now.Sub(g.at); 0 <= age && age < fresh {
		return g.last
	}
	before := g.last
	g.at, g.last = now, nil
	free, size, err := g.cfg.Measure(g.cfg.Folder)
	if err != nil {
		return nil
	}
	least := limitOf(g.cfg.Least, size)
	if free < least {
		g.last = fmt.Errorf("%w: %d MB are free, and writes need %d MB", store.ErrFull, free/1_000_000, least/1_000_000)
	}
	switch {
	case before == nil && g.last != nil:
		g.cfg.Logger.Warn("the disk is almost full: events are refused until space is free", "folder", g.cfg.Folder,
			"free", free, "least", least)
	case before != nil && g.last == nil:
		g.cfg.Logger.Info("the disk has free space again: events are accepted", "folder", g.cfg.Folder, "free", free)
	}
	return g.last
}
