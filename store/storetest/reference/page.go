package reference

// A doorTally has the numbers of entry_pages and exit_pages for the sessions of a page.
type doorTally struct {
	sessions int
	visitors set
}

func (a *evaluation) entryPages() *table { return a.doors((*session).entry) }
func (a *evaluation) exitPages() *table  { return a.doors((*session).exit) }

// doors counts the sessions that started in the range by one of their pageviews.
func (a *evaluation) doors(door func(*session) *row) *table {
	g := tallies[doorTally](a, 1)
	sum := 0
	for _, s := range a.site.sessions {
		if !a.begins(s) {
			continue
		}
		t := &g.open(a.combination(door(s)), door(s).path).tally
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

// timed reports whether the time on page of an exit counts.
func timed(r *row) bool {
	return r.kind == exit && r.timeOnPage.Valid && r.timeOnPage.V > 1000 && r.timeOnPage.V < 3_600_000
}

// An exitTally has the numbers of the exits of a page.
type exitTally struct {
	exits              int
	visitors, sessions set
	scrolled           []int64 // percent, more than 0
	timed              []int64 // ms, times that count
	interactions       []int64
	interacted         int
}

func (t *exitTally) add(r *row) {
	t.exits++
	t.visitors.add(r.Visitor())
	t.sessions.add(r.SessionID)
	if r.scroll.Valid && r.scroll.V > 0 {
		t.scrolled = append(t.scrolled, r.scroll.V)
	}
	if timed(r) {
		t.timed = append(t.timed, r.timeOnPage.V)
	}
	keep(&t.interactions, r.interactions)
	if r.interactions.Valid && r.interactions.V > 0 {
		t.interacted++
	}
}

// pageTime lists the exits with a time that counts, and their visitors and sessions.
func (a *evaluation) pageTime() *table {
	g := tallies[exitTally](a, 1)
	for _, r := range a.among(timed) {
		g.open(a.combination(r), r.path).tally.add(r)
	}
	sum := 0
	for _, one := range g.list {
		sum += len(one.tally.sessions)
	}
	t := a.ordered("sessions_with_time", "path")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(len(e.sessions)), count(len(e.visitors)),
			seconds(quantile(e.timed, 50)), ratio(100*len(e.sessions), sum)))
	}
	return t
}

// engagement lists the pages with exits. A combination of groupBy needs a pageview on any page.
func (a *evaluation) engagement() *table {
	views := a.tallyPageviews(byPath)
	viewed := combinations(views)
	g := tallies[exitTally](a, 1)
	for _, r := range a.among(of(exit)) {
		if c := a.combination(r); viewed[joined(c)] {
			g.open(c, r.path).tally.add(r)
		}
	}
	t := a.ordered("pageviews", "path")
	for _, one := range g.list {
		e, pageviews := &one.tally, 0
		if page := views.find(one.combination, one.key[0]); page != nil {
			pageviews = page.tally.pageviews
		}
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(pageviews), count(len(e.visitors)), count(len(e.sessions)),
			fraction(average(e.scrolled)), seconds(average(e.timed)), seconds(quantile(e.timed, 50)),
			fraction(average(e.interactions)), ratio(100*e.interacted, e.exits)))
	}
	return t
}

// A spanTally has the numbers of the engagement spans of a page.
type spanTally struct {
	sessions, visitors   set
	rage, dead, failures int64
}

func (a *evaluation) frustration() *table {
	g := tallies[spanTally](a, 1)
	for _, r := range a.among(of(spanRow)) {
		t := &g.open(a.combination(r), r.path).tally
		t.sessions.add(r.SessionID)
		t.visitors.add(r.Visitor())
		t.rage += r.rage
		t.dead += r.dead
		t.failures += r.failures
	}
	t := a.ordered("rage_clicks", "path")
	for _, one := range g.list {
		s := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[0]), count(len(s.sessions)), count(len(s.visitors)),
			whole(s.rage), whole(s.dead), whole(s.failures)))
	}
	return t
}
