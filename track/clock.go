package track

import (
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/intake"
)

// maxClockError is the largest ignored difference between the clocks of sender and server. If the difference is
// larger, the times of the events are moved by it.
const maxClockError = time.Minute

// A request that was sent so long before its arrival is late: the service worker of a page may repeat it hours or days
// later. Its times are not moved. A clock in another time zone looks the same. A clock that lost its date is further
// behind, and is corrected.
const (
	lateFrom = 90 * time.Minute
	lateTo   = 7 * 24 * time.Hour
)

// A clock finds the times of a request's items.
type clock struct {
	now    time.Time       // arrival of the request, in UTC
	sent   sql.Null[int64] // when the request was sent by the sender's clock, in milliseconds since 1970
	window time.Duration   // maximum age of items; 0 means that any age is allowed
	unless string          // ends the message about items that are older than window
}

// clock returns the clock for the items of r. If keyed, r was sent with a key.
func (h *handler) clock(r *front.Request, access Access, keyed bool) clock {
	c := clock{now: r.Now.UTC()}
	if strings.Contains(r.URL.RawQuery, "sent_at") {
		n, err := strconv.ParseInt(r.URL.Query().Get("sent_at"), 10, 64)
		c.sent = sql.Null[int64]{V: n, Valid: err == nil && max(n, -n) <= maxMillis}
	}
	if !keyed {
		c.window = max(0, h.cfg.Window)
	}
	if access == ByKeyOrWebsite {
		c.unless = " without a key"
	}
	return c
}

// moment returns the time of the item, or its arrival if the time is missing or later. A time before the year 2000 or
// before the tracking window is a mistake, and so is a day of which the website keeps no events.
func (c *clock) moment(f *fields) time.Time {
	t, name, ok := f.instant("timestamp")
	arrived := c.now.Truncate(time.Millisecond)
	if ok {
		t = c.corrected(f, t)
	}
	switch {
	case !ok || t.After(arrived):
		return arrived
	case t.Before(intake.Oldest()):
		f.fail(name, "too_small", "must not be before "+intake.Oldest().Format(time.DateOnly))
	case c.window > 0 && t.Before(c.now.Add(-c.window)):
		f.fail(name, "too_old", fmt.Sprintf("must not be more than %g hours before now%s", c.window.Hours(), c.unless))
		f.old = true
	case t.Before(f.keptFrom):
		f.fail(name, "too_old", fmt.Sprintf("must not be before %s: the website keeps events for %d days",
			f.keptFrom.Format(time.DateOnly), f.keptDays))
		f.old = true
	}
	return t
}

// corrected converts t from the sender's clock to the server's clock. The item or the request says when it was
// sent. t is moved if the clocks differ by more than maxClockError, unless the request is late.
func (c *clock) corrected(f *fields, t time.Time) time.Time {
	sent, name, ok := f.number("sentAt", "sent_at")
	if !ok {
		sent, ok = float64(c.sent.V), c.sent.Valid
	} else if math.Abs(sent) > maxMillis {
		f.drop(name)
		return t
	}
	ahead := int64(sent) - c.now.UnixMilli()
	late := -ahead > lateFrom.Milliseconds() && -ahead <= lateTo.Milliseconds()
	if !ok || late || max(ahead, -ahead) <= maxClockError.Milliseconds() {
		return t
	}
	if moved := time.UnixMilli(t.UnixMilli() - ahead).UTC(); intake.Sane(moved) {
		return moved
	}
	return t
}

// anInstant describes valid times in error messages.
const anInstant = "milliseconds since 1970, or a date and time of ISO 8601 as 2026-03-04T12:00:00Z"

const maxMillis = 1e15 // beyond the range of every store, and exact as a float

// instant returns an optional time: seconds or milliseconds since 1970, or text.
func (f *fields) instant(names ...string) (t time.Time, name string, ok bool) {
	v, name := f.get(names...)
	if s, text := v.(string); text {
		if t, ok := intake.Instant(s); ok {
			return t, name, true
		}
	}
	n, name, ok := f.number(names...)
	if !ok {
		return time.Time{}, name, false
	}
	if math.Abs(n) < intake.MaxSeconds {
		n *= 1000
	}
	if t = time.UnixMilli(int64(max(min(n, maxMillis), -maxMillis))).UTC(); !intake.Sane(t) {
		f.drop(name)
		return time.Time{}, name, false
	}
	return t, name, true
}
