//go:build cgo

package bench

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// These are the numbers of websites, paths and other values.
const (
	websites  = 20
	paths     = 40_000
	referrers = 1_200
	countries = 118
)

// zoneName is the time zone of all days. It has no clock changes, so SQL by hand needs no segments.
const zoneName = "Asia/Tokyo"

var (
	zone = time.FixedZone(zoneName, 9*3600)
	end  = time.Date(2026, time.July, 1, 0, 0, 0, 0, zone) // end of the last day with rows
)

// A traffic generates the events of some websites. Equal values give equal events.
type traffic struct {
	Pageviews int // approximate number
	Days      int
}

func websiteID(i int) string { return fmt.Sprintf("site-%02d", i+1) }

func pathOf(n uint64) string {
	sections := [...]string{"blog", "docs", "shop", "help", "news", "about"}
	return fmt.Sprintf("/%s/%s-and-more-%d", sections[n%uint64(len(sections))], sections[n/7%uint64(len(sections))], n)
}

// batches generates all events ordered by time, in batches of a size. It reuses the batch.
func (t traffic) batches(size int) iter.Seq[*store.Batch] {
	return func(yield func(*store.Batch) bool) {
		const stretch = 10 * time.Minute
		g, batch, begin := newGenerator(t), &store.Batch{}, end.AddDate(0, 0, -t.Days)
		stretches := int(end.Sub(begin) / stretch)
		for i := range stretches {
			from := begin.Add(time.Duration(i) * stretch)
			for range g.sessions*(i+1)/stretches - g.sessions*i/stretches {
				g.session(from.Add(time.Duration(g.Int64N(int64(stretch)))))
			}
			for _, e := range g.due(from.Add(stretch)) {
				if batch.Events = append(batch.Events, *e); len(batch.Events) == size {
					if !yield(batch) {
						return
					}
					batch.Events = batch.Events[:0]
				}
			}
		}
		if len(batch.Events) > 0 {
			yield(batch)
		}
	}
}

// A generator generates one session after another. It holds later events until they are due.
type generator struct {
	*rand.Rand
	sessions       int
	weights        [websites]float64 // by website
	sum            float64           // of weights
	path, referrer *rand.Zipf
	sources        []referrer.Source
	codes          []string
	later          []*store.Event // events that are not due
}

func newGenerator(t traffic) *generator {
	r := rand.New(rand.NewPCG(15, uint64(t.Days)))
	g := &generator{Rand: r, sessions: max(1, int(float64(t.Pageviews)/2.2)), sources: referrer.Sources(),
		codes: countryCodes(),
		path:  rand.NewZipf(r, 1.15, 12, paths-1), referrer: rand.NewZipf(r, 1.3, 3, referrers-1)}
	// The first website has 53 % of all sessions. The others share the rest, weighted by rank.
	for i := 1; i < websites; i++ {
		g.weights[i] = 1 / float64(2+i)
		g.sum += g.weights[i]
	}
	g.weights[0] = g.sum * 53 / 47
	g.sum += g.weights[0]
	return g
}

// countryCodes begins with the most frequent countries.
func countryCodes() []string {
	codes := []string{"US", "GB", "DE", "FR", "IN", "JP", "CA", "BR", "NL", "ES"}
	for _, c := range country.All() {
		if len(codes) < countries && !slices.Contains(codes, c.Code) {
			codes = append(codes, c.Code)
		}
	}
	return codes
}

// session generates the events of a session that begins at a time.
func (g *generator) session(at time.Time) {
	site := 0
	for rest := g.Float64() * g.sum; site < websites-1 && rest >= g.weights[site]; site++ {
		rest -= g.weights[site]
	}
	// A visitor has 1.9 sessions on average.
	visitors := max(1, int(float64(g.sessions)*g.weights[site]/g.sum/1.4))
	base := g.visitor(site, g.IntN(visitors))
	base.SessionID = "sess_" + uuid(g.Rand)
	view := base
	g.arrival(&view)
	for range 50 {
		stay := g.page(view, at)
		if g.Float64() >= 1.2/2.2 {
			return
		}
		view, at = base, at.Add(stay+time.Duration(g.IntN(900))*time.Millisecond)
	}
}

