// Package catalog says what can be asked: query types, the tables that they count, and their fields and metrics.
package catalog

import "github.com/sightline-analytics/sightline/query/calendar"

// A Reach counts the UTC days before and after a day whose rows decide what is computed of the day.
type Reach struct{ Before, After int64 }

// Margin is the time around a range, in milliseconds, in which a statement reads events so that the sessions of the
// rows are whole: one day to find the start of a session, and one day that it lasts.
const Margin = 2 * calendar.Day

// The reach of each kind of rows. A session that begins on a day has its events until one day later. Whether it begins
// there depends on the day before. If earlier rows belong to it, it also depends on the session before it, which began
// up to two days earlier. The session of a row began up to one day before the row. The first page event of a session
// decides the fields of its rows, and comes up to one day after the session began.
var (
	ReachOfSessions   = Reach{3, 1}
	ReachOfPageEvents = Reach{Margin / calendar.Day, 0} // the first page event of their session is never later
	ReachOfEvents     = Reach{Margin / calendar.Day, 1}
	ReachOfEarlyRows  = Reach{Margin / calendar.Day, 2} // rows that may come up to one day before their session
)

// Around returns w with the days of r on both sides.
func (r Reach) Around(w calendar.Interval) calendar.Interval {
	return w.Widen(r.Before*calendar.Day, r.After*calendar.Day)
}

// Twice returns the reach of rows whose sessions are formed of the rows that pass filters by session: the sessions that
// decide about these filters reach as far again.
func (r Reach) Twice() Reach {
	return Reach{max(r.Before, 2*ReachOfEvents.Before), 2 * r.After}
}
