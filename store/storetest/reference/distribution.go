package reference

import "strconv"

// A band is one row of a distribution.
type band struct {
	visits        int
	visitors, ids set
}

// spread returns a list of bands for each combination, or one list if the question has no groupBy. In totals, all
// bands are one.
func (a *evaluation) spread(combinations [][]string, size int) *groups[[]band] {
	var g groups[[]band]
	if a.merged {
		size = 1
	}
	if len(a.groupBy) == 0 {
		g.open(nil).tally = make([]band, size)
	}
	for _, c := range combinations {
		if g.find(c) == nil {
			g.open(c).tally = make([]band, size)
		}
	}
	return &g
}

// band returns the i-th band of a combination.
func (a *evaluation) band(g *groups[[]band], combination []string, i int) *band {
	if a.merged {
		i = 0
	}
	return &g.find(combination).tally[i]
}

// distribution builds the table of all bands in order, then by combination. cells returns the columns between
// the band's label and the share of sessions.
func (a *evaluation) distribution(g *groups[[]band], key string, labels []string, sessions func(*band) int,
	cells func(*band) []value) *table {
	sum := 0
	for _, one := range g.list {
		for i := range one.tally {
			sum += sessions(&one.tally[i])
		}
	}
	t := a.ranked(key)
	for _, one := range g.list {
		for i := range one.tally {
			b := &one.tally[i]
			row := append(append(texts(one.combination), text(labels[i])), cells(b)...)
			t.rows = append(t.rows, append(row, ratio(100*sessions(b), sum), count(i)))
		}
	}
	return t
}

// durations counts sessions by duration.
func (a *evaluation) durations() *table {
	labels := []string{"0-30s", "30s-1m", "1m-5m", "5m-15m", "15m-1h", "1h+"}
	upTo := []int64{30, 60, 300, 900, 3600} // seconds, exclusive
	var begun []*session
	var combinations [][]string
	for _, s := range a.site.sessions {
		if a.begins(s) {
			begun, combinations = append(begun, s), append(combinations, a.combinationsOf(s)...)
		}
	}
	g := a.spread(combinations, len(labels))
	for _, s := range begun {
		i := 0
		for i < len(upTo) && s.duration >= upTo[i]*1000 {
			i++
		}
		for _, c := range a.combinationsOf(s) {
			b := a.band(g, c, i)
			b.visits++
			b.visitors.add(s.first.Visitor())
		}
	}
	visits := func(b *band) int { return b.visits }
	return a.distribution(g, "duration_range", labels, visits,
		func(b *band) []value { return []value{count(b.visits), count(len(b.visitors))} })
}

// scrollDepths counts exits by scroll depth. A session may be in several bands.
func (a *evaluation) scrollDepths() *table {
	var labels []string
	for from := 0; from < 100; from += 20 {
		labels = append(labels, strconv.Itoa(from)+"-"+strconv.Itoa(from+20))
	}
	exits := a.among(func(r *row) bool { return r.kind == exit && r.scroll.Valid })
	var combinations [][]string
	for _, r := range exits {
		combinations = append(combinations, a.combination(r))
	}
	g := a.spread(combinations, len(labels))
	for _, r := range exits {
		b := a.band(g, a.combination(r), int(min(r.scroll.V/20, 4)))
		b.visitors.add(r.Visitor())
		b.ids.add(r.SessionID)
	}
	ids := func(b *band) int { return len(b.ids) }
	return a.distribution(g, "depth_range", labels, ids,
		func(b *band) []value { return []value{count(len(b.visitors)), count(len(b.ids))} })
}
