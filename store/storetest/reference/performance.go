package reference

import (
	"github.com/sightline-analytics/sightline/store"
)

// clsUnit is what a CLS of 1 is stored as.
const clsUnit = 10_000

func keep(list *[]int64, m store.Measure) {
	if m.Valid {
		*list = append(*list, m.V)
	}
}

// performance lists the pages with pageviews or samples. A combination of groupBy
// needs a pageview, on whatever page.
func (a *asking) performance() *table {
	g := a.tallyPageviews(byPath)
	viewed := map[string]bool{joined(nil): true}
	for _, one := range g.list {
		viewed[joined(one.combination)] = true
	}
	for _, r := range a.among(of(vitalRow)) {
		if c := a.combination(r); viewed[joined(c)] {
			g.open(c, r.path).tally.sample(r)
		}
	}
	t := a.ordered("pageviews", "path")
	for _, one := range g.list {
		p := &one.tally
		cls := per(quantile(p.cls, 75), clsUnit)
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(p.pageviews), count(p.samples),
			p75(p.lcp), p75(p.fcp), decimals(cls, 4), p75(p.inp), p75(p.tt),
			fraction(average(p.load)), fraction(average(p.domReady)), fraction(average(p.ttfb)),
		))
	}
	return t
}

func p75(list []int64) value { return fraction(quantile(list, 75)) }

// sample counts one measured vital.
func (p *pageTally) sample(r *row) {
	p.samples++
	switch r.metric {
	case "LCP":
		p.lcp = append(p.lcp, r.value)
	case "FCP":
		p.fcp = append(p.fcp, r.value)
	case "CLS":
		p.cls = append(p.cls, r.value)
	case "INP":
		p.inp = append(p.inp, r.value)
	case "TTFB":
		p.tt = append(p.tt, r.value)
	}
}
