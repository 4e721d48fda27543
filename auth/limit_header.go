package auth

import (
	"net/http"
	"strconv"
	"time"
)

// A RateStatus is a Decision in the form that callers see; the body of a 429 has its fields.
type RateStatus struct {
	Limit      int   `json:"limit"`
	Remaining  int   `json:"remaining"`
	Reset      int64 `json:"reset"`      // Unix milliseconds; 0 when there is no such time
	RetryAfter int64 `json:"retryAfter"` // whole seconds, at least 1
}

// RateStatus is d as callers see it at the instant now.
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

// SetHeaders sets the headers that tell a caller what is left: the customary X-RateLimit ones, with
// X-RateLimit-Reset in Unix milliseconds; RateLimit and RateLimit-Policy of the IETF's draft; and after
// a refusal Retry-After. Without a limit it sets only Retry-After.
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
	// Every answer has these: one text and one slice for all, and names as net/http spells
	// them, save most of the work.
	headers := [...]string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit-Policy", "Ratelimit"}
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

// windowTerms are those of a policy per Window.
const windowTerms = "w=60"

// wholeSeconds is d in seconds, rounded up: who waits that long has waited long enough.
func wholeSeconds(d time.Duration) int64 {
	whole := int64(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}
