package demo

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// paymentShare is the number of payments per session of the website.
const paymentShare = 0.02

// payments adds the custom events that the website's own server sends in s. They belong to people with an account
// and to no session, and they have no browser and no place.
func (g *Generator) payments(into *store.Batch, s slot) {
	if g.cfg.Website == "" {
		return
	}
	d := g.dice("payments", int64(s))
	for i := range d.poisson(float64(g.cfg.PerDay) / 24 * g.busy(s) * paymentShare) {
		payer := g.payer(d, s)
		at := d.moment(s.start(), time.Hour)
		e := store.Event{
			Website: g.cfg.Website, ID: fmt.Sprintf("demo_paid_%d_%d", s, i), Kind: store.Custom, Name: "invoice_paid",
			Time:     at,
			Identity: store.Identity{ProfileID: payer}, Namespace: "billing", Source: "server",
			Properties: one(d, []string{
				`{"amount":900,"currency":"EUR","plan":"team"}`, `{"amount":9000,"currency":"EUR","plan":"team"}`,
				`{"amount":1200,"currency":"USD","plan":"team"}`,
				`{"amount":24900,"coupon":null,"currency":"USD","plan":"company"}`,
			}),
		}
		into.Events = append(into.Events, e)
	}
}

// payer returns the profile of a person who visited in the three weeks before s. If a few tries find none, it
// returns a fixed profile.
func (g *Generator) payer(d dice, s slot) string {
	for range 40 {
		then := s - 1 - slot(d.IntN(24*21))
		if n := g.count(then); n > 0 {
			if p := g.person(then, d.IntN(n)); p.profile != "" {
				return p.profile
			}
		}
	}
	return "user_000000"
}
