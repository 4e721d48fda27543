package query

import (
	"context"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Seal has the store of e compute and keep the sessions and hits of the UTC days of a website that [from, to)
// touches. Days whose rows change meanwhile may be left as they are: see [store.Deriver]. It fails when the
// store is not one.
func (e *Engine) Seal(ctx context.Context, website store.Subject, from, to time.Time) error {
	s, ok := e.store.(store.Deriver)
	if !ok {
		return errNotDerived
	}
	return s.Seal(ctx, derivation(e.store.Dialect(), website, daysOf(from, to), nil))
}

// Reseal is Seal for days that are sealed: it computes only the session ids with rows that are newer than the
// seals, so that it costs by the rows that came, not by those of the days. Where a day with rows has no seal
// yet, it is Seal. Where all seals stand, it does nothing.
func (e *Engine) Reseal(ctx context.Context, website store.Subject, from, to time.Time) error {
	_, err := e.reseal(ctx, website, daysOf(from, to))
	return err
}

// reseal tells, too, whether only a part of the days was computed.
func (e *Engine) reseal(ctx context.Context, website store.Subject, w interval) (partly bool, err error) {
	s, ok := e.store.(store.Deriver)
	if !ok {
		return false, errNotDerived
	}
	changes, ok, err := changesOf(ctx, s, website, w)
	if err != nil || ok && changes == nil {
		return false, err
	}
	return ok, s.Seal(ctx, derivation(e.store.Dialect(), website, w, changes))
}

// changesOf tell which session ids changed since whole days were sealed; nil: none did. Not ok: some days
// with rows are not sealed.
func changesOf(ctx context.Context, s store.Deriver, website store.Subject, w interval) (changes *idChanges, ok bool, err error) {
	days, around, err := daysAround(ctx, s, website, w)
	if err != nil {
		return nil, false, err
	}
	since := sinceSeals(days)
	uses := useOf(days, sessionsNeedBefore, sessionsNeedAfter, since)
	if slices.Contains(uses[sessionsNeedBefore:len(uses)-sessionsNeedAfter], forNothing) {
		return nil, false, nil
	}
	if since == 0 {
		return nil, true, nil
	}
	return &idChanges{since, around}, true, nil
}

// daysOf are the UTC days that [from, to) touches.
func daysOf(from, to time.Time) interval {
	return interval{floorDay(from.UnixMilli()), floorDay(to.UnixMilli()-1) + day}
}

// A stretch is whole UTC days of a website.
type stretch struct {
	of       store.Subject
	from, to time.Time
	whole    bool // not only what changed
}

func (r stretch) interval() interval { return interval{r.from.UnixMilli(), r.to.UnixMilli()} }

func (r stretch) has(day time.Time) bool { return !day.Before(r.from) && day.Before(r.to) }

func (r stretch) days() int { return int(r.to.Sub(r.from) / (24 * time.Hour)) }

// outlast reports whether a seal is of use after later rows. Where a store keeps the rows of replaced seals, it
// is not: see [store.Day].
func (e *Engine) outlast() bool { return !e.store.Dialect().Has(dialect.InSeals) }

// stale are the days that what is kept does not stand of, and whose rows are the same as before, in
// stretches. A day without rows is near others, too. With outlast, a day is among them for its page events alone,
// too, which do not depend on the day after.
func stale(days, before []store.Day, outlast bool) []stretch {
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
	windows := []struct{ before, after int }{{sessionsNeedBefore, sessionsNeedAfter}}
	if outlast {
		windows = append(windows, struct{ before, after int }{hitsNeedBefore, pageEventsNeedAfter})
	}
	for _, of := range windows {
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

// index is the place of a day in r.
func (r stretch) index(day time.Time) int { return int(day.Sub(r.from) / (24 * time.Hour)) }

// spanned is the stretch from the first to the last of days, of which there are some.
func spanned(website store.Subject, days []store.Day) stretch {
	return stretch{of: website, from: days[0].Start, to: days[len(days)-1].Start.AddDate(0, 0, 1)}
}

// runs joins the days of r that are wanted and follow one another.
func (r stretch) runs(wanted []bool) []stretch {
	found := stretches(r.from, wanted)
	for i := range found {
		found[i].of = r.of
	}
	return found
}

// halves are two stretches in place of r, which has more than a day.
func (r stretch) halves() []stretch {
	half := r.from.AddDate(0, 0, r.days()/2)
	return []stretch{{r.of, r.from, half, r.whole}, {r.of, half, r.to, r.whole}}
}
