package clickhouse

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Pending conflicts are checked at the first tick, and at the last one, when no earlier insert can still be
// running.
const (
	conflictTick = 5 * time.Second
	lastTick     = 15
)

// conflictLimit limits the rows with a pending conflict. Beyond it, the oldest conflicts are dropped.
const conflictLimit = 100_000

// A conflict has rows of one attempt that another attempt, or an earlier one at the same rows, may also still
// store. See receipt.go.
type conflict struct {
	attempt attempt
	rows    []row
	ticks   int
}

// pendingConflicts has all pending conflicts.
type pendingConflicts struct {
	every time.Duration

	mu   sync.Mutex
	list []conflict
	rows int
}

func (p *pendingConflicts) add(c conflict) {
	if len(c.rows) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, c)
	p.rows += len(c.rows)
	for p.rows > conflictLimit && len(p.list) > 1 {
		p.rows -= len(p.list[0].rows)
		p.list = p.list[1:]
	}
}

func (p *pendingConflicts) takeAll() []conflict {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.list
	p.list, p.rows = nil, 0
	return all
}

// recheckConflicts checks the pending conflicts that are due, or all of them. A conflict whose check fails is
// checked again at the next tick.
func (s *Store) recheckConflicts(ctx context.Context, all bool) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.WriteTimeout)
	defer cancel()
	for _, c := range s.conflicts.takeAll() {
		c.ticks++
		if all || c.ticks == 1 || c.ticks >= lastTick {
			rows := make([]*row, len(c.rows))
			for i := range c.rows {
				rows[i] = &c.rows[i]
			}
			switch _, err := s.resolveDuplicates(ctx, c.attempt, rows); {
			case err != nil:
				s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: could not check rows that may be stored twice",
					slog.Any("error", explain(err)))
				c.ticks--
			case c.ticks >= lastTick:
				continue
			}
		}
		s.conflicts.add(c)
	}
}
