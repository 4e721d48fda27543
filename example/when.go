//go:build cgo

package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// parseSpan reads a length of time: whole days as 90d, or hours, minutes and seconds as
// 1h30m. It is not negative.
func parseSpan(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 64)
		if err == nil && n >= 0 && n <= math.MaxInt64/int64(oneDay) {
			return time.Duration(n) * oneDay, nil
		}
		return 0, errNoSpan
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errNoSpan
	}
	return d, nil
}

var (
	errNoSpan    = errors.New("not a length of time like 90d or 1h30m")
	errNoInstant = errors.New("not a day like 2027-01-31, an instant like 2027-01-31T15:00:00Z or a length of time like 90d")
)

// parseInstant reads a UTC day, which means its beginning, an instant as in RFC 3339, or
// a length of time from now on or, when it looks back, before now.
func parseInstant(text string, now time.Time, back bool) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	d, err := parseSpan(text)
	if err != nil {
		return time.Time{}, errNoInstant
	}
	if back {
		d = -d
	}
	return now.Add(d).UTC(), nil
}
