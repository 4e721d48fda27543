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

// Config says where the data of a store is and what the store may use. The zero value is a store in
// memory.
type Config struct {
	// Path is the database file. Empty and ":memory:" keep everything in memory, for tests, until the
	// store is closed. The directory must exist. The path, made absolute, must not contain '?', '#' or
	// '%'.
	Path string
	// MemoryLimit limits the engine's buffers, in bytes: rows until the next checkpoint, what queries
	// use and, in the rest, the recently used parts of the file. The process needs some 100 MB in
	// addition, 4 bytes for each row received in the last eight days, what it keeps of answers, and while many
	// large queries run up to half as much again as this. 0 means 1 GiB.
	MemoryLimit int64
	// Threads is how many threads one query may use. 0 means 1: queries run in parallel instead, which
	// costs less for the same answers.
	Threads int
	// TempDir is for data that does not fit in memory. Empty means Path + ".tmp", which belongs to the
	// store and is emptied by Open; for a store in memory it means none.
	TempDir string
	// TempLimit limits the size of TempDir, in bytes. A query that needs more fails with
	// store.ErrTooMuch. 0 means ten times MemoryLimit.
	TempLimit int64
	// MaxReaders is how many queries run at a time; more wait. 0 means twice the cores.
	MaxReaders int
	// Now is the clock that dates the receipt of events. Nil means time.Now.
	Now func() time.Time
	// Logger gets checkpoints that fail, engines that had to be opened again, and what Open cut from a damaged log.
	// Nil means silent.
	Logger *slog.Logger
}

const inMemory = ":memory:"

// resolve fills in the defaults of c and reports everything that is wrong with it.
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
	// The driver reads the path as the first part of a URL.
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

// memory reports whether nothing outlives the process.
func (c Config) memory() bool { return c.Path == inMemory }

// tempDir is where the engine spills to; empty is nowhere.
func (c Config) tempDir() string {
	if c.TempDir == "" && !c.memory() {
		return c.Path + ".tmp"
	}
	return c.TempDir
}

// lockDown are settings that cannot stand in dsn: the driver passes settings on in no order, and a
// temp_directory that follows its limit lifts it. An opening that fails must leave file and log alone, so closing
// makes no checkpoint: the writer makes one first.
func (c Config) lockDown() string {
	return c.tempLimit() + "PRAGMA disable_checkpoint_on_shutdown; SET enable_external_access = false"
}

// evict frees the memory that holds parts of the file. It fails where the engine needs them. The engine must
// not write rows of the log to disk instead: they take more space than the log.
const evict = "SET max_temp_directory_size = '0B'; SET memory_limit = '16MB'"

// locked are the settings after which the engine refuses all others.
func (c Config) locked() string {
	return fmt.Sprintf("SET memory_limit = '%dB'; %sSET lock_configuration = true", c.MemoryLimit, c.tempLimit())
}

// tempLimit limits what the engine writes beside the file.
func (c Config) tempLimit() string {
	if c.tempDir() == "" {
		return ""
	}
	return fmt.Sprintf("SET max_temp_directory_size = '%dB'; ", c.TempLimit)
}

// dsn is the driver's address of path with what the engine may use.
// agent tells one opening from another: the driver shares an open database between
// openings of one process that look alike, and refuses those that differ.
func (c Config) dsn(path, agent string, readOnly bool) string {
	settings := url.Values{
		"custom_user_agent":             {agent},
		"memory_limit":                  {strconv.FormatInt(c.MemoryLimit, 10) + "B"},
		"threads":                       {strconv.Itoa(c.Threads)},
		"temp_directory":                {c.tempDir()},
		"storage_compatibility_version": {"latest"},
		// A commit must not pay for a checkpoint, nor fail with one: the writer
		// makes checkpoints between commits.
		"checkpoint_threshold":         {"1TB"},
		"write_buffer_row_group_count": {"1"},    // else a commit writes the last five, and holds up others
		"allocator_background_threads": {"true"}, // else what queries took stays with the process for long
		"autoinstall_known_extensions": {"false"},
		"autoload_known_extensions":    {"false"},
		"allow_community_extensions":   {"false"},
	}
	if readOnly {
		settings.Set("access_mode", "read_only")
	}
	return path + "?" + settings.Encode()
}
