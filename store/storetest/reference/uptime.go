package reference

import (
	"math/big"
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// An uptimeTally is what is said of the checks of a bucket or of the range.
type uptimeTally struct {
	up, down int
	total    []int64 // ms, of checks that are up
	ttfb     []int64
	downFor  int64 // ms
	latest   *row
}

func (a *asking) uptimeOverview() *table {
	g := a.tallyChecks()
	return lay(a, g, func(t *uptimeTally) []value {
		cells := []value{
			ratio(100*t.up, t.up+t.down), count(t.up + t.down), count(t.up),
			fraction(average(t.total)),
			fraction(quantile(t.total, 50)), p75(t.total),
			fraction(quantile(t.total, 95)), fraction(quantile(t.total, 99)),
			fraction(quantile(t.total, 0)), fraction(quantile(t.total, 100)),
			fraction(average(t.ttfb)),
		}
		if t.latest == nil {
			return append(cells, value{}, value{})
		}
		return append(cells, t.latest.expiry, t.latest.sslValid)
	})
}

func (a *asking) uptimeSeries() *table {
	g := a.tallyChecks()
	a.spreadDowntime(g)
	return lay(a, g, func(t *uptimeTally) []value {
		return []value{
			ratio(100*t.up, t.up+t.down), count(t.up + t.down), count(t.up),
			fraction(big.NewRat(t.downFor, 1000)),
			fraction(average(t.total)), fraction(quantile(t.total, 50)),
			fraction(quantile(t.total, 95)), fraction(quantile(t.total, 100)),
			fraction(average(t.ttfb)), fraction(quantile(t.ttfb, 50)), fraction(quantile(t.ttfb, 95)),
		}
	})
}

func (a *asking) tallyChecks() *groups[filled[uptimeTally]] {
	checks := a.among(of(check))
	g := fill[uptimeTally](a, checks)
	for _, r := range checks {
		t := at(a, g, a.combination(r), r.at)
		if t.latest == nil || before(r, t.latest) > 0 {
			t.latest = r
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
	return g
}

// spreadDowntime adds the time from each down check to the next check of the same
// combination, whenever that was, to the buckets that it covers.
func (a *asking) spreadDowntime(g *groups[filled[uptimeTally]]) {
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
				if covered := min(end, s.to) - max(r.at, s.from); covered > 0 {
					one.tally[s.bucket].downFor += covered
				}
			}
		}
	}
}

// selected are the checks of a combination at any time for which the filters hold,
// in order.
func (a *asking) selected(combination []string) []*row {
	var list []*row
	for _, r := range a.site.rows {
		if a.allHold(r, func(Filter) bool { return true }) && slices.Equal(a.combination(r), combination) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, before)
	return list
}
