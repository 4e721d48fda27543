package reference

import (
	"bytes"
	"math/big"
	"slices"
)

// sessions also answers session_list, which has the events as its last column.
func (a *evaluation) sessions() *table {
	t := a.table("session_id", "first_visit")
	t.order = []order{{"first_visit", true}}
	for _, s := range a.site.sessions {
		if !a.begins(s) {
			continue
		}
		cells := a.sessionCells(s)
		if columnOf(a.kind.Columns, "events") >= 0 {
			cells = append(cells, eventList(s.events[:min(len(s.events), 200)]))
		}
		t.rows = append(t.rows, a.ofWebsite(cells, s.first))
	}
	return t
}

func (a *evaluation) sessionCells(s *session) []value {
	cells := []value{
		text(withoutSite(s.id)), instant(s.start), instant(s.end()),
		fraction(big.NewRat(s.duration, 1000)), count(len(s.pageviews)), count(len(s.events)), truth(s.bounced),
	}
	from := a.names.traffic(s.fields.get("referrer"), s.fields.get(campaignKind))
	country := s.fields.get("country")
	return append(cells, texts([]string{
		s.entry().path, s.exit().path, withoutSite(s.first.Visitor()), withoutSite(s.first.ProfileID),
		a.names.country(country), country, a.names.country(country), s.fields.get("region"), s.fields.get("city"),
		from.referrer, from.source, from.kind, from.name,
		s.fields.get("device_type"), s.fields.get("browser_name"), s.fields.get("os_name"), s.fields.get("language"),
	})...)
}

// eventList returns a list of events as objects.
func eventList(events []*row) value {
	b := bytes.NewBufferString("[")
	for i, r := range events {
		if i > 0 {
			b.WriteByte(',')
		}
		object(b, eventColumns(), eventCells(r))
	}
	b.WriteByte(']')
	return raw(b.String())
}

func eventCells(r *row) []value {
	kind, name := "event", r.name
	switch r.kind {
	case pageview:
		kind = "pageview"
	case exit:
		kind = "exit"
	case click:
		kind, name = "click", r.href
	}
	return []value{text(r.id), instant(r.at), text(kind), text(name), text(r.path), raw(compact(r.properties))}
}

// sessionEvents lists the events that pass the filters, including events with $ names. The list has the events in
// the range, and all events of sessions with an event in the range.
func (a *evaluation) sessionEvents() *table {
	t := a.table("timestamp", "rank", "event_id", "kind of row", "keyed")
	t.hidden = []string{"rank", "kind of row", "keyed"}
	for _, r := range a.site.rows {
		near := a.period.holds(r.at) || r.session != nil && slices.ContainsFunc(r.session.events, func(e *row) bool {
			return a.period.holds(e.at)
		})
		if r.kind <= click && near && a.allHold(r) {
			keyed := count(0)
			if r.Keyed {
				keyed = count(1)
			}
			t.rows = append(t.rows,
				append(a.ofWebsite(eventCells(r), r), count(int(r.rank())), count(int(r.kind)), keyed))
		}
	}
	return t
}

// A profileTally counts the events of one visitor in the range.
type profileTally struct {
	events, pageviews, custom int
	hidden                    int // custom events with $ names, which do not count
	pages                     set
	first, last               *row
	sessions                  int
}

func (p *profileTally) add(r *row) {
	p.events++
	if r.kind == pageview {
		p.pageviews++
		p.pages.add(r.path)
	}
	if r.named() {
		p.custom++
	}
	if p.first == nil || before(r, p.first) < 0 {
		p.first = r
	}
	if p.last == nil || before(r, p.last) > 0 {
		p.last = r
	}
}

func (a *evaluation) profiles() *table {
	var g groups[profileTally]
	for _, r := range a.among((*row).counted) {
		if who := r.Visitor(); who != "" {
			g.open(nil, who).tally.add(r)
		}
	}
	for _, s := range a.site.sessions {
		if !a.begins(s) {
			continue
		}
		var there set
		for _, r := range s.events {
			if a.passes(r) {
				there.add(r.Visitor())
			}
		}
		for who := range there {
			g.find(nil, who).tally.sessions++
		}
	}
	for _, r := range a.among(func(r *row) bool { return r.named() && !r.counted() }) {
		if one := g.find(nil, r.Visitor()); one != nil {
			one.tally.hidden++
		}
	}
	t := a.ordered("last_visit", "visitor_id")
	for _, one := range g.list {
		if p := &one.tally; p.pageviews+p.custom > 0 {
			cells := append([]value{text(withoutSite(one.key[0]))}, a.profileCells(p)...)
			t.rows = append(t.rows, a.ofWebsite(cells, p.last))
		}
	}
	return t
}

// profileCells returns the cells after the visitor. The names are empty, because events have none.
func (a *evaluation) profileCells(p *profileTally) []value {
	f := &p.last.shown
	country := f.get("country")
	cells := []value{
		text(withoutSite(p.last.ProfileID)), text(""), instant(p.first.at), instant(p.last.at), count(p.sessions),
		count(p.events), count(p.pageviews), count(len(p.pages)), count(p.custom + p.hidden),
	}
	return append(cells, texts([]string{
		a.names.country(country), country, a.names.country(country), f.get("region"),
		f.get("device_type"), f.get("browser_name"), f.get("os_name"),
		a.names.traffic(f.get("referrer"), f.get(campaignKind)).referrer,
	})...)
}
