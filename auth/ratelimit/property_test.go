package ratelimit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

// A grant is a request that passed, with the true time, independent of the clock.
type grant struct {
	at   time.Duration
	cost int
}

// A run is random traffic to one bucket.
type run struct {
	limit  int
	grants []grant
	steps  []time.Duration // when the clock stepped forward
}

// traffic sends requests to l: bursts, pauses, batches. If steps is set, the clock jumps back and forth
// meanwhile.
func traffic(t *testing.T, r *rand.Rand, l auth.Limiter, c *clock, limit int, steps bool) run {
	t.Helper()
	out := run{limit: limit}
	var at time.Duration
	for range 600 {
		// on average about twice the time in which one token refills
		pause := time.Duration(r.Int64N(int64(4*time.Minute) / int64(limit)))
		if r.IntN(3) > 0 {
			pause /= 1000
		}
		at += pause
		c.advance(pause)
		if steps && r.IntN(20) == 0 {
			jump := time.Duration(r.Int64N(int64(2*time.Hour))) - time.Hour
			c.advance(jump)
			if jump > 0 {
				out.steps = append(out.steps, at)
			}
		}
		cost := 1
		if r.IntN(4) == 0 {
			cost = r.IntN(min(limit, 20)) + 1
		}
		if allow(t, l, auth.ClassQuery, "key", cost, &auth.Limits{PerMinute: limit}).OK {
			out.grants = append(out.grants, grant{at, cost})
		}
	}
	return out
}

// excess returns an error if more requests than limit · (1 + t/60) passed in any interval of r. Each step forward
// of the clock allows one more limit.
func (r run) excess() error {
	for i := range r.grants {
		passed := 0
		for _, last := range r.grants[i:] {
			passed += last.cost
			from, to := r.grants[i].at, last.at
			most := float64(r.limit) * (1 + (to - from).Minutes())
			for _, s := range r.steps {
				if from <= s && s <= to {
					most += float64(r.limit)
				}
			}
			if float64(passed) > most+1e-6 {
				return fmt.Errorf("%d passed in %v with a limit of %d, %.3f may", passed, to-from, r.limit, most)
			}
		}
	}
	return nil
}

func TestNeverMoreThanTheBucketAllows(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	refused := 0
	for i := range 42 {
		limit := []int{1, 2, 7, 60, 120, 300, 6000}[i%7]
		l, c := newLimiter(t, ratelimit.Config{})
		got := traffic(t, r, l, c, limit, i%2 == 1)
		if err := got.excess(); err != nil {
			t.Fatalf("seed %d, run %d: %v", seed, i, err)
		}
		refused += 600 - len(got.grants)
		if len(got.grants) == 0 {
			t.Fatalf("seed %d, run %d: no request passed", seed, i)
		}
	}
	if refused < 2000 {
		t.Errorf("seed %d: only %d requests were refused, too few for a proof", seed, refused)
	}
}

// windows is a common but wrong limiter: a counter that is reset every minute.
type windows struct {
	now    func() time.Time
	minute int64
	used   int
}

func (w *windows) Allow(_ context.Context, _ auth.Class, _ string, cost int, own *auth.Limits) (auth.Decision, error) {
	if m := w.now().Unix() / 60; m != w.minute {
		w.minute, w.used = m, 0
	}
	if w.used+cost > own.PerMinute {
		return auth.Decision{}, nil
	}
	w.used += cost
	return auth.Decision{OK: true}, nil
}

func TestThePropertyCanFail(t *testing.T) {
	found := 0
	for i := range 20 {
		c := &clock{start}
		if traffic(t, rand.New(rand.NewPCG(uint64(i), 1)), &windows{now: c.now}, c, 60, false).excess() != nil {
			found++
		}
	}
	if found == 0 {
		t.Error("a fixed window passes the check")
	}
}

func TestRetryIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		limit := r.IntN(5000) + 1
		l, c := newLimiter(t, ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: limit}})
		drain(t, l, auth.ClassQuery, "key", nil)
		c.advance(time.Duration(r.Int64N(int64(time.Minute))))
		left := allow(t, l, auth.ClassQuery, "key", 0, nil).Remaining
		cost := min(left+1+r.IntN(10), limit)
		d := allow(t, l, auth.ClassQuery, "key", cost, nil)
		if d.OK {
			continue
		}
		c.advance(d.Retry - time.Microsecond)
		if allow(t, l, auth.ClassQuery, "key", cost, nil).OK {
			t.Fatalf("limit %d, cost %d: a microsecond less than %v was enough", limit, cost, d.Retry)
		}
		c.advance(time.Microsecond)
		if !allow(t, l, auth.ClassQuery, "key", cost, nil).OK {
			t.Fatalf("limit %d, cost %d: after %v it was refused again", limit, cost, d.Retry)
		}
	}
}

func TestAClockThatSteps(t *testing.T) {
	for _, row := range []struct {
		name string
		step time.Duration
		want int // requests that pass at once
		soon int // requests that pass after one more second
	}{
		{"back by an hour", -time.Hour, 0, 2},
		{"back by a year", -365 * 24 * time.Hour, 0, 2},
		{"back by a little", -time.Millisecond, 0, 2},
		{"forward by an hour", time.Hour, 120, 2},
		{"forward by 200 years", 200 * 365 * 24 * time.Hour, 120, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			l, c := newLimiter(t, ratelimit.Config{})
			drain(t, l, auth.ClassQuery, "key", nil)
			c.advance(row.step)
			if got := drain(t, l, auth.ClassQuery, "key", nil); got != row.want {
				t.Errorf("%d passed at once, want %d", got, row.want)
			}
			c.advance(time.Second)
			if got := drain(t, l, auth.ClassQuery, "key", nil); got != row.soon {
				t.Errorf("%d passed a second later, want %d", got, row.soon)
			}
		})
	}
}
