package clickhouse_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// overNative opens an empty store, in a database of its own.
func overNative(t *testing.T) storetest.Filled {
	return open(t, clickhouse.Options{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))})
}

// overHTTP is overNative over HTTP.
func overHTTP(t *testing.T) storetest.Filled {
	return open(t, clickhouse.Options{DSN: chtest.Database(t, chtest.Address(t, "CLICKHOUSE_HTTP_DSN"))})
}

// TestReference asks the engine and the reference evaluator the same random questions,
// of one dataset over the native protocol and of the next one over HTTP: see
// storetest.RandomRunOf for how many.
func TestReference(t *testing.T) {
	t.Parallel()
	datasets := 0
	inTurn := func(t *testing.T) storetest.Filled {
		datasets++
		if datasets%2 == 0 {
			return overHTTP(t)
		}
		return overNative(t)
	}
	storetest.Reference(t, storetest.Harness{Open: inTurn}, storetest.RandomRunOf(t, 120))
}

// TestProperties proves what holds of every type whatever the rows are, property by property of other types.
// SIGHTLINE_SEED says of which dataset.
func TestProperties(t *testing.T) {
	t.Parallel()
	storetest.Properties(t, storetest.Harness{Open: overNative, SampleEvery: 12}, uint64(storetest.Number(t, "SIGHTLINE_SEED", 20260310)))
}
