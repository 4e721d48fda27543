package ratelimit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

var (
	_ auth.Limiter            = (*ratelimit.Limiter)(nil)
	_ auth.GroupLimiter       = (*ratelimit.Limiter)(nil)
	_ auth.ConcurrencyLimiter = (*ratelimit.Limiter)(nil)
)

// start is the initial time of every test's clock.
var start = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC)

// A clock changes only when advance is called.
type clock struct{ at time.Time }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

func newLimiter(t testing.TB, cfg ratelimit.Config) (*ratelimit.Limiter, *clock) {
	t.Helper()
	c := &clock{start}
	if cfg.Now == nil {
		cfg.Now = c.now
	}
	l, err := ratelimit.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l, c
}

func allow(t testing.TB, l auth.Limiter, class auth.Class, id string, cost int, own *auth.Limits) auth.Decision {
	t.Helper()
	d, err := l.Allow(context.Background(), class, id, cost, own)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drain sends requests until one is refused, and returns how many passed.
func drain(t testing.TB, l auth.Limiter, class auth.Class, id string, own *auth.Limits) int {
	t.Helper()
	for n := range 1_000_000 {
		if !allow(t, l, class, id, 1, own).OK {
			return n
		}
	}
	t.Fatal("the bucket never becomes empty")
	return 0
}

func TestLimitsOfClasses(t *testing.T) {
	own := &auth.Limits{PerMinute: 7}
	for _, row := range []struct {
		name  string
		cfg   ratelimit.Config
		class auth.Class
		own   *auth.Limits
		want  int
	}{
		{"queries of a key", ratelimit.Config{}, auth.ClassQuery, nil, 120},
		{"other requests of a key", ratelimit.Config{}, auth.ClassOther, nil, 300},
		{"tracking", ratelimit.Config{}, auth.ClassTrack, nil, 6000},
		{"flags", ratelimit.Config{}, auth.ClassFlags, nil, 600},
		{"flags with a key", ratelimit.Config{}, auth.ClassEvaluate, nil, 6000},
		{"public routes", ratelimit.Config{}, auth.ClassPublic, nil, 120},
		{"health", ratelimit.Config{}, auth.ClassHealth, nil, 600},
		{"queries of a key with its own limits", ratelimit.Config{}, auth.ClassQuery, own, 7},
		{"other requests of a key with its own limits", ratelimit.Config{}, auth.ClassOther, own, 7},
		{"a class with another limit", ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 3}},
			auth.ClassQuery, nil, 3},
		{"other classes keep their defaults", ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 3}},
			auth.ClassPublic, nil, 120},
		{"a class of the host", ratelimit.Config{Limits: map[auth.Class]int{"reports": 2}}, "reports", nil, 2},
		{"a factor", ratelimit.Config{Factor: 2.5}, auth.ClassQuery, nil, 300},
		{"a factor with a key's own limits", ratelimit.Config{Factor: 2}, auth.ClassQuery, own, 14},
		{"a factor with a result below 1", ratelimit.Config{Factor: 0.001}, auth.ClassQuery, nil, 1},
		{"a key with an own limit of 0", ratelimit.Config{}, auth.ClassQuery, &auth.Limits{}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			l, _ := newLimiter(t, row.cfg)
			if d := allow(t, l, row.class, "id", 0, row.own); d.Limit != row.want {
				t.Errorf("Limit = %d, want %d", d.Limit, row.want)
			}
			if got := drain(t, l, row.class, "id", row.own); got != row.want {
				t.Errorf("%d passed, want %d", got, row.want)
			}
		})
	}
}

func TestAClassWithoutLimitIsAnError(t *testing.T) {
	l, _ := newLimiter(t, ratelimit.Config{})
	if d, err := l.Allow(t.Context(), "reports", "id", 1, nil); err == nil || d.OK ||
		!strings.Contains(err.Error(), `"reports"`) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDecisionFields(t *testing.T) {
	l, clock := newLimiter(t, ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 60}}) // one a second
	at := start.Add
	for _, row := range []struct {
		name string
		wait time.Duration
		cost int
		want auth.Decision
	}{
		{"a cost of 0 takes nothing", 0, 0, auth.Decision{OK: true, Limit: 60, Remaining: 60, Reset: at(0)}},
		{"one token of a full bucket", 0, 1, auth.Decision{OK: true, Limit: 60, Remaining: 59, Reset: at(time.Second)}},
		{"a batch", 0, 20, auth.Decision{OK: true, Limit: 60, Remaining: 39, Reset: at(21 * time.Second)}},
		{"a batch larger than the rest", 0, 40,
			auth.Decision{Limit: 60, Remaining: 39, Reset: at(21 * time.Second), Retry: time.Second}},
		{"the refused batch took nothing", 0, 39,
			auth.Decision{OK: true, Limit: 60, Remaining: 0, Reset: at(time.Minute)}},
		{"the bucket is empty", 0, 1, auth.Decision{Limit: 60, Reset: at(time.Minute), Retry: time.Second}},
		{"half a token refilled", 500 * time.Millisecond, 1,
			auth.Decision{Limit: 60, Reset: at(time.Minute), Retry: 500 * time.Millisecond}},
		{"one token refilled", 500 * time.Millisecond, 1,
			auth.Decision{OK: true, Limit: 60, Reset: at(61 * time.Second)}},
		{"a batch larger than a bucket never passes", 30 * time.Second, 61,
			auth.Decision{Limit: 60, Remaining: 30, Reset: at(61 * time.Second), Retry: 30 * time.Second}},
		{"a negative cost gives back", 0, -5,
			auth.Decision{OK: true, Limit: 60, Remaining: 35, Reset: at(56 * time.Second)}},
		{"a bucket holds its limit and no more", time.Hour, 0,
			auth.Decision{OK: true, Limit: 60, Remaining: 60, Reset: at(time.Hour + 31*time.Second)}},
	} {
		clock.advance(row.wait)
		if diff := cmp.Diff(row.want, allow(t, l, auth.ClassQuery, "key", row.cost, nil)); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
}

