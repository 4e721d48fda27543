package reference

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"

	"github.com/sightline-analytics/sightline/store"
)

// An uptimeTally has the numbers of the checks of a bucket or of the range.
type uptimeTally struct {
	up, down int
	total    []int64 // ms, of checks that are up
	ttfb     []int64
	downFor  int64 // ms
	invalid  int   // certificates
	latest   *row  // the latest check with certificate data
}

func (t *uptimeTally) add(r *row) {
	if (r.sslValid.kind != null || r.expiry.kind != null) && (t.latest == nil || before(r, t.latest) > 0) {
		t.latest = r
	}
	if r.sslValid.kind == boolValue && r.sslValid.whole == 0 {
		t.invalid++
	}
	switch r.status {
	case store.Up:
		t.up++
		keep(&t.total, r.total)
		keep(&t.ttfb, r.ttfb)
	case store.Down:
		t.down++
	}
}

func (t *uptimeTally) percentage() value { return ratio(100*t.up, t.up+t.down) }
func (t *uptimeTally) checks() value     { return count(t.up + t.down) }

// certificate returns expiry and validity from the latest check with certificate data.
func (t *uptimeTally) certificate() []value {
	if t.latest == nil {
		return []value{{}, {}}
	}
	return []value{t.latest.expiry, t.latest.sslValid}
}

// percentiles returns percentiles of list, from 0 for the smallest value to 100 for the largest.
func percentiles(list []int64, percents ...int64) []value {
	var vs []value
	for _, p := range percents {
		vs = append(vs, fraction(quantile(list, p)))
	}
	return vs
}

func (a *evaluation) uptimeOverview() *table {
	return lay(a, a.tallyChecks(), func(t *uptimeTally) []value {
		return slices.Concat(
			[]value{t.percentage(), t.checks(), count(t.up), fraction(average(t.total))},
			percentiles(t.total, 50, 75, 95, 99, 0, 100),
			[]value{fraction(average(t.ttfb))}, t.certificate())
	})
}

func (a *evaluation) uptimeSeries() *table {
	g := a.tallyChecks()
	a.spreadDowntime(g)
	return lay(a, g, func(t *uptimeTally) []value {
		return slices.Concat(
			[]value{t.percentage(), t.checks(), count(t.up), fraction(big.NewRat(t.downFor, 1000)),
				fraction(average(t.total))},
			percentiles(t.total, 50, 95, 100),
			[]value{fraction(average(t.ttfb))}, percentiles(t.ttfb, 50, 95))
	})
}

func (a *evaluation) responseTimes() *table {
	return lay(a, a.tallyChecks(), func(t *uptimeTally) []value {
		return slices.Concat([]value{fraction(average(t.total))},
			percentiles(t.total, 50, 75, 90, 95, 99, 0, 100), []value{fraction(average(t.ttfb))})
	})
}

func (a *evaluation) sslStatus() *table {
	return lay(a, a.tallyChecks(), func(t *uptimeTally) []value { return append(t.certificate(), count(t.invalid)) })
}

func (a *evaluation) tallyChecks() *groups[filled[uptimeTally]] {
	checks := a.among(of(check))
	g := fill[uptimeTally](a, checks)
	for _, r := range checks {
		at(a, g, a.combination(r), r.at).add(r)
	}
	return g
}

// uptimeByRegion lists the regions with checks that are up or down.
func (a *evaluation) uptimeByRegion() *table {
	g := tallies[uptimeTally](a, 1)
	for _, r := range a.among(of(check)) {
		if r.status == store.Up || r.status == store.Down {
			g.open(nil, r.region).tally.add(r)
		}
	}
	t := a.table("region")
	for _, one := range g.list {
		u := &one.tally
		t.rows = append(t.rows, []value{
			text(one.key[0]), u.percentage(), u.checks(), fraction(average(u.total)), fraction(quantile(u.total, 95)),
		})
	}
	return t
}

func (a *evaluation) statuses() *table {
	type tally struct {
		sample *row
		checks int
	}
	g := tallies[tally](a, 2)
	checks := a.among(of(check))
	for _, r := range checks {
		one := g.open(a.combination(r), strconv.Itoa(int(r.status)), strconv.FormatInt(r.httpCode, 10))
		one.tally.sample = r
		one.tally.checks++
	}
	t := a.ordered("count", "status", "http_code")
	for _, one := range g.list {
		code := []value{{}, {}} // in totals
		if r := one.tally.sample; r != nil {
			code = []value{count(int(r.status)), whole(r.httpCode)}
		}
		n := one.tally.checks
		t.rows = append(t.rows, append(append(texts(one.combination), code...), count(n), ratio(100*n, len(checks))))
	}
	return t
}

// recentChecks orders checks of the same instant by id.
func (a *evaluation) recentChecks() *table {
	t := a.ordered("timestamp", "id")
	t.hidden = []string{"id"}
	for _, r := range a.among(of(check)) {
		t.rows = append(t.rows, []value{
			instant(r.at), text(r.url), count(int(r.status)), whole(r.httpCode), measured(r.ttfb), measured(r.total),
			text(r.region), r.sslValid, text(r.failure), text(r.id),
		})
	}
	return t
}

// measured returns a measure unchanged, or null if it is absent.
func measured(m store.Measure) value {
	if !m.Valid {
		return value{}
	}
	return whole(m.V)
}

// spreadDowntime adds the time from each down check to the next check of the same combination, at any time, to
// the buckets that it covers.
func (a *evaluation) spreadDowntime(g *groups[filled[uptimeTally]]) {
	for _, one := range g.list {
		checks := a.selected(one.combination)
		for i, r := range checks {
			if r.status != store.Down {
				continue
			}
			end := min(a.period.to, a.now)
			if i+1 < len(checks) {
				end = min(end, checks[i+1].at)
			}
			for _, s := range a.period.stretches {
				bucket := s.bucket
				if !a.kind.Series { // in totals
					bucket = 0
				}
				if covered := min(end, s.to) - max(r.at, s.from); covered > 0 {
					one.tally[bucket].downFor += covered
				}
			}
		}
	}
}

// selected returns the checks of a combination at any time for which the filters hold, in order. Checks at the same
// time are ordered by status, down first.
func (a *evaluation) selected(combination []string) []*row {
	var list []*row
	for _, r := range a.site.rows {
		if a.allHold(r) && slices.Equal(a.combination(r), combination) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *row) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.status, b.status), before(a, b))
	})
	return list
}