// visitor returns the fields that all events of a visitor share.
func (g *generator) visitor(site, n int) store.Event {
	agents := [...]store.Agent{
		{BrowserName: "Chrome", OSName: "Windows", DeviceType: "desktop"},
		{BrowserName: "Chrome", OSName: "Android", DeviceType: "mobile"},
		{BrowserName: "Safari", OSName: "iOS", DeviceType: "mobile"},
		{BrowserName: "Safari", OSName: "macOS", DeviceType: "desktop"},
		{BrowserName: "Edge", OSName: "Windows", DeviceType: "desktop"},
		{BrowserName: "Firefox", OSName: "Linux", DeviceType: "desktop"},
		{BrowserName: "Samsung Internet", OSName: "Android", DeviceType: "tablet"},
		{BrowserName: "Opera", OSName: "macOS", DeviceType: "desktop"},
	}
	languages, screens := [...]string{"en-US", "en-GB", "de-DE", "fr-FR", "ja-JP"},
		[...]string{"1920x1080", "390x844", "1440x900", "2560x1440"}
	r := rand.New(rand.NewPCG(uint64(site), uint64(n)))
	k := int(rand.NewZipf(r, 1.4, 2, uint64(len(agents)-1)).Uint64())
	agent := agents[k]
	agent.BrowserVersion, agent.OSVersion = fmt.Sprintf("%d.0", 120+r.IntN(20)), fmt.Sprint(10+r.IntN(6))
	agent.Country = g.codes[rand.NewZipf(r, 1.3, 2, countries-1).Uint64()]
	place := r.IntN(40)
	agent.Region, agent.City = fmt.Sprintf("%s-%d", agent.Country, place/5),
		fmt.Sprintf("City %d of %s", place, agent.Country)
	return store.Event{Website: websiteID(site), Identity: store.Identity{AnonymousID: "anon_" + uuid(r)}, Agent: agent,
		Language: languages[r.IntN(len(languages))], Timezone: "Europe/Berlin", Screen: screens[k%len(screens)],
		Viewport: screens[k%len(screens)]}
}

// arrival sets the source of a session.
func (g *generator) arrival(e *store.Event) {
	if g.Float64() < 0.6 {
		n := int(g.referrer.Uint64())
		e.ReferrerDomain = fmt.Sprintf("friend-%d.example", n)
		if n < len(g.sources) {
			e.ReferrerDomain = g.sources[n].Domain
		}
		e.Referrer = "https://" + e.ReferrerDomain + "/"
	}
	if g.Float64() < 0.15 {
		n := g.IntN(40)
		e.UTMSource, e.UTMMedium, e.UTMCampaign = fmt.Sprintf("source-%d", n%8), "cpc", fmt.Sprintf("campaign-%d", n)
	}
}

// page generates a pageview and, on average, 0.9 other events on the page. It returns the time on the page.
func (g *generator) page(view store.Event, at time.Time) time.Duration {
	n := g.path.Uint64()
	stay := min(time.Second+time.Duration(g.ExpFloat64()*40_000)*time.Millisecond, 25*time.Minute)
	view.Path = pathOf(n)
	other := view // without a referrer: only the first page has one
	other.Referrer, other.ReferrerDomain, other.UTMSource, other.UTMMedium, other.UTMCampaign = "", "", "", "", ""
	took := int64(200 + g.IntN(2_800))
	view.Name, view.Title = "screen_view", fmt.Sprintf("What there is to know of page %d", n)
	view.LoadTime, view.DOMReadyTime, view.TTFB = store.Known(took), store.Known(took*3/4), store.Known(took/8)
	g.add(view, at)
	if g.Float64() < 0.75 {
		exit := other
		exit.Kind, exit.Name, exit.TimeOnPage = store.Exit, "page_exit", store.Known(stay.Milliseconds())
		exit.ScrollDepth, exit.Interactions = store.Known(int64(g.IntN(101))), store.Known(int64(g.IntN(12)))
		g.add(exit, at.Add(stay))
	}
	if g.Float64() < 0.12 {
		custom := other
		custom.Kind, custom.Name = store.Custom, fmt.Sprintf("event_%d", g.referrer.Uint64()%25)
		custom.Properties = fmt.Sprintf(`{"plan":"pro","value":%d}`, g.IntN(1_000))
		g.add(custom, at.Add(stay/2))
	}
	if g.Float64() < 0.03 {
		click := other
		click.Kind, click.Href, click.Text = store.Click, fmt.Sprintf("https://shop-%d.example/", g.IntN(200)), "Buy it"
		g.add(click, at.Add(stay/3))
	}
	return stay
}

func (g *generator) add(e store.Event, at time.Time) {
	e.ID, e.Time = uuid(g.Rand), at.Truncate(time.Millisecond)
	g.later = append(g.later, &e)
}

// due removes and returns the events before t, in order.
func (g *generator) due(t time.Time) []*store.Event {
	slices.SortFunc(g.later,
		func(a, b *store.Event) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	n, _ := slices.BinarySearchFunc(g.later, t, func(e *store.Event, t time.Time) int { return e.Time.Compare(t) })
	due := slices.Clone(g.later[:n])
	g.later = slices.Delete(g.later, 0, n)
	return due
}

func uuid(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a>>32), uint16(a>>16), uint16(a), uint16(b>>48), b&(1<<48-1))
}
