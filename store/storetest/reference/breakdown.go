package reference

import "cmp"

// A pageTally is what the breakdowns say of the pageviews that share a key.
type pageTally struct {
	pageviews              int
	visitors               set
	load, domReady, ttfb   []int64
	onPage                 []int64
	samples                int
	lcp, fcp, cls, inp, tt []int64
}

// tallyPageviews counts the pageviews of each key; no key leaves a pageview out.
func (a *asking) tallyPageviews(key func(*row) (string, bool)) *groups[pageTally] {
	var g groups[pageTally]
	for _, r := range a.among(of(pageview)) {
		k, ok := key(r)
		if !ok {
			continue
		}
		t := &g.open(a.combination(r), k).tally
		t.pageviews++
		t.visitors.add(r.Visitor())
		keep(&t.load, r.loadTime)
		keep(&t.domReady, r.domReady)
		keep(&t.ttfb, r.ttfb)
	}
	return &g
}

// visitors is the sum of the visitors of all rows, which shares are taken of.
func visitors(g *groups[pageTally]) int {
	sum := 0
	for _, one := range g.list {
		sum += len(one.tally.visitors)
	}
	return sum
}

func byPath(r *row) (string, bool) { return r.path, true }

// by keys rows by a field; an empty one is left out.
func by(field string) func(*row) (string, bool) {
	return func(r *row) (string, bool) { v := r.get(field); return v, v != "" }
}

func (a *asking) pages() *table {
	g := a.tallyPageviews(byPath)
	for _, r := range a.among(of(exit)) {
		long := r.timeOnPage.Valid && r.timeOnPage.V > 1000 && r.timeOnPage.V < 3_600_000
		if one := g.find(a.combination(r), r.path); one != nil && long {
			one.tally.onPage = append(one.tally.onPage, r.timeOnPage.V)
		}
	}
	sum := visitors(g)
	t := a.ordered("visitors", "path")
	for _, one := range g.list {
		p := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(p.pageviews), count(len(p.visitors)),
			ratio(100*len(p.visitors), sum),
			fraction(per(quantile(p.onPage, 50), 1000)),
			fraction(average(p.load)),
		))
	}
	return t
}

// breakdown lays out a type of shape B: name is what a key is called, more are the
// columns after the four of B.
func (a *asking) breakdown(g *groups[pageTally], name func(string) string, more func(string) []string, keys ...string) *table {
	sum := visitors(g)
	t := a.ordered("visitors", keys...)
	for _, one := range g.list {
		p, k := &one.tally, one.key[0]
		cells := append(texts(one.combination),
			text(name(k)), count(p.pageviews), count(len(p.visitors)), ratio(100*len(p.visitors), sum))
		t.rows = append(t.rows, append(cells, texts(more(k))...))
	}
	return t
}

func (a *asking) traffic() *table {
	g := a.tallyPageviews(func(r *row) (string, bool) { return r.get("referrer"), true })
	return a.breakdown(g,
		func(k string) string { return a.names.source(k).name },
		func(k string) []string {
			s := a.names.source(k)
			return []string{s.referrer, s.source, s.domain, s.kind}
		}, "name", "source")
}

func (a *asking) countries() *table {
	return a.breakdown(a.tallyPageviews(by("country")), a.names.country,
		func(k string) []string { return []string{k, a.names.country(k)} }, "country_code")
}

func (a *asking) browsers() *table {
	return a.breakdown(a.tallyPageviews(by("browser_name")),
		func(k string) string { return k },
		func(string) []string { return nil }, "name")
}

func (a *asking) devices() *table {
	return a.breakdown(a.tallyPageviews(by("device_type")),
		func(k string) string { return cmp.Or(deviceNames[k], k) },
		func(k string) []string { return []string{k} }, "device_type")
}

func (a *asking) entryPages() *table {
	type tally struct {
		sessions int
		visitors set
	}
	var g groups[tally]
	sum := 0
	for _, s := range a.site.sessions {
		if !a.begins(s) {
			continue
		}
		t := &g.open(a.combination(s.entry()), s.entry().path).tally
		t.sessions++
		t.visitors.add(s.first.Visitor())
		sum++
	}
	t := a.ordered("sessions", "path")
	for _, one := range g.list {
		n := one.tally.sessions
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(n), count(n), count(len(one.tally.visitors)),
			ratio(100*n, sum)))
	}
	return t
}
