package query

import (
	"context"
	"slices"
	"sync"

	"github.com/sightline-analytics/sightline/store"
)

// What is kept of a day was computed from the rows of neighbouring days as well: it stands as a whole while
// none of them changes, and then for the session ids without a newer row (compile_changed.go). These are
// the days: a session that begins on a day has its events until a day later. Whether it begins there is
// told by the day before, and where rows count for it that come before it, by the session before it, which
// began up to two days earlier. The session of an event began up to a day before, and has its fields by
// the first page event, up to a day after it began.
const (
	sessionsNeedBefore, sessionsNeedAfter = 3, 1
	hitsNeedBefore, hitsNeedAfter         = 2, 1
	pageEventsNeedAfter                   = 0
)

// kept tells what is kept of what p may read, by now: nothing where the store fails to tell, so that
// rows alone are read.
func (e *Engine) kept(ctx context.Context, p *plan) keptOf {
	d, ok := e.store.(store.Deriver)
	if !ok || e.plain || p.Subject.Kind != store.KindWebsite || len(p.Mandatory) > 0 {
		return keptOf{}
	}
	w := p.counted().widen(day, day)
	days, w, err := daysAround(ctx, d, p.Subject, interval{floorDay(w.from), floorDay(w.to) + day})
	if err != nil || !slices.ContainsFunc(days, func(d store.Day) bool { return d.Sealed > 0 }) {
		return keptOf{}
	}
	since := sinceSeals(days)
	if since > 0 {
		e.outdated.add(p.Subject)
	}
	of := func(before, after int) sealed { return sealed{w.from, useOf(days, before, after, since)} }
	sessions := of(sessionsNeedBefore, sessionsNeedAfter)
	return keptOf{
		sessions:   sessions,
		pageEvents: of(hitsNeedBefore, pageEventsNeedAfter),
		hits:       of(hitsNeedBefore, hitsNeedAfter),
		changes:    changesIn(sessions, since),
	}
}

// changesIn are the changes of ids that tell what is not kept for all of days with those around, given what
// the seals of their sessions are good for, which need more days than hits do.
func changesIn(of sealed, since uint64) idChanges {
	around := interval{of.from, of.from + int64(len(of.days))*day}
	inner := of.days[sessionsNeedBefore : len(of.days)-sessionsNeedAfter]
	if first := slices.IndexFunc(inner, func(u use) bool { return u != forAll }); first > 0 {
		around.from += int64(first) * day
	}
	return idChanges{since, around}
}

// daysAround are the UTC days of a website that what is kept of those of w was computed from, and their time.
func daysAround(ctx context.Context, d store.Deriver, website store.Subject, w interval) ([]store.Day, interval, error) {
	w = w.widen(sessionsNeedBefore*day, sessionsNeedAfter*day)
	days, err := daysIn(ctx, d, website, w)
	return days, w, err
}

// daysIn has an entry for each UTC day of w, whose ends are starts of days; Version is 0 for days that never
// had rows. Under a context of knowDays they may be as old as that context.
func daysIn(ctx context.Context, d store.Deriver, website store.Subject, w interval) ([]store.Day, error) {
	if known, ok := ctx.Value(daysKey{}).(*knownDays); ok {
		return known.in(ctx, d, website, w)
	}
	return readDays(ctx, d, website, w)
}

func readDays(ctx context.Context, d store.Deriver, website store.Subject, w interval) ([]store.Day, error) {
	from, to := w.times()
	found, err := d.Days(ctx, website, from, to)
	if err != nil {
		return nil, err
	}
	days := make([]store.Day, (w.to-w.from)/day)
	for _, known := range found {
		days[(known.Start.UnixMilli()-w.from)/day] = known
	}
	return days, nil
}

// knownDays remembers the days that a request asked the store for: its parameters need nearly the same ones,
// and each question may go to another server.
type knownDays struct {
	mu   sync.Mutex
	of   store.Subject
	span interval
	days []store.Day
}

type daysKey struct{}

// knowDays returns a context under which days are asked for once. They grow old with it: take a new one where
// they must not be older than versions that were read.
func knowDays(ctx context.Context) context.Context {
	return context.WithValue(ctx, daysKey{}, &knownDays{})
}

// daysBeside is how many more days are asked for on each side than the first parameter needs, so that the
// other parameters of a request seldom ask again.
const daysBeside = 7

func (k *knownDays) in(ctx context.Context, d store.Deriver, website store.Subject, w interval) ([]store.Day, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of != website || k.span.intersect(w) != w {
		span := w.widen(daysBeside*day, daysBeside*day)
		days, err := readDays(ctx, d, website, span)
		if err != nil {
			return nil, err
		}
		k.of, k.span, k.days = website, span, days
	}
	return k.days[(w.from-k.span.from)/day : (w.to-k.span.from)/day], nil
}

// sinceSeals is the version of the oldest seal that does not stand for all, of the days that daysAround
// has beside those around them; 0: there is none.
func sinceSeals(days []store.Day) (since uint64) {
	for i, stands := range standing(days, sessionsNeedBefore, sessionsNeedAfter) {
		if sealed := days[i].Sealed; i >= sessionsNeedBefore && i < len(days)-sessionsNeedAfter && !stands && sealed > 0 && (since == 0 || sealed < since) {
			since = sealed
		}
	}
	return since
}

// useOf tells what the seal of each day is good for, given the version since which ids are told that
// changed. On a day that never had rows there is nothing to keep.
func useOf(days []store.Day, before, after int, since uint64) []use {
	uses := make([]use, len(days))
	for i, stands := range standing(days, before, after) {
		switch d := days[i]; {
		case stands:
			uses[i] = forAll
		case since > 0 && (d.Sealed >= since || d.Version == 0):
			uses[i] = forUnchanged
		}
	}
	return uses
}

// standing tells of which days what is kept stands: it is newer than the rows of the days
// around. Where none of them ever had rows, nothing need be kept.
func standing(days []store.Day, before, after int) []bool {
	stands := make([]bool, len(days))
	for i := before; i < len(days)-after; i++ {
		stands[i] = true
		for _, near := range days[i-before : i+after+1] {
			stands[i] = stands[i] && near.Version <= days[i].Sealed
		}
	}
	return stands
}

// A websiteSet is the websites whose seals a statement met that do not stand for all ids. It is safe for
// concurrent use.
type websiteSet struct {
	mu sync.Mutex
	of map[store.Subject]bool
}

func (s *websiteSet) add(website store.Subject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[store.Subject]bool{}
	}
	s.of[website] = true
}

// take empties the set.
func (s *websiteSet) take() map[store.Subject]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.of
	s.of = nil
	return taken
}
