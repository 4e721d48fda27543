package demo

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// linkShare is how many use the short link for each session of the website.
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
		into.Visits = append(into.Visits, store.Visit{
			Link: g.cfg.Link, ID: fmt.Sprintf("demo_%d_%d", s, i),
			Time:     d.moment(s.start(), time.Hour),
			Referrer: from, ReferrerDomain: referrer.Domain(from, ""),
			Agent: who.agent,
		})
	}
}
