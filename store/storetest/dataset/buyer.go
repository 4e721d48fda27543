package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// orders lists properties of orders: decimals as numbers and as texts, texts and numbers that are not decimals, and
// values at the limits of decimals.
var orders = pool{
	`{"total":12.3456,"plan":"pro"}`, `{"total":19.99,"plan":"pro","qty":2}`, `{"total":19.99,"plan":"pro"}`,
	`{"total":19.99,"plan":"free"}`, `{"total":"19.990"}`, `{"total":19.99,"plan":"pro"}`, `{"total":19.99}`,
	`{"total":"19.99","plan":"Pro","qty":"2"}`, `{"total":0,"plan":"free"}`,
	`{"total":" 12.5 ","plan":""}`, `{"total":"\t7\n","plan":null}`, `{"total":"-3.00005","qty":-1}`,
	`{"total":-3.00004,"qty":" 3"}`, `{"total":"+5"}`, `{"total":"00012.5"}`,
	`{"total":1e3,"plan":"pro"}`, `{"total":1.5E-3}`, `{"total":25E-6}`, `{"total":5e-5}`, `{"total":1e300}`,
	`{"total":-1e-300}`, `{"total":"1e3"}`, `{"total":12345.678E-2}`,
	`{"total":999999999}`, `{"total":-999999999}`, `{"total":1000000000}`, `{"total":999999999.00004}`,
	`{"total":999999999.00005}`, `{"total":"999999999.00004"}`, `{"total":"1234567890"}`, `{"total":"0123456789"}`,
	`{"total":""}`, `{"total":null,"plan":""}`,
	`{"total":0.00005}`, `{"total":0.00004999}`, `{"total":"0.00015"}`, `{"total":0.30000000000000004}`,
	`{"total":1.00005}`, `{"total":-1.00005}`, `{"total":"-0"}`, `{"total":-0.0}`,
	`{"total":null}`, `{"total":""}`, `{"total":" ","plan":" pro"}`, `{"total":true}`, `{"total":false,"plan":true}`,
	`{"total":[1]}`, `{"total":{"amount":5.5},"plan":"pro"}`,
	`{"total":"12,5"}`, `{"total":".5"}`, `{"total":"5."}`, `{"total":"0x10"}`, `{"total":"--5"}`, `{"total":"٣"}`,
	`{"total":"NaN"}`, `{"total":"1 000"}`,
	`{"Total":5,"plan":"PRO"}`, `{"plan":"pro"}`, `{"plan":"pro plus"}`, `{"plan":1}`, `{"plan":"1"}`,
	`{"plan":["pro"]}`, "{}", "",
}

// Names of events of the sign-up funnel.
const (
	signup    = "signup"
	orderPaid = "order_paid"
)

// Numbers of buyers and members in an era, by the position of the website in its list.
var (
	buyersPerEra  = []int{16, 6, 3}
	membersPerEra = []int{8, 4, 2}
)

// windows are the windows of funnels, which chains of buyers meet or miss.
var windows = []time.Duration{time.Minute, 30 * time.Minute, time.Hour, 24 * time.Hour, 48 * time.Hour}

// addBuyers adds the events of the sign-up funnel, some repeated, between the other events, whose order stays the same.
func (w *Dataset) addBuyers(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	var added store.Batch
	for i, e := range w.eras {
		m := &maker{rng: rng, more: rng, batch: &added, next: 10_000_000 + i*1_000_000, moments: momentsOf(e)}
		m.from, m.length = m.moments[0].Add(-48*time.Hour), 6*24*time.Hour
		for j, id := range w.Websites {
			m.site, m.ids = id, nil
			m.buyers(j)
		}
	}
	m := &maker{rng: rng, batch: &added}
	m.repeat()
	mix(rng, added.Events)
	all := slices.Clone(w.Batch.Events)
	for _, e := range added.Events {
		all = slices.Insert(all, rng.IntN(len(all)+1), e)
	}
	w.Batch.Events = all
	w.Batch.Spans = append(w.Batch.Spans, added.Spans...)
}

