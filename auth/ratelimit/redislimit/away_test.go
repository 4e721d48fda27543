package redislimit_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
)

// TestRedisIsKilledAndComesBack has two processes with several callers each. While Redis is away, each process counts
// for itself. When it is back, without its data, they share again, and neither lets more pass than its own bucket.
func TestRedisIsKilledAndComesBack(t *testing.T) {
	const limit = 60
	s := startServer(t)
	var two [2]*redislimit.Limiter
	var logs [2]*journal
	for i := range two {
		two[i], logs[i] = newLimiter(t, newClient(t, s.dsn()), ratelimit.Config{})
	}
	began := time.Now()
	// spend returns how many requests of a caller each process lets pass, until both refuse one.
	spend := func(id string) (passed [2]int) {
		t.Helper()
		for open := [2]bool{true, true}; open[0] || open[1]; {
			for i, l := range two {
				if open[i] = allow(t, l, id, 1, limit).OK; open[i] {
					passed[i]++
				}
			}
		}
		return passed
	}
	most := func(limits int) int { return limits * (limit + int(limit*time.Since(began).Minutes()) + 1) }
	check := func(says string, passed [2]int, limits int) {
		t.Helper()
		if all := passed[0] + passed[1]; all < limits*limit || all > most(limits) || passed[0] == 0 || passed[1] == 0 {
			t.Errorf("%s: %d passed, want %d to %d", says, passed, limits*limit, most(limits))
		}
	}
	check("at first", spend("first"), 1)

	ctx, stop := context.WithCancel(t.Context())
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for ctx.Err() == nil {
				_, err := two[i%2].Allow(context.Background(), auth.ClassQuery, "busy", 1, &auth.Limits{PerMinute: 1e9})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	s.kill()
	check("while Redis is away", spend("second"), 2)
	for _, j := range logs {
		j.waitFor(t, "Redis is unreachable", 1)
	}
	s.start(t)
	for _, j := range logs {
		j.waitFor(t, "Redis is reachable again", 1)
	}
	stop()
	callers.Wait()
	for i, l := range two {
		if d := allow(t, l, "second", limit/2, limit); d.OK && time.Since(began) < 20*time.Second {
			t.Errorf("process %d forgot its own requests: %+v", i, d)
		}
	}
	check("when Redis is back", spend("third"), 1)
	for i, j := range logs {
		if n, m := j.count("Redis is unreachable"), j.count("Redis is reachable again"); n != 1 || m != 1 {
			t.Errorf("process %d logged %d times that Redis is unreachable, and %d times that it is back", i, n, m)
		}
	}
}

// A slow server answers after longer than any test waits.
const slow = 40 * time.Second

// TestASlowRedis has many callers while Redis stops answering. They wait for its time limit at most, then nobody asks
// it, and when it answers again it decides again.
func TestASlowRedis(t *testing.T) {
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
			p.delay.Store(int64(slow))
			const callers = 50
			took := make(chan time.Duration, callers)
			for range callers {
				go func() {
					began := time.Now()
					if d, err := l.Allow(t.Context(), auth.ClassQuery, name, 1, nil); err != nil || !d.OK {
						t.Errorf("%+v, %v", d, err)
					}
					took <- time.Since(began)
				}()
			}
			longest := time.Duration(0)
			for range callers {
				longest = max(longest, <-took)
			}
			if longest < redislimit.DefaultTimeout || longest > slow/2 {
				t.Errorf("the slowest decision took %v, want the time limit of %v", longest, redislimit.DefaultTimeout)
			}
			if d := allow(t, l, name, 0, 120); d.Remaining < 120-callers || d.Remaining > 120-callers+20 {
				t.Errorf("%d of 120 are left after %d requests", d.Remaining, callers)
			}
			if n := j.count("Redis is unreachable"); n != 1 {
				t.Errorf("unreachable is logged %d times", n)
			}
			p.delay.Store(0)
			j.waitFor(t, "Redis is reachable again", 1)
			used := func() uint32 { return client.PoolStats().Hits + client.PoolStats().Misses }
			before := used()
			allow(t, l, name, 1, 120)
			if used() == before {
				t.Error("Redis is reachable again, but is not asked")
			}
		})
	}
}
