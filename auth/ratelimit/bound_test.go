package ratelimit_test

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestMemoryIsBounded(t *testing.T) {
	l, _ := newLimiter(t, ratelimit.Config{Size: 10_000})
	before := heap()
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			allow(t, l, auth.ClassPublic, "2001:db8:"+strconv.Itoa(i)+"::/64", 1, nil)
		}
	}
	fill(0, 10_000)
	full := heap()
	fill(10_000, 110_000)
	after := heap()
	runtime.KeepAlive(l)
	per := float64(full-before) / 10_000
	t.Logf("%.0f bytes per id", per)
	if per > 400 {
		t.Errorf("%.0f bytes per id", per)
	}
	if grown := float64(after) - float64(full); grown > 0.3*float64(full-before) {
		t.Errorf("100 000 more ids took %.0f bytes more than the table's %d", grown, full-before)
	}
}

func TestDroppedBucketsAllowAtMostOneTable(t *testing.T) {
	const size, limit = 100, 10
	l, c := newLimiter(t, ratelimit.Config{Size: size, Limits: map[auth.Class]int{auth.ClassPublic: limit}})
	others := func(n int) {
		for i := range n {
			allow(t, l, auth.ClassPublic, fmt.Sprint("other ", i), 1, nil)
		}
	}
	drain(t, l, auth.ClassPublic, "me", nil)
	others(size - 1)
	if allow(t, l, auth.ClassPublic, "me", 1, nil).OK {
		t.Error("a bucket was dropped although the table was not full")
	}
	others(size) // the refusal was a use, too, so all of these must be more recent
	if got := drain(t, l, auth.ClassPublic, "me", nil); got != limit {
		t.Errorf("after a table's worth of others %d passed, want %d", got, limit)
	}
	drain(t, l, auth.ClassQuery, "key", nil)
	others(10 * size)
	if allow(t, l, auth.ClassQuery, "key", 1, nil).OK {
		t.Error("buckets of networks pushed out the bucket of a key")
	}
	c.advance(time.Minute)
	if got := drain(t, l, auth.ClassQuery, "key", nil); got != 120 {
		t.Errorf("after a minute %d passed, want 120", got)
	}
}

func TestConcurrentRequestsShareTheLimit(t *testing.T) {
	l, _ := newLimiter(t, ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 500}})
	var passed atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 200 {
				if allow(t, l, auth.ClassQuery, "key", 1, nil).OK {
					passed.Add(1)
				}
			}
		})
	}
	all.Wait()
	if n := passed.Load(); n != 500 {
		t.Errorf("%d passed, want 500", n)
	}
}

func TestGate(t *testing.T) {
	l, _ := newLimiter(t, ratelimit.Config{})
	for i := range 20 {
		if d := l.Acquire("key", 1); !d.OK || d.Limit != 20 || d.Remaining != 19-i || !d.Concurrent {
			t.Fatalf("request %d: %+v", i+1, d)
		}
	}
	want := auth.Decision{Limit: 20, Reset: start.Add(time.Second), Retry: time.Second, Concurrent: true}
	if d := l.Acquire("key", 1); d != want {
		t.Errorf("one too many: %+v, want %+v", d, want)
	}
	if d := l.Acquire("another", 1); !d.OK {
		t.Errorf("another key: %+v", d)
	}
	l.Release("key")
	if d := l.Acquire("key", 1); !d.OK || d.Remaining != 0 {
		t.Errorf("after one left: %+v", d)
	}
	for range 40 { // more often than Acquire
		l.Release("key")
	}
	for i := range 20 {
		if !l.Acquire("key", 1).OK {
			t.Errorf("after all left, request %d was refused", i+1)
		}
	}
	if l.Acquire("key", 1).OK {
		t.Error("too many calls of Release made additional slots")
	}
}

func TestGateUnderPressure(t *testing.T) {
	l, _ := newLimiter(t, ratelimit.Config{InFlight: 3})
	var running, most, refused atomic.Int64
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			for range 500 {
				if !l.Acquire("key", 1).OK {
					refused.Add(1)
					runtime.Gosched()
					continue
				}
				n := running.Add(1)
				for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
				}
				runtime.Gosched()
				running.Add(-1)
				l.Release("key")
			}
		})
	}
	all.Wait()
	if most.Load() > 3 || refused.Load() == 0 {
		t.Errorf("%d ran at once, %d were refused", most.Load(), refused.Load())
	}
}

