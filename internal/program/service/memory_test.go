package service

import (
	"log/slog"
	"math"
	"runtime/debug"
	"testing"

	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// TestTheMemoryOfTheProcessIsDivided checks that all parts together have no more than the stated total.
func TestTheMemoryOfTheProcessIsDivided(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		name         string
		settings     Settings
		duckDB, heap int64
	}{
		{"by default", Settings{}, 1024 * mib, 1024 * mib},
		{"a total", Settings{Memory: 2560 * mib}, 1024 * mib, 1024 * mib},
		{"a small total", Settings{Memory: 320 * mib}, 128 * mib, 128 * mib},
		{"DuckDB alone", Settings{DuckDBMemory: 512 * mib}, 512 * mib, 1024 * mib},
		{"both", Settings{Memory: 1024 * mib, DuckDBMemory: 512 * mib}, 512 * mib, 256 * mib},
		{"ClickHouse", Settings{Memory: 512 * mib, ClickHouse: clickhouse.Config{DSN: "x"}}, 1024 * mib, 512 * mib},
	} {
		d := row.settings.divide()
		if d != (division{row.duckDB, row.heap}) {
			t.Errorf("%s: %+v, want %d and %d", row.name, d, row.duckDB, row.heap)
		}
		if total := row.settings.Memory; total > 0 && row.settings.ClickHouse.DSN == "" && d.mayTake()+d.heap > total {
			t.Errorf("%s: %d and %d are more than %d", row.name, d.mayTake(), d.heap, total)
		}
		var options query.EngineOptions
		d.bound(&options)
		if live := options.MaxPartials + 2*options.ResultCache + d.heap/16 + d.heap/8; live > d.heap*9/16 {
			t.Errorf("%s: requests and caches may hold %d of %d", row.name, live, d.heap)
		}
		budget, err := d.budget()
		if err != nil {
			t.Fatal(err)
		}
		one := budget.Answer(memory.Caller{Owner: "a", Key: "1"})
		if err := one.Grow(options.MaxAnswer); err != nil {
			t.Errorf("%s: the largest answer does not fit: %v", row.name, err)
		}
		if err := budget.Answer(memory.Caller{Owner: "b", Key: "2"}).Grow(2 * options.MaxAnswer); err != nil {
			t.Errorf("%s: the largest answer of another owner does not fit: %v", row.name, err)
		}
	}
}

// TestTheHeapHasALimit checks that a lower limit of the environment stays.
func TestTheHeapHasALimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	for _, row := range []struct{ environment, want int64 }{{math.MaxInt64, 1 << 40}, {1 << 39, 1 << 39}} {
		debug.SetMemoryLimit(row.environment)
		undo := division{heap: 1 << 40}.limitHeap(slog.New(slog.DiscardHandler))
		if got := debug.SetMemoryLimit(-1); got != row.want {
			t.Errorf("the limit is %d, want %d", got, row.want)
		}
		undo()
		if got := debug.SetMemoryLimit(-1); got != row.environment {
			t.Errorf("afterwards the limit is %d, want %d", got, row.environment)
		}
	}
}
