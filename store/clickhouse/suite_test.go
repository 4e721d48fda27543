package clickhouse_test

import (
	"io"
	"os"
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

// oneProtocol runs a test that takes long, and of which the protocol is not the point, over the native
// one, and over both where SIGHTLINE_LONG is set.
func oneProtocol(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	if os.Getenv("SIGHTLINE_LONG") != "" {
		eachProtocol(t, test)
		return
	}
	test(t, chtest.Address(t, "CLICKHOUSE_DSN"))
}

// open opens a store, makes its tables, and closes it when the test ends.
func open(t testing.TB, o clickhouse.Config) *clickhouse.Store {
	t.Helper()
	s := another(t, o)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatalf("Migrate: %v", err)
	}
	return s
}

// another opens a store on tables that are there.
func another(t testing.TB, o clickhouse.Config) *clickhouse.Store {
	t.Helper()
	if o.BatchDelay == 0 {
		o.BatchDelay = -1
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 5 * time.Minute // a busy machine is no outage
	}
	return connect(t, o)
}

// TestStore proves all that a store has to do, and over HTTP that it answers about rows which came
// over HTTP, too. SIGHTLINE_SAMPLE_EVERY=1 has every type asked in every way, and all that is said of
// writing proven over both protocols.
func TestStore(t *testing.T) {
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	h.Slow = slow()
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 96)
	t.Run("native", func(t *testing.T) { storetest.Prove(t, h) })

	h = over("CLICKHOUSE_HTTP_DSN")
	h.Slow = slow()
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 160)
	h.Fill = func(t *testing.T, s store.Store, b *store.Batch) { write(t, s.(reader).all, b) }
	every := h.SampleEvery == 1
	h.Open = func(t *testing.T, dsn string, now func() time.Time) store.Store {
		s := open(t, clickhouse.Config{DSN: dsn, Now: now})
		if every {
			return writer{s, s, s}
		}
		return reader{s, s}
	}
	t.Run("http", func(t *testing.T) { storetest.Prove(t, h) })
}

// A reader is a store that only answers, and all of it.
type reader struct {
	store.Store
	all *clickhouse.Store
}

// A writer takes rows, too. The other interfaces work by what these two send.
type writer struct {
	store.Store
	store.Writer
	io.Closer
}

// openAt opens the store of a database.
func openAt(t *testing.T, dsn string, now func() time.Time) store.Store {
	return open(t, clickhouse.Config{DSN: dsn, Now: now})
}

// over is a harness of a protocol, by the variable that has its address.
func over(variable string) storetest.Harness {
	return storetest.Harness{
		Create: func(t *testing.T) string { return chtest.Database(t, chtest.Address(t, variable)) },
		Open:   openAt,
		Remote: true,
	}
}

// TestPitfalls asks what services of this kind are known to answer wrongly.
func TestPitfalls(t *testing.T) {
	t.Parallel()
	storetest.Pitfalls(t, over("CLICKHOUSE_DSN"))
}

// TestReference asks the engine and the reference evaluator the same random questions, one of each type,
// over HTTP; TestDiff in internal/e2e asks many over the native protocol. See storetest.RandomRunOf for
// how to ask more.
func TestReference(t *testing.T) {
	t.Parallel()
	storetest.Reference(t, over("CLICKHOUSE_HTTP_DSN"), storetest.RandomRunOf(t, 1, 20260310))
}

// TestProperties proves what holds of every type whatever the rows are. SIGHTLINE_SEED says
// of which dataset, and SIGHTLINE_SAMPLE_EVERY=1 has each property proven of every type.
func TestProperties(t *testing.T) {
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 96)
	storetest.Properties(t, h, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260310)))
}

// TestKeys proves what keys with mandatory filters see. SIGHTLINE_SEED says of which
// dataset, and SIGHTLINE_KEY_SETS how many sets of filters are tried.
func TestKeys(t *testing.T) {
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 8)
	storetest.Keys(t, h, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260314)), storetest.Number(t, "SIGHTLINE_KEY_SETS", 1))
}

// TestAnswers proves that answers which are kept are those that would be computed.
func TestAnswers(t *testing.T) {
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 72)
	storetest.Answers(t, h, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260310)))
}

// TestReferenceKillsMutants plants one mistake at a time, and wants each to be seen.
// Those that are seen beside store/duckdb, too, are planted when SIGHTLINE_MUTATIONS=all.
func TestReferenceKillsMutants(t *testing.T) {
	t.Parallel()
	planted := mutations()
	if storetest.AllMutations() {
		planted = slices.Concat(planted, storetest.Mutations(), storetest.SQLMutations(dialect.ClickHouse()))
	}
	storetest.KillsMutants(t, over("CLICKHOUSE_DSN"), planted)
}

// mutations are those that can be made in ClickHouse's SQL alone.
func mutations() []storetest.Mutation {
	return []storetest.Mutation{
		{Name: "empty visitors counted", Op: dialect.CountDistinct, Template: "toInt64(uniqExact($1))", When: storetest.OfType("errors_by_page")},
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
