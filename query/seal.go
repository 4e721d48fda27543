package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A Sealer computes in advance the sessions (kept by the store), for days whose rows no longer change and
// now and then for those whose rows do, and the partials of the former (kept by the engine). It makes answers faster and changes none. Call Run in one
// goroutine; the methods are not safe for concurrent use.
type Sealer struct {
	engine *Engine
	store  DerivedStore
	before map[store.Subject][]store.Day // as the round before found them
	busy   map[store.Subject]time.Time   // since when there were days to seal, or since the changing ones were sealed
	ahead  map[store.Subject][]store.Day // as they were when partials were computed ahead
}

// A DerivedStore is a store that can keep what is computed from its rows, as a Sealer needs it.
type DerivedStore interface {
	store.Store
	store.Lister
	store.Deriver
}

// NewSealer makes a Sealer for the store of e. It is nil when that is not a DerivedStore, and with
// Config.NoDerived.
func NewSealer(e *Engine) *Sealer {
	s, ok := e.store.(DerivedStore)
	if !ok || e.plain {
		return nil
	}
	return &Sealer{engine: e, store: s, before: map[store.Subject][]store.Day{}, busy: map[store.Subject]time.Time{}, ahead: map[store.Subject][]store.Day{}}
}

// sealEvery is how long the rows of a day have to be the same before it is sealed, at least. That is
// longer than a busy store takes to be ready for the next row: DuckDB stores none during a checkpoint.
const sealEvery = 30 * time.Second

// Run calls Seal now and then until ctx ends. What fails is tried again; failed, unless nil, is called with
// each error. On a nil Sealer it returns at once.
func (s *Sealer) Run(ctx context.Context, failed func(error)) {
	if s == nil {
		return
	}
	for rest(ctx, sealEvery); ctx.Err() == nil; rest(ctx, sealEvery) {
		if _, err := s.Seal(ctx); err != nil && ctx.Err() == nil && failed != nil {
			failed(err)
		}
	}
}

// sealAtOnce is how many days one statement computes at most. Each reads four days more.
const sealAtOnce = 30

// sealRound is how long a call of Seal goes on to further days. Then it looks anew which are due.
const sealRound = time.Minute

// Seal seals the days that need it and whose rows did not change since the call before, and from time to
// time those whose rows did, the latest first, and reports how many; where there are none, partials are
// computed in advance. After each
// statement it waits nine times as long as that took, to leave the store to queries and writes. It ends
// when ctx does.
func (s *Sealer) Seal(ctx context.Context) (sealedDays int, err error) {
	subjects, err := s.store.Subjects(ctx)
	if err != nil {
		return 0, err
	}
	var wanted []stretch
	for _, subject := range subjects {
		if subject.Kind != store.KindWebsite {
			continue
		}
		days := s.store.Days(subject, time.UnixMilli(-1<<53), time.UnixMilli(1<<53))
		for _, run := range s.due(subject, days) {
			run.of = subject
			wanted = append(wanted, run)
		}
		s.before[subject] = days
	}
	if len(wanted) == 0 {
		return 0, s.computeAhead(ctx, subjects)
	}
	slices.SortFunc(wanted, func(a, b stretch) int { return b.to.Compare(a.to) })
	for round := s.engine.now(); len(wanted) > 0 && s.engine.now().Sub(round) < sealRound; wanted = wanted[1:] {
		run, began := wanted[0], s.engine.now()
		switch one := s.engine.Seal(ctx, run.of, run.from, run.to); {
		case one == nil:
			sealedDays += run.days()
		case run.days() > 1: // it may be more than the store lets one statement have
			wanted = append(wanted, run.halves()...)
		default:
			err = errors.Join(err, one)
		}
		if ctx.Err() != nil {
			return sealedDays, ctx.Err()
		}
		rest(ctx, 9*s.engine.now().Sub(began))
	}
	return sealedDays, err
}

