package reference

import (
	"fmt"
	"math"
	"time"
)

const (
	hourSeconds = 3600
	daySeconds  = 24 * hourSeconds
	dayMillis   = daySeconds * 1000

	minuteMillis = 60_000
)

// A clock is a local wall clock: it shows dates and hours for instants, given in seconds since 1970. It is not
// safe for concurrent use.
type clock struct {
	loc  *time.Location
	last *offset // the offset of the previous instant, because most instants have the same offset
}

func newClock(loc *time.Location) clock { return clock{loc, &offset{}} }

// An offset is a time during which a clock is not set: [from, to) in seconds since 1970. shift is the difference to
// UTC in seconds during that time, and before is the difference before from.
type offset struct{ from, to, shift, before int64 }

// never is earlier than every change of a clock.
const never = math.MinInt64

func (c clock) offset(at int64) offset {
	if at >= c.last.from && at < c.last.to {
		return *c.last
	}
	t := time.Unix(at, 0).In(c.loc)
	_, shift := t.Zone()
	o := offset{from: never, to: math.MaxInt64, shift: int64(shift)}
	set, next := t.ZoneBounds()
	if !set.IsZero() {
		_, before := set.Add(-time.Second).Zone()
		o.from, o.before = set.Unix(), int64(before)
	}
	if !next.IsZero() {
		o.to = next.Unix()
	}
	*c.last = o
	return o
}

func (c clock) shift(at int64) int64 { return c.offset(at).shift }

// shown returns the date that the clock shows, as days since 1970.
func (c clock) shown(at int64) int64 { return floorDiv(at+c.shift(at), daySeconds) }

// day returns the local day to which an instant belongs, in days since 1970. That is the date that the clock
// shows, except after the clock was set back over midnight: such instants belong to the day after midnight,
// although the clock shows the day before again.
func (c clock) day(at int64) int64 {
	d := c.shown(at)
	if o := c.offset(at); o.from != never {
		d = max(d, floorDiv(o.from-1+o.before, daySeconds))
	}
	return d
}

// hour returns the local hour to which an instant belongs, within its day.
func (c clock) hour(at int64) int64 {
	if c.shown(at) < c.day(at) {
		return 0 // the clock shows yesterday again
	}
	return floorMod(at+c.shift(at), daySeconds) / hourSeconds
}

// first returns the first instant of a day, or of the next day if the day does not exist.
func (c clock) first(day int64) int64 {
	low, high := (day-2)*daySeconds, (day+3)*daySeconds
	for low < high {
		mid := low + (high-low)/2
		if c.day(mid) >= day {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// A stretch is a continuous part of one bucket's time: [from, to) in milliseconds.
type stretch struct {
	from, to int64
	bucket   int
}

// A period is the range of a question with its buckets. If a clock is set back, a bucket may have several
// stretches.
type period struct {
	clock     clock
	from, to  int64 // [from, to) in milliseconds
	kind      bucketKind
	labels    []string // labels of the buckets, in order
	index     map[string]int
	stretches []stretch
}

// A bucketKind says what the buckets of a series are.
type bucketKind struct {
	grain    string // as in Question
	firstDay time.Weekday
}

// buckets returns the buckets of q.
func (q Question) buckets() bucketKind {
	kind := bucketKind{grain: q.Grain}
	switch {
	case q.Grain != "":
	case q.Type == "retention":
		kind.grain = "weekly"
	case q.Preset == "last_24h":
		kind.grain = "hourly"
	case q.Preset == "last_30m" || q.Preset == "last_60m":
		kind.grain = "minute"
	}
	if q.WeekStart == "monday" {
		kind.firstDay = time.Monday
	}
	return kind
}

// byPlace reports whether buckets match those of another period by their place.
func (k bucketKind) byPlace() bool { return k.whole() || k.grain == "minute" }

// whole reports whether buckets are weeks or months.
func (k bucketKind) whole() bool { return k.grain == "weekly" || k.grain == "monthly" }

// clockOf returns the clock of a zone.
func clockOf(zone string) (clock, error) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return clock{}, fmt.Errorf("%w: %w", ErrRange, err)
	}
	return newClock(loc), nil
}

func newPeriod(c clock, r reach, kind bucketKind) *period {
	p := &period{clock: c, from: r.from, to: r.to, kind: kind, index: map[string]int{}}
	p.walk(r.from/1000, r.to/1000)
	return p
}

// recent returns the time range of a window that ends now. Today begins with the first instant of the local day,
// and excludes now. The other windows have the last minutes, and include now.
func (c clock) recent(w Window, now int64) *period {
	switch w {
	case Today:
		today := c.day(floorDiv(now, 1000))
		return &period{clock: c, from: c.first(today) * 1000, to: now}
	case Active:
		return &period{clock: c, from: now - 5*minuteMillis + 1, to: now + 1}
	default:
		return &period{clock: c, from: now - 2*minuteMillis + 1, to: now + 1}
	}
}

// walk splits the range at the start of every local day or hour, or of every minute, and at every change of the clock.
func (p *period) walk(from, to int64) {
	width := int64(daySeconds)
	if p.kind.grain == "hourly" {
		width = hourSeconds
	}
	for at := from; at < to; {
		next := at + width - floorMod(at+p.clock.shift(at), width)
		if p.kind.grain == "minute" {
			next = at + 60 - floorMod(at, 60)
		}
		// In a leap year, the time package may end a zone's bounds before the last day of the year.
		if _, set := time.Unix(at, 0).In(p.clock.loc).ZoneBounds(); !set.IsZero() && set.Unix() > at {
			next = min(next, set.Unix())
		}
		next = min(next, to)
		label := p.label(at)
		i, known := p.index[label]
		if !known {
			i = len(p.labels)
			p.index[label] = i
			p.labels = append(p.labels, label)
		}
		p.stretches = append(p.stretches, stretch{at * 1000, next * 1000, i})
		at = next
	}
}

// label returns the label of the bucket to which an instant belongs. at is in seconds.
func (p *period) label(at int64) string {
	day := time.Unix(p.clock.day(at)*daySeconds, 0).UTC()
	switch p.kind.grain {
	case "minute":
		return time.Unix(at-floorMod(at, 60), 0).In(p.clock.loc).Format("2006-01-02T15:04-07:00")
	case "hourly":
		return fmt.Sprintf("%s %02d:00:00", day.Format(time.DateOnly), p.clock.hour(at))
	case "weekly":
		for day.Weekday() != p.kind.firstDay {
			day = day.AddDate(0, 0, -1)
		}
	case "monthly":
		day = day.AddDate(0, 0, 1-day.Day())
	}
	return day.Format(time.DateOnly)
}

// begunAt returns how many buckets begin before an instant in milliseconds.
func (p *period) begunAt(ms int64) int {
	begun := 0
	for _, s := range p.stretches {
		if s.from < ms {
			begun = max(begun, s.bucket+1)
		}
	}
	return begun
}

func (p *period) holds(ms int64) bool { return p.from <= ms && ms < p.to }

// bucket returns the index of the bucket to which an instant belongs. ms is in milliseconds.
func (p *period) bucket(ms int64) int { return p.index[p.label(floorDiv(ms, 1000))] }

func floorDiv(a, b int64) int64 { return (a - floorMod(a, b)) / b }

func floorMod(a, b int64) int64 { return ((a % b) + b) % b }
