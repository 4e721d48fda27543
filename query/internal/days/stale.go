package days

import (
	"slices"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// A Seal says whether the seal of a day is valid for all ids.
type Seal byte

// The seals, by what they need.
const (
	Valid    Seal = iota
	Stale         // rows came after it, or there is none
	Changing      // as Stale, and these rows changed since before
)

// SealsOf returns the seal of each day from first on. before has the days as they were. days and before are in order;
// days that never had rows are missing. A missing day counts if it is near others. With outlast, a seal is useful after
// later rows came. Then a day is stale, and not changing, also for its page events alone, which do not depend on the
// day after.
func SealsOf(days, before []store.Day, outlast bool) (first int64, seals []Seal) {
	if len(days) == 0 {
		return 0, nil
	}
	near := catalog.ReachOfSessions.Before + catalog.ReachOfSessions.After
	first = days[0].Start.UnixMilli() - 2*near*calendar.Day
	at := func(d store.Day) int64 { return (d.Start.UnixMilli() - first) / calendar.Day }
	count := at(days[len(days)-1]) + 1 + 2*near
	now, changed := make([]store.Day, count), make([]bool, count)
	for _, d := range days {
		now[at(d)], changed[at(d)] = d, d.Version > 0
	}
	for _, d := range before {
		if i := at(d); 0 <= i && i < count {
			changed[i] = now[i].Version != d.Version
		}
	}
	seals = make([]Seal, count)
	reaches := []catalog.Reach{catalog.ReachOfSessions}
	if outlast {
		reaches = append(reaches, catalog.ReachOfPageEvents)
	}
	for _, reach := range reaches {
		fresh := Fresh(now, reach)
		for i := reach.Before; i < count-reach.After; i++ {
			switch changes := slices.Contains(changed[i-reach.Before:i+reach.After+1], true); {
			case fresh[i]:
			case !changes:
				seals[i] = Stale
			case seals[i] == Valid:
				seals[i] = Changing
			}
		}
	}
	return first, seals
}

// Runs joins the wanted days, counted from the day that starts at first, that follow one another. No run has more than
// most days.
func Runs(first int64, wanted []bool, most int) []calendar.Interval {
	var found []calendar.Interval
	for i, want := range wanted {
		if !want {
			continue
		}
		at := first + int64(i)*calendar.Day
		if n := len(found); n > 0 && found[n-1].To == at && found[n-1].Days() < most {
			found[n-1].To += calendar.Day
		} else {
			found = append(found, calendar.Interval{From: at, To: at + calendar.Day})
		}
	}
	return found
}

// Quiet returns the first of days, those whose seals stay valid whatever happens to the others.
func Quiet(days []store.Day) []store.Day {
	changed := slices.IndexFunc(days, func(d store.Day) bool { return d.Version > d.Sealed })
	if changed < 0 {
		return days
	}
	end := days[changed].Start.AddDate(0, 0, -int(catalog.ReachOfSessions.After))
	return days[:slices.IndexFunc(days, func(d store.Day) bool { return !d.Start.Before(end) })]
}

// Span returns the time from the first of days to the last. days must not be empty.
func Span(days []store.Day) calendar.Interval {
	return calendar.Interval{From: days[0].Start.UnixMilli(), To: days[len(days)-1].Start.UnixMilli() + calendar.Day}
}
