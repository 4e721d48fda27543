package redislimit_test

import (
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

// slack is added to time limits for busy machines; slow is the delay of Redis.
const (
	slack = 10 * time.Second
	slow  = 40 * time.Second
)

// slowest returns the time of the slowest of n decisions, and the total time.
func slowest(t *testing.T, n int, decide func()) (one, all time.Duration) {
	t.Helper()
	began := time.Now()
	for range n {
		before := time.Now()
		decide()
		one = max(one, time.Since(before))
	}
	return one, time.Since(began)
}

func TestASlowRedisStaysWithinTheBound(t *testing.T) {
	s := startServer(t)
	for name, open := range map[string]func(*proxy) *redis.Client{
		"with our options": func(p *proxy) *redis.Client { return newClient(t, p.dsn()) },
		"with a client that keeps no deadlines": func(p *proxy) *redis.Client {
			c := redis.NewClient(&redis.Options{Addr: p.Addr().String()})
			t.Cleanup(func() { _ = c.Close() })
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := startProxy(t, s)
			client := open(p)
			l, j := newBounded(t, client, ratelimit.Config{}, 0)
			id := "key " + name
			for range 10 { // the first ones open connections
				if !allow(t, l, id, 1, 6000).OK {
					t.Fatal("refused although Redis was reachable")
				}
			}
			away := j.count("Redis is unreachable") // on a busy machine a call may exceed 50 ms
			j.waitFor(t, "Redis is reachable again", away)
			p.delay.Store(int64(slow))
			one, all := slowest(t, 200, func() {
				if !allow(t, l, id, 1, 6000).OK {
					t.Error("refused")
				}
			})
			t.Logf("slow: the slowest of 200 took %v, all %v", one, all)
			if one < 40*time.Millisecond {
				t.Errorf("the first decision did not wait for Redis: %v", one)
			}
			if one > 50*time.Millisecond+slack || all > one+slack {
				t.Errorf("the slowest decision took %v, all %v; want only one of about 50 ms", one, all)
			}
			p.delay.Store(0)
			j.waitFor(t, "Redis is reachable again", away+1)
			before := client.PoolStats().Hits
			allow(t, l, id, 1, 6000)
			if after := client.PoolStats(); after.Hits+after.Misses <= before {
				t.Error("Redis is reachable again, but is not asked")
			}
			if n := j.count("Redis is unreachable"); n != away+1 {
				t.Errorf("unreachable is logged %d times, want %d", n, away+1)
			}
		})
	}
}

func TestUnreachableRedisDelaysOnlyOneDecision(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never responds
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	for name, dsn := range map[string]string{
		"a port that nobody listens on": "redis://" + gone.Addr().String() + "/0",
		"a server that never answers":   "redis://" + silent.Addr().String() + "/0",
		"a name that does not exist":    "redis://redis.invalid:6379/0",
		"a socket that does not exist":  "unix:///nonexistent/socket",
	} {
		t.Run(name, func(t *testing.T) {
			l, j := newBounded(t, newClient(t, dsn), ratelimit.Config{}, 0)
			passed := 0
			one, all := slowest(t, 100, func() {
				if allow(t, l, "key", 1, 30).OK {
					passed++
				}
			})
			if one > 50*time.Millisecond+slack || all > one+slack {
				t.Errorf("the slowest decision took %v, all %v; want at most one of 50 ms", one, all)
			}
			if passed < 30 || passed > 31 {
				t.Errorf("%d of 30 passed", passed)
			}
			if n := j.count("Redis is unreachable"); n != 1 {
				t.Errorf("unreachable is logged %d times", n)
			}
		})
	}
}

func TestSomeConcurrentDecisionsWait(t *testing.T) {
	s := startServer(t)
	p := startProxy(t, s)
	p.delay.Store(int64(slow))
	l, j := newBounded(t, newClient(t, p.dsn()), ratelimit.Config{}, 0)
	done := make(chan time.Duration, 50)
	for range cap(done) {
		go func() {
			began := time.Now()
			allow(t, l, "key", 1, 6000)
			done <- time.Since(began)
		}()
	}
	for range cap(done) {
		if took := <-done; took > 50*time.Millisecond+slack {
			t.Errorf("a concurrent decision took %v", took)
		}
	}
	if n := j.count("Redis is unreachable"); n != 1 {
		t.Errorf("unreachable is logged %d times", n)
	}
}

func BenchmarkAllow(b *testing.B) {
	s := startServer(b)
	l, _ := newLimiter(b, newClient(b, s.dsn()), ratelimit.Config{})
	b.Run("yes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			allow(b, l, "key", 1, 1_000_000_000)
		}
	})
	b.Run("noByOwnBucket", func(b *testing.B) {
		allow(b, l, "spent", 120, 120)
		b.ReportAllocs()
		for b.Loop() {
			allow(b, l, "spent", 120, 120)
		}
	})
}
