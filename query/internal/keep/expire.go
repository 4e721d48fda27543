package keep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/failure"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

// Errors of Expire.
var (
	// ErrNotExpirer: the store is not a [store.Expirer].
	ErrNotExpirer = failure.New(failure.Internal, "query: the store cannot remove the rows of old days")
	// ErrNoTotals: the store is not a [store.StateKeeper], or Config turns states off.
	ErrNoTotals = failure.New(failure.Internal, "query: the store keeps no totals")
	// errChanging: rows changed while totals were made of them.
	errChanging = errors.New("query: rows of old days change")
)

const (
	// expiredAtOnce is the number of days whose totals are made before their rows are removed.
	expiredAtOnce = 7
	// expireRests is the length of the rest after a day was removed while somebody asks or writes, in multiples of the
	// time it took.
	expireRests = 3
)

// ExpiresBefore returns the time before which days started whose rows Expire may remove: the rows of later days are not
// complete yet.
func ExpiresBefore(now time.Time) time.Time { return settledBefore(now) }

// Expire removes the rows of the UTC days of a website that were over before a time, and for at least a day, the oldest
// day first, and returns the number of days that it changed. With totals it first stores totals of the days, from which
// answers without filters are merged later; days whose totals cannot be made now stay as they are, with an error.
// Without totals it also removes totals of an earlier call. In the end it seals the days again whose seals were made
// with removed rows. Between days it rests as [store.Pace] does. It ends when ctx does. Another call continues.
func (k *Keeper) Expire(ctx context.Context, website store.Subject, before time.Time, totals bool) (expired int,
	err error) {
	x, ok := k.Seals.store.(store.Expirer)
	lister, lists := k.Seals.store.(store.DayLister)
	if !ok || !lists {
		return 0, ErrNotExpirer
	}
	if totals && (k.merger.Partials == nil || k.merger.Keeper == nil) {
		return 0, ErrNoTotals
	}
	if latest := ExpiresBefore(k.now()); latest.Before(before) {
		before = latest
	}
	all, err := lister.Days(ctx, website, time.UnixMilli(-1<<53),
		time.UnixMilli(calendar.StartOfDay(before.UnixMilli())))
	if err != nil {
		return 0, err
	}
	had, err := k.totalsOf(ctx, website)
	if err != nil {
		return 0, err
	}
	due := slices.DeleteFunc(all, func(d store.Day) bool {
		clean := d.Version == d.Expired && (totals || len(had.of[d.Start.UnixMilli()]) == 0)
		return d.Version == 0 || clean
	})
	touched, err := k.Seals.touchedBy(ctx, website, due)
	if err != nil {
		return 0, err
	}
	defer func() { // also of those that were removed before an error
		if expired > 0 {
			err = errors.Join(err, k.renew(ctx, touched))
		}
	}()
	for some := range slices.Chunk(due, expiredAtOnce) {
		if totals {
			if err := k.States.makeTotals(ctx, website, some, had); err != nil {
				return expired, err
			}
		}
		for _, d := range some {
			var keep []int64
			if totals {
				keep = merge.TotalsKinds()
			}
			if err := k.merger.Background.Do(ctx, expireRests, func(ctx context.Context) error {
				_, err := x.Expire(ctx, website, d.Start, keep)
				return err
			}); err != nil {
				return expired, err
			}
			expired++
		}
	}
	if totals || len(had.of) == 0 {
		return expired, nil
	}
	return expired, k.dropTotals(ctx, website) // those that are left, of days that have not expired
}

