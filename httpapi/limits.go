package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// window is the time that limits are for.
const window = 60 * time.Second

// limited is a limiter's no.
type limited struct {
	auth.Decision
	retry time.Duration // whole seconds, at least one
}

func (l *limited) Error() string { return "httpapi: rate limit exceeded" }

// retryAfter is how long d tells the caller to wait, in whole seconds.
func retryAfter(d auth.Decision, now time.Time) time.Duration {
	return max(ceilSeconds(d.Reset.Sub(now)), time.Second)
}

// limitHeaders tells the caller where they stand: in the headers that are in use, and
// in those of the IETF's draft.
func (c *call) limitHeaders(h http.Header, now time.Time) {
	d := c.decision
	if d.Limit <= 0 {
		return
	}
	remaining := max(d.Remaining, 0)
	h.Set("X-RateLimit-Limit", strconv.Itoa(d.Limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(unixMilli(d.Reset), 10))
	h.Set("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%s", c.route.class, d.Limit, seconds(window)))
	h.Set("RateLimit", fmt.Sprintf("%q;r=%d;t=%s", c.route.class, remaining, seconds(max(ceilSeconds(d.Reset.Sub(now)), 0))))
}

func ceilSeconds(d time.Duration) time.Duration {
	if whole := d.Truncate(time.Second); whole < d {
		return whole + time.Second
	}
	return d.Truncate(time.Second)
}

// unixMilli is t in Unix milliseconds; 0 when there is no such time.
func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
