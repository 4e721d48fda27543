package clickhouse

import (
	"context"
	"maps"
	"math"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/sightline-analytics/sightline/store"
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
	all := make(driver.Settings, len(s.cfg.Settings)+len(pinned)+12)
	maps.Copy(all, s.cfg.Settings)
	maps.Copy(all, pinned)
	comment := "sightline " + label
	if id := store.RequestID(ctx); id != "" {
		comment += " " + id
	}
	all["log_comment"] = comment
	return all
}

// pinned are settings that would change an answer if the profile of a user had others:
// what is cut short without an error, and what words of SQL mean.
var pinned = driver.Settings{
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
