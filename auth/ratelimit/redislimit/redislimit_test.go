package redislimit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
)

var (
	_ auth.Limiter            = (*redislimit.Limiter)(nil)
	_ auth.ConcurrencyLimiter = (*redislimit.Limiter)(nil)
)

func allow(t testing.TB, l auth.Limiter, id string, cost, limit int) auth.Decision {
	t.Helper()
	d, err := l.Allow(t.Context(), auth.ClassQuery, id, cost, &auth.Limits{PerMinute: limit})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOptionsOfAnotherAddress(t *testing.T) {
	if _, err := redislimit.Options("http://example.com"); err == nil {
		t.Error("Options accepts an address of another kind")
	}
}

// TestTwoShareOneBucket uses two limiters with their own local buckets and the same Redis.
func TestTwoShareOneBucket(t *testing.T) {
	s := startServer(t)
	a, _ := newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
	b, _ := newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
	began := time.Now()
	for _, row := range []struct {
		name string
		by   *redislimit.Limiter
		cost int
		ok   bool
		left int
	}{
		{"a cost of 0 takes nothing", a, 0, true, 12},
		{"one", a, 1, true, 11},
		{"a batch at the other limiter", b, 6, true, 5},
		{"a batch larger than the rest", a, 6, false, 5},
		{"the rest", b, 5, true, 0},
		{"one more", a, 1, false, 0},
		{"one more at the other limiter", b, 1, false, 0},
		{"a batch larger than a bucket, with one token left in the local bucket", b, 13, false, 1},
	} {
		d := allow(t, row.by, "key", row.cost, 12)
		if d.OK != row.ok || d.Limit != 12 || d.Remaining != row.left && time.Since(began) < 4*time.Second {
			t.Errorf("%s: %+v, want %v and %d left", row.name, d, row.ok, row.left)
		}
	}
	d := allow(t, a, "key", 1, 12)
	wait, full := d.Retry, time.Until(d.Reset)
	if wait <= 0 || wait > 5*time.Second || full <= 40*time.Second || full > time.Minute {
		t.Errorf("the next token in %v, all in %v; want at most 5 s and about a minute", wait, full)
	}
	if d := allow(t, a, "another", 1, 12); !d.OK || d.Remaining != 11 {
		t.Errorf("another key: %+v", d)
	}
}

func TestTheScriptCountsExactly(t *testing.T) {
	s := startServer(t)
	l, j := newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
	for i, limit := range []int{1, 2, 3, 7, 11, 13, 49, 97, 120, 333} {
		began, passed := time.Now(), 0
		for {
			d := allow(t, l, fmt.Sprint("key ", i), 1, limit)
			if !d.OK {
				break
			}
			passed++
			if d.Remaining != limit-passed && time.Since(began) < auth.Window/time.Duration(limit) {
				t.Errorf("after %d of %d, %d are left", passed, limit, d.Remaining)
			}
		}
		most := limit + int(float64(limit)*time.Since(began).Minutes())
		if passed < limit || passed > most {
			t.Errorf("with a limit of %d, %d passed, want %d to %d", limit, passed, limit, most)
		}
	}
	wholes := []int{6000, 60_000, 999_983, 1_000_000_000}
	for limit := range 2000 {
		wholes = append(wholes, limit+1)
	}
	for _, limit := range wholes {
		if d := allow(t, l, fmt.Sprint("whole ", limit), limit, limit); !d.OK || d.Remaining > 1 {
			t.Errorf("a whole bucket of %d: %+v", limit, d)
		}
	}
	if j.count("away") != 0 {
		t.Error("Redis was not used")
	}
}

func TestRetryIsLongEnough(t *testing.T) {
	s := startServer(t)
	l, _ := newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
	const limit = 1200 // one in 50 ms
	allow(t, l, "key", limit, limit)
	for range 5 {
		d := allow(t, l, "key", 2, limit)
		if d.OK {
			t.Fatal("an empty bucket let two requests pass")
		}
		time.Sleep(d.Retry + time.Millisecond) // the clocks of Redis and the process differ slightly
		if d := allow(t, l, "key", 2, limit); !d.OK {
			t.Errorf("after waiting for Retry: %+v", d)
		}
	}
}

func TestBucketsExpireWhenTheyAreFull(t *testing.T) {
	s := startServer(t)
	c := newClient(t, s.dsn())
	l, _ := newLimiter(t, c, ratelimit.Config{})
	allow(t, l, "asked", 0, 60)
	allow(t, l, "one", 1, 60)
	allow(t, l, "all", 60, 60)
	for id, want := range map[string][2]time.Duration{"one": {1, time.Second}, "all": {55 * time.Second, time.Minute}} {
		if left := c.PTTL(t.Context(), "sightline:limit:query:"+id).Val(); left < want[0] || left > want[1] {
			t.Errorf("%s expires in %v, want %v", id, left, want)
		}
	}
	if n := c.Exists(t.Context(), "sightline:limit:query:asked").Val(); n != 0 {
		t.Error("a cost of 0 wrote a key")
	}
}

// TestRedissClockStepsBack uses a bucket that was written before the clock of Redis stepped back by one hour.
func TestRedissClockStepsBack(t *testing.T) {
	s := startServer(t)
	c := newClient(t, s.dsn())
	l, j := newLimiter(t, c, ratelimit.Config{})
	const limit = 600 // one in 100 ms
	ahead := time.Since(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) + time.Hour
	if err := c.Set(t.Context(), "sightline:limit:query:key", ahead.Microseconds(), 0).Err(); err != nil {
		t.Fatal(err)
	}
	if d := allow(t, l, "key", 1, limit); d.OK || d.Retry > 101*time.Millisecond {
		t.Errorf("at once: %+v, want a refusal for a tenth of a second", d)
	}
	began := time.Now()
	time.Sleep(250 * time.Millisecond)
	passed := 0
	for time.Since(began) < 10*time.Second && allow(t, l, "key", 1, limit).OK {
		passed++
	}
	if most := 1 + int(time.Since(began)/(100*time.Millisecond)); passed < 2 || passed > most+1 {
		t.Errorf("a quarter of a second later %d passed, want 2 to %d", passed, most+1)
	}
	if j.count("away") != 0 {
		t.Error("Redis was not used")
	}
}

func TestLostRedisDataAllowsNoMoreThanTheLocalLimit(t *testing.T) {
	s := startServer(t)
	c := newClient(t, s.dsn())
	l, _ := newLimiter(t, c, ratelimit.Config{})
	allow(t, l, "key", 60, 60)
	if err := c.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if d := allow(t, l, "key", 5, 60); d.OK {
		t.Errorf("the process exceeded its limit: %+v", d)
	}
}

func TestRequestsOfCallersWhoHangUpAreCounted(t *testing.T) {
	s := startServer(t)
	l, j := newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	for range 5 {
		if _, err := l.Allow(ctx, auth.ClassQuery, "key", 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if d := allow(t, l, "key", 0, 120); d.Remaining != 115 || j.count("away") != 0 {
		t.Errorf("%d of 120 are left, want 115", d.Remaining)
	}
}

func TestAClassWithoutLimitIsAnError(t *testing.T) {
	s := startServer(t)
	l, _ := newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
	if d, err := l.Allow(t.Context(), "reports", "id", 1, nil); err == nil || d.OK {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestConcurrencyIsCountedPerProcess(t *testing.T) {
	l, _ := newLimiter(t, newClient(t, "redis://127.0.0.1:1/0"), ratelimit.Config{InFlight: 1})
	if d := l.Acquire("key", 1); !d.OK {
		t.Errorf("the first: %+v", d)
	}
	if d := l.Acquire("key", 1); d.OK || !d.Concurrent {
		t.Errorf("the second: %+v", d)
	}
	l.Release("key")
	if d := l.Acquire("key", 1); !d.OK {
		t.Errorf("after the first left: %+v", d)
	}
}

// TestNeverMoreThanTheBucketAllows sends concurrent batches. At most limit · (1 + t/60) may pass in any interval.
func TestNeverMoreThanTheBucketAllows(t *testing.T) {
	const limit = 900
	s := startServer(t)
	var mu sync.Mutex
	var grants []grant
	var all sync.WaitGroup
	for i := range 4 {
		l, _ := newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
				cost := 1 + r.IntN(20)*r.IntN(2)
				if allow(t, l, "key", cost, limit).OK {
					mu.Lock()
					grants = append(grants, grant{time.Now(), cost})
					mu.Unlock()
				}
				time.Sleep(time.Duration(r.IntN(int(5 * time.Millisecond))))
			}
		})
	}
	all.Wait()
	if err := excess(grants, limit, 0.01); err != nil {
		t.Error(err)
	}
	if n := total(grants); n < limit {
		t.Errorf("%d passed, fewer than the limit of %d", n, limit)
	}
}
