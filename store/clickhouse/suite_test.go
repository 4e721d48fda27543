package clickhouse_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/dialect"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// protocols maps both protocols to the environment variable with the address.
var protocols = map[string]string{"native": "CLICKHOUSE_DSN", "http": "CLICKHOUSE_HTTP_DSN"}

// eachProtocol runs test over both protocols.
func eachProtocol(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	for name, variable := range protocols {
		t.Run(name, func(t *testing.T) { test(t, chtest.Address(t, variable)) })
	}
}

// oneProtocol runs a long test that does not depend on the protocol. It uses the native protocol, and both at night.
func oneProtocol(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	if testenv.IsNight() {
		eachProtocol(t, test)
		return
	}
	test(t, chtest.Address(t, "CLICKHOUSE_DSN"))
}

// open opens a store, creates its tables, and closes it when the test ends.
func open(t testing.TB, o clickhouse.Config) *clickhouse.Store {
	t.Helper()
	s := another(t, o)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatalf("Migrate: %v", err)
	}
	return s
}

// another opens a store on existing tables.
func another(t testing.TB, o clickhouse.Config) *clickhouse.Store {
	t.Helper()
	if o.BatchDelay == 0 {
		o.BatchDelay = -1
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 5 * time.Minute // a busy machine must not look like an outage
	}
	return connect(t, o)
}

// TestStore runs all tests of storetest. At night it also tests queries over HTTP about rows that were written over
// HTTP. With SIGHTLINE_SAMPLE_EVERY=1 it asks every query type in every way, and runs all tests of writing over
// both protocols.
func TestStore(t *testing.T) {
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	h.Slow = slow()
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 96)
	t.Run("native", func(t *testing.T) { storetest.Prove(t, h) })

	if !testenv.IsNight() {
		return // TestReference asks over HTTP
	}
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

// A reader is a store that only answers queries.
type reader struct {
	store.Store
	all *clickhouse.Store
}

// A writer is a store that also stores rows. The other interfaces send their requests through the same two
// methods.
type writer struct {
	store.Store
	store.Writer
	closer
}

type closer interface {
	Close(ctx context.Context) error
}

// openAt opens the store of a database.
func openAt(t *testing.T, dsn string, now func() time.Time) store.Store {
	return open(t, clickhouse.Config{DSN: dsn, Now: now})
}

// over returns a harness for a protocol, given the variable with its address.
func over(variable string) storetest.Harness {
	return storetest.Harness{
		Create: func(t *testing.T) string { return chtest.Database(t, chtest.Address(t, variable)) },
		Open:   openAt,
		Remote: true, NoMistakes: true, // the tests of store/storetest prove the engine on SQLite
	}
}

// TestReference sends the same random queries to the engine and to the reference evaluator, over HTTP. By day they are
// about one dataset, which is sealed in part. TestDiff in internal/e2e, a long proof, sends many over the native
// protocol. See storetest.RandomRunOf for how to run more.
func TestReference(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	run := storetest.RandomRunOf(t, 40, 20260310)
	if !testenv.IsNight() {
		run.Datasets = 1
	}
	storetest.Reference(t, over("CLICKHOUSE_HTTP_DSN"), run)
}

// TestSeveral sends random queries about several websites to the engine and to the reference evaluator.
func TestSeveral(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	run := storetest.RandomRunOf(t, 40, 20260311)
	if !testenv.IsNight() {
		run.Datasets = 1
	}
	storetest.Several(t, over("CLICKHOUSE_HTTP_DSN"), run)
}

// TestSeveralLaws tests what holds for answers about several websites.
func TestSeveralLaws(t *testing.T) {
	t.Parallel()
	storetest.SeveralLaws(t, over("CLICKHOUSE_DSN"), 20261204)
}

// TestEngine proves the engine on this store.
func TestEngine(t *testing.T) {
	testenv.Night(t, "engine")
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	h.SampleEvery = storetest.Number(t, "SIGHTLINE_SAMPLE_EVERY", 72)
	storetest.ProveEngine(t, h)
}

// TestMutants plants one mistake at a time, and expects the tests to notice each.
func TestMutants(t *testing.T) {
	testenv.Night(t, "mutants")
	t.Parallel()
	storetest.KillsAllMutants(t, over("CLICKHOUSE_DSN"), clickhouse.Dialect(), mutations()...)
}

// mutations returns mistakes that are only possible in ClickHouse's SQL.
func mutations() []storetest.Mutation {
	return []storetest.Mutation{
		{Name: "empty visitors counted", Op: dialect.CountDistinct, Template: "toInt64(uniqExact($1))",
			When: storetest.OfType("errors_by_page")},
		{Name: "only ASCII letters in lower case", Op: dialect.Lower, Template: "lower($1)",
			When: storetest.Filtered("Σ", "σ", "ς", "ẞ", "ß", "İ")},
		{Name: "a final sigma in lower case", Op: dialect.Lower, Template: "lowerUTF8($1)",
			When: storetest.Filtered("Σ", "σ", "ς", "ẞ", "ß", "İ")},
		{Name: "only ASCII hosts in lower case", Op: dialect.URLHost,
			Template: `extract(lower($1), '^(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?(?:www[.])?([^/?#:\\[\\]]*[^/?#:\\[\\].]|\\[[^/?#]*\\])')`, When: storetest.OfType("outbound_domains")},
		{Name: "ports kept", Op: dialect.URLHost, Template: "domainWithoutWWW(lowerUTF8($1))",
			When: storetest.OfType("outbound_domains")},
		{Name: "a frame that ends at the row", Op: dialect.Lead,
			Template: "leadInFrame(toNullable($1)) OVER (PARTITION BY $2 ORDER BY $3)",
			When:     storetest.OfType("uptime_time_series")},
		{Name: "numbers of properties respelled", Op: dialect.JSONEach,
			Template: "ARRAY JOIN arrayMap(member -> CAST((member.1," +
				" if(startsWith(member.2, '\"'), JSONExtractString(member.2), member.2)), 'Tuple(key String, value String)'), JSONExtractKeysAndValuesRaw($1))",
			When: storetest.OfType("custom_event_properties")},
	}
}

// TestOrders tests that answers do not depend on what was asked or done before.
func TestOrders(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	h.NoMistakes = true // the tests of store/sqlite find them
	storetest.Orders(t, h, storetest.RandomRunOf(t, 15, 20261128))
}

// TestBeside tests answers that are computed while rows change.
func TestBeside(t *testing.T) {
	testenv.Night(t, "clickhouse-beside")
	h := over("CLICKHOUSE_DSN")
	h.NoMistakes = true
	storetest.Beside(t, h, storetest.RandomRunOf(t, 100, 20261129))
}

// TestDayTables tests the tables in which the store keeps something about days.
func TestDayTables(t *testing.T) {
	t.Parallel()
	h := over("CLICKHOUSE_DSN")
	storetest.DayTables(t, h)
}

// TestAbilities fixes which optional interfaces the store lacks.
func TestAbilities(t *testing.T) {
	t.Parallel()
	want := []string{"Resealer", "Maintainer", "SpaceChecker"}
	if _, lacks := store.Abilities((*clickhouse.Store)(nil)); !slices.Equal(lacks, want) {
		t.Errorf("the store lacks %q, want %q", lacks, want)
	}
}
