package reference

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The periods with which an answer can be compared.
const (
	PreviousPeriod    = "previous_period"
	PreviousYear      = "previous_year"
	PreviousWeeks     = "previous_weeks"
	PreviousYearWeeks = "previous_year_weeks"
)

// Compared has the rows of an answer. With a comparison it also has the row of the compared period for each
// row, and the changes. All are JSON arrays of objects, with null for rows missing in the compared period.
type Compared struct {
	Rows     []byte
	Previous []byte // nil if the question has no comparison
	Changes  []byte
	Totals   []byte // a JSON object; nil if the question or the type has no totals
}

// beside returns, for each row of t, the matching row of other and the changes. Rows of the dates in unequal have none.
func (t *table) beside(other *table, dates map[string]string, unequal []string) (previous, changes []byte) {
	rows := map[string][]value{}
	for _, r := range other.rows {
		rows[other.keyOf(r, nil)] = r
	}
	var metric []Column
	date := columnOf(t.columns, "date")
	for _, c := range t.columns {
		if c.Kind == Number {
			metric = append(metric, c)
		}
	}
	var one, two []string
	for _, r := range t.rows {
		then, ok := rows[t.keyOf(r, dates)]
		if !ok {
			one, two = append(one, "null"), append(two, "null")
			continue
		}
		var b, c bytes.Buffer
		t.object(&b, then)
		var changed []value
		for _, m := range metric {
			changed = append(changed, change(r[t.at(m.Name)], then[t.at(m.Name)]))
		}
		object(&c, metric, changed)
		one = append(one, b.String())
		if date >= 0 && slices.Contains(unequal, r[date].text) {
			two = append(two, "null")
			continue
		}
		two = append(two, c.String())
	}
	return list(one), list(two)
}

func list(items []string) []byte { return []byte("[" + strings.Join(items, ",") + "]") }

// keyOf returns the key of a row. dates, if not nil, maps the row's date to the matching date of the compared
// period.
func (t *table) keyOf(r []value, dates map[string]string) string {
	var parts []string
	for _, k := range t.keys {
		text := r[t.at(k)].json()
		if k == "date" && dates != nil {
			text = quoted(dates[r[t.at(k)].text])
		}
		parts = append(parts, text)
	}
	return joined(parts)
}

// change returns by how many percent a is larger than b. From 10^13 on, where doubles do not hold two decimals, it is
// the nearest double.
func change(a, b value) value {
	if a.kind != numberValue || b.kind != numberValue || b.number.Sign() == 0 {
		return value{}
	}
	by := new(big.Rat).Sub(a.number, b.number)
	by.Quo(by.Mul(by, big.NewRat(100, 1)), b.number)
	if nearest, _ := by.Float64(); math.Abs(nearest) >= 1e13 {
		by.SetString(strconv.FormatFloat(nearest, 'f', -1, 64))
	}
	return fraction(by)
}

// A span is a range of days, as dates at midnight UTC.
type span struct{ start, end time.Time }

// length returns the number of days.
func (s span) length() int { return int(s.end.Sub(s.start).Hours()/24) + 1 }

// Preset returns the first and last day of a preset if today is the given day. weekStart is monday, or else weeks start
// on Sunday.
func Preset(name string, today time.Time, weekStart string) (start, end time.Time) {
	y, m, d := today.Date()
	date := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	first := d - int(today.Weekday())
	if weekStart == "monday" {
		first = d - int(today.Weekday()+6)%7
	}
	switch name {
	case "yesterday":
		return date(y, m, d-1), date(y, m, d-1)
	case "this_week":
		return date(y, m, first), date(y, m, d)
	case "last_week":
		return date(y, m, first-7), date(y, m, first-1)
	case "this_month":
		return date(y, m, 1), date(y, m, d)
	case "last_month":
		return date(y, m-1, 1), date(y, m, 0)
	case "this_year":
		return date(y, 1, 1), date(y, m, d)
	case "last_year":
		return date(y-1, 1, 1), date(y-1, 12, 31)
	case "last_6m":
		return date(y, m-5, 1), date(y, m, d)
	case "last_12m":
		return date(y, m-11, 1), date(y, m, d)
	}
	days := max(1, map[string]int{"last_7d": 7, "last_14d": 14, "last_28d": 28, "last_30d": 30, "last_90d": 90,
		"last_180d": 180, "last_365d": 365}[name])
	return date(y, m, d-days+1), date(y, m, d)
}

