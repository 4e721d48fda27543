package redislimit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
)

// A timed client runs scripts by a clock that a test sets, in place of the clock of Redis. Keys never expire, since
// they would expire by the clock of Redis.
type timed struct {
	redis.Scripter
	now   func() time.Time
	asked int
}

// notLoaded is the answer of Redis to the hash of a script that it does not know.
type notLoaded struct{}

func (notLoaded) Error() string { return "NOSCRIPT no matching script" }
func (notLoaded) RedisError()   {}

func (c *timed) EvalSha(ctx context.Context, _ string, _ []string, _ ...any) *redis.Cmd {
	cmd := redis.NewCmd(ctx)
	cmd.SetErr(notLoaded{})
	return cmd
}

func (c *timed) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	c.asked++
	now := c.now()
	clock := fmt.Sprintf("{'%d', '%d'}", now.Unix(), now.Nanosecond()/1000)
	own := strings.NewReplacer("redis.call('TIME')", clock, ", 'PX', left", "").Replace(script)
	if strings.Count(script, "redis.call('TIME')") != 1 || strings.Count(script, ", 'PX', left") != 1 {
		cmd := redis.NewCmd(ctx)
		cmd.SetErr(errors.New("the script reads its clock, or sets its expiry, in another way"))
		return cmd
	}
	return c.Scripter.Eval(ctx, own, keys, args...)
}

// A clock is the time of a test.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time { return c.at }

// newTimed returns two limiters of different processes that share a Redis, all by the clock c. Their own buckets are
// empty.
func newTimed(t *testing.T, s *server, c *clock) (limiters [2]*redislimit.Limiter, client *timed) {
	t.Helper()
	client = &timed{Scripter: newClient(t, s.dsn()), now: c.now}
	for i := range limiters {
		local, err := ratelimit.New(ratelimit.Config{Now: c.now})
		if err != nil {
			t.Fatal(err)
		}
		l, err := redislimit.New(redislimit.Config{Client: client, Local: local, Timeout: patience, Now: c.now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close(context.Background()) })
		limiters[i] = l
	}
	return limiters, client
}

func near(a, b time.Duration) bool { return (a - b).Abs() <= 2*time.Microsecond }

// TestKeysThatAKeyMadeShareItsRateInAllProcesses checks that requests of two processes by such keys pass as often as
// the limit of the key that made them, and that a refusal takes nothing from the bucket of the key itself.
func TestKeysThatAKeyMadeShareItsRateInAllProcesses(t *testing.T) {
	s := startServer(t)
	c := newClock()
	two, _ := newTimed(t, s, c)
	maker := &auth.Key{ID: "maker", Owner: "acme", Limits: &auth.Limits{PerMinute: 7}}
	passed := 0
	for i := range 60 {
		k := auth.Key{ID: fmt.Sprint("made ", i)}
		k.Narrow(maker)
		who := auth.Principal{Key: &k}
		d, err := who.Charge(t.Context(), two[i%2], auth.ClassQuery, 1)
		if err != nil {
			t.Fatal(err)
		}
		if d.OK {
			passed++
		} else if own, err := two[1-i%2].AllowAll(t.Context(), "acme",
			[]auth.Bucket{{Class: auth.ClassQuery, ID: k.ID, Limits: k.Limits}}, 0); err != nil ||
			own[0].Remaining != 7 {
			t.Fatalf("the bucket of a refused key: %+v, %v; want 7 tokens", own, err)
		}
	}
	if passed != 7 {
		t.Errorf("%d of 60 requests passed, want 7", passed)
	}
}

