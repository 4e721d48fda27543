package query

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/query/internal/plan"
)

// Stats has the numbers of answers that an engine gave, and the memory that it uses for further ones.
type Stats struct {
	Answers     []OriginCount // in the order of sources and reasons
	StateBytes  int64         // about; of states
	AnswerBytes int64         // about; of remembered answers
}

// An OriginCount is the number of answers of one origin. A failed parameter has no answer. An answer with a comparison
// counts once.
type OriginCount struct {
	Origin
	Answers uint64
}

// Stats returns the numbers as they are now.
func (e *Engine) Stats() Stats {
	s := Stats{Answers: e.counts.all(), StateBytes: e.keeper.States.BatchSize()}
	if e.merger.Partials != nil {
		s.StateBytes += e.merger.Partials.Size()
	}
	if e.answers != nil {
		s.AnswerBytes = e.answers.Size()
	}
	return s
}

// note counts an answer to p, and logs it.
func (e *Engine) note(ctx context.Context, p *plan.Parameter, from Origin) {
	e.counts.add(from)
	if e.log.Enabled(ctx, slog.LevelDebug) {
		e.log.LogAttrs(ctx, slog.LevelDebug, "answered", slog.String("type", p.Name),
			slog.String("source", string(from.Source)), slog.String("reason", string(from.Why)))
	}
}

// counts has the number of answers of each origin. It is safe for concurrent use.
type counts struct {
	mu sync.Mutex
	of map[Origin]uint64
}

func (c *counts) add(from Origin) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[Origin]uint64{}
	}
	c.of[from]++
}

func (c *counts) all() []OriginCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make([]OriginCount, 0, len(c.of))
	for from, n := range c.of {
		found = append(found, OriginCount{from, n})
	}
	slices.SortFunc(found, func(a,
		b OriginCount) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Why, b.Why))
	})
	return found
}
