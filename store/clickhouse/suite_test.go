package clickhouse_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// Both protocols, by the variable that has an address.
var protocols = map[string]string{"native": "CLICKHOUSE_DSN", "http": "CLICKHOUSE_HTTP_DSN"}

// eachProtocol runs test over both protocols.
func eachProtocol(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	for name, variable := range protocols {
		t.Run(name, func(t *testing.T) { test(t, chtest.Address(t, variable)) })
	}
}

// open opens a store with tables and closes it when the test ends.
func open(t testing.TB, o clickhouse.Options) *clickhouse.Store {
	t.Helper()
	if o.BatchDelay == 0 {
		o.BatchDelay = -1
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 5 * time.Minute // a busy machine is no outage
	}
	s, err := clickhouse.Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatalf("Migrate: %v", err)
	}
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		storetest.Run(t, storetest.Harness{
			SampleEvery: storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 6),
			Open:        func(t *testing.T) storetest.Filled { return open(t, clickhouse.Options{DSN: chtest.Database(t, dsn)}) },
			Slow: store.Statement{
				Label: "slow",
				SQL:   "SELECT toInt64(count()) FROM numbers(1000000000000) AS a WHERE sipHash64(a.number) = 7",
				Kinds: []dialect.Kind{dialect.Int},
			},
		})
	})
}

func TestWriter(t *testing.T) {
	t.Parallel()
	eachProtocol(t, func(t *testing.T, dsn string) {
		addresses := map[storetest.WriterStore]string{}
		at := func(t *testing.T, address string, now func() time.Time) storetest.WriterStore {
			s := open(t, clickhouse.Options{DSN: address, Now: now, WriteTimeout: 5 * time.Minute}) // a busy machine is no outage
			addresses[s] = address
			return s
		}
		storetest.RunWriter(t, storetest.WriterHarness{
			Open: func(t *testing.T, now func() time.Time) storetest.WriterStore {
				return at(t, chtest.Database(t, dsn), now)
			},
			Reopen: func(t *testing.T, s storetest.WriterStore, now func() time.Time) storetest.WriterStore {
				if err := s.(*clickhouse.Store).Close(); err != nil {
					t.Fatalf("Close: %v", err)
				}
				return at(t, addresses[s], now)
			},
		})
	})
}

// TestKeys proves what keys with mandatory filters see. SIGHTLINE_SEED says of which
// dataset, and SIGHTLINE_KEY_SETS how many sets of filters are tried.
func TestKeys(t *testing.T) {
	t.Parallel()
	storetest.Keys(t, storetest.Harness{Open: overNative}, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260311)),
		storetest.Number(t, "SIGHTLINE_KEY_SETS", 2))
}

// TestReferenceKillsMutants plants one mistake at a time, and wants each to be seen.
// Those that are seen beside store/duckdb, too, are planted when SIGHTLINE_MUTATIONS=all.
func TestReferenceKillsMutants(t *testing.T) {
	t.Parallel()
	planted := mistakes()
	if storetest.AllMutations() {
		planted = slices.Concat(planted, storetest.Mutations(), mistakesOfBoth())
	}
	storetest.KillsMutants(t, storetest.Harness{Open: overNative}, planted)
}

// mistakes are those that can be made in ClickHouse's SQL alone.
func mistakes() []storetest.Mutation {
	return []storetest.Mutation{
		{Name: "empty visitors counted", Op: dialect.CountDistinct, Template: "toInt64(uniqExact($1))"},
		{Name: "what nothing has is a zero", Op: dialect.ArgMaxList, Template: "argMax($1, tuple($2))", When: storetest.OfType("uptime_ssl_status")},
		{Name: "letters of ASCII alone in lower case", Op: dialect.Lower, Template: "lower($1)", When: storetest.Filtered("Σ", "σ", "ς", "ẞ", "ß", "İ")},
		{Name: "a final sigma in lower case", Op: dialect.Lower, Template: "lowerUTF8($1)", When: storetest.Filtered("Σ", "σ", "ς", "ẞ", "ß", "İ")},
		{Name: "hosts of ASCII alone in lower case", Op: dialect.URLHost, Template: `extract(lower($1), '^(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?(?:www[.])?([^/?#:\\[\\]]*[^/?#:\\[\\].]|\\[[^/?#]*\\])')`, When: storetest.OfType("outbound_domains")},
		{Name: "ports kept", Op: dialect.URLHost, Template: "domainWithoutWWW(lowerUTF8($1))", When: storetest.OfType("outbound_domains")},
		{Name: "a frame that ends at the row", Op: dialect.Lead, Template: "leadInFrame(toNullable($1)) OVER (PARTITION BY $2 ORDER BY $3)", When: storetest.OfType("uptime_time_series")},
		{Name: "numbers of properties spelled anew", Op: dialect.JSONEach, Template: "ARRAY JOIN arrayMap(member -> CAST((member.1," +
			" if(startsWith(member.2, '\"'), JSONExtractString(member.2), member.2)), 'Tuple(key String, value String)'), JSONExtractKeysAndValuesRaw($1))",
			When: storetest.OfType("custom_event_properties")},
	}
}

// mistakesOfBoth can be made in DuckDB's SQL as well.
func mistakesOfBoth() []storetest.Mutation {
	return []storetest.Mutation{
		{Name: "visitors counted by row", Op: dialect.CountDistinct, Template: "toInt64(countIf($1 <> ''))"},
		{Name: "medians that take a neighbour", Op: dialect.Quantile, Template: "toInt64(quantileExactOrNull($2 / 1000)($1) * 1000)"},
		{Name: "a prefix that is a pattern", Op: dialect.StartsWith, Template: "like($1, concat($2, '%'))", When: storetest.Filtered("%", "_")},
		{Name: "a part that is a pattern", Op: dialect.Contains, Template: "like($1, concat('%', $2, '%'))", When: storetest.Filtered("%", "_")},
		{Name: "buckets cut towards zero", Op: dialect.FloorDiv, Template: "toInt64(round(($1) / $2))"},
		{Name: "fields of the session's last event", Op: dialect.ArgMinIf, Template: "argMaxIf($1, $2, $3)"},
		{Name: "only the first session of an id", Op: dialect.RunningMax, Template: "min($1) OVER (PARTITION BY $2)"},
		{Name: "the first instead of the latest", Op: dialect.ArgMaxList, Template: "argMinOrNull($1, tuple($2))", When: storetest.OfType("uptime_overview", "uptime_ssl_status", "errors")},
		{Name: "bounces of the events that a filter leaves", SQL: storetest.Replaced("s.`pageviews` = 1", "s.`matching_pageviews` = 1"), When: storetest.OfType("summary", "summary_metrics", "session_metrics")},
		{Name: "shares after the limit", SQL: storetest.Rewritten(`FROM (\w+) AS j`, `FROM (SELECT * FROM $1 LIMIT 3) AS j`)},
		{Name: "pages without a tie-break", SQL: storetest.Rewritten("(ORDER BY `[a-z_]+` (?:ASC|DESC) NULLS LAST), .*? LIMIT", `$1, rand() LIMIT`)},
		{Name: "ne drops absent values", SQL: storetest.Rewritten("\\(NOT \\(((?:t|s)\\.`[a-z_]+`|if\\([^=]*?\\)) = (\\{p\\d+:String\\})\\)\\)", `($1 <> $2 AND $1 <> '')`)},
	}
}