// buyers adds the rows of the sign-up funnel of one website.
func (m *maker) buyers(position int) {
	for n := range buyersPerEra[position] {
		v := m.newVisitor()
		v.wavers = false
		v.row.AnonymousID, v.row.ProfileID = fmt.Sprintf("buyer-%d", m.rng.IntN(12)), ""
		v.row.SessionID = fmt.Sprintf("buy-%d-%d", m.next, n)
		v.buy()
	}
	for n := range membersPerEra[position] {
		v := m.newVisitor()
		v.wavers = false
		v.row.ProfileID = fmt.Sprintf("member-%d", m.rng.IntN(5))
		v.comeBack(n)
	}
}

// viewOf adds a pageview of a path.
func (v *visitor) viewOf(path string) {
	v.path = path
	v.event(store.Pageview, "screen_view")
}

// order adds a custom event with the properties of an order.
func (v *visitor) order(name string) {
	e := v.event(store.Custom, name)
	e.Properties = v.m.pick(orders)
	if v.m.chance(30) { // four decimals
		e.Properties = fmt.Sprintf(`{"total":%d.%04d,"plan":"pro","qty":%d}`, v.m.rng.IntN(200), v.m.rng.IntN(10_000),
			v.m.rng.IntN(4))
	}
	e.Namespace = v.m.pick(namespaces)
}

// buy makes a chain of steps whose last event is at the window, or a millisecond before or after it. Steps repeat, are
// left out, change places, or are at the same instant.
func (v *visitor) buy() {
	m := v.m
	start := v.at
	window := windows[m.rng.IntN(len(windows))] + time.Duration(m.rng.IntN(3)-1)*time.Millisecond
	v.viewOf("/")
	if m.chance(40) { // a later first step, so that a shorter chain exists
		v.at = start.Add((window / 3).Truncate(time.Millisecond))
		v.viewOf("/")
	}
	if m.chance(80) {
		v.at = start.Add((window / 2).Truncate(time.Millisecond))
		v.viewOf("/pricing")
		if m.chance(30) { // twice, at the same instant
			v.viewOf("/pricing")
		}
	}
	if m.chance(25) { // another session
		v.row.SessionID += "b"
	}
	if m.chance(20) { // before its turn
		v.at = start.Add((window / 4).Truncate(time.Millisecond))
		v.order(signup)
	}
	if m.chance(10) { // all at once
		window = 0
	}
	if m.chance(75) {
		v.at = start.Add(window)
		v.order(signup)
		if m.chance(40) {
			v.order(orderPaid)
		}
		if m.chance(20) {
			v.pageEvent(signup)
		}
	}
	if m.chance(50) {
		v.at = start.Add(window + m.gap())
		v.order(orderPaid)
	}
	if m.chance(30) { // first step again, after the last
		v.viewOf("/")
	}
	if m.chance(20) {
		v.at = v.at.Add(m.gap())
		v.click()
	}
}

// comeBack signs up and comes back on other days, each visit at the beginning of a day or of a clock's change, or a
// millisecond before. Some visits are before the first sign-up.
func (v *visitor) comeBack(n int) {
	m := v.m
	signedUp := m.rng.IntN(3)
	for i := range 2 + m.rng.IntN(5) {
		v.at = m.moments[m.rng.IntN(len(m.moments))].Add(time.Duration(m.rng.IntN(3)-1) * time.Millisecond)
		v.row.SessionID = fmt.Sprintf("back-%d-%d-%d", m.next, n, i)
		switch {
		case i == signedUp:
			v.order(signup)
		case m.chance(40):
			v.order(orderPaid)
		default:
			v.viewOf(m.pick(pool{"/", "/docs", "/pricing"}))
		}
		if m.chance(20) { // the same instant
			v.viewOf("/docs")
		}
	}
}
