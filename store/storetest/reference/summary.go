package reference

// A visitTally is what summary says of a bucket, or summary_metrics of the range.
type visitTally struct {
	pageviews, events int
	visitors          set
	durations         []int64 // of the sessions that started
	bounces           int
}

func (a *asking) summary() *table {
	pageviews := a.among(of(pageview))
	g := fill[visitTally](a, pageviews)
	for _, r := range pageviews {
		t := at(a, g, a.combination(r), r.at)
		t.pageviews++
		t.visitors.add(r.Visitor())
	}
	for _, r := range a.among((*row).counted) {
		if t := at(a, g, a.combination(r), r.at); t != nil {
			t.events++
		}
	}
	for _, s := range a.site.sessions {
		if !a.begins(s) {
			continue
		}
		if t := at(a, g, a.combination(s.entry()), s.start); t != nil {
			t.durations = append(t.durations, s.duration)
			if s.bounced {
				t.bounces++
			}
		}
	}
	return lay(a, g, func(t *visitTally) []value { return t.cells(a.kind.Series) })
}

func (t *visitTally) cells(series bool) []value {
	sessions := len(t.durations)
	row := []value{count(t.pageviews), count(len(t.visitors))}
	if !series {
		row = append(row, count(len(t.visitors)))
	}
	return append(row,
		count(sessions),
		ratio(100*t.bounces, sessions),
		fraction(per(quantile(t.durations, 50), 1000)),
		ratio(t.pageviews, sessions),
		count(t.events),
	)
}

func (a *asking) visits() *table {
	visits := a.among(of(visit))
	g := fill[int](a, visits)
	for _, r := range visits {
		*at(a, g, a.combination(r), r.at)++
	}
	return lay(a, g, func(n *int) []value { return []value{count(*n)} })
}
