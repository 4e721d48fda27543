package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// Pruned is the result of [Prune].
type Pruned struct {
	Entries int64    // removed
	Chains  []string // chains that were removed completely
}

// Prune removes the entries before an instant. In each chain it stops at the first entry that is not older.
// Writers may run at the same time. The remaining entries stay verifiable: a signed prune point marks the
// removed part. A chain without remaining entries is removed completely, and if its writer still runs, the
// writer starts a new chain. If the log fails verification, Prune removes nothing, since pruning would hide the
// damage; its error then wraps [ErrTampered].
func Prune(ctx context.Context, log Pruner, pepper auth.Pepper, before time.Time) (Pruned, error) {
	v, err := inspect(ctx, log, pepper, before, nil)
	if err == nil {
		err = v.report.Err()
	}
	if err != nil {
		return Pruned{}, err
	}
	var p Pruned
	var points []Checkpoint
	for _, c := range v.chains {
		point := v.links[c.Head.Writer].point
		whole := point.Seq > 0 && point.Seq == c.Head.Seq
		if point.Seq <= c.PrunePoint.Seq && !whole {
			continue
		}
		points = append(points, v.links[c.Head.Writer].sign.prunePoint(point))
		p.Entries += point.Seq - c.PrunePoint.Seq
		if whole {
			p.Chains = append(p.Chains, point.Writer)
		}
	}
	if len(points) == 0 {
		return p, nil
	}
	if err := log.Prune(ctx, points); err != nil {
		return Pruned{}, fmt.Errorf("audit: pruning the log: %w", err)
	}
	return p, nil
}
