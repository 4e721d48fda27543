package reference

import "cmp"

// A pageTally has the numbers of a breakdown for the pageviews of one key.
type pageTally struct {
	pageviews              int
	visitors               set
	versions               set // browser versions
	sessions               int // sessions that started in the range
	load, domReady, ttfb   []int64
	onPage                 []int64
	samples                int
	lcp, fcp, cls, inp, tt []int64
}

// A keyOf returns the key of the answer's row that a row counts for, or nil to exclude it.
type keyOf func(*row) []string

// byPath returns the path of a row as its key.
func byPath(r *row) []string { return []string{r.path} }

// by returns a keyOf for fields. It excludes rows whose last field is empty.
func by(fields ...string) keyOf {
	return func(r *row) []string {
		var key []string
		for _, f := range fields {
			key = append(key, r.get(f))
		}
		if key[len(key)-1] == "" {
			return nil
		}
		return key
	}
}

// tallyPageviews counts the pageviews of each key.
func (a *evaluation) tallyPageviews(key keyOf) *groups[pageTally] {
	g := tallies[pageTally](a, 3)
	for _, r := range a.among(of(pageview)) {
		k := key(r)
		if k == nil && !a.merged {
			continue
		}
		t := &g.open(a.combination(r), k...).tally
		t.pageviews++
		t.visitors.add(r.Visitor())
		t.versions.add(r.get("browser_version"))
		keep(&t.load, r.loadTime)
		keep(&t.domReady, r.domReady)
		keep(&t.ttfb, r.ttfb)
	}
	return g
}

// visitors returns the sum of the visitors of all rows, from which shares are computed.
func visitors(g *groups[pageTally]) int {
	sum := 0
	for _, one := range g.list {
		sum += len(one.tally.visitors)
	}
	return sum
}

func (a *evaluation) pages() *table {
	g := a.tallyPageviews(byPath)
	for _, r := range a.among(timed) {
		if one := g.find(a.combination(r), r.path); one != nil {
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
			seconds(quantile(p.onPage, 50)),
			fraction(average(p.load)),
		))
	}
	return t
}

func (a *evaluation) topPages() *table {
	g := a.tallyPageviews(byPath)
	sum := visitors(g)
	t := a.ordered("visitors", "path")
	for _, one := range g.list {
		n := len(one.tally.visitors)
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(one.tally.pageviews), count(n), ratio(100*n, sum)))
	}
	return t
}

// breakdown builds the table of a type of shape B. name returns the name of a key, and more the columns after
// the four columns of shape B.
func (a *evaluation) breakdown(g *groups[pageTally], name func([]string) string, more func([]string) []string,
	keys ...string) *table {
	sum := visitors(g)
	t := a.ordered("visitors", keys...)
	for _, one := range g.list {
		p := &one.tally
		cells := append(texts(one.combination),
			text(name(one.key)), count(p.pageviews), count(len(p.visitors)), ratio(100*len(p.visitors), sum))
		t.rows = append(t.rows, append(cells, texts(more(one.key))...))
	}
	return t
}

// itself returns the last field of a key as its name.
func itself(key []string) string { return key[len(key)-1] }

func (a *evaluation) byField(field string) *table {
	return a.breakdown(a.tallyPageviews(by(field)), itself, func([]string) []string { return nil }, "name")
}

// traffic has a row for each referrer, and for each campaign source and kind.
func (a *evaluation) traffic() *table {
	return a.sources(func(r *row) []string { return []string{r.get("referrer"), r.shown.get(campaignKind)} },
		"name", "source", "referrer_type", "domain")
}

// referrers is like traffic, without direct traffic and campaign sources.
func (a *evaluation) referrers() *table {
	return a.sources(func(r *row) []string {
		if r.get("referrer") == "" || r.shown.get(campaignKind) != "" {
			return nil
		}
		return []string{r.get("referrer"), ""}
	}, "name", "source")
}

func (a *evaluation) sources(key keyOf, keys ...string) *table {
	return a.breakdown(a.tallyPageviews(key), a.sourceName, a.sourceCells, keys...)
}

func (a *evaluation) sourceName(key []string) string { return a.names.traffic(key[0], key[1]).name }

func (a *evaluation) sourceCells(key []string) []string {
	s := a.names.traffic(key[0], key[1])
	return []string{s.referrer, s.source, s.domain, s.kind}
}

func (a *evaluation) countries() *table {
	return a.breakdown(a.tallyPageviews(by("country")),
		func(k []string) string { return a.names.country(k[0]) },
		func(k []string) []string { return []string{k[0], a.names.country(k[0])} }, "country_code")
}

func (a *evaluation) regions() *table {
	return a.breakdown(a.tallyPageviews(by("country", "region")), itself,
		func(k []string) []string {
			name := a.names.country(k[0])
			return []string{k[1], name, k[0], name}
		}, "country_code", "region")
}

func (a *evaluation) cities() *table {
	return a.breakdown(a.tallyPageviews(by("country", "region", "city")), itself,
		func(k []string) []string {
			name := a.names.country(k[0])
			return []string{k[2], k[1], name, k[0], name}
		}, "country_code", "region", "city")
}

func (a *evaluation) devices() *table {
	return a.breakdown(a.tallyPageviews(by("device_type")),
		func(k []string) string { return cmp.Or(deviceNames[k[0]], k[0]) },
		func(k []string) []string { return k[:1] }, "device_type")
}
