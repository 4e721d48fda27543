package reference

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A reach is the time that a question asks about: [from, to) in milliseconds, and the days that it touches. It begins
// and ends with days, or at times.
type reach struct {
	from, to         int64
	days             span
	fromTime, toTime bool
}

func (r reach) timed() bool { return r.fromTime || r.toTime }

// An edge is the start or the end of a reach, in milliseconds.
type edge struct {
	at   int64
	day  time.Time
	time bool
}

func (r reach) start() edge { return edge{r.from, r.days.start, r.fromTime} }
func (r reach) end() edge   { return edge{r.to, r.days.end, r.toTime} }

func between(start, end edge) reach {
	return reach{start.at, max(start.at, end.at), span{start.day, end.day}, start.time, end.time}
}

// reach reads a start and an end: dates, local times to the minute, or instants.
func (c clock) reach(start, end string) (reach, error) {
	one, err := c.edge(start, false)
	if err != nil {
		return reach{}, err
	}
	two, err := c.edge(end, true)
	if err != nil {
		return reach{}, err
	}
	r := between(one, two)
	if two.day.Before(one.day) || r.timed() && two.at <= one.at {
		return reach{}, fmt.Errorf("%w: %s is after %s", ErrRange, start, end)
	}
	return r, nil
}

func (c clock) edge(text string, isEnd bool) (edge, error) {
	if !strings.Contains(text, "T") {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return edge{}, fmt.Errorf("%w: %w", ErrRange, err)
		}
		return c.ofDay(day, isEnd), nil
	}
	if at, err := time.Parse("2006-01-02T15:04Z07:00", text); err == nil {
		return c.ofTime(at.UnixMilli(), isEnd), nil
	}
	local, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		return edge{}, fmt.Errorf("%w: %w", ErrRange, err)
	}
	shown := c.showing(local.Unix())
	if len(shown) != 1 {
		return edge{}, fmt.Errorf("%w: clocks show %s %d times", ErrRange, text, len(shown))
	}
	return c.ofTime(shown[0]*1000, isEnd), nil
}

// ofDay returns the first instant of a day, or as an end the first instant after it.
func (c clock) ofDay(day time.Time, isEnd bool) edge {
	number := day.Unix() / daySeconds
	if isEnd {
		number++
	}
	return edge{at: c.first(number) * 1000, day: day}
}

// ofTime returns a start or an end at an instant. An end does not belong to its day if that begins then.
func (c clock) ofTime(ms int64, isEnd bool) edge {
	if isEnd {
		return edge{ms, c.today(ms - 1), true}
	}
	return edge{ms, c.today(ms), true}
}

// showing returns the instants, in seconds, at which the clock shows a local time, in order.
func (c clock) showing(local int64) (list []int64) {
	for quarter := local - 2*daySeconds; quarter < local+2*daySeconds; quarter += hourSeconds / 4 {
		at := local - c.shift(quarter)
		if c.shift(at) == local-at && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// moved returns an edge on another day at the same local time. If clocks skip that, it is the first instant that shows
// more; if they show it twice, the first one.
func (c clock) moved(e edge, to func(time.Time) time.Time, isEnd bool) edge {
	if !e.time {
		return c.ofDay(to(e.day), isEnd)
	}
	local := e.at/1000 + c.shift(e.at/1000)
	day := to(time.Unix(floorDiv(local, daySeconds)*daySeconds, 0).UTC())
	wanted := day.Unix() + floorMod(local, daySeconds)
	if shown := c.showing(wanted); len(shown) > 0 {
		return c.ofTime(shown[0]*1000, isEnd)
	}
	at := wanted - 2*daySeconds
	for at+c.shift(at) < wanted {
		at++
	}
	return c.ofTime(at*1000, isEnd)
}

// clockSeconds returns how much later the clock shows at the end of r than at its start. Days have 24 hours.
func (c clock) clockSeconds(r reach) int64 {
	shows := func(e edge, midnight int64) int64 {
		if !e.time {
			return midnight
		}
		return e.at/1000 + c.shift(e.at/1000)
	}
	return shows(r.end(), r.days.end.Unix()+daySeconds) - shows(r.start(), r.days.start.Unix())
}

// lately returns the time of a preset of minutes or hours, which ends with the one of now.
func (c clock) lately(preset string, now int64) (reach, bool) {
	minutes := map[string]int64{"last_30m": 30, "last_60m": 60}[preset]
	switch {
	case minutes > 0:
		to := floorDiv(now, minuteMillis)*minuteMillis + minuteMillis
		return between(c.ofTime(to-minutes*minuteMillis, false), c.ofTime(to, true)), true
	case preset != "last_24h":
		return reach{}, false
	}
	today := c.today(now)
	around := between(c.ofDay(today.AddDate(0, 0, -4), false), c.ofDay(today.AddDate(0, 0, 2), true))
	p := newPeriod(c, around, bucketKind{grain: "hourly"})
	i := slices.IndexFunc(p.stretches, func(s stretch) bool { return s.from <= now && now < s.to })
	end := i
	for p.stretches[end+1].bucket == p.stretches[i].bucket {
		end++
	}
	hours, start := map[int]bool{}, i
	for at := i; at >= 0; at-- {
		if hours[p.stretches[at].bucket] = true; len(hours) > 24 {
			break
		}
		start = at
	}
	return between(c.ofTime(p.stretches[start].from, false), c.ofTime(p.stretches[end].to, true)), true
}

// otherReach returns the time that a question about r is compared with, and a function that maps a day of r to the
// matching day.
func (q Question) otherReach(c clock, r reach) (reach, func(time.Time) time.Time, error) {
	byPlace := func(other reach) func(time.Time) time.Time {
		return func(d time.Time) time.Time { return other.days.start.Add(d.Sub(r.days.start)) }
	}
	if first, last, own := strings.Cut(q.Compare, ","); own {
		other, err := c.reach(first, last)
		return other, byPlace(other), err
	}
	if !r.timed() {
		days, day := q.before(r.days)
		return between(c.ofDay(days.start, false), c.ofDay(days.end, true)), day, nil
	}
	move := func(to func(time.Time) time.Time) reach {
		return between(c.moved(r.start(), to, false), c.moved(r.end(), to, true))
	}
	back := func(days int) reach {
		return move(func(d time.Time) time.Time { return d.AddDate(0, 0, -days) })
	}
	var other reach
	switch q.Compare {
	case PreviousYear:
		return move(yearBefore), yearBefore, nil
	case PreviousPeriod:
		other = between(c.ofTime(r.from-(r.to-r.from), false), c.ofTime(r.from, true))
	case PreviousYearWeeks:
		other = back(52 * 7)
	default:
		days := 7
		for int64(days)*daySeconds < c.clockSeconds(r) {
			days += 7
		}
		other = back(days)
	}
	return other, byPlace(other), nil
}

// cuts reports whether r begins or ends inside s, which are whole days.
func (c clock) cuts(r reach, s span) bool {
	return s.within(r.days) != s.length() ||
		r.fromTime && c.ofDay(s.start, false).at < r.from || r.toTime && c.ofDay(s.end, true).at > r.to
}
