package keep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/state/codec"
	"github.com/sightline-analytics/sightline/store"
)

// Errors of ErasePerson.
var (
	// ErrNotEraser: the store is not a [store.PersonEraser].
	ErrNotEraser = failure.New(failure.Internal, "query: the store cannot erase a person")
	// errNoHashes: the store has totals, and is not a [store.VisitorHasher].
	errNoHashes = errors.New("query: the store cannot tell under which numbers totals have a person")
)

// InTotals is the name of removed days beside the tables of [Keeper.ErasePerson].
const InTotals = "totals"

// totalsAtOnce is the number of days whose totals are read at once to look for a person.
const totalsAtOnce = 7

// ErasePerson erases a person as [store.PersonEraser] says, and also from totals, which have a hash of each visitor. A
// random number takes the place of the hash, the same one on all days, so that answers about removed days stay the
// same. The number of days with the person is returned as [InTotals], unless it is 0.
//
// The store deletes all states of days around removed rows. ErasePerson stores totals of removed days again, which
// nothing else could make. Other processes with totals in memory may count the person twice until they read the totals
// again.
func (k *Keeper) ErasePerson(ctx context.Context, p store.Person) (map[string]int64, error) {
	eraser, ok := k.Seals.store.(store.PersonEraser)
	if !ok {
		return nil, ErrNotEraser
	}
	e, has := k.totalsIn(p.Website)
	if !has {
		return eraser.ErasePerson(ctx, p)
	}
	k.States.storing.Lock() // no totals are made meanwhile
	defer k.States.storing.Unlock()
	removed, err := e.around(ctx, func() (map[string]int64, error) { return eraser.ErasePerson(ctx, p) })
	if err != nil {
		return nil, err
	}
	days, err := e.replace(ctx, k.Seals.store, slices.Concat(p.AnonymousIDs, p.ProfileIDs))
	if days > 0 {
		removed[InTotals] = int64(days)
		if k.merger.Partials != nil {
			k.merger.ForgetTotals(e.website)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("query: the person is erased from rows, but not from all totals; try again: %w", err)
	}
	return removed, nil
}

// personTotals changes the totals of a website.
type personTotals struct {
	keeper  store.StateKeeper
	lister  store.DayLister
	website store.Subject
}

// totalsIn returns the totals of a website. It reports false if the store can have none.
func (k *Keeper) totalsIn(website string) (*personTotals, bool) {
	keeper, keeps := k.Seals.store.(store.StateKeeper)
	lister, lists := k.Seals.store.(store.DayLister)
	return &personTotals{keeper, lister, store.Subject{Kind: store.KindWebsite, ID: website}},
		keeps && lists && website != ""
}

// around calls remove, which removes rows, and stores totals again that the store deletes with them.
func (e *personTotals) around(ctx context.Context, remove func() (map[string]int64, error)) (map[string]int64, error) {
	held, err := e.hold(ctx)
	if err != nil {
		return nil, err
	}
	removed, err := remove()
	if err := errors.Join(err, e.putBack(context.WithoutCancel(ctx), held)); err != nil {
		return nil, err
	}
	return removed, nil
}

// expired returns the days whose rows were removed, the oldest first, with their names of totals.
func (e *personTotals) expired(ctx context.Context) (days []store.Day, names []store.StateName, err error) {
	states, err := e.keeper.States(ctx, e.website)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range states {
		if merge.IsTotals(one.StateName) && !slices.Contains(names, one.StateName) {
			names = append(names, one.StateName)
		}
	}
	if len(names) == 0 {
		return nil, nil, nil
	}
	days, err = e.lister.Days(ctx, e.website, time.UnixMilli(-1<<53), time.UnixMilli(1<<53))
	return slices.DeleteFunc(days, func(d store.Day) bool { return d.Expired == 0 }), names, err
}

// hold reads the totals of removed days around which rows may still be removed: of those next to other days, and of
// days with rows that were written later.
func (e *personTotals) hold(ctx context.Context) (held []store.State, err error) {
	days, names, err := e.expired(ctx)
	if err != nil || len(days) == 0 {
		return nil, err
	}
	near := []time.Time{days[len(days)-1].Start.AddDate(0, 0, 1)}
	for _, d := range days {
		if d.Version > d.Expired {
			near = append(near, d.Start)
		}
	}
	for _, d := range days {
		if slices.ContainsFunc(near,
			func(at time.Time) bool { return at.Sub(d.Start).Abs() <= store.MaxAround*24*time.Hour }) {
			states, err := e.keeper.LoadStates(ctx, e.website, names, d.Start, d.Start.AddDate(0, 0, 1))
			if err != nil {
				return nil, err
			}
			held = append(held, states...)
		}
	}
	return held, nil
}

// putBack stores those totals again that the store no longer has.
func (e *personTotals) putBack(ctx context.Context, held []store.State) error {
	if len(held) == 0 {
		return nil
	}
	states, err := e.keeper.States(ctx, e.website)
	if err != nil {
		return err
	}
	has := map[merge.StoredName]bool{}
	for _, one := range states {
		has[merge.StoredName{Name: one.StateName, Of: merge.DayOf(one.Day)}] = true
	}
	return e.save(ctx, slices.DeleteFunc(held, func(one store.State) bool {
		return has[merge.StoredName{Name: one.StateName, Of: merge.DayOf(one.Day)}]
	}))
}

// save stores totals in place of those with the same names.
func (e *personTotals) save(ctx context.Context, states []store.State) error {
	for some := range slices.Chunk(states, savedDictionaries) {
		from, to := some[0].Day, some[0].Day
		for _, one := range some {
			if one.Day.Before(from) {
				from = one.Day
			}
			if one.Day.After(to) {
				to = one.Day
			}
		}
		read := func() (map[int64]uint64, error) {
			versions := map[int64]uint64{}
			days, err := e.lister.Days(ctx, e.website, from, to.AddDate(0, 0, 1))
			for _, d := range days {
				versions[d.Start.UnixMilli()] = d.Version
			}
			return versions, err
		}
		before, err := read()
		if err != nil {
			return err
		}
		for i := range some {
			some[i].Rows = before[some[i].Day.UnixMilli()]
		}
		if err := e.keeper.SaveStates(ctx, e.website, some); err != nil {
			return err
		}
		after, err := read()
		if err != nil {
			return err
		}
		for _, one := range some {
			if after[one.Day.UnixMilli()] != one.Rows {
				return errChanging // the store may have skipped it
			}
		}
	}
	return nil
}

// savedDictionaries is the number of states that are stored at once.
const savedDictionaries = 8

// replace puts random numbers in the place of the hashes of ids in the dictionaries of totals, and returns the number
// of days that had one of them.
func (e *personTotals) replace(ctx context.Context, s store.Store, ids []string) (days int, err error) {
	all, names, err := e.withDictionaries(ctx)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	hasher, ok := s.(store.VisitorHasher)
	if !ok {
		return 0, errNoHashes
	}
	hashes, err := hasher.HashVisitors(ctx, ids)
	if err != nil {
		return 0, err
	}
	gaps, found := map[int64]gap{}, map[calendar.Interval]bool{}
	err = e.dictionaries(ctx, all, names, func(one store.State, d *codec.Dictionary) error {
		for _, hash := range hashes {
			if before, after, has := d.Between(hash); has {
				gaps[hash] = gaps[hash].within(before, after)
				found[merge.DayOf(one.Day)] = true
			}
		}
		return nil
	})
	if err != nil || len(gaps) == 0 {
		return 0, err
	}
	others := map[int64]int64{}
	for hash, between := range gaps {
		if others[hash], err = between.other(hash); err != nil {
			return 0, err
		}
	}
	with := slices.DeleteFunc(all, func(day time.Time) bool { return !found[merge.DayOf(day)] })
	return len(with), e.dictionaries(ctx, with, names, func(one store.State, d *codec.Dictionary) error {
		changed := false
		for hash, other := range others {
			if _, _, has := d.Between(hash); has {
				one.Bytes, changed = d.Replaced(hash, other), true
			}
		}
		if !changed {
			return nil
		}
		return e.save(ctx, []store.State{one})
	})
}

// withDictionaries returns the days that have dictionaries of totals, in order, and the names of these.
func (e *personTotals) withDictionaries(ctx context.Context) (days []time.Time, names []store.StateName, err error) {
	states, err := e.keeper.States(ctx, e.website)
	for _, one := range states {
		if merge.IsTotalsDictionary(one.StateName) {
			days, names = append(days, one.Day), append(names, one.StateName)
		}
	}
	slices.SortFunc(days, time.Time.Compare)
	slices.SortFunc(names, func(a, b store.StateName) int { return cmp.Compare(a.Number, b.Number) })
	return slices.CompactFunc(days, time.Time.Equal), slices.Compact(names), err
}

// dictionaries calls do with each dictionary of totals of days, which are in order.
func (e *personTotals) dictionaries(ctx context.Context, days []time.Time, names []store.StateName,
	do func(store.State, *codec.Dictionary) error) error {
	for some := range slices.Chunk(days, totalsAtOnce) {
		states, err := e.keeper.LoadStates(ctx, e.website, names, some[0], some[len(some)-1].AddDate(0, 0, 1))
		if err != nil {
			return err
		}
		for _, one := range states {
			d, err := codec.ReadDictionary(one.Bytes)
			if err != nil {
				continue // it is damaged, and no answer reads it
			}
			if err := do(one, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// A gap has the members before and after a hash, in all dictionaries that have it. The zero gap is of none.
type gap struct{ before, after int64 }

// within returns the gap that is also between other members.
func (g gap) within(before, after int64) gap {
	if g == (gap{}) {
		return gap{before, after}
	}
	return gap{max(g.before, before), min(g.after, after)}
}

// errNoNumber means that no other number lies between two members. It does not happen: numbers have 63 bits.
var errNoNumber = errors.New("query: no number can replace the hash of a visitor")

// other returns a random number of the gap that is not hash.
func (g gap) other(hash int64) (int64, error) {
	free := g.after - g.before - 2 // without both ends and hash
	if free < 1 {
		return 0, errNoNumber
	}
	n := g.before + 1 + rand.Int64N(free) //nolint:gosec // no secret
	if n >= hash {
		n++
	}
	return n, nil
}
