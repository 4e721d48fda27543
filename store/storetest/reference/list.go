package reference

// An eventTally counts the rows that have the same key.
type eventTally struct {
	rows            int
	users, sessions set
	first, last     *row
	withProperties  int
	messages, links set
}

func (t *eventTally) add(r *row) {
	t.rows++
	t.users.add(r.Visitor())
	t.sessions.add(r.SessionID)
	t.messages.add(r.message)
	t.links.add(r.href)
	if t.first == nil || before(r, t.first) < 0 {
		t.first = r
	}
	if t.last == nil || before(r, t.last) > 0 {
		t.last = r
	}
	if r.properties != "" && r.properties != "{}" {
		t.withProperties++
	}
}

// begin and end return the times of the first and the last row, or null without rows.
func (t *eventTally) begin() value { return timeOf(t.first) }
func (t *eventTally) end() value   { return timeOf(t.last) }

func timeOf(r *row) value {
	if r == nil {
		return value{}
	}
	return instant(r.at)
}

func (t *eventTally) latestPath() value {
	if t.last == nil {
		return value{}
	}
	return text(t.last.path)
}

// tallyRows counts the rows that pick selects, by key and in total.
func (a *evaluation) tallyRows(pick func(*row) bool, key keyOf) (*groups[eventTally], int) {
	g := tallies[eventTally](a, 2)
	rows := a.among(pick)
	for _, r := range rows {
		g.open(a.combination(r), key(r)...).tally.add(r)
	}
	return g, len(rows)
}

// tallySeries counts the rows that pick selects, by bucket for a series, otherwise in total.
func (a *evaluation) tallySeries(pick func(*row) bool) *groups[filled[eventTally]] {
	rows := a.among(pick)
	g := fill[eventTally](a, rows)
	for _, r := range rows {
		at(a, g, a.combination(r), r.at).add(r)
	}
	return g
}

// trend returns rows, people and session ids per bucket.
func (a *evaluation) trend(pick func(*row) bool) *table {
	return lay(a, a.tallySeries(pick), func(t *eventTally) []value {
		return []value{count(t.rows), count(len(t.users)), count(len(t.sessions))}
	})
}

func (a *evaluation) errorTrends() *table { return a.trend(of(errorRow)) }
func (a *evaluation) eventTrends() *table { return a.trend((*row).named) }

func byName(r *row) []string { return []string{r.name} }

func (a *evaluation) customEvents() *table {
	g, _ := a.tallyRows((*row).named, byName)
	sum := 0
	for _, one := range g.list {
		sum += len(one.tally.users)
	}
	t := a.ordered("unique_users", "name")
	t.order = append(t.order, order{"total_events", true})
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), count(e.rows), count(len(e.users)), count(len(e.sessions)),
			e.begin(), e.end(), count(e.withProperties), ratio(100*len(e.users), sum)))
	}
	return t
}

func (a *evaluation) errors() *table {
	g, sum := a.tallyRows(of(errorRow), func(r *row) []string { return []string{r.message, r.errorType} })
	t := a.ordered("count", "message", "error_type")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[1]), e.latestPath(), count(e.rows), count(len(e.users)),
			count(len(e.sessions)), e.begin(), e.end(), ratio(100*e.rows, sum)))
	}
	return t
}

func (a *evaluation) errorTypes() *table {
	g, sum := a.tallyRows(of(errorRow), func(r *row) []string { return []string{r.errorType} })
	t := a.ordered("count", "error_type")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), count(e.rows), count(len(e.users)), e.end(), ratio(100*e.rows, sum)))
	}
	return t
}

func (a *evaluation) errorsByPage() *table {
	g, sum := a.tallyRows(of(errorRow), byPath)
	t := a.ordered("errors", "path")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(e.rows), count(len(e.users)), count(len(e.messages)),
			ratio(100*e.rows, sum)))
	}
	return t
}

func (a *evaluation) outboundLinks() *table {
	g, sum := a.tallyRows(of(click), func(r *row) []string { return []string{r.href, r.text} })
	t := a.ordered("total_clicks", "href", "text")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[1]), count(e.rows), count(len(e.users)), count(len(e.sessions)),
			ratio(100*e.rows, sum), e.end()))
	}
	return t
}

// outboundDomains includes clicks on addresses without a host, with an empty name.
func (a *evaluation) outboundDomains() *table {
	g, sum := a.tallyRows(of(click), func(r *row) []string { return []string{domainOf(r.href)} })
	t := a.ordered("total_clicks", "domain")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), count(e.rows), count(len(e.users)), count(len(e.links)), ratio(100*e.rows, sum)))
	}
	return t
}
