package storetest

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A badSealer makes a mistake in the sealed results, in the reported days, or in the reading of seals.
type badSealer struct {
	derivedStore
	days    func([]store.Day)                                   // nil: no change
	seal    func(*store.Derivation)                             // nil: no change
	part    func(d *store.Derivation, changed *store.Statement) // of Reseal; nil: no change
	read    func(sql string) string                             // nil: no change
	kept    func(*store.State)                                  // nil: no change
	updates bool                                                // the mistake is only possible in a store.Resealer
}

// kind returns a text that is equal for mistakes that change the same thing.
func (b badSealer) kind() string {
	return fmt.Sprint(b.days != nil, b.seal != nil, b.part != nil, b.read != nil, b.kept != nil, b.updates)
}

// keeper returns the store's StateKeeper, or one that stores nothing.
func (b badSealer) keeper() store.StateKeeper {
	if k, ok := b.derivedStore.(store.StateKeeper); ok {
		return k
	}
	return noStates{}
}

type noStates struct{}

func (noStates) States(context.Context, store.Subject) ([]store.State, error)   { return nil, nil }
func (noStates) SaveStates(context.Context, store.Subject, []store.State) error { return nil }
func (noStates) DropStates(context.Context, store.Subject, []int64, []int64) error {
	return nil
}
func (noStates) LoadStates(context.Context, store.Subject, []store.StateName, time.Time, time.Time) ([]store.State,
	error) {
	return nil, nil
}

// States returns the store's states with the mistake.
func (b badSealer) States(ctx context.Context, s store.Subject) ([]store.State, error) {
	return b.mistake(b.keeper().States(ctx, s))
}

// LoadStates returns the store's states with the mistake.
func (b badSealer) LoadStates(ctx context.Context, s store.Subject, names []store.StateName, from,
	to time.Time) ([]store.State,
	error) {
	return b.mistake(b.keeper().LoadStates(ctx, s, names, from, to))
}

func (b badSealer) mistake(states []store.State, err error) ([]store.State, error) {
	for i := range states {
		if b.kept != nil {
			b.kept(&states[i])
		}
	}
	return states, err
}

// SaveStates saves states in the store.
func (b badSealer) SaveStates(ctx context.Context, s store.Subject, states []store.State) error {
	return b.keeper().SaveStates(ctx, s, states)
}

// DropStates deletes states of the store.
func (b badSealer) DropStates(ctx context.Context, s store.Subject, kinds, but []int64) error {
	return b.keeper().DropStates(ctx, s, kinds, but)
}

// Query runs stmt with the mistake.
func (b badSealer) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	if b.read != nil {
		stmt.SQL = b.read(stmt.SQL)
	}
	return b.derivedStore.Query(ctx, stmt)
}

// Days returns the store's days with the mistake.
func (b badSealer) Days(ctx context.Context, of store.Subject, from, to time.Time) ([]store.Day, error) {
	days, err := b.derivedStore.Days(ctx, of, from, to)
	if b.days != nil {
		b.days(days)
	}
	return days, err
}

// Seal seals d with the mistake.
func (b badSealer) Seal(ctx context.Context, d store.Derivation) error {
	if b.seal != nil {
		b.seal(&d)
	}
	return b.derivedStore.Seal(ctx, d)
}

// over returns b over s: a store.Resealer if s is one.
func (b badSealer) over(s derivedStore) derivedStore {
	b.derivedStore = s
	if r, ok := s.(store.Resealer); ok {
		return badResealer{b, r}
	}
	return b
}

// A badResealer is a badSealer that also updates seals.
type badResealer struct {
	badSealer
	resealer store.Resealer
}

// Reseal updates seals with the mistake.
func (b badResealer) Reseal(ctx context.Context, d store.Derivation, changed store.Statement) error {
	if b.seal != nil {
		b.seal(&d)
	}
	if b.part != nil {
		b.part(&d, &changed)
	}
	return b.resealer.Reseal(ctx, d, changed)
}

func unfiltered(q reference.Question) bool {
	return len(q.Filters)+len(q.Mandatory)+len(q.GroupBy) == 0
}

// numbered is a mistake that is only possible in stores with the column country_number.
const numbered = "a country has another number than when it was sealed"