func TestTokensHaveTenTimesTheKeysLimitTogether(t *testing.T) {
	l, _ := newLimiter(t, ratelimit.Config{})
	for _, row := range []struct {
		name      string
		key       *auth.Key
		each, all int
	}{
		{"by default", &auth.Key{ID: "a"}, 120, 1200},
		{"of a key with its own limits", &auth.Key{ID: "b", Limits: &auth.Limits{PerMinute: 7}}, 7, 70},
	} {
		all := 0
		for token := range 15 {
			who, each := auth.Principal{Key: row.key, Token: strconv.Itoa(token)}, 0
			for {
				d, err := who.Charge(t.Context(), l, auth.ClassQuery, 1)
				if err != nil {
					t.Fatal(err)
				}
				if !d.OK {
					break
				}
				each++
			}
			if want := min(row.each, row.all-all); each != want {
				t.Errorf("%s: token %d got %d, want %d", row.name, token, each, want)
			}
			all += each
			d, err := l.Allow(t.Context(), auth.ClassQuery.Token(), row.key.ID+"/"+who.Token, 0, row.key.Limits)
			if d.Remaining != row.each-each || err != nil {
				t.Errorf("%s: token %d has %d left after %d passed, %v", row.name, token, d.Remaining, each, err)
			}
		}
		if all != row.all {
			t.Errorf("%s: %d passed together, want %d", row.name, all, row.all)
		}
		who := auth.Principal{Key: row.key}
		if d, err := who.Charge(t.Context(), l, auth.ClassQuery, 0); d.Remaining != row.each || err != nil {
			t.Errorf("%s: %d of the key's own %d are left, %v", row.name, d.Remaining, row.each, err)
		}
	}
}

// spend sends requests of callers in turn until n were sent, and counts those that passed.
func spend(t *testing.T, l auth.Limiter, class auth.Class, n int, callers ...auth.Principal) (passed int) {
	t.Helper()
	for i := range n {
		d, err := callers[i%len(callers)].Charge(t.Context(), l, class, 1)
		if err != nil {
			t.Fatal(err)
		}
		if d.OK {
			passed++
		}
	}
	return passed
}

// makes returns n keys that k makes, each with that limit; 0 means the one of k.
func makes(k *auth.Key, n, perMinute int) (made []auth.Principal) {
	for i := range n {
		child := auth.Key{ID: k.ID + "." + strconv.Itoa(i)}
		if perMinute > 0 {
			child.Limits = &auth.Limits{PerMinute: perMinute}
		}
		child.Narrow(k)
		made = append(made, auth.Principal{Key: &child})
	}
	return made
}

func tokensOf(keys []auth.Principal) (all []auth.Principal) {
	for i, p := range keys {
		all = append(all, auth.Principal{Key: p.Key, Token: strconv.Itoa(i)})
	}
	return all
}

// TestMakingKeysDoesNotRaiseALimit checks that keys which a key made, directly or indirectly, have its rate together.
func TestMakingKeysDoesNotRaiseALimit(t *testing.T) {
	maker := &auth.Key{ID: "maker", Owner: "acme", Limits: &auth.Limits{PerMinute: 60}}
	plain := &auth.Key{ID: "plain", Owner: "acme"}
	small := makes(maker, 1, 10)[0].Key
	for _, row := range []struct {
		name    string
		class   auth.Class
		callers []auth.Principal
		want    int
	}{
		{"600 keys of a key of 60", auth.ClassQuery, makes(maker, 600, 0), 60},
		{"with lower limits", auth.ClassQuery, makes(maker, 600, 30), 60},
		{"and the maker itself", auth.ClassQuery, append(makes(maker, 600, 0), auth.Principal{Key: maker}), 60},
		{"keys of one of them", auth.ClassQuery, makes(makes(maker, 1, 0)[0].Key, 600, 0), 60},
		{"keys of one with a lower limit", auth.ClassQuery, makes(small, 600, 0), 10},
		{"whose maker made others", auth.ClassQuery, append(makes(small, 300, 0), makes(maker, 300, 0)...), 60},
		{"keys of a key with the default limits", auth.ClassQuery, makes(plain, 600, 0), 120},
		{"a limit of queries does not raise that of exports", auth.ClassExport, makes(plain, 600, 120), 10},
		{"tokens of all of them", auth.ClassQuery, tokensOf(makes(maker, 600, 0)), 600},
	} {
		l, _ := newLimiter(t, ratelimit.Config{})
		if got := spend(t, l, row.class, 3000, row.callers...); got != row.want {
			t.Errorf("%s: %d of 3000 requests passed, want %d", row.name, got, row.want)
		}
		if got := spend(t, l, row.class, 10, auth.Principal{Key: &auth.Key{ID: "other", Owner: "globex"}}); got != 10 {
			t.Errorf("%s: %d of 10 requests of another owner passed", row.name, got)
		}
	}
	var last *auth.Key
	for last = maker; last.Check() == nil; last = makes(last, 1, last.Limits.PerMinute-1)[0].Key {
	}
	if n := len(last.Shares); n != auth.MaxShares+1 {
		t.Errorf("a key with %d shares is refused first, want %d", n, auth.MaxShares+1)
	}
}

