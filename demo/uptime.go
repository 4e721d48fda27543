package demo

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// checkEvery is the time between two checks.
const checkEvery = 5 * time.Minute

// regions lists the regions from which checks are made, in turn.
var regions = []string{"eu-central", "us-east", "ap-south"}

// checks adds the checks of s.
func (g *Generator) checks(into *store.Batch, s slot) {
	if g.cfg.Schedule == "" {
		return
	}
	d := g.dice("checks", int64(s))
	down := g.outage(floorDiv(int64(s), 24))
	for i := range int(time.Hour / checkEvery) {
		at := s.start().Add(time.Duration(i)*checkEvery + time.Duration(d.between(0, 1_500))*time.Millisecond)
		c := g.check(d, s, i, at)
		switch {
		case at.Weekday() == time.Sunday && at.Hour() == 3 && at.Minute() < 15:
			c.Status = store.Maintenance
			c.HTTPCode = 503
		case down.holds(at):
			down.spoil(&c)
		default:
			stumble(&c, d.Float64())
		}
		into.Checks = append(into.Checks, c)
	}
}

// check returns a successful check.
func (g *Generator) check(d dice, s slot, i int, at time.Time) store.Check {
	region := regions[i%len(regions)]
	far := map[string]float64{"eu-central": 1, "us-east": 1.9, "ap-south": 2.8}[region]
	ttfb := d.ms(85*far*(0.8+0.3*g.busy(s)), 0.25, 12, 9_000)
	return store.Check{
		Schedule: g.cfg.Schedule, ID: fmt.Sprintf("demo_%d_%d", s, i), Time: at,
		URL: "https://" + g.cfg.Domain + "/", Status: store.Up, HTTPCode: 200,
		TTFB: store.Known(ttfb), Total: store.Known(ttfb + d.ms(45*far, 0.3, 5, 5_000)),
		Region:    region,
		SSLExpiry: sql.Null[time.Time]{V: expiry(at), Valid: true},
		SSLValid:  sql.Null[bool]{V: true, Valid: true},
	}
}

// stumble sometimes changes c to a check after a lost packet: no answer, or a late one, so that a second try decides.
func stumble(c *store.Check, luck float64) {
	switch {
	case luck < 0.0008:
		outage{kind: "timeout"}.spoil(c)
	case luck < 0.0025:
		outage{kind: "timeout"}.spoil(c)
		c.Status, c.Error = store.Pending, "slow; trying again"
	}
}

// expiry returns the expiry of the certificate in use at t, which is valid for 90 days and renewed every 60.
func expiry(t time.Time) time.Time {
	const day = 24 * 60 * 60
	issued := floorDiv(t.Unix(), 60*day) * 60 * day
	return time.Unix(issued+90*day, 0).UTC()
}

// An outage is a part of one day in which the website does not answer.
type outage struct {
	from, to time.Time
	kind     string // timeout, error or certificate; empty means no outage
}

// outage returns the outage of a day, counted since 1970. One day in eleven has an outage.
func (g *Generator) outage(day int64) outage {
	d := g.dice("outage", day)
	if !d.chance(1.0 / 11) {
		return outage{}
	}
	from := slot(day * 24).start().Add(time.Duration(d.between(0, 22*60)) * time.Minute)
	return outage{from, from.Add(time.Duration(d.between(6, 75)) * time.Minute),
		one(d, []string{"timeout", "error", "certificate"})}
}

func (o outage) holds(t time.Time) bool { return o.kind != "" && !t.Before(o.from) && t.Before(o.to) }

// spoil changes a successful check to a check during o.
func (o outage) spoil(c *store.Check) {
	c.Status = store.Down
	switch o.kind {
	case "error":
		c.HTTPCode, c.Error = 502, "bad gateway"
		return
	case "certificate":
		c.HTTPCode, c.Error, c.SSLValid.V = 0, "the certificate is for another host", false
		return
	}
	c.HTTPCode, c.Error = 0, "timeout after 10 s"
	c.TTFB, c.Total = store.Measure{}, store.Known(10_000)
	c.SSLExpiry, c.SSLValid = sql.Null[time.Time]{}, sql.Null[bool]{}
}