// computeAhead computes partials of the websites whose quiet days are others than before, those with
// the latest rows first.
func (s *Sealer) computeAhead(ctx context.Context, websites []store.Subject) (err error) {
	latest := func(of store.Subject) (version uint64) {
		for _, d := range s.before[of] {
			version = max(version, d.Version)
		}
		return version
	}
	slices.SortFunc(websites, func(a, b store.Subject) int { return cmp.Compare(latest(b), latest(a)) })
	round, began := s.engine.now(), s.engine.now()
	stop := func() bool {
		rest(ctx, 9*s.engine.now().Sub(began))
		began = s.engine.now()
		return ctx.Err() != nil || began.Sub(round) >= sealRound
	}
	for _, of := range websites {
		days := quiet(s.before[of])
		if slices.Equal(days, s.ahead[of]) {
			continue
		}
		done, failed := s.engine.ahead(ctx, of, days, stop)
		err = errors.Join(err, failed)
		if !done {
			return err
		}
		s.ahead[of] = days
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

// A stretch is whole UTC days of a website.
type stretch struct {
	of       store.Subject
	from, to time.Time
}

func (r stretch) days() int { return int(r.to.Sub(r.from) / (24 * time.Hour)) }

// Seal has the store of e compute and keep the sessions of the UTC days of a website that [from, to)
// touches. It fails when the store is not a [store.Deriver].
func (e *Engine) Seal(ctx context.Context, website store.Subject, from, to time.Time) error {
	s, ok := e.store.(store.Deriver)
	if !ok {
		return errNotDerived
	}
	w := interval{floorDay(from.UnixMilli()), floorDay(to.UnixMilli()-1) + day}
	d := store.Derivation{Subject: website, From: time.UnixMilli(w.from).UTC(), To: time.UnixMilli(w.to).UTC()}
	d.Sessions, d.Hits = derivation(e.store.Dialect(), website, w)
	return s.Seal(ctx, d)
}

// A day whose rows go on to change is sealed again after busyEvery or a quarter (1/busyShare) of the day
// so far, whichever is longer: its seal serves the session ids without newer rows, so the later in the
// day, the longer it remains useful, and each seal writes the whole day anew.
const (
	busyEvery = 5 * time.Minute
	busyShare = 4
)

// due are the days of a website to seal now, in stretches.
func (s *Sealer) due(of store.Subject, days []store.Day) []stretch {
	now := s.engine.now()
	all := stale(days, days)
	if since, waits := s.busy[of]; len(all) == 0 || !waits {
		s.busy[of] = now
	} else if today := time.Duration(now.UnixMilli()-floorDay(now.UnixMilli())) * time.Millisecond; now.Sub(since) >= max(busyEvery, today/busyShare) {
		s.busy[of] = now
		return all
	}
	return stale(days, s.before[of])
}

// stale are the days that what is kept does not stand of, and whose rows are the same as before, in
// stretches. A day without rows is near others, too.
func stale(days, before []store.Day) []stretch {
	if len(days) == 0 {
		return nil
	}
	const near = sessionsNeedBefore + sessionsNeedAfter
	first := days[0].Start.AddDate(0, 0, -2*near)
	count := int(days[len(days)-1].Start.Sub(first)/(24*time.Hour)) + 1 + 2*near
	at := func(d store.Day) int { return int(d.Start.Sub(first) / (24 * time.Hour)) }
	now, changed := make([]store.Day, count), make([]bool, count)
	for _, d := range days {
		now[at(d)], changed[at(d)] = d, true
	}
	for _, d := range before {
		if i := at(d); 0 <= i && i < count {
			changed[i] = now[i].Version != d.Version
		}
	}
	found := make([]bool, count)
	for _, of := range []struct{ before, after int }{{sessionsNeedBefore, sessionsNeedAfter}, {hitsNeedBefore, pageEventsNeedAfter}} {
		for i, stands := range standing(now, of.before, of.after) {
			if i >= of.before && i < count-of.after && !stands {
				found[i] = found[i] || !slices.Contains(changed[i-of.before:i+of.after+1], true)
			}
		}
	}
	return stretches(first, found)
}

// stretches joins the days, counted from first, that follow one another.
func stretches(first time.Time, wanted []bool) []stretch {
	var found []stretch
	for i, want := range wanted {
		if !want {
			continue
		}
		day := first.AddDate(0, 0, i)
		if n := len(found); n > 0 && found[n-1].to.Equal(day) && found[n-1].days() < sealAtOnce {
			found[n-1].to = day.AddDate(0, 0, 1)
		} else {
			found = append(found, stretch{from: day, to: day.AddDate(0, 0, 1)})
		}
	}
	return found
}
