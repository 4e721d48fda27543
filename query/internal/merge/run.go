package merge

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// lookup starts a merge, in a way of that kind.
func (mr *Merger) lookup(m *Merge, kind origin.Kind, snapshot *days.Snapshot) *Lookup {
	return &Lookup{Merge: m, merger: mr, kind: kind, Snapshot: snapshot, Site: mr.Partials.Of(m.p.Subject),
		Found: make([][]*state.Partial, len(m.aggregates))}
}

// A Question is the input of Rows.
type Question struct {
	Plan     *plan.Plan
	Among    [][]string     // only rows with these keys; nil: all
	Snapshot *days.Snapshot // may be nil
	// Snapshots are those of several websites, in the order of the plan, in place of Snapshot. It may be nil.
	Snapshots []*days.Snapshot
	// Expired is the end of the last day that Plan counts and whose rows were removed because of their age. It is zero
	// if there is none.
	Expired time.Time
}

// Rows are the rows of an answer, if they were merged from partials.
type Rows struct {
	*store.Rows // nil: the statement has to run
	// Lost is the time before which the answer lacks rows, merged or not: see [Question.Expired].
	Lost     time.Time
	Decision origin.Decision
}

// Rows returns the rows that the statement of q would give, if they are merged. f has what is known of the remembered
// answer.
//
// It computes a few missing partials at once. While rows are written, partials of different tables may differ in time
// by as much as it takes to compute them.
func (mr *Merger) Rows(ctx context.Context, q Question, f origin.Facts) (found Rows, err error) {
	if q.Plan.Websites != nil {
		return mr.rowsOfSeveral(ctx, q, f)
	}
	found.Lost = q.Expired
	found.Decision = mr.decide(ctx, q, f, func(g *Lookup, c origin.Choice) (failed answer.Reason) {
		found.Rows, failed, err = g.act(ctx, q, c, &found.Lost)
		return failed
	})
	return found, err
}

// Decide returns the decision that Rows would act on now. Rows may still find that partials which are missing now do
// not fit into memory.
func (mr *Merger) Decide(ctx context.Context, q Question, f origin.Facts) origin.Decision {
	if q.Plan.Websites != nil {
		f.Off = mr.Partials == nil && q.Expired.IsZero()
		if s := mr.severalOf(q); s != nil {
			return s.decide(ctx, f)
		}
		return origin.Decide(f)
	}
	return mr.decide(ctx, q, f, nil)
}

// decide decides where the rows of q come from. It reads the facts about one way to merge after the other, until one is
// taken. act acts on what was decided about each, and returns the reason if that fails; it may be nil.
func (mr *Merger) decide(ctx context.Context, q Question, f origin.Facts,
	act func(*Lookup, origin.Choice) answer.Reason) origin.Decision {
	f.Off = mr.Partials == nil && q.Expired.IsZero()
	d := origin.Decide(f)
	for g := range mr.ways(q) {
		if d.Source != answer.Statement {
			return d
		}
		f.Ways = append(f.Ways, g.read(ctx))
		d = origin.Decide(f)
		if act == nil {
			continue
		}
		last := len(f.Ways) - 1
		if f.Ways[last].Failed = act(g, d.Ways[last]); f.Ways[last].Failed != "" {
			d = origin.Decide(f)
		}
	}
	return d
}

// ways returns the ways to merge the rows of q, in the order in which they are tried.
func (mr *Merger) ways(q Question) iter.Seq[*Lookup] {
	return func(yield func(*Lookup) bool) {
		if mr.Partials == nil {
			return
		}
		if !q.Expired.IsZero() {
			if g := mr.ofTotals(q.Plan); g != nil {
				g.Snapshot = q.Snapshot
				yield(g)
			}
			return
		}
		if m := mergeOnKeys(q.Plan); m != nil && !yield(mr.lookup(m, origin.OnKeys, q.Snapshot)) {
			return
		}
		if m := mergeOf(q.Plan); m != nil {
			yield(mr.lookup(m, origin.Own, q.Snapshot))
		}
	}
}

// act does what was decided about g. It returns the rows, or the reason why that failed.
func (g *Lookup) act(ctx context.Context, q Question, c origin.Choice, lost *time.Time) (rows *store.Rows,
	failed answer.Reason, err error) {
	if g.kind == origin.Totals {
		rows, *lost, err = g.totals(ctx, q)
		if rows == nil && err == nil {
			failed = answer.NotMergeable
		}
		return rows, failed, err
	}
	if g.kind == origin.Own {
		g.Site.Admission.NoteAsked(g.all())
		if c.Why == answer.NotStored && g.unread != nil {
			return nil, "", g.unread
		}
	}
	if failed, err = g.gather(ctx, c); failed != "" || err != nil || c.Why != "" {
		return nil, failed, err
	}
	return finish.Run(g.steps, g.groups(), q.Among), "", nil
}

// all are the aggregates of all parts.
func (m *Merge) all() (all []state.Aggregate) {
	for _, of := range m.parts {
		all = append(all, m.aggregatesOf(of)...)
	}
	return all
}

// aggregatesOf returns the aggregates of a part.
func (m *Merge) aggregatesOf(of *mergedPart) []state.Aggregate {
	all := make([]state.Aggregate, len(of.aggregates))
	for at, i := range of.aggregates {
		all[at] = m.aggregates[i].Aggregate
	}
	return all
}

// A Lookup finds the partials of a merge, or computes them.
type Lookup struct {
	*Merge
	merger   *Merger
	kind     origin.Kind
	Snapshot *days.Snapshot // may be nil until load
	Site     *memory.Partials
	Found    [][]*state.Partial // by aggregate and stretch
	unread   error              // of reading the days

	background bool // no caller waits: statements have a pace, and the lock of the website is held between them only

	pending *pending // what is computed while stored partials are loaded
}

// gather acts on a choice: it notes the use of the partials, and computes the missing ones if the rows are merged. It
// returns a reason if that fails. What is in memory was found.
func (g *Lookup) gather(ctx context.Context, c origin.Choice) (failed answer.Reason, err error) {
	if c.Counts {
		g.Site.Use(g.all())
		for _, of := range g.parts {
			g.Site.Want(g.aggregates[of.Count].Aggregate, g.stretches, g.Versions(of))
		}
	}
	if c.Renew {
		g.Site.Admission.Renew()
	}
	if c.Later {
		g.merger.computeLater(g.Merge)
	}
	if c.Why != "" {
		return "", nil
	}
	for i, of := range g.parts {
		if c.Missing[i] == 0 {
			continue
		}
		names := g.Site.Admission.NumberingSize()
		err := g.GatherPart(ctx, of)
		names = g.Site.Admission.NumberingSize() - names
		for _, i := range of.aggregates {
			g.Site.Admission.RecordSize(g.aggregates[i].Aggregate, g.Found[i], names)
		}
		switch {
		case errors.Is(err, ErrNoRoom):
			return answer.NoRoom, nil
		case TooLarge(err):
			g.Site.Admission.Exclude(g.aggregatesOf(of))
			return answer.TooLarge, nil
		case err != nil:
			return "", err
		}
	}
	return "", nil
}

// ErrNoRoom: not all partials of a question fit into memory together.
var ErrNoRoom = errors.New("query: too many partials at once")

// TooLarge reports whether computed rows are too large for memory.
func TooLarge(err error) bool {
	return errors.Is(err, state.ErrTooLarge) || errors.Is(err, store.ErrTooLarge) || errors.Is(err, store.ErrTooMuch)
}
