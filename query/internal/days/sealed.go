package days

import (
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// Sealed has the seals of a website that a statement may read: of sessions, of page events and of all hits. The zero
// Sealed has no valid seal.
type Sealed struct {
	Sessions, PageEvents, Hits Seals
	Changes                    Changes
}

// Seals says what the seal of each day may be used for.
type Seals struct {
	From int64 // the start of the first day
	Uses []Use // by day
}

// A Use says for which session ids the seal of a day is valid.
type Use byte

// The uses, in ascending order.
const (
	ForNothing   Use = iota
	ForUnchanged     // for the session ids that did not change
	ForAll
)

// Changes define which session ids changed: ids with an event in the time In that a commit after Since stored. In is
// the time of all rows that decide about the sessions and hits without a seal that is valid for all ids.
type Changes struct {
	Since uint64
	In    calendar.Interval
}

// Sealed returns the seals that a statement about w may read. It is the zero Sealed if s does not cover the days that
// decide about those seals, or none of them has a seal.
func (s *Snapshot) Sealed(w calendar.Interval) Sealed {
	w = w.Widen(calendar.Day, calendar.Day)
	w = catalog.ReachOfSessions.Around(calendar.Interval{From: calendar.StartOfDay(w.From),
		To: calendar.StartOfDay(w.To) + calendar.Day})
	if !s.Covers(w) {
		return Sealed{}
	}
	all := s.Of(w)
	if !slices.ContainsFunc(all, func(d store.Day) bool { return d.Sealed > 0 }) {
		return Sealed{}
	}
	since := s.sinceSeals(all)
	of := func(r catalog.Reach) Seals { return Seals{w.From, usesOf(all, r, since)} }
	sessions := of(catalog.ReachOfSessions)
	return Sealed{Sessions: sessions, PageEvents: of(catalog.ReachOfPageEvents), Hits: of(catalog.ReachOfEvents),
		Changes: changesIn(sessions, since)}
}

// changesIn returns the changed ids that sessions, which have the days around them, are not valid for. Sessions need
// more days than hits do.
func changesIn(sessions Seals, since uint64) Changes {
	around := calendar.Interval{From: sessions.From, To: sessions.From + int64(len(sessions.Uses))*calendar.Day}
	reach := catalog.ReachOfSessions
	inner := sessions.Uses[reach.Before : int64(len(sessions.Uses))-reach.After]
	if first := slices.IndexFunc(inner, func(u Use) bool { return u != ForAll }); first > 0 {
		around.From += int64(first) * calendar.Day
	}
	return Changes{since, around}
}

// Changes returns which session ids changed since the days of w were sealed, or nil if none did. It reports false if
// some day with rows is not sealed. s covers w and the days that decide about its sessions.
func (s *Snapshot) Changes(w calendar.Interval) (changes *Changes, ok bool) {
	reach := catalog.ReachOfSessions
	around := reach.Around(w)
	all := s.Of(around)
	since := s.sinceSeals(all)
	uses := usesOf(all, reach, since)
	if slices.Contains(uses[reach.Before:int64(len(uses))-reach.After], ForNothing) {
		return nil, false
	}
	if since == 0 {
		return nil, true
	}
	return &Changes{since, around}, true
}

// sinceSeals returns the version of the oldest seal of sessions that is valid for some ids alone, or 0 if there is
// none. The first and last of days are only needed to decide about the others.
func (s *Snapshot) sinceSeals(days []store.Day) (since uint64) {
	if !s.outlast {
		return 0
	}
	reach := catalog.ReachOfSessions
	fresh, lacks := Fresh(days, reach), lacking(days, reach)
	for i := reach.Before; i < int64(len(days))-reach.After; i++ {
		if sealed := days[i].Sealed; !fresh[i] && !lacks[i] && sealed > 0 && (since == 0 || sealed < since) {
			since = sealed
		}
	}
	return since
}

// usesOf returns what the seal of each day may be used for, if ids count as changed from the version since on. A day
// that never had rows needs no seal.
func usesOf(days []store.Day, reach catalog.Reach, since uint64) []Use {
	uses, lacks := make([]Use, len(days)), lacking(days, reach)
	for i, fresh := range Fresh(days, reach) {
		switch d := days[i]; {
		case fresh:
			uses[i] = ForAll
		case since > 0 && !lacks[i] && (d.Sealed >= since || d.Version == 0):
			uses[i] = ForUnchanged
		}
	}
	return uses
}

// Fresh reports for each day whether its seal is newer than the rows of the days within reach. If none of them ever had
// rows, no seal is needed. It reports false for the first and last days, whose neighbours are not known.
func Fresh(days []store.Day, reach catalog.Reach) []bool {
	fresh := make([]bool, len(days))
	for i := reach.Before; i < int64(len(days))-reach.After; i++ {
		fresh[i] = !slices.ContainsFunc(days[i-reach.Before:i+reach.After+1],
			func(near store.Day) bool { return near.Version > days[i].Sealed })
	}
	return fresh
}

// lacking reports for each day whether rows within reach may have been removed, because of their age, after it was
// sealed. Then its seal is of no use: no newer row shows which session ids had removed rows. It reports false for the
// first and last days.
func lacking(days []store.Day, reach catalog.Reach) []bool {
	lacks := make([]bool, len(days))
	for i := reach.Before; i < int64(len(days))-reach.After; i++ {
		lacks[i] = slices.ContainsFunc(days[i-reach.Before:i+reach.After+1], func(near store.Day) bool {
			return near.Expired > 0 && near.Version > days[i].Sealed
		})
	}
	return lacks
}

// Gap returns the time from the first day of w whose seal is not valid for all ids to the last, or an empty interval.
// It begins and ends at the ends of w or of days. It reports whether all seals of the gap are valid for the ids that
// did not change.
func (s Seals) Gap(w calendar.Interval) (gap calendar.Interval, partly bool) {
	gap = w
	for gap.From < gap.To && s.use(gap.From) == ForAll {
		gap.From = calendar.StartOfDay(gap.From) + calendar.Day
	}
	for gap.From < gap.To && s.use(gap.To-1) == ForAll {
		gap.To = calendar.StartOfDay(gap.To - 1)
	}
	if gap.From >= gap.To {
		return calendar.Interval{From: w.To, To: w.To}, false
	}
	for at := gap.From; at < gap.To; at += calendar.Day {
		if s.use(at) == ForNothing {
			return gap, false
		}
	}
	return gap, s.use(gap.To-1) != ForNothing
}

// use returns what the seal of the day of an instant may be used for.
func (s Seals) use(at int64) Use {
	i := (calendar.StartOfDay(at) - s.From) / calendar.Day
	if at < s.From || i >= int64(len(s.Uses)) {
		return ForNothing
	}
	return s.Uses[i]
}

// A Part is time whose sealed rows a statement reads.
type Part struct {
	calendar.Interval
	Unchanged bool // only those of ids that did not change
}

// Parts returns the time of w whose sealed rows a statement reads: before and after the gap, and the gap itself if
// partly is true. They are in the order of time, and none is empty.
func Parts(w, gap calendar.Interval, partly bool) []Part {
	all := []Part{
		{Interval: calendar.Interval{From: w.From, To: min(w.To, gap.From)}},
		{Interval: gap, Unchanged: true},
		{Interval: calendar.Interval{From: max(w.From, gap.To), To: w.To}},
	}
	return slices.DeleteFunc(all, func(p Part) bool { return p.Empty() || p.Unchanged && !partly })
}

// AppendKey appends a text that equal values share and no others. It appends nothing for the zero Sealed.
func (s Sealed) AppendKey(b []byte) []byte {
	if len(s.Sessions.Uses) == 0 {
		return b
	}
	for _, of := range []Seals{s.Sessions, s.PageEvents, s.Hits} {
		b = append(strconv.AppendInt(b, of.From, 10), ' ')
		b = append(strconv.AppendInt(b, int64(len(of.Uses)), 10), ' ')
		for _, use := range of.Uses {
			b = append(b, '0'+byte(use))
		}
	}
	return append(strconv.AppendInt(b, int64(s.Changes.Since), 10), ' ') // commits are counted
}
