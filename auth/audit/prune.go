package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Pruned is what [Prune] did.
type Pruned struct {
	Entries int64    // removed
	Chains  []string // dropped, since nothing was left of them
}

// Prune removes entries from before an instant, beside a running writer too: of each
// chain those up to the first that is not older. What stays can be verified as before: a
// sealed cut says up to where entries are gone. A chain of which nothing stays is
// dropped; a writer that still lives begins another. Its error wraps [ErrTampered] when
// the log does not verify, since pruning would hide the damage; then nothing is removed.
func Prune(ctx context.Context, log Log, pepper []byte, before time.Time) (Pruned, error) {
	v, err := inspect(ctx, log, pepper, before, nil)
	if err != nil {
		return Pruned{}, err
	}
	if err := v.report.Err(); err != nil {
		return Pruned{}, err
	}
	var p Pruned
	var cuts, gone []Mark
	for _, c := range v.state.Chains {
		l := v.links[c.Head.Writer]
		if n := l.cut.Seq - c.Cut.Seq; n > 0 {
			p.Entries += n
			for _, step := range append(l.steps, l.cut) {
				cuts = append(cuts, v.seal.cut(step))
			}
		}
		if l.remain == 0 && l.cut.Seq > 0 {
			gone = append(gone, c.Head)
			p.Chains = append(p.Chains, c.Head.Writer)
		}
	}
	if len(cuts) > 0 {
		if err := log.Cut(ctx, cuts); err != nil {
			return Pruned{}, fmt.Errorf("audit: cutting the log: %w", err)
		}
	}
	if len(gone) == 0 {
		return p, nil
	}
	err = v.drop(ctx, log, gone)
	if errors.Is(err, ErrConflict) { // something lives; the chains go next time
		p.Chains, err = nil, nil
	}
	if err != nil {
		return p, fmt.Errorf("audit: dropping chains: %w", err)
	}
	return p, nil
}

// drop has log forget the chains of heads.
func (v *verifier) drop(ctx context.Context, log Log, heads []Mark) error {
	r := v.seal.roster(Roster{
		Generation: v.state.Roster.Generation + 1,
		Writers: slices.DeleteFunc(slices.Clone(v.state.Roster.Writers), func(w string) bool {
			return slices.ContainsFunc(heads, func(m Mark) bool { return m.Writer == w })
		}),
	})
	return log.Drop(ctx, r, heads)
}