// touchedBy returns the days with a seal that was made with rows of removed days, but for these days themselves.
func (s *Seals) touchedBy(ctx context.Context, website store.Subject, removed []store.Day) ([]dayRun, error) {
	if s.deriver == nil || len(removed) == 0 {
		return nil, nil
	}
	near := catalog.ReachOfSessions
	span := dayRun{of: website, Interval: days.Span(removed).Widen(near.After*calendar.Day, near.Before*calendar.Day)}
	from, to := span.Times()
	known, err := s.deriver.Days(ctx, website, from, to)
	if err != nil {
		return nil, err
	}
	wanted, gone := make([]bool, span.Days()), make([]bool, span.Days())
	for _, r := range removed {
		at := span.index(r.Start)
		gone[at] = true
		// seals have rows of the days before, and of those after
		for i := at - int(near.After); i <= at+int(near.Before); i++ {
			wanted[i] = true
		}
	}
	for i, is := range gone {
		sealed := slices.ContainsFunc(known, func(d store.Day) bool { return span.index(d.Start) == i && d.Sealed > 0 })
		wanted[i] = wanted[i] && sealed && !is
	}
	return span.runs(wanted), nil
}

// renew seals days again whose seals have rows that were removed. Until then no statement reads these seals: see
// package days.
func (k *Keeper) renew(ctx context.Context, touched []dayRun) error {
	return inHalves(ctx, touched, func(run dayRun) error {
		return k.merger.Background.Do(ctx, expireRests, func(ctx context.Context) error {
			return k.Seals.seal(ctx, run.of, run.Interval)
		})
	})
}

// dropTotals removes the totals of a website.
func (k *Keeper) dropTotals(ctx context.Context, website store.Subject) error {
	keeper, ok := k.Seals.store.(store.StateKeeper)
	if !ok {
		return nil
	}
	return keeper.DropStates(ctx, website, merge.TotalsKinds(), nil)
}

// storedTotals has the totals of a website that the store has, also those that an older program made: their versions,
// by the start of the day and the name.
type storedTotals struct {
	of map[int64]map[store.StateName]uint64
}

func (t *storedTotals) note(one store.State) {
	day := one.Day.UnixMilli()
	if t.of[day] == nil {
		t.of[day] = map[store.StateName]uint64{}
	}
	t.of[day][one.StateName] = one.Version
}

// totalsOf lists the totals of a website.
func (k *Keeper) totalsOf(ctx context.Context, website store.Subject) (*storedTotals, error) {
	found := &storedTotals{map[int64]map[store.StateName]uint64{}}
	keeper, ok := k.Seals.store.(store.StateKeeper)
	if !ok {
		return found, nil
	}
	states, err := keeper.States(ctx, website)
	for _, one := range states {
		if merge.IsTotals(one.StateName) {
			found.note(one)
		}
	}
	return found, err
}

// makeTotals stores totals of days, which are in order, and of those after them that sessions of theirs reach. It
// leaves out days that have expired, and those whose totals are up to date.
func (s *States) makeTotals(ctx context.Context, website store.Subject, some []store.Day, had *storedTotals) error {
	sets := s.merger.StateSets()
	reach := sets.TotalsReach()
	wanted := calendar.Interval{From: some[0].Start.UnixMilli(), To: some[len(some)-1].Start.UnixMilli() +
		(1+reach)*calendar.Day}
	read := func() (*days.Snapshot, error) {
		around := wanted.Widen(merge.DaysBeside*calendar.Day, merge.DaysBeside*calendar.Day)
		return days.Read(ctx, s.deriver, website, around)
	}
	snapshot, err := read()
	if err != nil {
		return err
	}
	var lack []calendar.Interval
	for at := wanted.From; at < wanted.To; at += calendar.Day {
		of := calendar.Interval{From: at, To: at + calendar.Day}
		near := slices.ContainsFunc(some, func(d store.Day) bool {
			return d.Start.UnixMilli() <= at && at <= d.Start.UnixMilli()+reach*calendar.Day
		})
		// Totals of a day after removed ones cannot be made again: sessions that began on these would count twice.
		before := calendar.Interval{From: at - reach*calendar.Day, To: at}
		final := len(had.of[at]) > 0 && snapshot.Expired(before)
		if near && snapshot.Version(of) > 0 && !snapshot.Expired(of) && !final && !had.fresh(sets, snapshot, of) {
			lack = append(lack, of)
		}
	}
	if len(lack) == 0 {
		return nil
	}
	stop := func() bool { return ctx.Err() != nil }
	if _, err := s.store(ctx, website, lack, 0, stop); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.storing.Lock()
	defer s.storing.Unlock()
	defer s.batch.Forget(website)
	if snapshot, err = read(); err != nil {
		return err
	}
	for _, of := range lack {
		if err := s.copyStates(ctx, website, of, snapshot, had); err != nil {
			return fmt.Errorf("query: totals of %s: %w", time.UnixMilli(of.From).UTC().Format(time.DateOnly), err)
		}
	}
	return nil
}

