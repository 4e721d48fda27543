package notice

import (
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
)

// settles is how long after the end of an hour its rows are complete: pages send some of them late.
const settles = 2 * time.Minute

// Due returns the name of the newest period that n looks at, at a time: of a day, week or month its first day, of
// [Notice.Unusual] every hour the start of that hour. It is empty for what is evaluated every minute.
func (n *Notice) Due(now time.Time) string {
	if n.Every == Minute {
		if n.Unusual {
			return n.hour(now).UTC().Format(time.RFC3339)
		}
		return ""
	}
	return due(n.Every, given(n.Hour, defaultHour), now.In(n.loc))
}

// Due returns the name of the newest period that r is about, at a time.
func (r *Report) Due(now time.Time) string {
	return due(r.Every, given(r.Hour, defaultHour), now.In(r.loc))
}

// due returns the first day of the newest day, week or month that is over, and whose hour of evaluation has passed.
func due(every Every, hour int, now time.Time) string {
	at := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if now.Hour() < hour {
		at = at.AddDate(0, 0, -1)
	}
	switch every {
	case Weekly:
		at = at.AddDate(0, 0, -(int(at.Weekday())+6)%7-7)
	case Monthly:
		at = time.Date(at.Year(), at.Month()-1, 1, 0, 0, 0, 0, time.UTC)
	default:
		at = at.AddDate(0, 0, -1)
	}
	return at.Format(time.DateOnly)
}

// hour returns the start of the last local hour that is over and whose rows have settled.
func (n *Notice) hour(now time.Time) time.Time {
	_, shift := now.In(n.loc).Zone()
	off := time.Duration(shift) * time.Second
	return now.Add(off - settles).Truncate(time.Hour).Add(-off - time.Hour)
}

// Window returns the time that n looks at, which is a notice about a number of the last hour or about silence.
func (n *Notice) Window(now time.Time) (from, to time.Time) {
	if n.Event == Silent {
		to = now.Truncate(time.Minute)
		return to.Add(-time.Duration(n.Silence()) * time.Minute), to
	}
	from = n.hour(now)
	return from, from.Add(time.Hour)
}

// Before returns the window from..to of a week that was so many weeks before, by local times.
func (n *Notice) Before(from, to time.Time, weeks int) (_, _ time.Time) {
	start := from.In(n.loc)
	start = time.Date(start.Year(), start.Month(), start.Day()-7*weeks, start.Hour(), start.Minute(), 0, 0, n.loc)
	return start, start.Add(to.Sub(from))
}

// Between returns a request about the time between two instants, which are whole minutes.
func (n *Notice) Between(from, to time.Time) ask.Request {
	return ask.Request{StartDate: from.UTC().Format(minuteFormat), EndDate: to.UTC().Format(minuteFormat),
		TimeZone: n.loc.String()}
}

// minuteFormat is an instant in UTC as questions take it.
const minuteFormat = "2006-01-02T15:04Z"

// Weeks returns requests about the days or weeks before the one that [Notice.Request] asks for, the newest first, and
// their starts. period comes from [Notice.Due].
func (n *Notice) Weeks(period string) (all []ask.Request, starts []time.Time) {
	first, err := time.Parse(time.DateOnly, period)
	if err != nil {
		return nil, nil
	}
	days := 1
	if n.Every == Weekly {
		days = 7
	}
	for week := 1; week <= UsualWeeks; week++ {
		from := first.AddDate(0, 0, -7*week)
		all = append(all, ask.Request{StartDate: from.Format(time.DateOnly),
			EndDate: from.AddDate(0, 0, days-1).Format(time.DateOnly), TimeZone: n.loc.String()})
		starts = append(starts, time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, n.loc))
	}
	return all, starts
}

// Request returns the range that n asks about and its comparison, without parameters, for all but the hours of
// [Notice.Window].
func (n *Notice) Request() ask.Request {
	req := periodRequest(n.Every, n.loc)
	if n.Every == Minute {
		req.Preset, req.WeekStart = n.Range, ask.Monday
	}
	if n.Changes != nil {
		req.Compare = ask.PreviousWeeks
	}
	return req
}

// ByHour reports whether n looks at the last hour that is over.
func (n *Notice) ByHour() bool { return n.Unusual && n.Every == Minute }
