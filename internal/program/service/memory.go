package service

import (
	"log/slog"
	"runtime/debug"

	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/query"
)

// MinMemory is the least of Settings.Memory.
const MinMemory = 256 << 20

// A division is what the parts of the process may take of its memory, in bytes.
type division struct {
	duckDB int64 // duckdb.Config.MemoryLimit, which DuckDB exceeds by half while many large queries run
	heap   int64 // of Go: everything else
}

// divide returns the division of s. By default DuckDB has 1 GiB, and Go as much.
func (s *Settings) divide() division {
	d := division{duckDB: s.DuckDBMemory}
	if s.ClickHouse.DSN != "" {
		d.heap = s.Memory
	} else if s.Memory > 0 {
		if d.duckDB == 0 {
			d.duckDB = s.Memory * 2 / 5
		}
		d.heap = max(s.Memory-d.mayTake(), s.Memory/8)
	}
	if d.duckDB == 0 {
		d.duckDB = 1 << 30
	}
	if d.heap == 0 {
		d.heap = 1 << 30
	}
	return d
}

// mayTake returns how much memory DuckDB may take.
func (d division) mayTake() int64 { return d.duckDB + d.duckDB/2 }

// budget returns the budget for requests.
func (d division) budget() (*memory.Budget, error) {
	return memory.New(memory.Config{Bodies: d.heap / 16, Answers: d.heap / 8})
}

// bound bounds what an engine remembers and answers. With the responses that the API remembers, and with the budget for
// requests, it is half of the heap: then the collection of garbage has enough room.
func (d division) bound(options *query.EngineOptions) {
	options.MaxPartials, options.ResultCache = d.heap/4, d.heap/32
	options.MaxAnswer = min(query.DefaultMaxAnswer, d.heap/32)
}

// limitHeap makes Go collect garbage more often as its memory comes near d.heap, unless the environment sets less by
// GOMEMLIMIT. It returns a function that restores the previous limit.
func (d division) limitHeap(log *slog.Logger) (undo func()) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, d.heap))
	log.Debug("memory", "duckdb", d.duckDB, "go", min(before, d.heap))
	return func() { debug.SetMemoryLimit(before) }
}
