package demo

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// blocked adds the rejected requests of s: crawlers at all hours, and sometimes a copy of the site.
func (g *Generator) blocked(into *store.Batch, s slot) {
	if g.cfg.Website == "" {
		return
	}
	d := g.dice("blocked", int64(s))
	for i, o := range []struct {
		reason, bot string
		share       float64
	}{{"bot", "Googlebot", 0.5}, {"bot", "bingbot", 0.3}, {"bot", "GPTBot", 0.2}, {"bot", "AhrefsBot", 0.15},
		{"origin", "", 0.05}} {
		if !d.chance(o.share) {
			continue
		}
		into.Blocked = append(into.Blocked, store.Blocked{
			Website: g.cfg.Website, ID: fmt.Sprintf("demo_blocked_%d_%d", s, i), Time: d.moment(s.start(), time.Hour),
			Reason: o.reason, Bot: o.bot, Requests: int64(d.between(1, 6)),
		})
	}
}