// yearBefore returns the same date a year earlier, or the last day of February.
func yearBefore(d time.Time) time.Time {
	then := d.AddDate(-1, 0, 0)
	if then.Month() != d.Month() {
		then = then.AddDate(0, 0, -1)
	}
	return then
}

// before returns the period with which r is compared, and a function that maps a day of r to the matching day
// of that period.
func (q Question) before(r span) (span, func(time.Time) time.Time) {
	if q.Compare == PreviousYear {
		return span{yearBefore(r.start), yearBefore(r.end)}, yearBefore
	}
	days := r.length()
	other := span{r.start.AddDate(0, 0, -days), r.start.AddDate(0, 0, -1)}
	moved := func(days int) span { return span{r.start.AddDate(0, 0, -days), r.end.AddDate(0, 0, -days)} }
	y, m, _ := r.start.Date()
	preset := q.Preset
	switch q.Compare {
	case PreviousPeriod:
	case PreviousWeeks:
		back := 7
		for back < days {
			back += 7
		}
		other, preset = moved(back), ""
	case PreviousYearWeeks:
		other, preset = moved(52*7), ""
	}
	switch preset {
	case "this_week", "last_week":
		other = span{r.start.AddDate(0, 0, -7), r.start.AddDate(0, 0, -1)}
	case "this_month", "last_month":
		other = span{time.Date(y, m-1, 1, 0, 0, 0, 0, time.UTC), time.Date(y, m, 0, 0, 0, 0, 0, time.UTC)}
	case "this_year":
		other = span{time.Date(y-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(y-1, 12, 31, 0, 0, 0, 0, time.UTC)}
	case "last_year":
		other = span{r.start.AddDate(-1, 0, 0), r.end.AddDate(-1, 0, 0)}
	case "last_6m":
		other = span{r.start.AddDate(0, -6, 0), r.start.AddDate(0, 0, -1)}
	case "last_12m":
		other = span{r.start.AddDate(-1, 0, 0), r.start.AddDate(0, 0, -1)}
	}
	return other, func(d time.Time) time.Time { return other.start.Add(d.Sub(r.start)) }
}

// other returns the evaluation for the compared period, and a map from each date of a to the matching date. If
// the period of a has not ended, both periods end at the same point. A compared period of the caller's choice ends now
// at the latest, and does not shorten a.
func (a *evaluation) other(q Question, r reach) (*evaluation, map[string]string, error) {
	clock := a.period.clock
	whole, day, err := q.otherReach(clock, r)
	if err != nil {
		return nil, nil, err
	}
	soon := a.now
	if q.Now.Nanosecond()%1_000_000 != 0 {
		soon++
	}
	own, counted, last, lastThen := strings.Contains(q.Compare, ","), whole, r.days.end, whole.days.end
	today := clock.today(a.now)
	switch then := day(today); {
	case own:
		counted.to = max(whole.from, min(whole.to, soon))
	case a.now >= r.to:
	case r.timed():
		a.period.to = max(r.from, min(r.to, soon))
		to := whole.from + a.period.to - r.from
		if q.Compare != PreviousPeriod && soon > r.from {
			to = clock.when(then.Unix()/daySeconds, clock.reading(a.now)+soon-a.now)
		} else if q.Compare == PreviousPeriod {
			then = clock.today(to)
		}
		counted.to = max(whole.from, min(whole.to, to))
		last, lastThen = earlier(last, today), earlier(lastThen, then)
	case today.Before(r.days.start):
		a.period.to, counted.to, last = r.from, whole.from, today
	default:
		a.period.to, last = soon, earlier(last, today)
		if !then.After(whole.days.end) {
			whole, lastThen = between(whole.start(), clock.ofDay(then, true)), then
			until := clock.when(then.Unix()/daySeconds, clock.reading(a.now)+soon-a.now)
			counted = whole
			counted.to = min(whole.to, until)
		}
	}
	p := newPeriod(clock, between(whole.start(), edge{at: whole.to}), q.buckets())
	p.to = counted.to
	return a.matched(q, r, p, day, func(label, then string) bool {
		one, two := q.bucket(label), q.bucket(then)
		uncut, _, _ := q.otherReach(clock, r) // it was read above
		return (clock.cuts(r, one) || clock.cuts(uncut, two)) &&
			one.within(span{r.days.start, last}) != two.within(span{whole.days.start, lastThen})
	})
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// matched returns the evaluation for the period p, and the matching dates. It notes which weeks and months are unequal.
func (a *evaluation) matched(q Question, r reach, p *period, day func(time.Time) time.Time,
	unequal func(label, then string) bool) (*evaluation, map[string]string, error) {
	a.unequal = nil
	then := *a
	then.period, then.begun = p, p.begunAt(p.to)
	beside := map[string]string{}
	for i, label := range a.period.labels {
		switch kind := q.buckets(); {
		case kind.byPlace() && i >= len(p.labels):
		case kind.byPlace():
			beside[label] = p.labels[i]
			if kind.whole() && unequal(label, p.labels[i]) {
				a.unequal = append(a.unequal, label)
			}
		default:
			date, err := time.Parse(time.DateOnly, label[:10])
			if err != nil {
				return nil, nil, err
			}
			beside[label] = day(date).Format(time.DateOnly) + label[10:]
		}
	}
	return &then, beside, nil
}

// bucket returns the days of the week or month that begins on the day of a label.
func (q Question) bucket(label string) span {
	start, _ := time.Parse(time.DateOnly, label) // labels are dates
	if q.buckets().grain == "monthly" {
		return span{start, start.AddDate(0, 1, -1)}
	}
	return span{start, start.AddDate(0, 0, 6)}
}

// within returns the number of days of s that are in t.
func (s span) within(t span) (days int) {
	for d := s.start; !d.After(s.end); d = d.AddDate(0, 0, 1) {
		if !d.Before(t.start) && !d.After(t.end) {
			days++
		}
	}
	return days
}

func (c clock) today(now int64) time.Time {
	return time.Unix(c.day(floorDiv(now, 1000))*daySeconds, 0).UTC()
}

// reading returns the local time of day at an instant, in milliseconds since midnight. If the clock was set
// back and shows yesterday again, it returns at most an hour.
func (c clock) reading(ms int64) int64 {
	at := floorDiv(ms, 1000)
	if c.shown(at) < c.day(at) {
		return floorMod(ms-c.offset(at).from*1000, hourSeconds*1000)
	}
	return floorMod(ms+c.shift(at)*1000, dayMillis)
}

// when returns the first instant of a day at which the clock shows reading or more, searching second by second.
// It returns the end of the day if the instant is missing.
func (c clock) when(day, reading int64) int64 {
	end := c.first(day + 1)
	for at := c.first(day); at < end; at++ {
		switch shows := c.reading(at * 1000); {
		case shows >= reading:
			return at * 1000
		case shows+1000 > reading:
			return at*1000 + reading - shows
		}
	}
	return end * 1000
}

// begun removes rows of buckets that begin after the period ended.
func (t *table) begun(p *period) {
	date := columnOf(t.columns, "date")
	if date < 0 {
		return
	}
	first := map[string]int64{}
	for _, s := range p.stretches {
		if label := p.labels[s.bucket]; first[label] == 0 {
			first[label] = s.from
		}
	}
	t.rows = slices.DeleteFunc(t.rows, func(r []value) bool { return first[r[date].text] >= p.to })
}
