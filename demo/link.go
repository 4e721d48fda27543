package demo

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// linkShare is the number of uses of the short link per session of the website.
const linkShare = 0.2

// visits adds the uses of the short link in s.
func (g *Generator) visits(into *store.Batch, s slot) {
	if g.cfg.Link == "" {
		return
	}
	d := g.dice("link", int64(s))
	for i := range d.poisson(float64(g.cfg.PerDay) / 24 * g.busy(s) * linkShare) {
		who := g.person(s, -1-i)
		from := one(d, []string{
			"", "", "", "https://t.co/abc", "https://www.linkedin.com/", "https://www.instagram.com/",
			"https://www.reddit.com/", "https://mail.google.com/", "https://news.ycombinator.com/",
		})
		strip(g.dice("strip", int64(s), int64(i)), &who.agent)
		into.Visits = append(into.Visits, store.Visit{
			Link: g.cfg.Link, ID: fmt.Sprintf("demo_%d_%d", s, i),
			Time:     d.moment(s.start(), time.Hour),
			Referrer: from, ReferrerDomain: referrer.Domain(from, ""),
			Agent: who.agent,
		})
	}
}

// strip removes fields that some visits lack. An unknown address has no place, or only a country. Some programs
// send no user agent.
func strip(d dice, a *store.Agent) {
	switch luck := d.Float64(); {
	case luck < 0.03:
		a.Country, a.Region, a.City = "", "", ""
	case luck < 0.07:
		a.Region, a.City = "", ""
	}
	if d.chance(0.04) {
		a.DeviceType, a.BrowserName, a.BrowserVersion, a.OSName, a.OSVersion = "", "", "", "", ""
	}
}