func TestBucketsAreApart(t *testing.T) {
	l, _ := newLimiter(t, ratelimit.Config{})
	drain(t, l, auth.ClassQuery, "key_1", nil)
	for _, row := range []struct {
		name  string
		class auth.Class
		id    string
		left  int
	}{
		{"another key", auth.ClassQuery, "key_2", 120},
		{"the same key in another class", auth.ClassOther, "key_1", 300},
		{"the same key in the same class", auth.ClassQuery, "key_1", 0},
	} {
		if got := allow(t, l, row.class, row.id, 0, nil).Remaining; got != row.left {
			t.Errorf("%s has %d left, want %d", row.name, got, row.left)
		}
	}
}

func TestPeekTakesNothing(t *testing.T) {
	l, clock := newLimiter(t, ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 3}})
	for _, row := range []struct {
		name string
		cost int
		want auth.Decision
	}{
		{"the rest", 3, auth.Decision{OK: true, Limit: 3, Remaining: 3, Reset: start}},
		{"the rest again", 3, auth.Decision{OK: true, Limit: 3, Remaining: 3, Reset: start}},
		{"more than the limit", 4, auth.Decision{Limit: 3, Remaining: 3, Reset: start}},
	} {
		got, err := l.Peek(auth.ClassQuery, "key", row.cost, nil)
		if diff := cmp.Diff(row.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", row.name, err, diff)
		}
	}
	drain(t, l, auth.ClassQuery, "key", nil)
	clock.advance(15 * time.Second)
	want := auth.Decision{Limit: 3, Reset: clock.at.Add(45 * time.Second), Retry: 5 * time.Second}
	if got, err := l.Peek(auth.ClassQuery, "key", 1, nil); got != want || err != nil {
		t.Errorf("an empty bucket: %+v, %v; want %+v", got, err, want)
	}
	if _, err := l.Peek("reports", "key", 1, nil); err == nil {
		t.Error("Peek accepts a class without a limit")
	}
}

func TestAKeysOwnLimitIsChanged(t *testing.T) {
	l, clock := newLimiter(t, ratelimit.Config{})
	of := func(n int) *auth.Limits { return &auth.Limits{PerMinute: n} }
	if got := drain(t, l, auth.ClassQuery, "key", of(5)); got != 5 {
		t.Errorf("%d of 5 passed", got)
	}
	if d := allow(t, l, auth.ClassQuery, "key", 1, of(600)); d.OK || d.Limit != 600 {
		t.Errorf("raising a limit filled the bucket: %+v", d)
	}
	clock.advance(time.Second)
	if got := drain(t, l, auth.ClassQuery, "key", of(600)); got != 10 {
		t.Errorf("%d passed in a second of 600 a minute, want 10", got)
	}
	clock.advance(time.Minute)
	if d := allow(t, l, auth.ClassQuery, "key", 0, of(600)); d.Remaining != 600 {
		t.Errorf("after a minute %d of 600 are left", d.Remaining)
	}
	if got := drain(t, l, auth.ClassQuery, "key", of(5)); got != 5 {
		t.Errorf("after lowering it to 5, %d passed", got)
	}
}

func ExampleNew() {
	l, err := ratelimit.New(ratelimit.Config{
		Limits:   map[auth.Class]int{auth.ClassQuery: 2}, // per minute; the other classes keep their defaults
		InFlight: 8,
		Now:      func() time.Time { return start },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		d, err := l.Allow(context.Background(), auth.ClassQuery, "key_1", 1, nil)
		fmt.Println(d.OK, d.Remaining, d.Retry, err)
	}
	// Output:
	// true 1 0s <nil>
	// true 0 0s <nil>
	// false 0 30s <nil>
}

// TestAGroupIsChargedAtOnce checks that requests which one bucket refuses never take from another bucket, not even for
// a moment: a caller who needs all of the other bucket is not refused meanwhile.
func TestAGroupIsChargedAtOnce(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	l, err := ratelimit.New(ratelimit.Config{Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	spent := auth.Bucket{Class: auth.ClassExport, ID: "spent", Limits: &auth.Limits{PerMinute: 1}}
	whole := auth.Bucket{Class: auth.ClassQuery, ID: "whole", Limits: &auth.Limits{PerMinute: 1000}}
	if got, err := l.AllowAll(t.Context(), "o", []auth.Bucket{spent}, 1); err != nil || !got[0].OK {
		t.Fatal(got, err)
	}
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for range 2000 {
				got, err := l.AllowAll(t.Context(), "o", []auth.Bucket{whole, spent}, 1)
				if err != nil || len(got) != 2 || got[1].OK {
					t.Errorf("%+v, %v; want a refusal by the second bucket", got, err)
					return
				}
			}
		})
	}
	for range 2000 {
		if d, err := l.Peek(whole.Class, whole.ID, 1000, whole.Limits); err != nil || !d.OK {
			t.Fatalf("refused requests took from a bucket: %+v, %v", d, err)
		}
	}
	others.Wait()
	if got, err := l.AllowAll(t.Context(), "o", []auth.Bucket{{Class: "none", ID: "x"}}, 1); err == nil {
		t.Errorf("a class without a limit: %+v", got)
	}
}
