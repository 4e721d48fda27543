package keep

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/store"
)

// A Sealer computes in advance the sessions and hits (kept by the store), and the partials of days whose rows no
// longer change (kept by the engine). It makes answers faster and changes none. Call Run in one
// goroutine; the methods, except Backlog, are not safe for concurrent use.
type Sealer struct {
	// Progress, if not nil, is called with the backlog whenever it has changed.
	Progress func(Backlog)

	backlog atomic.Pointer[Backlog]
	keeper  *Keeper
	store   store.Deriver
	before  map[store.Subject][]store.Day // as the round before found them
	done    map[store.Subject]uint64      // by website, the number of Deriver.Websites when no day was stale
	sealed  map[store.Subject]time.Time   // when the days that change were sealed, or when there were none to seal
	ahead   map[store.Subject][]store.Day // as they were when partials were computed ahead
	// fragmented has the days that were resealed: their sealed rows are stored in several places, between rows of other websites.
	fragmented map[store.Subject]map[int64]bool
}

// A Backlog is the remaining work of a Sealer. Days of websites that receive events are due time and again.
type Backlog struct {
	Days   int       // UTC days to seal, added up over all websites
	Oldest time.Time // the first of them; zero: there are none
	States int       // UTC days whose stored states and partials have to be looked at, added up over all websites
}

// Backlog returns what s had to do when it last looked, at most about a minute ago. It is safe for concurrent use.
func (s *Sealer) Backlog() Backlog {
	if s == nil {
		return Backlog{}
	}
	if known := s.backlog.Load(); known != nil {
		return *known
	}
	return Backlog{}
}

func (s *Sealer) setBacklog(b Backlog) {
	before := s.Backlog()
	s.backlog.Store(&b)
	if b != before && s.Progress != nil {
		s.Progress(b)
	}
}

// NewSealer returns a Sealer of k, or nil if k computes nothing in advance.
func NewSealer(k *Keeper) *Sealer {
	s, ok := k.store.(store.Deriver)
	if !ok || k.plain {
		return nil
	}
	if k.merger.Keeper != nil {
		k.merger.StateSets() // now, not when the first question waits
	}
	return &Sealer{
		keeper: k, store: s, before: map[store.Subject][]store.Day{}, done: map[store.Subject]uint64{}, sealed: map[store.Subject]time.Time{},
		ahead: map[store.Subject][]store.Day{}, fragmented: map[store.Subject]map[int64]bool{},
	}
}

const (
	// resealEvery is the interval of resealing days that questions found out of date.
	resealEvery = time.Second
	// sealEvery is the time for which the rows of a day have to stay the same before it is sealed. It is longer than a busy store
	// needs to be ready for the next row: DuckDB stores none during a checkpoint.
	sealEvery = 30 * time.Second
	// busyEvery is the interval of sealing a day whose rows keep changing.
	busyEvery = 5 * time.Minute
	// sealAtOnce bounds the days that one statement computes. Each statement reads four days more.
	sealAtOnce = 30
	// resealRests is the length of the rest after a statement of Reseal, in multiples of its duration, while somebody asks or
	// writes. Where rows arrive all the time, questions would wait for resealing.
	resealRests = 19
	// sealRound is the time after which a call of Seal or Reseal starts no further days. The next call looks again which days are
	// due.
	sealRound = time.Minute
)

// Run calls Reseal and, now and then, Seal until ctx ends. What fails is tried again; failed, unless nil, is
// called with each error. On a nil Sealer it returns at once.
func (s *Sealer) Run(ctx context.Context, failed func(error)) {
	if s == nil {
		return
	}
	sealed, began := s.keeper.now(), s.keeper.now()
	for {
		rest(ctx, resealEvery-s.keeper.now().Sub(began))
		if ctx.Err() != nil {
			return
		}
		began = s.keeper.now()
		err := s.Reseal(ctx)
		if now := s.keeper.now(); now.Sub(sealed) >= sealEvery {
			sealed = now
			_, more := s.Seal(ctx)
			err = errors.Join(err, more)
		}
		if err != nil && ctx.Err() == nil && failed != nil {
			failed(err)
		}
	}
}

