package dataset

import (
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// visit adds one visit of a random type.
func (m *maker) visit() {
	manners := []struct {
		weight int
		of     func(*visitor)
	}{
		{40, (*visitor).browse}, {12, (*visitor).glance}, {7, (*visitor).atOnce}, {8, (*visitor).overMidnight},
		{7, (*visitor).onAndOn}, {6, (*visitor).withoutPages}, {3, (*visitor).onlyExit}, {2, (*visitor).onlyDollar},
		{8, (*visitor).anonymously}, {6, (*visitor).halfIdentified}, {3, (*visitor).early},
		{8, (*visitor).measured},
	}
	sum := 0
	for _, one := range manners {
		sum += one.weight
	}
	n := m.rng.IntN(sum)
	for _, one := range manners {
		if n -= one.weight; n < 0 {
			one.of(m.newVisitor())
			return
		}
	}
}

// browse views some pages and usually leaves each.
func (v *visitor) browse() {
	for range 1 + v.m.rng.IntN(5) {
		v.view()
		v.aside()
		v.at = v.at.Add(v.m.gap())
		if v.m.chance(60) {
			v.exit()
		}
	}
}

// glance views one page.
func (v *visitor) glance() {
	v.view()
	if v.m.chance(40) {
		v.at = v.at.Add(v.m.gap())
		v.exit()
	}
}

// atOnce does everything at the same instant.
func (v *visitor) atOnce() {
	if v.m.chance(50) {
		v.exit()
	}
	for range 2 + v.m.rng.IntN(3) {
		v.view()
	}
	if v.m.chance(50) {
		v.custom(v.m.pick(eventNames))
	}
}

// overMidnight begins just before a day, an hour or a clock change.
func (v *visitor) overMidnight() {
	edge := v.m.moments[v.m.rng.IntN(len(v.m.moments))]
	v.at = edge.Add(-v.m.gap())
	v.view()
	v.at = edge
	if v.m.chance(50) {
		v.at = edge.Add(v.m.gap())
	}
	v.browse()
}

// measured stays for a time at the limit of a band, according to the clock or to its exit.
func (v *visitor) measured() {
	edges := []time.Duration{10, 30, 60, 300, 900, 3_600, 28_800}
	stay := edges[v.m.rng.IntN(len(edges))] * time.Second
	stay += time.Duration(v.m.rng.IntN(3)-1) * time.Millisecond
	v.view()
	if v.m.chance(50) {
		v.exit()
		v.m.batch.Events[len(v.m.batch.Events)-1].TimeOnPage = store.Known(stay.Milliseconds())
		return
	}
	v.at = v.at.Add(stay)
	v.view()
}

// onAndOn uses one session id for days.
func (v *visitor) onAndOn() {
	day := 24 * time.Hour
	gaps := []time.Duration{
		20 * time.Hour, day - time.Millisecond, day, day, day + time.Millisecond, 30 * time.Hour, 9 * time.Hour,
		time.Minute,
	}
	for range 4 + v.m.rng.IntN(5) {
		if v.m.chance(70) {
			v.view()
		} else {
			v.custom(v.m.pick(eventNames))
		}
		v.aside()
		v.at = v.at.Add(gaps[v.m.rng.IntN(len(gaps))])
		if v.m.chance(30) {
			v.dress(&v.row)
		}
	}
}

// withoutPages sends only events and clicks.
func (v *visitor) withoutPages() {
	if v.m.chance(50) {
		v.path = v.m.pick(paths)
	}
	for range 1 + v.m.rng.IntN(3) {
		v.custom(v.m.pick(eventNames))
		if v.m.chance(40) {
			v.click()
		}
		if v.m.chance(40) {
			v.fail(v.at)
		}
		v.dress(&v.row)
		v.at = v.at.Add(v.m.gap())
	}
}

// onlyExit leaves a page without a pageview.
func (v *visitor) onlyExit() {
	v.path = v.m.pick(paths)
	v.exit()
	v.fail(v.at.Add(-time.Second))
	v.vitals(v.at.Add(time.Hour))
}

// onlyDollar sends only events that belong to no session.
func (v *visitor) onlyDollar() {
	v.path = v.m.pick(paths)
	v.custom(v.m.pick(dollarNames))
	v.pageEvent(v.m.pick(dollarNames))
}

// anonymously sends no session id, and sometimes no visitor.
func (v *visitor) anonymously() {
	v.row.SessionID = ""
	if v.m.chance(50) {
		v.row.AnonymousID, v.row.ProfileID = "", ""
	}
	v.browse()
}

// halfIdentified identifies the visitor in the middle of the visit.
func (v *visitor) halfIdentified() {
	v.row.ProfileID = ""
	v.browse()
	v.at = v.at.Add(time.Minute)
	v.row.ProfileID = v.m.pick(profiles)
	v.browse()
}

// early sends rows of all kinds before the first page.
func (v *visitor) early() {
	start := v.at
	v.path = v.m.pick(paths)
	v.at = start.Add(-time.Hour)
	v.pageEvent(v.m.pick(dollarNames))
	v.fail(v.at)
	v.vitals(v.at)
	v.at = start.Add(-time.Minute)
	if v.m.chance(50) {
		v.click()
	}
	v.at = start
	v.browse()
}