// fresh reports whether the totals of a day are those of its rows. The rows of days before may have expired since they
// were made.
func (t *storedTotals) fresh(sets merge.StateSets, snapshot *days.Snapshot, of calendar.Interval) bool {
	versions := t.of[of.From]
	return !slices.ContainsFunc(sets.All, func(set *merge.StateSet) bool {
		return versions[set.Totals.State] != set.TotalsVersion(snapshot, of)
	})
}

// copyStates stores the states of a day as totals.
func (s *States) copyStates(ctx context.Context, website store.Subject, of calendar.Interval, snapshot *days.Snapshot,
	had *storedTotals) error {
	sets := s.merger.StateSets()
	names := map[store.StateName]store.StateName{} // of totals, by the name of the copied state
	for _, set := range sets.All {
		names[set.Names.State] = set.Totals.State
		for members, name := range set.Names.Dictionaries {
			names[name] = set.Totals.Dictionaries[members]
		}
	}
	states, err := s.merger.Keeper.LoadStates(ctx, website, slices.Collect(maps.Keys(names)), time.UnixMilli(of.From),
		time.UnixMilli(of.To))
	if err != nil {
		return err
	}
	found := map[store.StateName]store.State{}
	for _, one := range states {
		found[one.StateName] = one
	}
	rows := snapshot.Version(of)
	var dictionaries, copies []store.State
	for _, set := range sets.All {
		one, ok := found[set.Names.State]
		if version := set.TotalsVersion(snapshot, of); ok && one.Version >= set.Version(snapshot, of) {
			copies = append(copies, store.State{StateName: set.Totals.State, Day: one.Day, Version: version,
				Rows: rows, Bytes: one.Bytes})
		} else {
			switch empty, err := s.withoutRows(ctx, website, of, set); {
			case merge.TooLarge(err):
				continue // an answer that needs it counts only the rows that are left
			case err != nil:
				return err
			case !empty:
				return errChanging
			}
			copies = append(copies, store.State{StateName: set.Totals.State, Day: time.UnixMilli(of.From).UTC(),
				Version: version, Rows: rows, Empty: true})
		}
		for _, name := range set.Names.Dictionaries {
			if one, ok := found[name]; ok {
				dictionaries = append(dictionaries,
					store.State{StateName: names[name], Day: one.Day, Version: one.Version, Rows: rows,
						Bytes: one.Bytes})
				delete(found, name)
			}
		}
	}
	all := append(dictionaries, copies...)
	if err := s.merger.Keeper.SaveStates(ctx, website, all); err != nil {
		return err
	}
	now, err := days.Read(ctx, s.deriver, website, of)
	if err != nil {
		return err
	}
	if now.Version(of) != rows { // the store skipped states
		return errChanging
	}
	for _, one := range all {
		had.note(one)
	}
	return nil
}

// withoutRows reports whether a day has no rows for a state set.
func (s *States) withoutRows(ctx context.Context, website store.Subject, of calendar.Interval,
	set *merge.StateSet) (bool, error) {
	one := set.Lookup(s.merger, s.batch.Of(website), website, []calendar.Interval{of})
	if err := one.Load(ctx); err != nil {
		return false, err
	}
	if err := one.GatherPart(ctx, set.Part); err != nil {
		return false, err
	}
	return one.Found[set.Part.Count][0] == nil, nil
}
