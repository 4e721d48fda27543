package clickhouse_test

import (
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
		o.WriteTimeout = 2 * time.Minute // a busy machine is no outage
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
			Thin: storetest.Number(t, "SIGHTLINE_THIN", 6),
			Open: func(t *testing.T) storetest.Filled { return open(t, clickhouse.Options{DSN: chtest.Database(t, dsn)}) },
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
			s := open(t, clickhouse.Options{DSN: address, Now: now, WriteTimeout: time.Minute}) // a busy machine is no outage
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