// TestAnOwnerHasTenTimesTheLimitOfAKey checks the common limit of keys that the operator made.
func TestAnOwnerHasTenTimesTheLimitOfAKey(t *testing.T) {
	keys := func(n int, limits *auth.Limits) (all []auth.Principal) {
		for i := range n {
			all = append(all, auth.Principal{Key: &auth.Key{ID: strconv.Itoa(i), Owner: "acme", Limits: limits}})
		}
		return all
	}
	for _, row := range []struct {
		callers []auth.Principal
		want    int
	}{
		{keys(30, nil), 1200},
		{keys(600, &auth.Limits{PerMinute: 60}), 600},
		{tokensOf(keys(200, &auth.Limits{PerMinute: 2})), 200},
	} {
		l, c := newLimiter(t, ratelimit.Config{})
		if got := spend(t, l, auth.ClassQuery, 9000, row.callers...); got != row.want {
			t.Errorf("%d of 9000 requests of %d keys passed, want %d", got, len(row.callers), row.want)
		}
		key := auth.Principal{Key: &auth.Key{ID: "new", Owner: "acme", Limits: row.callers[0].Key.Limits},
			Token: row.callers[0].Token}
		d, err := key.Charge(t.Context(), l, auth.ClassQuery, 1)
		if d.OK || err != nil {
			t.Errorf("a new key of the owner passes: %v", err)
		}
		c.advance(d.Retry) // the refusals took nothing, so one passes
		if got := spend(t, l, auth.ClassQuery, 3, key); got != 1 {
			t.Errorf("%d passed after the time to wait, want 1", got)
		}
	}
}

// TestMakingKeysAddsNoSlots counts how many requests of callers may run at once, one request of each in turn.
func TestMakingKeysAddsNoSlots(t *testing.T) {
	maker := &auth.Key{ID: "maker", Owner: "acme"}
	var keys []auth.Principal
	for i := range 100 {
		keys = append(keys, auth.Principal{Key: &auth.Key{ID: strconv.Itoa(i), Owner: "acme"}})
	}
	for _, row := range []struct {
		name    string
		callers []auth.Principal
		want    int
	}{
		{"one key", keys[:1], 20},
		{"keys that a key made", makes(maker, 100, 0), 20},
		{"and the key itself", append(makes(maker, 100, 0), auth.Principal{Key: maker}), 20},
		{"their tokens", tokensOf(makes(maker, 100, 0)), 200},
		{"keys of an owner", keys, 200},
		{"their tokens", tokensOf(keys), 2000},
	} {
		l, _ := newLimiter(t, ratelimit.Config{})
		for round := range 2 { // the second time after all have ended
			var ends []func()
			for i := range 3000 {
				if d, end := row.callers[i%len(row.callers)].Acquire(l); d.OK {
					ends = append(ends, end)
				}
			}
			if len(ends) != row.want {
				t.Errorf("%s, round %d: %d requests run at once, want %d", row.name, round, len(ends), row.want)
			}
			if d, end := (&auth.Principal{Key: &auth.Key{ID: "x", Owner: "other"}}).Acquire(l); !d.OK {
				t.Errorf("%s: another owner has no slot", row.name)
			} else {
				end()
			}
			for _, end := range ends {
				end()
			}
		}
	}
}