// TestProcessesShareTheBucketOfOne sends random requests to two processes that share a Redis, and to one limiter
// without Redis. The two decide like the one, and say the same.
func TestProcessesShareTheBucketOfOne(t *testing.T) {
	s := startServer(t)
	c := newClock()
	two, client := newTimed(t, s, c)
	one, err := ratelimit.New(ratelimit.Config{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(60, 4))
	refused, asked := 0, 0
	send := func(id string, cost, limit int) bool {
		before := client.asked
		got := allow(t, two[r.IntN(2)], id, cost, limit)
		want := allow(t, one, id, cost, limit)
		same := got.OK == want.OK && got.Limit == limit
		if client.asked > before { // otherwise the process refused by its own bucket, and knows no other
			same = same && got.Remaining == want.Remaining && near(got.Retry, want.Retry) &&
				near(got.Reset.Sub(want.Reset), 0)
			asked++
			if !got.OK {
				refused++
			}
		}
		if !same {
			t.Fatalf("%s, cost %d of %d: %+v, want %+v", id, cost, limit, got, want)
		}
		return got.OK
	}
	// No multiple of 2, 3 or 5: then tokens are never whole at a whole microsecond, where the last digit decides.
	for _, limit := range []int{1, 7, 11, 97, 121, 343, 6007} {
		for range 300 {
			if r.IntN(3) > 0 {
				c.at = c.at.Add(time.Duration(r.Int64N(int64(3*time.Minute) / int64(limit))).Truncate(time.Microsecond))
			}
			if r.IntN(100) == 0 {
				c.at = c.at.Add(time.Hour)
			}
			cost := r.IntN(3)
			if r.IntN(4) == 0 {
				cost = r.IntN(limit + 3)
			}
			send(fmt.Sprint("random ", limit), cost, limit)
		}
	}
	// All limits, while the clock stands still. A whole bucket passes in three parts, and then nothing.
	limits := []int{6000, 60_000, 999_983, 1_000_000_000}
	for limit := 1; limit <= 500; limit++ {
		limits = append(limits, limit)
	}
	for _, limit := range limits {
		id := fmt.Sprint("whole ", limit)
		third := limit / 3
		for i, cost := range []int{third, third, limit - 2*third, 1} {
			if passed := send(id, cost, limit); passed != (i < 3) {
				t.Fatalf("of a limit of %d another number passed", limit)
			}
		}
	}
	if refused < 300 || asked < 2000 {
		t.Errorf("Redis was asked %d times and refused %d times, too few for a proof", asked, refused)
	}
}

// TestProcessesShareGroupsOfOne sends random requests that take from several buckets to two processes that share a
// Redis, and to one limiter without Redis. The two decide like the one, and say the same. So a refusal by one bucket
// takes nothing from the others. Each request asks Redis once.
func TestProcessesShareGroupsOfOne(t *testing.T) {
	c := newClock()
	two, client := newTimed(t, startServer(t), c)
	one, err := ratelimit.New(ratelimit.Config{Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(60, 5))
	owners := []string{"acme", "}", "{x}:", ""}
	refusals := map[int]int{} // by the place of the bucket that refused
	for range 3000 {
		c.at = c.at.Add(time.Duration(r.Int64N(int64(2 * time.Second))).Truncate(time.Microsecond))
		owner, buckets := owners[r.IntN(len(owners))], []auth.Bucket{}
		for i := range 1 + r.IntN(4) { // each bucket always has the same limit
			limit := []int{7, 11, 13, 97}[i]
			class := []auth.Class{auth.ClassQuery, auth.ClassQuery, auth.ClassExport, auth.ClassQuery.Owner()}[i]
			buckets = append(buckets, auth.Bucket{Class: class, ID: fmt.Sprint(owner, i, r.IntN(2)),
				Limits: &auth.Limits{PerMinute: limit}})
		}
		r.Shuffle(len(buckets), func(i, j int) { buckets[i], buckets[j] = buckets[j], buckets[i] })
		cost, before := r.IntN(4), client.asked
		got, err1 := two[r.IntN(2)].AllowAll(t.Context(), owner, buckets, cost)
		want, err2 := one.AllowAll(t.Context(), owner, buckets, cost)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		last := got[len(got)-1]
		if last.OK != want[len(want)-1].OK {
			t.Fatalf("%+v, cost %d: %+v, want %+v", buckets, cost, got, want)
		}
		if client.asked == before { // the process refused by its own buckets, and knows no other
			continue
		}
		if client.asked != before+1 || len(got) != len(want) {
			t.Fatalf("%+v, cost %d: Redis was asked %d times: %+v, want %+v", buckets, cost, client.asked-before, got,
				want)
		}
		for i, d := range got {
			if d.OK != want[i].OK || d.Remaining != want[i].Remaining || !near(d.Retry, want[i].Retry) ||
				!near(d.Reset.Sub(want[i].Reset), 0) {
				t.Fatalf("%+v, cost %d, bucket %d: %+v, want %+v", buckets, cost, i, d, want[i])
			}
		}
		if !last.OK {
			refusals[len(got)-1]++
		}
	}
	for place := range 4 {
		if refusals[place] < 20 {
			t.Errorf("bucket %d refused %d times, too few for a proof", place, refusals[place])
		}
	}
}

// TestRedissClockStepsBack empties a bucket, and sets the clock back. Whatever the step, one token is there again
// after its usual time.
func TestRedissClockStepsBack(t *testing.T) {
	s := startServer(t)
	const limit, token = 600, 100 * time.Millisecond
	for _, back := range []time.Duration{time.Millisecond, 30 * time.Second, time.Hour, 365 * 24 * time.Hour} {
		c := newClock()
		two, _ := newTimed(t, s, c)
		id := back.String()
		if d := allow(t, two[0], id, limit, limit); !d.OK {
			t.Fatalf("a whole bucket: %+v", d)
		}
		c.at = c.at.Add(-back)
		d := allow(t, two[1], id, 1, limit)
		if d.OK || d.Remaining != 0 || !near(d.Retry, token) {
			t.Errorf("back by %v: %+v, want a refusal for %v", back, d, token)
		}
		for passed := range 3 {
			c.at = c.at.Add(token)
			if d := allow(t, two[1], id, 1, limit); !d.OK {
				t.Errorf("back by %v, request %d after its time: %+v", back, passed, d)
			}
		}
	}
}

func TestBucketsExpireWhenTheyAreFull(t *testing.T) {
	s := startServer(t)
	c := newClient(t, s.dsn())
	l, _ := newLimiter(t, c, ratelimit.Config{})
	allow(t, l, "asked", 0, 60)
	allow(t, l, "half", 30, 60)
	allow(t, l, "all", 60, 60)
	for id, most := range map[string]time.Duration{"half": 30 * time.Second, "all": time.Minute} {
		if left := c.PTTL(t.Context(), "sightline:limit:query:"+id).Val(); left < most-25*time.Second || left > most {
			t.Errorf("%s expires in %v, want %v", id, left, most)
		}
	}
	if n := c.Exists(t.Context(), "sightline:limit:query:asked").Val(); n != 0 {
		t.Error("a cost of 0 wrote a key")
	}
}

// TestLostDataAllowsNoMoreThanOneLimit removes the data of Redis after a process spent its bucket there.
func TestLostDataAllowsNoMoreThanOneLimit(t *testing.T) {
	s := startServer(t)
	two, client := newTimed(t, s, newClock())
	allow(t, two[0], "key", 60, 60)
	if err := newClient(t, s.dsn()).FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if d := allow(t, two[0], "key", 1, 60); d.OK || client.asked != 1 {
		t.Errorf("the process exceeded its limit: %+v, Redis was asked %d times", d, client.asked)
	}
}

func TestRequestsOfCallersWhoHangUpAreCounted(t *testing.T) {
	c := newClock()
	two, client := newTimed(t, startServer(t), c)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	for range 5 {
		if _, err := two[0].Allow(ctx, auth.ClassQuery, "key", 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if d := allow(t, two[1], "key", 0, 120); d.Remaining != 115 || client.asked != 6 {
		t.Errorf("%d of 120 are left, want 115", d.Remaining)
	}
}