// Reseal updates the seals of the websites that were asked about since the last call, if rows came after they were sealed. After
// each statement it rests nineteen times as long as that took while somebody asks or writes. It ends when ctx does.
func (s *Sealer) Reseal(ctx context.Context) (err error) {
	var wanted []dayRun
	for of := range s.keeper.merger.Outdated.Take() {
		now, failed := s.daysOf(ctx, of)
		err = errors.Join(err, failed)
		for _, run := range s.keeper.staleRuns(of, now, now) {
			if _, ok, failed := changesOf(ctx, s.store, of, run.Interval); ok && failed == nil {
				wanted = append(wanted, run)
			}
		}
	}
	_, failed := s.seal(ctx, wanted, resealRests)
	return errors.Join(err, failed)
}

// Seal seals the days that need it and whose rows did not change since the call before, and from time to
// time those whose rows did, and reports how many. Then partials are
// computed in advance. The websites that were asked about last come first, and of each the latest days. Between statements
// it rests as [store.Pace] does. It returns after about a minute, and when ctx ends.
func (s *Sealer) Seal(ctx context.Context) (sealedDays int, err error) {
	websites, err := s.store.Websites(ctx)
	if err != nil {
		return 0, err
	}
	var wanted []dayRun
	var due Backlog
	all := 0 // days
	for of, version := range websites {
		if s.done[of] == version && len(s.fragmented[of]) == 0 {
			s.sealed[of] = s.keeper.now()
			continue
		}
		now, failed := s.daysOf(ctx, of)
		if err = errors.Join(err, failed); failed != nil {
			continue
		}
		for _, run := range s.due(of, now) {
			wanted, all = append(wanted, run), all+run.Days()
		}
		left := s.keeper.staleRuns(of, now, now)
		for _, run := range left {
			due.Days += run.Days()
			if from, _ := run.Times(); due.Oldest.IsZero() || from.Before(due.Oldest) {
				due.Oldest = from
			}
		}
		if s.before[of] = now; len(left) == 0 {
			s.done[of] = version
		}
	}
	for of := range websites {
		due.States += s.statesDue(of)
	}
	s.setBacklog(due)
	asked := s.keeper.Asked.order()
	slices.SortFunc(wanted, func(a, b dayRun) int { return cmp.Or(asked(a.of, b.of), cmp.Compare(b.To, a.To)) })
	sealedDays, failed := s.seal(ctx, wanted, 0)
	err = errors.Join(err, failed)
	if sealedDays == all { // else there are more to seal first
		err = errors.Join(err, s.computeAhead(ctx, slices.Collect(maps.Keys(websites))))
	}
	return sealedDays, err
}

// Finish seals all days that need it now, whether or not their rows changed a short time ago, and stores states. It is for
// commands that end when their work is done. Days whose rows change meanwhile may be left; Backlog tells how many.
func (s *Sealer) Finish(ctx context.Context) error {
	if s == nil {
		return nil
	}
	for before := (Backlog{Days: math.MaxInt}); ; {
		websites, err := s.store.Websites(ctx)
		if err != nil {
			return err
		}
		for of := range websites {
			if s.before[of], err = s.daysOf(ctx, of); err != nil {
				return err
			}
		}
		if _, err := s.Seal(ctx); err != nil {
			return err
		}
		left := s.Backlog()
		if less := left.Days < before.Days || left.Days == before.Days && left.States < before.States; !less || left == (Backlog{}) {
			return nil
		}
		before = left
	}
}

// statesDue returns the number of days of a website whose states have to be checked.
func (s *Sealer) statesDue(of store.Subject) int {
	quiet := days.Quiet(s.before[of])
	if slices.Equal(quiet, s.ahead[of]) {
		return 0
	}
	return min(len(quiet), aheadDays)
}

func (s *Sealer) daysOf(ctx context.Context, website store.Subject) ([]store.Day, error) {
	return s.store.Days(ctx, website, time.UnixMilli(-1<<53), time.UnixMilli(1<<53))
}

