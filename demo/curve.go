package demo

import (
	"math"
	"time"
)

// byHour has the traffic of each hour of a UTC day. Most readers live in Europe and America.
var byHour = [24]float64{
	0.55, 0.45, 0.38, 0.34, 0.36, 0.48, 0.72, 1.02, 1.28, 1.42, 1.46, 1.38,
	1.30, 1.44, 1.56, 1.60, 1.52, 1.40, 1.28, 1.20, 1.12, 1.00, 0.84, 0.68,
}

// byWeekday has the traffic of each day, from Sunday.
var byWeekday = [7]float64{0.60, 1.08, 1.16, 1.14, 1.10, 0.98, 0.64}

// busy returns the traffic of the hour s. The hours of an ordinary weekday sum to 24.
func (g *Generator) busy(s slot) float64 {
	t := s.start()
	day := floorDiv(int64(s), 24)
	sum := 0.0
	for _, h := range byHour {
		sum += h
	}
	return byHour[t.Hour()] * 24 / sum * byWeekday[t.Weekday()] * season(t) * g.mood(day)
}

// season returns a factor for the time of the year. It is low in high summer and at the turn of the year, and high
// in spring and autumn.
func season(t time.Time) float64 {
	year := float64(t.YearDay()) / 365
	f := 1 + 0.10*math.Cos(4*math.Pi*(year-0.26))
	if t.Month() == time.December && t.Day() >= 23 {
		f *= 0.6
	}
	return f
}

// mood returns a random factor for the traffic of a day, including fame.
func (g *Generator) mood(day int64) float64 {
	f := 0.92 + 0.16*g.dice("mood", day).Float64()
	for ago, part := range []float64{1, 0.45, 0.2} {
		f += part * g.fame(day-int64(ago))
	}
	return f
}

// Famous reports whether on the UTC day of t a popular page links to the site, so that it has more traffic for three
// days.
func (g *Generator) Famous(t time.Time) bool { return g.fame(floorDiv(t.Unix(), 24*3600)) > 0 }

// fame returns the extra traffic of a day from links on popular pages. On one day in thirty such a page links to
// the site. Its traffic lasts two more days.
func (g *Generator) fame(day int64) float64 {
	d := g.dice("fame", day)
	if !d.chance(1.0 / 30) {
		return 0
	}
	return 0.5 + d.Float64()
}

// count returns the number of sessions that start in s.
func (g *Generator) count(s slot) int {
	mean := float64(g.cfg.PerDay) / 24 * g.busy(s)
	return g.dice("count", int64(s)).poisson(mean)
}
