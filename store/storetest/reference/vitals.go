package reference

import (
	"slices"

	"github.com/sightline-analytics/sightline/store"
)

// clsUnit is the stored value of a CLS of 1.
const clsUnit = 10_000

func keep(list *[]int64, m store.Measure) {
	if m.Valid {
		*list = append(*list, m.V)
	}
}

// combinations returns the combinations of groups, and the empty one for questions without groupBy.
func combinations(g *groups[pageTally]) map[string]bool {
	known := map[string]bool{joined(nil): true}
	for _, one := range g.list {
		known[joined(one.combination)] = true
	}
	return known
}

// performance lists the pages with pageviews or samples. A combination of groupBy needs a pageview on any page.
func (a *evaluation) performance() *table {
	g := a.tallyPageviews(byPath)
	viewed := combinations(g)
	for _, r := range a.among(of(vitalRow)) {
		if c := a.combination(r); viewed[joined(c)] {
			g.open(c, r.path).tally.sample(r)
		}
	}
	t := a.ordered("pageviews", "path")
	for _, one := range g.list {
		p := &one.tally
		cells := append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(p.pageviews), count(p.samples))
		t.rows = append(t.rows, append(append(cells, p.p75s()...),
			fraction(average(p.load)), fraction(average(p.domReady)), fraction(average(p.ttfb))))
	}
	return t
}

func p75(list []int64) value { return fraction(quantile(list, 75)) }

// p75s returns the percentiles of LCP, FCP, CLS, INP and TTFB.
func (p *pageTally) p75s() []value {
	cls := per(quantile(p.cls, 75), clsUnit)
	return []value{p75(p.lcp), p75(p.fcp), decimals(cls, 4), p75(p.inp), p75(p.tt)}
}

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

func (a *evaluation) vitalsByPage() *table {
	g := tallies[pageTally](a, 1)
	for _, r := range a.among(of(vitalRow)) {
		t := &g.open(a.combination(r), r.path).tally
		t.sample(r)
		t.visitors.add(r.Visitor())
	}
	t := a.ordered("samples", "path")
	for _, one := range g.list {
		p := &one.tally
		cells := append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(p.samples), count(len(p.visitors)))
		t.rows = append(t.rows, append(cells, p.p75s()...))
	}
	return t
}

func (a *evaluation) vitalsSeries() *table {
	samples := a.among(of(vitalRow))
	g := fill[pageTally](a, samples)
	for _, r := range samples {
		at(a, g, a.combination(r), r.at).sample(r)
	}
	return lay(a, g, func(p *pageTally) []value { return append([]value{count(p.samples)}, p.p75s()...) })
}

// vitalsOverview lists the measured metrics, in the order of metrics.
func (a *evaluation) vitalsOverview() *table {
	metrics := []string{"FCP", "LCP", "CLS", "INP", "TTFB", "FPS"}
	var g groups[[]int64]
	for _, r := range a.among(of(vitalRow)) {
		one := g.open(a.combination(r), r.metric)
		one.tally = append(one.tally, r.value)
	}
	t := a.ranked("metric_name")
	for _, one := range g.list {
		unit, digits := int64(1), 2
		if one.key[0] == "CLS" {
			unit, digits = clsUnit, 4
		}
		cells := append(texts(one.combination), text(one.key[0]))
		for _, percent := range []int64{50, 75, 90, 95, 99} {
			cells = append(cells, decimals(per(quantile(one.tally, percent), unit), digits))
		}
		t.rows = append(t.rows, append(cells,
			decimals(per(average(one.tally), unit), digits), count(len(one.tally)),
			count(slices.Index(metrics, one.key[0]))))
	}
	return t
}
