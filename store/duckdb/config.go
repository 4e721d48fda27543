//go:build cgo

package duckdb

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Config has the path of a store's file and the limits of its engine. The zero value is a store in memory.
type Config struct {
	// Path is the database file. If it is empty or ":memory:", the store is in memory and lost when it is
	// closed; this is for tests. The directory must exist. The absolute path must not contain '?', '#' or '%'.
	Path string
	// MemoryLimit limits the engine's memory, in bytes. The engine uses it for rows until the next checkpoint,
	// for queries, and for recently used parts of the file. The process needs more: about 100 MB, 4 bytes for
	// each row received in the last eight days, and the answers and states that a query.Engine holds. While
	// many large queries run, the engine may exceed the limit by half. 0 means 1 GiB.
	MemoryLimit int64
	// Threads is the number of threads that one query may use. 0 means 1, because queries already run in
	// parallel, and more threads need more processor time for the same answers.
	Threads int
	// TempDir is a directory for data that does not fit in memory. Empty means Path + ".tmp", which Open
	// empties, or no directory for a store in memory.
	TempDir string
	// TempLimit limits the size of the data in TempDir, in bytes. A query that needs more fails with
	// store.ErrTooMuch. 0 means ten times MemoryLimit.
	TempLimit int64
	// MaxReaders is the number of queries that run at a time; further queries wait. 0 means twice the number of
	// processor cores.
	MaxReaders int
	// MinFree is the number of free bytes on the disk of Path below which the store accepts no rows: Write and Restore
	// fail with store.ErrFull, and queries work. So the log can still be moved into the file. 0 means 256 MiB, or 5 %
	// of the disk if that is less. A negative number means no limit.
	MinFree int64
	// Now is the clock for the times of receipts. Nil means time.Now.
	Now func() time.Time
	// Logger receives failed checkpoints, a warning when the disk is almost full, failures of the engine, repairs of a
	// damaged log, and the progress of upgrades. Nil means no logging.
	Logger *slog.Logger
}

const inMemory = ":memory:"

// resolve returns c with defaults filled in. Its error joins all problems of c.
func (c Config) resolve() (Config, error) {
	var faults []error
	if c.MemoryLimit < 0 || c.Threads < 0 || c.MaxReaders < 0 || c.TempLimit < 0 {
		faults = append(faults, errors.New("duckdb: MemoryLimit, TempLimit, Threads and MaxReaders must not be negative"))
	}
	if c.Path = cmp.Or(c.Path, inMemory); c.Path != inMemory {
		path, err := filepath.Abs(c.Path)
		if err != nil {
			faults = append(faults, fmt.Errorf("duckdb: Path: %w", err))
		}
		c.Path = path
	}
	// The driver parses the path as the first part of a URL.
	if strings.ContainsAny(c.Path, "?#%") {
		faults = append(faults, fmt.Errorf("duckdb: Path %q must not contain '?', '#' or '%%'", c.Path))
	}
	c.MemoryLimit = cmp.Or(c.MemoryLimit, 1<<30)
	c.TempLimit = cmp.Or(c.TempLimit, 10*c.MemoryLimit)
	c.Threads = cmp.Or(c.Threads, 1)
	c.MaxReaders = cmp.Or(c.MaxReaders, 2*runtime.NumCPU())
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(faults...)
}

// memory reports whether the store is in memory only.
func (c Config) memory() bool { return c.Path == inMemory }

// tempDir returns the directory for temporary files, or "" for none.
func (c Config) tempDir() string {
	if c.TempDir == "" && !c.memory() {
		return c.Path + ".tmp"
	}
	return c.TempDir
}

// lockDown returns SQL for settings that cannot be in dsn. The driver applies the settings of dsn in random
// order, and a temp_directory that comes after its size limit removes the limit. Automatic checkpoints at
// closing are disabled, because a failed opening must not change the file or its log. The writer makes the
// checkpoint before it closes the engine. The only other file that the engine may open is the copy that Purge makes.
func (c Config) lockDown() string {
	allowed := ""
	if !c.memory() {
		var names []string
		for _, name := range c.purgeFiles() {
			names = append(names, quoted(name, "'"))
		}
		allowed = "SET allowed_paths = [" + strings.Join(names, ", ") + "]; "
	}
	return c.tempLimit() + "PRAGMA disable_checkpoint_on_shutdown; " + allowed + "SET enable_external_access = false"
}

// evict is SQL that frees the memory with cached parts of the file. It fails if the engine needs that memory.
// The engine must not write rows of the log to temporary files instead: there they take more space than in the
// log.
const evict = "SET max_temp_directory_size = '0B'; SET memory_limit = '16MB'"

// locked returns SQL that sets the final limits. After it the engine rejects all changes of settings.
func (c Config) locked() string {
	return fmt.Sprintf("SET memory_limit = '%dB'; %sSET lock_configuration = true", c.MemoryLimit, c.tempLimit())
}

// tempLimit returns SQL that limits the size of temporary files.
func (c Config) tempLimit() string {
	if c.tempDir() == "" {
		return ""
	}
	return fmt.Sprintf("SET max_temp_directory_size = '%dB'; ", c.TempLimit)
}

// dsn returns the driver's address for path, with the limits of c. agent must be unique for each opening. If
// one process opens a file twice with equal addresses, the driver shares the open database. If the addresses
// differ, it returns an error.
func (c Config) dsn(path, agent string, readOnly bool) string {
	settings := url.Values{
		"custom_user_agent":             {agent},
		"memory_limit":                  {strconv.FormatInt(c.MemoryLimit, 10) + "B"},
		"threads":                       {strconv.Itoa(c.Threads)},
		"temp_directory":                {c.tempDir()},
		"storage_compatibility_version": {"latest"},
		// The writer makes checkpoints between commits. So a commit never waits for one, and never fails with
		// one.
		"checkpoint_threshold":         {"1TB"},
		"write_buffer_row_group_count": {"1"},    // with the default, a commit writes five row groups and delays others
		"allocator_background_threads": {"true"}, // returns the memory of finished queries to the system
		"autoinstall_known_extensions": {"false"},
		"autoload_known_extensions":    {"false"},
		"allow_community_extensions":   {"false"},
	}
	if readOnly {
		settings.Set("access_mode", "read_only")
	}
	return path + "?" + settings.Encode()
}
