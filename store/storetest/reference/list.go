package reference

import "math/big"

func (a *asking) sessions() *table {
	t := a.table("session_id", "first_visit")
	t.order = []order{{"first_visit", true}}
	for _, s := range a.site.sessions {
		if a.begins(s) {
			t.rows = append(t.rows, a.sessionCells(s))
		}
	}
	return t
}

func (a *asking) sessionCells(s *session) []value {
	cells := []value{
		text(s.id), instant(s.start), instant(s.end()),
		fraction(big.NewRat(s.duration, 1000)), count(len(s.pageviews)), count(len(s.events)), truth(s.bounced),
	}
	from := a.names.source(s.fields.get("referrer"))
	country := s.fields.get("country")
	return append(cells, texts([]string{
		s.entry().path, s.exit().path, s.first.Visitor(), s.first.ProfileID,
		a.names.country(country), country, a.names.country(country), s.fields.get("region"), s.fields.get("city"),
		from.referrer, from.source, from.kind, from.name,
		s.fields.get("device_type"), s.fields.get("browser_name"), s.fields.get("os_name"), s.fields.get("language"),
	})...)
}

// An eventTally is what custom_events and errors say of the rows that share a key.
type eventTally struct {
	rows            int
	users, sessions set
	first, last     *row
	withProperties  int
}

func (t *eventTally) add(r *row) {
	t.rows++
	t.users.add(r.Visitor())
	t.sessions.add(r.SessionID)
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

func (a *asking) customEvents() *table {
	var g groups[eventTally]
	for _, r := range a.among((*row).named) {
		g.open(a.combination(r), r.name).tally.add(r)
	}
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
			instant(e.first.at), instant(e.last.at), count(e.withProperties), ratio(100*len(e.users), sum)))
	}
	return t
}

func (a *asking) errors() *table {
	var g groups[eventTally]
	sum := 0
	for _, r := range a.among(of(errorRow)) {
		g.open(a.combination(r), r.message, r.errorType).tally.add(r)
		sum++
	}
	t := a.ordered("count", "message", "error_type")
	for _, one := range g.list {
		e := &one.tally
		t.rows = append(t.rows, append(texts(one.combination),
			text(one.key[0]), text(one.key[1]), text(e.last.path), count(e.rows), count(len(e.users)),
			count(len(e.sessions)), instant(e.first.at), instant(e.last.at), ratio(100*e.rows, sum)))
	}
	return t
}
