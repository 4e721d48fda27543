package dataset

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// A Dataset has random rows, and the data for random questions about them. Its fields are read-only.
type Dataset struct {
	Batch     store.Batch // in the order of writing; of rows with the same event id only the first counts
	Websites  []string
	Links     []string
	Schedules []string // monitors
	Domain    string   // domain of the websites; never a referrer

	types     []reference.Type // query types of questions
	visited   []store.Event    // all events but those of buyers, from which Question chooses
	eras      []era
	bySession map[string][]int // indexes of events in the batch
	locations map[string]*time.Location
}

// Numbers of page visits, link visits, monitor checks and rejected requests in an era, by the position of the
// subject in its list.
var (
	visitsPerEra  = []int{75, 30, 12}
	clicksPerEra  = []int{70, 25}
	checksPerEra  = []int{150, 60}
	blockedPerEra = []int{30, 12, 4}
)

// New returns the dataset of a seed: about 4000 rows in three eras.
func New(seed uint64) Dataset {
	w := Dataset{
		Websites: []string{"site-1", "site-2", "site-3"}, Links: []string{"link-1", "link-2"},
		Schedules: []string{"monitor-1", "monitor-2"}, Domain: "shop.example",
		types: reference.Types(),
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	turned := rand.New(rand.NewPCG(seed, 3)) // a separate generator, so that the other rows stay the same
	more := rand.New(rand.NewPCG(seed, 4))
	// Consecutive seeds use all eras.
	for i, e := range []int{int(seed % uint64(len(eras))), rng.IntN(len(eras)), rng.IntN(len(eras))} {
		w.eras = append(w.eras, eras[e])
		m := &maker{rng: rng, more: more, batch: &w.Batch, next: i * 1_000_000, moments: momentsOf(eras[e])}
		m.from = m.moments[0].Add(-48 * time.Hour)
		m.length = 6 * 24 * time.Hour
		for j, id := range w.Websites {
			m.website(id, visitsPerEra[j])
		}
		for j, id := range w.Links {
			m.link(id, clicksPerEra[j])
		}
		for j, id := range w.Schedules {
			m.schedule(id, checksPerEra[j])
		}
		m.rng = turned
		for j, id := range w.Websites {
			m.blocked(id, blockedPerEra[j])
		}
	}
	m := &maker{rng: rng, batch: &w.Batch}
	m.repeat()
	m.shuffle()
	m = &maker{rng: turned, batch: &w.Batch}
	for _, b := range some(m, w.Batch.Blocked) {
		b.Time, b.Requests = b.Time.Add(m.gap()), 1000
		w.Batch.Blocked = append(w.Batch.Blocked, b)
	}
	mix(turned, w.Batch.Blocked)
	w.visited = slices.Clone(w.Batch.Events)
	w.addBuyers(seed)
	w.index()
	return w
}

// index prepares data that makes questions fast.
func (w *Dataset) index() {
	w.bySession, w.locations = map[string][]int{}, map[string]*time.Location{}
	for i := range w.Batch.Events {
		id := w.Batch.Events[i].SessionID
		w.bySession[id] = append(w.bySession[id], i)
	}
	for _, zone := range zones {
		if loc, err := time.LoadLocation(zone); err == nil { // a test checks every zone of the table
			w.locations[zone] = loc
		}
	}
}

// momentsOf returns the instants of an era at which ranges, hours and offsets begin. The first is midnight UTC
// of the era's date.
func momentsOf(e era) []time.Time {
	day, err := time.Parse(time.DateOnly, e.date)
	loc, zoneErr := time.LoadLocation(e.zone)
	if err != nil || zoneErr != nil {
		loc = time.UTC // a test checks every line of the table
	}
	list := []time.Time{day}
	for d := -2; d <= 3; d++ {
		midnight := time.Date(day.Year(), day.Month(), day.Day()+d, 0, 0, 0, 0, loc)
		list = append(list, day.AddDate(0, 0, d), midnight, midnight)
		if _, end := midnight.ZoneBounds(); !end.IsZero() && end.Sub(midnight) < 24*time.Hour {
			for _, hours := range []time.Duration{-2, -1, 0, 0, 1, 2} {
				list = append(list, end.Add(hours*time.Hour))
			}
		}
	}
	return list
}

// shuffle reorders rows as if senders were late or retried.
func (m *maker) shuffle() {
	mix(m.rng, m.batch.Events)
	mix(m.rng, m.batch.Errors)
	mix(m.rng, m.batch.Vitals)
	mix(m.rng, m.batch.Spans)
	mix(m.rng, m.batch.Visits)
	mix(m.rng, m.batch.Checks)
}

func mix[T any](rng *rand.Rand, list []T) {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// repeat adds copies of some rows, with the same ids and other values. Only the first row with an id may count.
func (m *maker) repeat() {
	b := m.batch
	for _, e := range some(m, b.Events) {
		e.Time, e.Path, e.Country = e.Time.Add(m.gap()), m.pick(paths), "FR"
		b.Events = append(b.Events, e)
	}
	for _, e := range some(m, b.Errors) {
		e.Time, e.Message = e.Time.Add(m.gap()), m.pick(messages)
		b.Errors = append(b.Errors, e)
	}
	for _, v := range some(m, b.Vitals) {
		v.Time, v.Samples = v.Time.Add(m.gap()), []store.Sample{{Metric: "LCP", Value: 1}}
		b.Vitals = append(b.Vitals, v)
	}
	for _, s := range some(m, b.Spans) {
		s.Time, s.RageClicks, s.Path = s.Time.Add(m.gap()), 9, m.pick(paths)
		b.Spans = append(b.Spans, s)
	}
	for _, v := range some(m, b.Visits) {
		v.Time, v.ReferrerDomain, v.Referrer = v.Time.Add(m.gap()), "", ""
		b.Visits = append(b.Visits, v)
	}
	for _, c := range some(m, b.Checks) {
		c.Time, c.Status = c.Time.Add(m.gap()), store.Down
		b.Checks = append(b.Checks, c)
	}
}

// some returns copies of about one row in thirty.
func some[T any](m *maker, list []T) []T {
	var out []T
	for _, v := range list {
		if m.chance(3) {
			out = append(out, v)
		}
	}
	return out
}
