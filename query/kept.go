package query

import (
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// What is kept of a day was computed from the rows of other days as well, and stands while none
// of them changes. A session that begins on a day has its events until a day later. Whether it
// begins there is told by the day before, and where rows count for it that come before it, by the
// session before it, which began up to two days earlier. The session of an event began up to a day
// before, and has its fields by the first page event, up to a day after it began.
const (
	sessionsNeedBefore, sessionsNeedAfter = 3, 1
	hitsNeedBefore, hitsNeedAfter         = 2, 1
	pageEventsNeedAfter                   = 0
)

// kept tells what is kept of what p may read, by now.
func (e *Engine) kept(p *plan) keptOf {
	d, ok := e.store.(store.Deriver)
	if !ok || e.plain || p.Subject.Kind != store.KindWebsite || len(p.Mandatory) > 0 {
		return keptOf{}
	}
	w := p.counted().widen(day, day)
	w = interval{floorDay(w.from) - sessionsNeedBefore*day, floorDay(w.to) + (1+sessionsNeedAfter)*day}
	days := make([]store.Day, (w.to-w.from)/day)
	some := false
	for _, known := range d.Days(p.Subject, time.UnixMilli(w.from), time.UnixMilli(w.to)) {
		days[(known.Start.UnixMilli()-w.from)/day] = known
		some = some || known.Sealed > 0
	}
	if !some {
		return keptOf{}
	}
	return keptOf{
		sessions:   sealed{w.from, standing(days, sessionsNeedBefore, sessionsNeedAfter)},
		pageEvents: sealed{w.from, standing(days, hitsNeedBefore, pageEventsNeedAfter)},
		hits:       sealed{w.from, standing(days, hitsNeedBefore, hitsNeedAfter)},
	}
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
