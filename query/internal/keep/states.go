package keep

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

const (
	aheadDays  = 90 // whose states are computed ahead, the latest ones
	aheadShare = 4  // no states are begun when this part of the memory for states is taken
)

// statesDue returns the number of quiet days of a website whose states have to be checked.
func (s *site) statesDue() int {
	quiet := days.Quiet(s.days)
	if slices.Equal(quiet, s.ahead) {
		return 0
	}
	return min(len(quiet), aheadDays)
}

// computeStates computes states of the websites whose quiet days changed: first of the websites that were asked about
// last, then of the websites with the latest rows.
func (k *Keeper) computeStates(ctx context.Context, websites []store.Subject) (err error) {
	latest := func(of store.Subject) (version uint64) {
		for _, d := range k.sites.of(of).days {
			version = max(version, d.Version)
		}
		return version
	}
	asked := k.asked.order()
	slices.SortFunc(websites,
		func(a, b store.Subject) int { return cmp.Or(asked(a, b), cmp.Compare(latest(b), latest(a))) })
	began := k.now()
	stop := func() bool { return ctx.Err() != nil || k.now().Sub(began) >= roundLength }
	for _, of := range websites {
		known := k.sites.of(of)
		quiet, due := days.Quiet(known.days), known.statesDue()
		if slices.Equal(quiet, known.ahead) {
			continue
		}
		done, failed := k.States.ahead(ctx, of, quiet, stop)
		err = errors.Join(err, failed)
		if !done {
			return err
		}
		known.ahead = quiet
		left := k.Backlog()
		left.States -= due
		k.setBacklog(left)
	}
	return err
}

// States computes, loads and stores the states of websites. It is safe for concurrent use.
type States struct {
	merger    *merge.Merger
	deriver   store.Deriver // nil: there are no states
	now       func() time.Time
	storeFrom int64

	storing sync.Mutex // held while states are in the batch

	// batch has the states of the days that are stored next. It is separate from the states of answers. To store a day
	// takes the states of all state sets, with numbers for all of their keys and members, of every day of the website.
	// Beside the states of answers, they would push out states that questions use, and the numbers would stay. A batch
	// is forgotten once it is stored. It outlives a round: the next round continues with it. Otherwise a website whose
	// days take longer than a round would never have any stored.
	batch *memory.Cache // nil: nothing is stored
}

// BatchSize returns about how many bytes of memory the states take that are to be stored.
func (s *States) BatchSize() int64 {
	if s.batch == nil {
		return 0
	}
	return s.batch.Size()
}

// ahead stores the states that questions about a website without filters are merged from, of the latest of its quiet
// days, and loads or computes them as far as there is memory. It reports whether it has come to the end, and asks after
// every state set whether it is time to stop. States that fail are computed when a question needs them.
func (s *States) ahead(ctx context.Context, website store.Subject, quiet []store.Day, stop func() bool) (done bool,
	err error) {
	for len(quiet) > 0 && quiet[len(quiet)-1].Version == 0 { // it has a seal, and never had rows
		quiet = quiet[:len(quiet)-1]
	}
	partials := s.merger.Partials
	if partials == nil || len(quiet) == 0 {
		return true, nil
	}
	var latest []calendar.Interval
	last := quiet[len(quiet)-1].Start
	for n := aheadDays - 1; n >= 0; n-- {
		latest = append(latest, merge.DayOf(last.AddDate(0, 0, -n)))
	}
	if s.merger.Keeper != nil {
		settled := settledBefore(s.now()).UnixMilli()
		over := slices.DeleteFunc(slices.Clone(latest), func(day calendar.Interval) bool {
			_, do := dayView{quiet: true, complete: day.From < settled}.next()
			return do != storeStates
		})
		if done, err = s.store(ctx, website, over, s.storeFrom, stop); !done {
			return false, err
		}
	}
	for _, set := range s.merger.StateSets().All {
		if partials.Size() > partials.MaxBytes()/aheadShare {
			break
		}
		lookup := set.Lookup(s.merger, partials.Of(website), website, latest)
		if !lookup.Site.Admission.Fit(set.Aggregates) {
			continue
		}
		lookup.Site.Use(set.Aggregates)
		failed := lookup.Load(ctx)
		if failed == nil {
			failed = lookup.GatherPart(ctx, set.Part)
		}
		// else a type that needs less of it may yet be merged
		if !merge.TooLarge(failed) && !errors.Is(failed, merge.ErrNoRoom) {
			err = errors.Join(err, failed)
		}
		if stop() {
			return false, err
		}
	}
	return true, err
}

// errNotKept: the store is not a [store.StateKeeper], or Config turns it off.
var errNotKept = errors.New("query: the store keeps no partials")

// Store computes and stores the states for answers without filters about the UTC days of a website that [from, to)
// touches, unless the store has them. Run does so in time, for days that are over and for websites with
// Options.StoreFrom. It fails if the store is not a [store.StateKeeper], and if nothing is merged.
func (s *States) Store(ctx context.Context, website store.Subject, from, to time.Time) error {
	if s.merger.Keeper == nil {
		return errNotKept
	}
	var wanted []calendar.Interval
	w := calendar.UTCDays(from, to)
	for at := w.From; at < w.To; at += calendar.Day {
		wanted = append(wanted, calendar.Interval{From: at, To: at + calendar.Day})
	}
	_, err := s.store(ctx, website, wanted, 0, func() bool { return ctx.Err() != nil })
	return errors.Join(err, ctx.Err())
}
