package keep

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/store"
)

const (
	// busyEvery is the interval of sealing a day whose rows keep changing.
	busyEvery = 5 * time.Minute
	// sealAtOnce bounds the days that one statement computes. Each statement reads four days more.
	sealAtOnce = 30
	// resealRests is the length of the rest after a statement of Reseal, in multiples of its duration, while somebody
	// asks or writes. Where rows arrive all the time, questions would wait for resealing.
	resealRests = 19
	// roundLength is the time after which a call of Seal or Reseal starts no further days. The next call looks again
	// which days are due.
	roundLength = time.Minute
)

// Reseal updates the seals of the websites that were asked about since the last call, if rows came after they were
// sealed. After each statement it rests nineteen times as long as the statement took while somebody asks or writes. It
// ends when ctx does.
func (k *Keeper) Reseal(ctx context.Context) (err error) {
	if k.Seals.deriver == nil {
		return merge.ErrNotDerived
	}
	k.round.Lock()
	defer k.round.Unlock()
	var wanted []dayRun
	for of := range k.merger.Outdated.Take() {
		now, failed := k.Seals.daysOf(ctx, of)
		err = errors.Join(err, failed)
		for _, run := range k.view(of, now, now, true).runs(sealChanged) {
			if _, ok, failed := k.Seals.changesOf(ctx, of, run.Interval); ok && failed == nil {
				wanted = append(wanted, run)
			}
		}
	}
	_, _, failed := k.sealRuns(ctx, wanted, resealRests)
	return errors.Join(err, failed)
}

// Seal runs one round. It seals the due days whose rows did not change since the call before, and from time to time
// those whose rows did, and returns the number of sealed days. Then it computes and stores states. The websites that
// were asked about last come first, and of each website the latest days. Between statements it rests as [store.Pace]
// does. It returns after about a minute, and when ctx ends.
func (k *Keeper) Seal(ctx context.Context) (sealedDays int, err error) {
	if k.Seals.deriver == nil {
		return 0, merge.ErrNotDerived
	}
	k.round.Lock()
	defer k.round.Unlock()
	return k.seal(ctx)
}

func (k *Keeper) seal(ctx context.Context) (sealedDays int, err error) {
	websites, err := k.Seals.deriver.Websites(ctx)
	if err != nil {
		return 0, err
	}
	var wanted []dayRun
	var left Backlog
	maps.DeleteFunc(k.sites, func(of store.Subject, _ *site) bool {
		_, has := websites[of]
		return !has
	})
	for of, version := range websites {
		known := k.sites.of(of)
		if known.done == version && len(known.fragmented) == 0 {
			known.sealed = k.now()
			continue
		}
		now, failed := k.Seals.daysOf(ctx, of)
		if err = errors.Join(err, failed); failed != nil {
			continue
		}
		view := k.view(of, now, known.days, false)
		stale, oldest := view.stale()
		left.Days += stale
		if stale > 0 && (left.Oldest.IsZero() || oldest.Before(left.Oldest)) {
			left.Oldest = oldest
		}
		k.markOverdue(known, view, stale > 0)
		wanted = append(wanted, append(view.runs(sealWhole), view.runs(sealChanged)...)...)
		if known.days = now; stale == 0 {
			known.done = version
		}
	}
	for of := range websites {
		left.States += k.sites.of(of).statesDue()
	}
	k.setBacklog(left)
	asked := k.asked.order()
	slices.SortFunc(wanted, func(a, b dayRun) int { return cmp.Or(asked(a.of, b.of), cmp.Compare(b.To, a.To)) })
	sealedDays, done, failed := k.sealRuns(ctx, wanted, 0)
	err = errors.Join(err, failed)
	if done { // else there are more to seal first
		err = errors.Join(err, k.computeStates(ctx, slices.Collect(maps.Keys(websites))))
	}
	return sealedDays, err
}

// Finish seals all days that need it now, whether or not their rows changed a short time ago, and stores states. It is
// for commands that end when their work is done. Days whose rows change meanwhile may be left; Backlog returns how
// many.
func (k *Keeper) Finish(ctx context.Context) error {
	if k.Seals.deriver == nil {
		return merge.ErrNotDerived
	}
	k.round.Lock()
	defer k.round.Unlock()
	for before := (Backlog{Days: math.MaxInt}); ; {
		websites, err := k.Seals.deriver.Websites(ctx)
		if err != nil {
			return err
		}
		for of := range websites {
			if k.sites.of(of).days, err = k.Seals.daysOf(ctx, of); err != nil {
				return err
			}
		}
		if _, err := k.seal(ctx); err != nil {
			return err
		}
		left := k.Backlog()
		if less := left.Days < before.Days || left.Days == before.Days && left.States < before.States; !less ||
			left == (Backlog{}) {
			return nil
		}
		before = left
	}
}

// markOverdue marks the days of a website as overdue if it has had stale seals for busyEvery.
func (k *Keeper) markOverdue(known *site, view calendarView, stale bool) {
	now := k.now()
	overdue := k.Seals.resealer != nil && now.Sub(known.sealed) >= busyEvery
	if !stale || known.sealed.IsZero() {
		known.sealed = now
		return
	}
	if overdue {
		known.sealed = now
		for i := range view.days {
			view.days[i].overdue = true
		}
	}
}

// sealRuns seals runs of days one after the other. It returns the number of sealed days, and whether it tried all.
// While somebody asks or writes, it rests after each at least rests times as long as it took.
func (k *Keeper) sealRuns(ctx context.Context, wanted []dayRun, rests int) (sealedDays int, done bool, err error) {
	for began := k.now(); len(wanted) > 0 && k.now().Sub(began) < roundLength; wanted = wanted[1:] {
		run := wanted[0]
		failed := k.merger.Background.Do(ctx, rests, func(ctx context.Context) error { return k.sealRun(ctx, run) })
		switch {
		case failed == nil:
			sealedDays += run.Days()
		case run.Days() > 1: // it may be more than the store lets one statement have
			wanted = append(wanted, run.halves()...)
		default:
			err = errors.Join(err, failed)
		}
		if ctx.Err() != nil {
			return sealedDays, false, ctx.Err()
		}
	}
	return sealedDays, len(wanted) == 0, err
}

func (k *Keeper) sealRun(ctx context.Context, run dayRun) error {
	known := k.sites.of(run.of)
	if run.whole {
		err := k.Seals.seal(ctx, run.of, run.Interval)
		maps.DeleteFunc(known.fragmented, func(day int64, _ bool) bool { return err == nil && run.Has(day) })
		return err
	}
	partly, err := k.Seals.reseal(ctx, run.of, run.Interval)
	if partly && err == nil {
		if known.fragmented == nil {
			known.fragmented = map[int64]bool{}
		}
		for day := run.From; day < run.To; day += calendar.Day {
			known.fragmented[day] = true
		}
	}
	return err
}
