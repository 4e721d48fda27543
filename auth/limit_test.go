package auth_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

func TestDecisionHeaders(t *testing.T) {
	now := time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)
	after := now.Add
	const noon = 1774785600000
	for _, row := range []struct {
		name     string
		decision auth.Decision
		status   auth.RateStatus
		header   http.Header
	}{
		{"allowed", auth.Decision{OK: true, Limit: 120, Remaining: 7, Reset: after(56_500 * time.Millisecond)},
			auth.RateStatus{Limit: 120, Remaining: 7, Reset: noon + 56_500, RetryAfter: 57}, http.Header{
				"X-Ratelimit-Limit": {"120"}, "X-Ratelimit-Remaining": {"7"}, "X-Ratelimit-Reset": {"1774785656500"},
				"Ratelimit-Policy": {`"query";q=120;w=60`}, "Ratelimit": {`"query";r=7;t=57`}}},
		{"allowed, with a full bucket", auth.Decision{OK: true, Limit: 120, Remaining: 120, Reset: now},
			auth.RateStatus{Limit: 120, Remaining: 120, Reset: noon, RetryAfter: 1}, http.Header{
				"X-Ratelimit-Limit": {"120"}, "X-Ratelimit-Remaining": {"120"}, "X-Ratelimit-Reset": {"1774785600000"},
				"Ratelimit-Policy": {`"query";q=120;w=60`}, "Ratelimit": {`"query";r=120;t=0`}}},
		{"allowed, without limit", auth.Decision{OK: true}, auth.RateStatus{RetryAfter: 1}, http.Header{}},
		{"refused, with Retry", auth.Decision{Limit: 120, Reset: after(time.Minute), Retry: 1001 * time.Millisecond},
			auth.RateStatus{Limit: 120, Reset: noon + 60_000, RetryAfter: 2}, http.Header{"Retry-After": {"2"},
				"X-Ratelimit-Limit": {"120"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1774785660000"},
				"Ratelimit-Policy": {`"query";q=120;w=60`}, "Ratelimit": {`"query";r=0;t=60`}}},
		{"refused until Reset", auth.Decision{Limit: 120, Remaining: -3, Reset: after(3 * time.Second)},
			auth.RateStatus{Limit: 120, Reset: noon + 3000, RetryAfter: 3}, http.Header{"Retry-After": {"3"},
				"X-Ratelimit-Limit": {"120"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1774785603000"},
				"Ratelimit-Policy": {`"query";q=120;w=60`}, "Ratelimit": {`"query";r=0;t=3`}}},
		{"refused for less than a second",
			auth.Decision{Limit: 6000, Reset: after(time.Millisecond), Retry: time.Microsecond},
			auth.RateStatus{Limit: 6000, Reset: noon + 1, RetryAfter: 1}, http.Header{"Retry-After": {"1"},
				"X-Ratelimit-Limit": {"6000"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1774785600001"},
				"Ratelimit-Policy": {`"query";q=6000;w=60`}, "Ratelimit": {`"query";r=0;t=1`}}},
		{"refused until a Reset in the past", auth.Decision{Limit: 1, Reset: after(-time.Hour)},
			auth.RateStatus{Limit: 1, Reset: noon - 3_600_000, RetryAfter: 1}, http.Header{"Retry-After": {"1"},
				"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1774782000000"},
				"Ratelimit-Policy": {`"query";q=1;w=60`}, "Ratelimit": {`"query";r=0;t=0`}}},
		{"refused, without times", auth.Decision{}, auth.RateStatus{RetryAfter: 1}, http.Header{"Retry-After": {"1"}}},
		{"refused by a ConcurrencyLimiter",
			auth.Decision{Limit: 20, Reset: after(time.Second), Retry: time.Second, Concurrent: true},
			auth.RateStatus{Limit: 20, Reset: noon + 1000, RetryAfter: 1}, http.Header{"Retry-After": {"1"},
				"X-Ratelimit-Limit": {"20"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1774785601000"},
				"Ratelimit-Policy": {`"concurrency";q=20;qu="concurrent-requests"`},
				"Ratelimit":        {`"concurrency";r=0;t=1`}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.status, row.decision.RateStatus(now)); diff != "" {
				t.Error(diff)
			}
			h := http.Header{}
			row.decision.SetHeaders(h, auth.ClassQuery, now)
			if diff := cmp.Diff(row.header, h); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnlimitedDoesNotBoundConcurrency(t *testing.T) {
	if _, ok := auth.Unlimited.(auth.ConcurrencyLimiter); ok {
		t.Error("Unlimited is a ConcurrencyLimiter")
	}
}

// asked records its calls. It refuses requests of one class.
type asked struct {
	all []string
	no  auth.Class
}

func (a *asked) Allow(_ context.Context, class auth.Class, id string, cost int, own *auth.Limits) (auth.Decision,
	error) {
	text := fmt.Sprint(class, " ", id, " ", cost)
	if own != nil {
		text += fmt.Sprint(" of ", own.PerMinute)
	}
	a.all = append(a.all, text)
	return auth.Decision{OK: class != a.no, Limit: len(a.all), Remaining: 9 - len(a.all)}, nil
}

func TestWhichBucketsAreCharged(t *testing.T) {
	key := &auth.Key{ID: "k", Owner: "o"}
	own := &auth.Key{ID: "k", Owner: "o", Limits: &auth.Limits{PerMinute: 7}}
	made := &auth.Key{ID: "k", Owner: "o", Limits: &auth.Limits{PerMinute: 7},
		Shares: []auth.Share{{Key: "first"}, {Key: "second", Limits: &auth.Limits{PerMinute: 8}}}}
	vast := &auth.Key{ID: "k", Limits: &auth.Limits{PerMinute: math.MaxInt}}
	token := func(k *auth.Key) auth.Principal { return auth.Principal{Key: k, Token: "t"} }
	for _, row := range []struct {
		name  string
		who   auth.Principal
		no    auth.Class
		want  []string
		limit int // index of the call whose decision is returned
	}{
		{"a key", auth.Principal{Key: key}, "", []string{"query k 3", "query-owner o 3"}, 1},
		{"a key with its own limits", auth.Principal{Key: own}, "",
			[]string{"query k 3 of 7", "query-owner o/7 3 of 70"}, 1},
		{"a key that others made", auth.Principal{Key: made}, "",
			[]string{"query k 3 of 7", "query first 3", "query second 3 of 8", "query-owner o/7 3 of 70"}, 1},
		{"a token", token(key), "",
			[]string{"query-token k/t 3", "query-tokens k 3", "query-owner-tokens o 3"}, 1},
		{"a token of a key that others made", token(made), "", []string{"query-token k/t 3 of 7",
			"query-tokens k 3 of 70",
			"query-tokens first 3", "query-tokens second 3 of 80", "query-owner-tokens o/7 3 of 700"}, 1},
		{"a refusal by the first bucket", token(key), "query-token", []string{"query-token k/t 3"}, 1},
		{"a refusal by the last bucket gives back all others", token(own), "query-owner-tokens",
			[]string{"query-token k/t 3 of 7", "query-tokens k 3 of 70", "query-owner-tokens o/7 3 of 700",
				"query-token k/t -3 of 7", "query-tokens k -3 of 70"}, 3},
	} {
		a := &asked{no: row.no}
		d, err := row.who.Charge(t.Context(), a, auth.ClassQuery, 3)
		if d.OK != (row.no == "") || d.Limit != row.limit || err != nil {
			t.Errorf("%s: %+v, %v", row.name, d, err)
		}
		if d.OK && d.Remaining != 9-len(row.want) {
			t.Errorf("%s: %d remaining, want the least of all buckets", row.name, d.Remaining)
		}
		if diff := cmp.Diff(row.want, a.all); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
	a, who := &asked{}, token(vast)
	if _, err := who.Charge(t.Context(), a, auth.ClassQuery, 1); err != nil || len(a.all) != 3 ||
		strings.Contains(a.all[2], "-9") {
		t.Errorf("very large limits: %q, %v", a.all, err)
	}
	if d, err := who.Charge(t.Context(), auth.Unlimited, auth.ClassQuery, 1); !d.OK || err != nil {
		t.Errorf("without any limit: %+v, %v", d, err)
	}
}