// KillsSealMutants plants one mistake at a time in the sealing of a store. It fails unless the comparison with
// the reference evaluator notices each within a few datasets. Mistakes that only matter after everything is
// written and sealed share a store. It plants one mistake of each kind, or all if AllMutations is true.
func KillsSealMutants(t *testing.T, h Harness) {
	before := sealing{share: 0.9, most: 30, only: busiest}
	first := h.open(t).(derivedStore)
	planted := map[string]bool{}
	h.fillAndSeal(t, first, first, firstDataset, before, func() {})
	for _, m := range []struct {
		name  string
		made  badSealer
		how   sealing
		warm  int // number of questions asked before the last rows are stored
		when  func(reference.Question) bool
		first uint64 // Mutation.First
	}{
		// the other stores say that a stale seal is none
		{"a late row does not invalidate a seal", badSealer{updates: true, days: func(days []store.Day) {
			for i := range days {
				if days[i].Sealed > 0 {
					days[i].Version = days[i].Sealed
				}
			}
		}}, before, 0, OfType("session_metrics", "countries", "entry_pages"), 0},
		{"a late row does not invalidate partials", badSealer{days: func(days []store.Day) {
			for i := range days {
				days[i].Version, days[i].Sealed = min(days[i].Version, 1), 0
			}
		}}, sealing{share: 0.5, most: 30, only: busiest}, 4, OfType("countries", "top_pages", "summary_metrics"), 0},
		{"sessions end with the day", badSealer{seal: func(d *store.Derivation) {
			sessions := &d.Rows[0]
			sessions.Args = slices.Clone(sessions.Args)
			for i, a := range sessions.Args {
				if a.Value == d.To.UnixMilli()+dayMillis {
					sessions.Args[i].Value = d.To.UnixMilli()
				}
			}
		}}, sealing{share: 1, most: 4, exact: true, only: busiest}, 0,
			OfType("session_metrics", "session_duration_distribution", "sessions_time_series"), 0},
		{"a session is sealed twice", badSealer{seal: func(d *store.Derivation) {
			once := d.Rows[0].SQL
			d.Rows[0].SQL = "SELECT * FROM (" + once + ") AS x UNION ALL SELECT * FROM (" + once + ") AS x"
		}}, sealing{share: 1, most: 30, only: busiest}, 0, OfType("countries"), 0},
		{numbered, badSealer{read: Rewritten(`(.country_number. = \(1024)`, "${1} + 1")}, before, 0,
			func(q reference.Question) bool {
				return slices.ContainsFunc(q.Filters, func(f reference.Filter) bool { return f.Field == "country" })
			}, 0},
		{"a changed id is also read from the seal",
			badSealer{updates: true, read: Rewritten(`\(coalesce\(i\..told., 0\) = 0\)`, "true")}, before, 0, nil, 0},
		{"an id that changed on a day outside the range counts as unchanged",
			badSealer{updates: true,
				read: Rewritten(`(FROM events AS t WHERE [^)]*\) AND \(t\..time. >= )([^)]*)(\) AND \(t\..time. < )([^)]*)(\) AND \(t\..version. > )`,
					fmt.Sprintf("${1}(${2} + %d)${3}(${4} - %d)${5}", 4*dayMillis, 2*dayMillis))}, before, 0,
			OfType("utm_terms"), 25},
		{"a changed id has no events before its latest one",
			badSealer{updates: true, read: Rewritten(`min\((t\..time.)\)( AS .first.)`, "max($1)$2")}, before, 0, nil,
			0},
		{"old results of a changed id stay when the day is sealed again",
			badSealer{part: func(_ *store.Derivation, changed *store.Statement) {
				changed.SQL = "SELECT * FROM (" + changed.SQL + ") AS x WHERE false"
			}}, sealing{share: 0.9, most: 30, again: afterOthers, only: busiest}, 0, nil, 0},
		{"a changed id is not sealed again", badSealer{part: func(d *store.Derivation, _ *store.Statement) {
			d.Rows[1].SQL = "SELECT * FROM (" + d.Rows[1].SQL + ") AS x WHERE false"
		}}, sealing{share: 0.9, most: 30, again: afterOthers, only: busiest}, 0, nil, 0},
		{"a stored partial is valid with any version",
			badSealer{kept: func(s *store.State) { s.Version = math.MaxInt64 }},
			sealing{share: 0.5, most: 30, only: busiest, store: true}, 0, unfiltered, 0},
		{"a stored partial belongs to another day",
			badSealer{kept: func(s *store.State) { // the version of the other day may be another one
				s.Day, s.Version = s.Day.AddDate(0, 0, 1), math.MaxInt64
			}},
			sealing{share: 1, most: 30, only: busiest, store: true}, 0, unfiltered, 0},
	} {
		kind := m.made.kind()
		if planted[kind] && !AllMutations() {
			continue
		}
		planted[kind] = true
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if _, keeps := first.(store.StateKeeper); !keeps && m.made.kept != nil {
				t.Skip("the store does not implement store.StateKeeper")
			}
			if _, reseals := first.(store.Resealer); !reseals && (m.made.part != nil || m.made.updates) {
				t.Skip("the store does not implement store.Resealer")
			}
			if m.name == numbered && len(first.Dialect().Numbers) == 0 {
				t.Skip("sealed hits have no column country_number")
			}
			(&Mutation{When: m.when, First: m.first}).mustShow(t,
				func(seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
					if m.how == before && seed == firstDataset {
						bad := m.made.over(first)
						return compareReference(t.Context(), newEngineRunner(t, query.Config{Store: bad}, rows),
							dataOf(seed), questions, true)
					}
					s := h.open(t)
					got := h.warmed(t, s, m.made.over(s.(derivedStore)), seed, m.how, firstOf(questions, m.warm))
					// the statement answers at first and stale partials later, so a repeated answer differs
					if m.warm > 0 {
						got.again = 0
					}
					if m.made.kept != nil { // only the first answer can show the mistake
						got.engine, got.second, got.again = got.second, nil, 0
					}
					return compareReference(t.Context(), got, dataOf(seed), questions, true)
				})
		})
	}
}
