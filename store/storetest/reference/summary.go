package reference

// A visitTally has the numbers of a bucket of summary, or of the range of summary_metrics.
type visitTally struct {
	pageviews, events int
	visitors          set
	durations         []int64 // durations of the sessions that started
	bounces           int
}

// tallyVisits counts pageviews, events and sessions of combinations with a pageview.
func (a *evaluation) tallyVisits() *groups[filled[visitTally]] {
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
		for _, c := range a.combinationsOf(s) {
			if t := at(a, g, c, s.start); t != nil {
				t.add(s)
			}
		}
	}
	return g
}

func (t *visitTally) add(s *session) {
	t.durations = append(t.durations, s.duration)
	if s.bounced {
		t.bounces++
	}
}

func (t *visitTally) sessions() int       { return len(t.durations) }
func (t *visitTally) bounceRate() value   { return ratio(100*t.bounces, t.sessions()) }
func (t *visitTally) pagesPer() value     { return ratio(t.pageviews, t.sessions()) }
func (t *visitTally) medianTime() value   { return seconds(quantile(t.durations, 50)) }
func (t *visitTally) averageTime() value  { return seconds(average(t.durations)) }
func (t *visitTally) countVisits() value  { return count(t.sessions()) }
func (t *visitTally) countPeople() value  { return count(len(t.visitors)) }
func (t *visitTally) countViews() value   { return count(t.pageviews) }
func (t *visitTally) countActions() value { return count(t.events) }

func (a *evaluation) summary() *table {
	return lay(a, a.tallyVisits(), func(t *visitTally) []value {
		row := []value{t.countViews(), t.countPeople()}
		if columnOf(a.kind.Columns, "unique_visitors") >= 0 {
			row = append(row, t.countPeople())
		}
		return append(row, t.countVisits(), t.bounceRate(), t.medianTime(), t.pagesPer(), t.countActions())
	})
}

func (a *evaluation) today() *table {
	return lay(a, a.tallyVisits(), func(t *visitTally) []value {
		return []value{t.countViews(), t.countPeople(), t.countVisits()}
	})
}

func (a *evaluation) sessionMetrics() *table {
	return lay(a, a.tallyVisits(), func(t *visitTally) []value {
		return []value{t.countVisits(), t.averageTime(), t.medianTime(), t.bounceRate(), t.pagesPer(), t.countActions()}
	})
}

func (a *evaluation) sessionSeries() *table {
	return lay(a, a.tallyVisits(), func(t *visitTally) []value {
		return []value{t.countVisits(), t.countPeople(), t.averageTime(), t.bounceRate()}
	})
}

// active counts the visitors and sessions of pageviews, including session ids without a complete session.
func (a *evaluation) active() *table {
	g := a.tallySeries(of(pageview))
	return lay(a, g, func(t *eventTally) []value { return []value{count(len(t.users)), count(len(t.sessions))} })
}
