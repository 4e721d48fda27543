package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// Pruned is what [Prune] did.
type Pruned struct {
	Entries int64    // removed
	Chains  []string // removed completely, since no entry was left
}

// Prune removes the entries before an instant: of each chain those up to the first that is not older. A
// writer may run meanwhile. What stays can be verified as before: a signed prune point says up to where
// entries are gone. A chain without remaining entries is removed completely; if its writer still runs,
// it begins another. Its error wraps [ErrTampered] when the log does not verify, since pruning would
// hide the damage; then nothing is removed.
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