// seal seals stretches one after the other, and reports how many days. After each it rests so many times as long
// as that took at least, while somebody asks or writes.
func (s *Sealer) seal(ctx context.Context, wanted []dayRun, rests int) (sealedDays int, err error) {
	for round := s.keeper.now(); len(wanted) > 0 && s.keeper.now().Sub(round) < sealRound; wanted = wanted[1:] {
		run := wanted[0]
		one := s.keeper.merger.Background.Do(ctx, rests, func(ctx context.Context) error { return s.sealOne(ctx, run) })
		switch {
		case one == nil:
			sealedDays += run.Days()
		case run.Days() > 1: // it may be more than the store lets one statement have
			wanted = append(wanted, run.halves()...)
		default:
			err = errors.Join(err, one)
		}
		if ctx.Err() != nil {
			return sealedDays, ctx.Err()
		}
	}
	return sealedDays, err
}

func (s *Sealer) sealOne(ctx context.Context, run dayRun) error {
	scattered := s.fragmented[run.of]
	if run.whole {
		err := s.keeper.sealDays(ctx, run.of, run.Interval)
		maps.DeleteFunc(scattered, func(day int64, _ bool) bool { return err == nil && run.Has(day) })
		return err
	}
	partly, err := s.keeper.reseal(ctx, run.of, run.Interval)
	if partly && err == nil {
		if scattered == nil {
			scattered = map[int64]bool{}
			s.fragmented[run.of] = scattered
		}
		for day := run.From; day < run.To; day += calendar.Day {
			scattered[day] = true
		}
	}
	return err
}

// due are the days of a website to seal now, in stretches.
func (s *Sealer) due(of store.Subject, known []store.Day) []dayRun {
	now := s.keeper.now()
	found, all := s.settled(of, known), s.keeper.staleRuns(of, known, known)
	if since, waits := s.sealed[of]; len(all) == 0 || !waits {
		s.sealed[of] = now
	} else if s.keeper.outlast() && now.Sub(since) >= busyEvery {
		s.sealed[of] = now
		return append(found, all...)
	}
	return append(found, s.keeper.staleRuns(of, known, s.before[of])...)
}

// settled returns the fragmented days whose rows are assumed to be complete: they were over one day ago. They are sealed as a
// whole, so that their sealed rows are stored together.
func (s *Sealer) settled(of store.Subject, known []store.Day) []dayRun {
	if len(known) == 0 {
		return nil
	}
	over, all := s.keeper.settledBefore(), spanned(of, known)
	wanted := make([]bool, all.Days())
	for _, d := range known {
		wanted[all.index(d.Start)] = s.fragmented[of][d.Start.UnixMilli()] && d.Version > 0 && d.Start.Before(over)
	}
	found := all.runs(wanted)
	for i := range found {
		found[i].whole = true
	}
	return found
}

// computeAhead computes partials of the websites whose quiet days changed: first of the websites that were asked about last, then
// of the websites with the latest rows.
func (s *Sealer) computeAhead(ctx context.Context, websites []store.Subject) (err error) {
	latest := func(of store.Subject) (version uint64) {
		for _, d := range s.before[of] {
			version = max(version, d.Version)
		}
		return version
	}
	asked := s.keeper.Asked.order()
	slices.SortFunc(websites, func(a, b store.Subject) int { return cmp.Or(asked(a, b), cmp.Compare(latest(b), latest(a))) })
	round := s.keeper.now()
	stop := func() bool { return ctx.Err() != nil || s.keeper.now().Sub(round) >= sealRound }
	for _, of := range websites {
		quiet, due := days.Quiet(s.before[of]), s.statesDue(of)
		if slices.Equal(quiet, s.ahead[of]) {
			continue
		}
		done, failed := s.keeper.ahead(ctx, of, quiet, stop)
		err = errors.Join(err, failed)
		if !done {
			return err
		}
		s.ahead[of] = quiet
		left := s.Backlog()
		left.States -= due
		s.setBacklog(left)
	}
	return err
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
