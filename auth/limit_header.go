package auth

import (
	"net/http"
	"strconv"
	"time"
)

// A RateStatus describes a Decision to callers. The body of a 429 has its fields.
type RateStatus struct {
	Limit      int   `json:"limit"`
	Remaining  int   `json:"remaining"`
	Reset      int64 `json:"reset"`      // Unix milliseconds; 0 if unknown
	RetryAfter int64 `json:"retryAfter"` // whole seconds, at least 1
}

// RateStatus returns the description of d for callers at now.
func (d Decision) RateStatus(now time.Time) RateStatus {
	s := RateStatus{Limit: max(d.Limit, 0), Remaining: max(d.Remaining, 0), RetryAfter: max(wholeSeconds(d.Retry), 1)}
	if d.Retry <= 0 {
		s.RetryAfter = max(wholeSeconds(d.Reset.Sub(now)), 1)
	}
	if !d.Reset.IsZero() {
		s.Reset = d.Reset.UnixMilli()
	}
	return s
}

// SetHeaders sets the rate limit headers: X-RateLimit-Limit, -Remaining and -Reset (Unix milliseconds),
// RateLimit and RateLimit-Policy of the IETF draft, and after a refusal Retry-After. Without a limit it
// sets only Retry-After.
func (d Decision) SetHeaders(h http.Header, class Class, now time.Time) {
	s := d.RateStatus(now)
	if !d.OK {
		h.Set("Retry-After", strconv.FormatInt(s.RetryAfter, 10))
	}
	if d.Limit <= 0 {
		return
	}
	name, terms := string(class), windowTerms
	if d.Concurrent {
		name, terms = "concurrency", `qu="concurrent-requests"`
	}
	// Every response has these headers. Most of the time is saved by one text and one slice for all of
	// them, and by names in the canonical form of net/http.
	headers := [...]string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit-Policy",
		"Ratelimit"}
	var end [len(headers)]int
	b := strconv.AppendInt(make([]byte, 0, 128), int64(s.Limit), 10)
	end[0] = len(b)
	b = strconv.AppendInt(b, int64(s.Remaining), 10)
	end[1] = len(b)
	b = strconv.AppendInt(b, s.Reset, 10)
	end[2] = len(b)
	b = append(append(strconv.AppendQuote(b, name), ";q="...), b[:end[0]]...)
	b = append(append(b, ';'), terms...)
	end[3] = len(b)
	b = append(append(strconv.AppendQuote(b, name), ";r="...), b[end[0]:end[1]]...)
	b = strconv.AppendInt(append(b, ";t="...), max(wholeSeconds(d.Reset.Sub(now)), 0), 10)
	end[4] = len(b)
	text, begin := string(b), 0
	values := make([]string, len(headers))
	for i, header := range headers {
		values[i] = text[begin:end[i]]
		h[header] = values[i : i+1 : i+1]
		begin = end[i]
	}
}

// windowTerms are the terms of a policy with a limit per Window.
const windowTerms = "w=60"

// wholeSeconds returns d in seconds, rounded up, so that a caller who waits as long has waited enough.
func wholeSeconds(d time.Duration) int64 {
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}
