package track

import (
	"strings"
	"time"
)

// oldest is the earliest instant that is believed.
var oldest = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// skew is how far the clocks of senders may be ahead.
const skew = time.Hour

// moment is when the item happened: now when it does not say so. Instants that are not
// believed, or not of this sender, are a mistake.
func (c *call) moment(f *fields) time.Time {
	t, name, ok := f.instant("timestamp")
	switch window := c.h.cfg.Window; {
	case !ok:
		return c.now.Truncate(time.Millisecond)
	case t.Before(oldest):
		f.fail(name, "too_small", "not before %s", oldest.Format(time.DateOnly))
	case t.After(c.now.Add(skew)):
		f.fail(name, "too_big", "not more than one hour from now")
	case c.key == nil && window > 0 && t.Before(c.now.Add(-window)):
		without := ""
		if c.route.access == ByKeyOrWebsite {
			without = " without a key"
		}
		f.fail(name, "too_old", "not more than %g hours before now%s", window.Hours(), without)
		f.old = true
		_ = c.turnAway(f.ctx, codeTooOld, c.home)
	}
	return t
}

// layouts are the forms of instants that are no number. Without a zone they are UTC.
var layouts = [...]string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly, time.RFC1123, time.RFC1123Z,
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04",
}

// anInstant is what senders are told to write.
const anInstant = "milliseconds since 1970, or a date and time of ISO 8601 as 2026-03-04T12:00:00Z"

// instant returns an optional instant, in milliseconds since 1970 or as text.
func (f *fields) instant(names ...string) (t time.Time, name string, ok bool) {
	v, name := f.get(names...)
	if s, text := v.(string); text {
		s = strings.TrimSpace(s)
		for _, l := range layouts {
			if t, err := time.Parse(l, s); err == nil && sane(t) {
				return t.UTC().Truncate(time.Millisecond), name, true
			}
		}
	}
	ms, name, ok := f.numeric(anInstant, names...)
	if !ok {
		return time.Time{}, name, false
	}
	if t = time.UnixMilli(int64(max(min(ms, 1e15), -1e15))).UTC(); !sane(t) {
		f.fail(name, "invalid_value", "expected %s", anInstant)
		return time.Time{}, name, false
	}
	return t, name, true
}

// sane reports whether t is an instant that any store can hold.
func sane(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }
