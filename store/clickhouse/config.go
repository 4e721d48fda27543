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

// Config has the servers of a store, its limits and its timing.
type Config struct {
	// DSN is the address of the servers. Open requires it. It begins with clickhouse:// for the native
	// protocol, as in clickhouse://user:password@host:9000/database, or with http:// or https:// for HTTP.
	// Several hosts are separated by commas and tried in order. A host that failed is tried last for the next
	// ten seconds. Parameters of the driver include:
	//
	//	compress=lz4              the default of the native protocol; or zstd, none. Over HTTP
	//	                          the default is none; or gzip, br
	//	secure=true               TLS with the native protocol; https:// implies it
	//	dial_timeout=5s           the default, for all hosts together, until one is connected
	//	max_open_conns=64         the default; further queries wait up to dial_timeout
	//	max_idle_conns=16         the default
	//	connection_open_strategy  in_order is the default; or round_robin, random
	//
	// Parameters that the driver does not know become settings of every query.
	DSN string
	// TLS is for a private certificate authority or a client certificate. Nil means the system's authorities.
	// DSN must not begin with http:// if TLS is set. Over HTTP, a client certificate without a password
	// authenticates the user.
	TLS *tls.Config
	// Cluster is the name of a cluster in the servers' configuration. If it is set, Migrate creates every table
	// as Replicated on all servers of the cluster, with a Distributed table in front. An acknowledged write is
	// on a majority of a shard's replicas. Queries, versions and seals may be answered by a replica without it,
	// unless Settings has select_sequential_consistency = 1.
	Cluster string
	// Retention is the age at which rows expire, in whole days from their time. The server deletes expired rows
	// when it merges their files, and at the latest when all rows of their month have expired. 0 means never.
	// Call Migrate to apply a change.
	Retention time.Duration

	// MaxExecutionTime limits the time of a query on the server. 0 means 60 s. A query also ends when its
	// context ends.
	MaxExecutionTime time.Duration
	// MaxMemory limits the bytes that one query may use on a server. A query that needs more fails with
	// ErrTooMuch. 0 means the server's limit.
	MaxMemory int64
	// MaxRowsToRead limits the rows that one query may read. A query that needs more fails with ErrTooMuch. 0
	// means no limit.
	MaxRowsToRead int64
	// Settings are sent with every query. The store's own settings take precedence.
	Settings map[string]any

	// BatchDelay is the minimum time between two groups of writes. Writes that arrive earlier wait and are
	// stored together, because every insert creates files that the server has to merge. Two groups may be
	// stored at a time; a third waits, and so does every group while another is being retried. 0 means 100 ms,
	// a negative value means no delay.
	BatchDelay time.Duration
	// Buffer limits the rows that wait to be stored. 0 means 100 000. Further writes fail with
	// store.ErrUnavailable.
	Buffer int
	// WriteTimeout is how long a write is retried while the servers cannot be reached. After that it fails with
	// store.ErrUnavailable. 0 means 15 s.
	WriteTimeout time.Duration

	// Now is the clock for the times of receipts. Nil means time.Now.
	Now func() time.Time
	// Logger receives warnings about servers older than the tested version, retried writes, and failed
	// clean-ups. Nil means no logging.
	Logger *slog.Logger
}

// resolve returns c with defaults filled in. Its error joins all problems of c.
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
		faults = append(faults, fmt.Errorf("clickhouse: Retention must be a whole number of days, not %s", c.Retention))
	}
	if c.Retention > maxRetention {
		faults = append(faults, fmt.Errorf("clickhouse: Retention must be at most %d days, not %d; use 0 to keep rows forever", maxRetention/day, c.Retention/day))
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
	maxRetention = 14_000 * day // the limit of ClickHouse's dates
)

// reading returns the settings of a query.
func (s *Store) reading(ctx context.Context, label string) driver.Settings {
	all := s.settings(ctx, label)
	maps.Copy(all, driver.Settings{
		"join_use_nulls": 1,
		"output_format_json_escape_forward_slashes": 0,
		// Over HTTP, the server stops an abandoned query only with these two settings.
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
		// Statements only join rows with their session, which is on the same server. So each server joins the
		// rows that it stores.
		all["distributed_product_mode"] = "local"
	}
	return all
}

// maxQuerySize limits the text of a statement. The server's default of 256 KiB is too small for many filters
// with many parts.
const maxQuerySize = 16 << 20

// settings returns the settings of every request.
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

// pinnedSettings are settings that would change answers if a user's profile had other values: silent truncation
// of results, and the meaning of SQL.
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
