package dataset

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// A maker adds rows of one era to a batch.
type maker struct {
	rng     *rand.Rand
	more    *rand.Rand // for rows added in later versions, so that other rows do not change
	batch   *store.Batch
	from    time.Time // the start of the era
	length  time.Duration
	moments []time.Time
	next    int // number of the last event id; every website uses the same numbers
	site    string
	ids     []string // session ids used on the site
}

// chance returns true with a probability of percent.
func (m *maker) chance(percent int) bool { return m.rng.IntN(100) < percent }

func (m *maker) pick(p pool) string { return p[m.rng.IntN(len(p))] }

// moment returns an instant of the era. It is often an instant at which a day, an hour or an offset begins, or the
// millisecond before.
func (m *maker) moment() time.Time {
	edge := m.moments[m.rng.IntN(len(m.moments))]
	switch n := m.rng.IntN(100); {
	case n < 18:
		return edge
	case n < 28:
		return edge.Add(-time.Millisecond)
	case n < 40: // equal instants
		return m.from.Add(time.Duration(m.rng.Int64N(int64(m.length/time.Hour))) * time.Hour)
	default:
		return m.from.Add(time.Duration(m.rng.Int64N(m.length.Milliseconds())) * time.Millisecond)
	}
}

// gap returns the time to a visitor's next event. It is often zero or near the limit for a bounce, and otherwise
// some minutes.
func (m *maker) gap() time.Duration {
	edges := []time.Duration{0, 0, 1, 5_005, 9_999, 10_000, 10_001}
	if m.chance(40) {
		return edges[m.rng.IntN(len(edges))] * time.Millisecond
	}
	return time.Duration(m.rng.IntN(400_000)) * time.Millisecond
}

// id returns the next event id. The order of ids by bytes differs from the order of events.
func (m *maker) id() string {
	m.next++
	return fmt.Sprintf("%s%d", idStarts[m.next*7%len(idStarts)], m.next)
}

// sessionID returns a new id, or sometimes a used one. All websites and eras share the same ids.
func (m *maker) sessionID() string {
	if len(m.ids) > 0 && m.chance(8) {
		return m.ids[m.rng.IntN(len(m.ids))]
	}
	n := len(m.ids)
	id := fmt.Sprintf("%ss%d", idStarts[n*3%len(idStarts)], n)
	m.ids = append(m.ids, id)
	return id
}

// measure returns a measure that is absent, 0, or a number up to most.
func (m *maker) measure(most int64) store.Measure {
	switch n := m.rng.IntN(100); {
	case n < 25:
		return store.Measure{}
	case n < 35:
		return store.Known(0)
	default:
		return store.Known(m.rng.Int64N(most + 1))
	}
}

// onPage returns a time on a page, often at one of the limits of counted times.
func (m *maker) onPage() store.Measure {
	edges := []int64{0, 500, 1_000, 1_001, 5_005, 9_999, 10_000, 3_599_999, 3_600_000, 28_800_001}
	if m.chance(40) {
		return store.Known(edges[m.rng.IntN(len(edges))])
	}
	return m.measure(300_000)
}

// scrolled returns a scroll depth, often at the limit of a band.
func (m *maker) scrolled() store.Measure {
	edges := []int64{0, 1, 19, 20, 39, 40, 60, 79, 80, 99, 100}
	if m.chance(50) {
		return store.Known(edges[m.rng.IntN(len(edges))])
	}
	return m.measure(100)
}

// some returns 0 in most cases, otherwise a number up to most.
func (m *maker) some(most int64) int64 {
	if m.chance(60) {
		return 0
	}
	return m.rng.Int64N(most + 1)
}

// agent returns a browser in a place.
func (m *maker) agent() store.Agent {
	a, p := agents[m.rng.IntN(len(agents))], places[m.rng.IntN(len(places))]
	if m.chance(50) {
		a = agents[m.rng.IntN(4)]
	}
	a.Country, a.Region, a.City = p[0], p[1], p[2]
	return a
}

// link adds visits to a short link.
func (m *maker) link(id string, n int) {
	for range n {
		from := origins[m.rng.IntN(len(origins))]
		m.batch.Visits = append(m.batch.Visits, store.Visit{
			Link: id, ID: m.id(), Time: m.moment(), Referrer: from[0], ReferrerDomain: from[1], Agent: m.agent(),
		})
	}
}

// blocked adds rejected requests.
func (m *maker) blocked(id string, n int) {
	for range n {
		b := store.Blocked{Website: id, ID: m.id(), Time: m.moment(), Reason: m.pick(reasons), Requests: 1 +
			m.rng.Int64N(40)}
		if b.Reason == "bot" {
			b.Bot = m.pick(bots)
		}
		m.batch.Blocked = append(m.batch.Blocked, b)
	}
}

// schedule adds checks of a monitor: series with the same result from several regions, some at the same
// instant. Between two eras no checks exist.
func (m *maker) schedule(id string, n int) {
	status, at := store.Up, m.from
	pause := m.length / time.Duration(n)
	for range n {
		if m.chance(15) {
			status = []store.Status{store.Up, store.Up, store.Down, store.Down, store.Pending,
				store.Maintenance}[m.rng.IntN(6)]
		}
		if m.chance(90) {
			at = at.Add(time.Duration(m.rng.Int64N(2*pause.Milliseconds())) * time.Millisecond)
		}
		when := at
		if m.chance(8) {
			when = m.moment()
		}
		m.batch.Checks = append(m.batch.Checks, m.check(id, when, status))
	}
}

func (m *maker) check(id string, at time.Time, status store.Status) store.Check {
	c := store.Check{
		Schedule: id, ID: m.id(), Time: at, URL: "https://shop.example/", Status: status, HTTPCode: 200,
		Total: m.measure(3_000), TTFB: m.measure(900), Region: m.pick(regions),
	}
	switch {
	case status == store.Down:
		c.HTTPCode, c.Error = []int64{503, 500, 404, 0}[m.rng.IntN(4)], `"down" & out`
	case status != store.Up:
		c.HTTPCode = 0
	case m.chance(20):
		c.HTTPCode = 204
	}
	if m.chance(70) {
		c.SSLExpiry.V, c.SSLExpiry.Valid = at.Add(90*24*time.Hour).Truncate(time.Millisecond), true
	}
	if m.chance(70) {
		c.SSLValid.V, c.SSLValid.Valid = m.chance(55), true
	}
	return c
}
