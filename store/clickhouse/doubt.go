package clickhouse

import (
	"context"
	"log/slog"
	"time"
)

// How rows in doubt are looked at again: at the first tick, and at the last, when no
// insert that was sent before can be under way.
const (
	lookAgainEvery = 5 * time.Second
	lastTick       = 15
)

// doubtLimit is how many rows may be in doubt. Beyond it the oldest are let go.
const doubtLimit = 100_000

// A doubt is rows of one commit, each of which another commit may still be storing, too.
// See receipt.go.
type doubt struct {
	receipt uint64
	rows    []row
	ticks   int
}

// doubts are all rows in doubt. Only the writer's goroutine touches them.
type doubts struct {
	every time.Duration
	list  []doubt
	rows  int
}

func (d *doubts) add(receipt uint64, rows []row) {
	if len(rows) == 0 {
		return
	}
	d.list = append(d.list, doubt{receipt: receipt, rows: rows})
	d.rows += len(rows)
	for d.rows > doubtLimit && len(d.list) > 1 {
		d.rows -= len(d.list[0].rows)
		d.list = d.list[1:]
	}
}

// lookAgain looks at the rows in doubt whose time has come, or at all of them. What
// cannot be looked at now is looked at at the next tick.
func (s *Store) lookAgain(ctx context.Context, all bool) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Patience)
	defer cancel()
	old := s.doubts.list
	s.doubts.list, s.doubts.rows = nil, 0
	for _, d := range old {
		d.ticks++
		if all || d.ticks == 1 || d.ticks >= lastTick {
			rows := make([]*row, len(d.rows))
			for i := range d.rows {
				rows[i] = &d.rows[i]
			}
			switch _, err := s.settle(ctx, d.receipt, rows); {
			case err != nil:
				s.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "clickhouse: rows in doubt could not be looked at", slog.Any("error", explain(err)))
				d.ticks--
			case d.ticks >= lastTick:
				continue
			}
		}
		s.doubts.list = append(s.doubts.list, d)
		s.doubts.rows += len(d.rows)
	}
}
