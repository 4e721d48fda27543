package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// inMemory is the path of a store in memory.
const inMemory = ":memory:"

// Config has the path of a store's file and its limits. The zero value is a store in memory.
type Config struct {
	// Path is the database file. If it is empty or ":memory:", the store is in memory and lost when it is
	// closed. The directory must exist.
	Path string
	// MaxReaders is the number of queries that run at a time. The default is one more than the number of processors,
	// because the engine keeps one of them free for other owners than the one that asks much. A store
	// in memory runs one query or write at a time.
	MaxReaders int
	// CacheBytes is the memory for pages of the file, for each reader. The default is 32 MiB. Queries use
	// further memory for their intermediate results.
	CacheBytes int64
	// MinFree is the number of free bytes on the disk of Path below which the store accepts no rows: Write and Restore
	// fail with store.ErrFull, and queries work. 0 means 256 MiB, or 5 % of the disk if that is less. A negative number
	// means no limit.
	MinFree int64
	// Logger receives a warning when the disk is almost full. Nil means no log.
	Logger *slog.Logger
	// Now returns the time, for the receipt of rows. The default is time.Now.
	Now func() time.Time
}

// resolve returns c with its defaults, or an error that lists all problems.
func (c Config) resolve() (Config, error) {
	var faults []error
	if c.MaxReaders < 0 || c.CacheBytes < 0 {
		faults = append(faults, fmt.Errorf("sqlite: MaxReaders and CacheBytes must not be negative, not %d and %d",
			c.MaxReaders, c.CacheBytes))
	}
	c.Path = cmp.Or(c.Path, inMemory)
	if !c.memory() {
		path, err := filepath.Abs(c.Path)
		if err != nil {
			faults = append(faults, fmt.Errorf("sqlite: Path: %w", err))
		}
		c.Path = path
	}
	c.MaxReaders = cmp.Or(c.MaxReaders, runtime.NumCPU()+1)
	if c.memory() {
		c.MaxReaders = 1
	}
	c.CacheBytes = cmp.Or(c.CacheBytes, 32<<20)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(faults...)
}

// memory reports whether the store is in memory.
func (c Config) memory() bool { return c.Path == inMemory }

// pragmas returns the settings of a connection.
//
// A commit appends to the log (WAL), and queries run meanwhile. With synchronous = FULL, COMMIT returns when the log
// is on disk. NORMAL, the usual setting for a log, is faster. But if the machine crashes, it loses commits that this
// store has already acknowledged.
func (c Config) pragmas(more ...string) []string {
	return append([]string{
		"busy_timeout(10000)", "synchronous(FULL)", "trusted_schema(0)", "temp_store(MEMORY)",
		"cache_size(-" + strconv.FormatInt(max(c.CacheBytes>>10, 1), 10) + ")", "journal_size_limit(67108864)",
	}, more...)
}
