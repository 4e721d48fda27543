package reference

import "slices"

const (
	longestVisit = 28_800_000 // ms; the maximum duration
	bounceUnder  = 10_000     // ms
)

// A session has the events with one session id on one website, from its start until 24 hours later.
type session struct {
	id        string
	start     int64
	events    []*row // in order, without $ names
	pageviews []*row
	first     *row // the earliest page event, or nil
	fields    fields
	duration  int64 // ms
	bounced   bool
}

// holds reports whether an instant is within the session's 24 hours.
func (s *session) holds(at int64) bool { return s.start <= at && at-s.start < dayMillis }

// leads reports whether the session starts at most 24 hours after an instant.
func (s *session) leads(at int64) bool { return at < s.start && s.start-at <= dayMillis }

func (s *session) entry() *row { return s.pageviews[0] }
func (s *session) exit() *row  { return s.pageviews[len(s.pageviews)-1] }
func (s *session) end() int64  { return s.events[len(s.events)-1].at }

// A site has the rows of one subject and their sessions.
type site struct {
	rows      []*row
	sessions  []*session
	byVisitor map[string][]*row
}

// newSite builds the sessions of rows and sets the shown fields of every row.
func newSite(rows []row) *site {
	s := site{byVisitor: map[string][]*row{}}
	byID := map[string][]*row{}
	var ids []string
	for _, r := range rows {
		s.rows = append(s.rows, &r)
		s.byVisitor[r.Visitor()] = append(s.byVisitor[r.Visitor()], &r)
		if r.SessionID != "" && r.counted() {
			if byID[r.SessionID] == nil {
				ids = append(ids, r.SessionID)
			}
			byID[r.SessionID] = append(byID[r.SessionID], &r)
		}
	}
	formed := map[string][]*session{}
	for _, id := range ids {
		formed[id] = form(id, byID[id])
		s.sessions = append(s.sessions, formed[id]...)
	}
	for _, r := range s.rows {
		r.shown, r.session = r.own, nil
		in := sessionOf(r, formed[r.SessionID])
		r.filed = in
		if in == nil {
			continue
		}
		if in.first != nil {
			r.shown = in.fields
		}
		if in.holds(r.at) {
			r.session = in
		}
	}
	return &s
}

// form builds the sessions of one id from its events. An event starts a session if no other event is in the 24
// hours before it. Other events belong to the last session, if they are less than 24 hours after its start, and
// otherwise to none.
func form(id string, events []*row) []*session {
	slices.SortFunc(events, before)
	var all []*session
	for i, e := range events {
		if i == 0 || e.at-events[i-1].at > dayMillis {
			all = append(all, &session{id: id, start: e.at})
		}
		if last := all[len(all)-1]; last.holds(e.at) {
			last.events = append(last.events, e)
		}
	}
	for _, s := range all {
		s.measure()
	}
	return all
}

// measure computes the numbers of the whole session.
func (s *session) measure() {
	onPage, others := int64(0), 0
	for _, e := range s.events {
		if e.pageRow() && s.first == nil {
			s.first, s.fields = e, e.own
		}
		switch e.kind {
		case pageview:
			s.pageviews = append(s.pageviews, e)
		case exit:
			if e.timeOnPage.Valid {
				onPage += e.timeOnPage.V
			}
		default:
			others++ // custom events and clicks
		}
	}
	if len(s.pageviews) > 0 {
		s.fields.set(entryPage, s.entry().path)
		s.fields.set(exitPage, s.exit().path)
	}
	s.duration = min(max(s.end()-s.start, onPage), longestVisit)
	s.bounced = len(s.pageviews) == 1 && s.duration < bounceUnder && others == 0
}

// sessionOf returns the session that includes a row. If no session does, it returns the one that starts at most 24
// hours after the row.
func sessionOf(r *row, sessions []*session) *session {
	for _, s := range sessions {
		if s.holds(r.at) {
			return s
		}
	}
	for _, s := range sessions {
		if s.leads(r.at) {
			return s
		}
	}
	return nil
}
