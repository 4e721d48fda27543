package clickhouse

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
)

// Config says which servers a store uses and what it may ask of them.
type Config struct {
	// DSN is the address of the servers, required by Open:
	// clickhouse://user:password@host:9000/database for the native protocol, http:// or https:// for
	// HTTP. Several hosts, separated by commas, are tried in turn; one that failed is asked last for
	// the next ten seconds. Parameters are those of the driver, among them
	//
	//	compress=lz4              the default of the native protocol; zstd, none. Over HTTP
	//	                          none is the default; gzip, br
	//	secure=true               TLS on the native protocol; https:// implies it
	//	dial_timeout=5s           the default here, for all hosts together, until one is ready
	//	max_open_conns=64         the default here; more queries wait for dial_timeout
	//	max_idle_conns=16         the default here
	//	connection_open_strategy  in_order is the default; round_robin, random
	//
	// A parameter that the driver does not know is a setting of every query.
	DSN string
	// TLS is used when not nil, for a private certificate authority or a client certificate. DSN must
	// not begin with http:// then. Over HTTP, a client certificate without a password authenticates the
	// user.
	TLS *tls.Config
	// Cluster names a cluster of the servers' configuration. Then Migrate makes every
	// table Replicated on all of its servers, with a Distributed one in front. Acknowledged writes are
	// on a majority of a shard's replicas; queries, versions and seals may come from a replica that
	// lacks them, unless Settings has select_sequential_consistency = 1.
	Cluster string
	// Retention is how long rows are kept, counted from their time, in whole days. Older ones are
	// deleted when the server merges the files that hold them, and at the latest when all of their
	// month is older. 0 means forever. Migrate applies a change.
	Retention time.Duration

	// MaxExecutionTime ends a query on the server. 0 means 60 s. A context that ends
	// earlier ends it then.
	MaxExecutionTime time.Duration
	// MaxMemory is how many bytes one query may use on a server; one that needs more
	// fails with ErrTooMuch. 0 means the server's own limit.
	MaxMemory int64
	// MaxRowsToRead is how many rows one query may read; one that needs more fails with
	// ErrTooMuch. 0 means any number.
	MaxRowsToRead int64
	// Settings are sent with every query. The store's own settings take precedence.
	Settings map[string]any

	// BatchDelay is the least time between two groups of writes. Writes that come sooner
	// wait and are stored together: every insert makes files that the server has to merge.
	// A group does not wait for earlier ones, unless two are in progress or one is being retried. 0
	// means 100 ms, negative means none.
	BatchDelay time.Duration
	// Buffer is how many rows may wait to be stored. More are refused with
	// store.ErrUnavailable. 0 means 100 000.
	Buffer int
	// WriteTimeout is how long a write is retried while the servers are unreachable, before it fails
	// with store.ErrUnavailable. 0 means 15 s.
	WriteTimeout time.Duration

	// Now is the clock that dates the receipt of rows. Nil means time.Now.
	Now func() time.Time
	// Logger gets servers that are older than the tested version, and inserts that are retried. Nil
	// means silent.
	Logger *slog.Logger
}

// resolve fills in the defaults of c and reports everything that is wrong with it.
func (c Config) resolve() (Config, error) {
	var faults []error
	for _, d := range []struct {
		name  string
		value int64
	}{
		{"Retention", int64(c.Retention)},
		{"MaxExecutionTime", int64(c.MaxExecutionTime)},
		{"MaxMemory", c.MaxMemory},
		{"MaxRowsToRead", c.MaxRowsToRead},
		{"Buffer", int64(c.Buffer)},
		{"WriteTimeout", int64(c.WriteTimeout)},
	} {
		if d.value < 0 {
			faults = append(faults, fmt.Errorf("clickhouse: %s must not be negative", d.name))
		}
	}
	if c.Retention%day != 0 {
		faults = append(faults, fmt.Errorf("clickhouse: Retention of %s is not in whole days", c.Retention))
	}
	if c.Retention > maxRetention {
		faults = append(faults, fmt.Errorf("clickhouse: Retention of %d days is more than %d; 0 keeps rows for ever", c.Retention/day, maxRetention/day))
	}
	c.MaxExecutionTime = cmp.Or(c.MaxExecutionTime, time.Minute)
	c.BatchDelay = max(cmp.Or(c.BatchDelay, 100*time.Millisecond), 0)
	c.Buffer = cmp.Or(c.Buffer, 100_000)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 15*time.Second)
	c.Settings = maps.Clone(c.Settings)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, errors.Join(faults...)
}

const (
	day          = 24 * time.Hour
	maxRetention = 14_000 * day // as far as ClickHouse can count from its last instant
)

// reading are the settings of a query.
func (s *Store) reading(ctx context.Context, label string) driver.Settings {
	all := s.settings(ctx, label)
	maps.Copy(all, driver.Settings{
		"join_use_nulls": 1,
		"output_format_json_escape_forward_slashes": 0,
		// Over HTTP a query that nobody waits for is stopped under these two only.
		"cancel_http_readonly_queries_on_client_close": 1,
		"readonly":           2,
		"max_execution_time": int64(math.Ceil(s.cfg.MaxExecutionTime.Seconds())), // 0 would be no limit
		"max_query_size":     maxQuerySize,
	})
	if s.cfg.MaxMemory > 0 {
		all["max_memory_usage"] = s.cfg.MaxMemory
	}
	if s.cfg.MaxRowsToRead > 0 {
		all["max_rows_to_read"] = s.cfg.MaxRowsToRead
	}
	if s.cfg.Cluster != "" {
		// What is joined to rows of a session are sessions, which lie on the same server
		// whole: each joins what it has.
		all["distributed_product_mode"] = "local"
	}
	return all
}

// maxQuerySize is how long the text of a statement may be: the server's own limit is
// 256 KiB, and many filters of many parts make more.
const maxQuerySize = 16 << 20

// settings are those of everything that is sent.
func (s *Store) settings(ctx context.Context, label string) driver.Settings {
	all := make(driver.Settings, len(s.cfg.Settings)+len(pinnedSettings)+12)
	maps.Copy(all, s.cfg.Settings)
	maps.Copy(all, pinnedSettings)
	comment := "sightline " + label
	if id := store.RequestID(ctx); id != "" {
		comment += " " + id
	}
	all["log_comment"] = comment
	return all
}

// pinnedSettings are settings that would change an answer if the profile of a user had others:
// what is cut short without an error, and what words of SQL mean.
var pinnedSettings = driver.Settings{
	"read_overflow_mode": "throw", "read_overflow_mode_leaf": "throw", "timeout_overflow_mode": "throw",
	"timeout_overflow_mode_leaf": "throw", "group_by_overflow_mode": "throw", "result_overflow_mode": "throw",
	"distinct_overflow_mode": "throw", "sort_overflow_mode": "throw", "set_overflow_mode": "throw",
	"join_overflow_mode": "throw", "transfer_overflow_mode": "throw",
	"skip_unavailable_shards": 0, "limit": 0, "offset": 0, "extremes": 0,

	"enable_analyzer": 1, "prefer_column_name_to_alias": 0, "transform_null_in": 0, "group_by_use_nulls": 0,
	"aggregate_functions_null_for_empty": 0, "empty_result_for_aggregation_by_empty_set": 0,
	"cast_keep_nullable": 0, "use_variant_as_common_type": 0, "data_type_default_nullable": 0,
	"join_default_strictness": "ALL", "any_join_distinct_right_table_keys": 0, "session_timezone": "",
}
