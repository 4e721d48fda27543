package keep

import (
	"maps"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/store"
)

// A dayState is a stage in the life of a UTC day of a website.
type dayState string

// An action moves a day on to another state.
type action int

const (
	wait        action = iota
	sealChanged        // the session ids that changed or, if the store cannot tell them, all
	sealWhole          // all session ids
	loadStates         // from the store, or compute them
	storeStates        // and load them
)

// A dayView is what a round knows of a day.
type dayView struct {
	seal       days.Seal
	asked      bool // a statement read its stale seal, which is useful for the ids that did not change
	overdue    bool // days of the website have been changing for busyEvery, and late rows leave seals useful
	fragmented bool // its sealed rows are stored in several places, between rows of other websites
	quiet      bool // its seal stays valid whatever happens to other days
	complete   bool // it is assumed that no more rows come: see settledBefore
}

// upkeep has the states of a day. A day is in the first one that it is recognised by, and waits until it is ready.
var upkeep = [...]struct {
	state dayState
	is    func(dayView) bool
	ready func(dayView) bool
	do    action
}{
	{"asked", func(d dayView) bool { return d.seal != days.Valid && d.asked }, always, sealChanged},
	{"changing", func(d dayView) bool { return d.seal == days.Changing }, isOverdue, sealChanged},
	{"due", func(d dayView) bool { return d.seal == days.Stale }, always, sealChanged},
	{"fragmented", func(d dayView) bool { return d.fragmented }, isComplete, sealWhole},
	{"settled", func(d dayView) bool { return d.quiet && d.complete }, always, storeStates},
	{"quiet", func(d dayView) bool { return d.quiet }, always, loadStates},
	{"sealed", always, never, wait},
}

func always(dayView) bool { return true }

func never(dayView) bool { return false }

func isOverdue(d dayView) bool { return d.overdue }

func isComplete(d dayView) bool { return d.complete }

// next returns the state of a day, and what to do about it now.
func (d dayView) next() (dayState, action) {
	for _, row := range upkeep {
		if !row.is(d) {
			continue
		}
		if row.ready(d) {
			return row.state, row.do
		}
		return row.state, wait
	}
	return "", wait // the last row is always recognised
}

// settledBefore returns the time before which days started whose rows are assumed to be complete at a time: they were
// over one day ago.
func settledBefore(now time.Time) time.Time { return now.Add(-48 * time.Hour) }

// A calendarView is the days of a website from the first on, as a round knows them.
type calendarView struct {
	of    store.Subject
	first int64
	days  []dayView
}

// view returns the days of a website, of which rows changed since before. asked says that a statement read seals of it.
func (k *Keeper) view(of store.Subject, all, before []store.Day, asked bool) calendarView {
	s := k.sites.of(of)
	first, seals := days.SealsOf(all, before, k.Seals.resealer != nil)
	view := calendarView{of, first, make([]dayView, len(seals))}
	over, quiet := settledBefore(k.now()).UnixMilli(), len(days.Quiet(all))
	fragmented := map[int64]bool{} // days that never had rows have no sealed rows either
	for i, d := range all {
		if start := d.Start.UnixMilli(); d.Version > 0 {
			fragmented[start] = s.fragmented[start]
		}
		view.at(d.Start.UnixMilli()).quiet = i < quiet
	}
	maps.DeleteFunc(s.fragmented, func(start int64, _ bool) bool { return !fragmented[start] })
	for i := range view.days {
		start := first + int64(i)*calendar.Day
		one := &view.days[i]
		one.seal, one.asked, one.fragmented, one.complete = seals[i], asked, fragmented[start], start < over
	}
	return view
}

// at returns the day that starts then.
func (v calendarView) at(start int64) *dayView { return &v.days[(start-v.first)/calendar.Day] }

// stale returns the number of days whose seals are not valid for all ids, and the start of the first of them.
func (v calendarView) stale() (n int, oldest time.Time) {
	for i, d := range v.days {
		if d.seal == days.Valid {
			continue
		}
		if n++; n == 1 {
			oldest = time.UnixMilli(v.first + int64(i)*calendar.Day).UTC()
		}
	}
	return n, oldest
}

// runs returns the runs of days that need an action now.
func (v calendarView) runs(needed action) []dayRun {
	wanted := make([]bool, len(v.days))
	for i, d := range v.days {
		_, do := d.next()
		wanted[i] = do == needed
	}
	found := runsOf(v.of, days.Runs(v.first, wanted, sealAtOnce))
	for i := range found {
		found[i].whole = needed == sealWhole
	}
	return found
}
