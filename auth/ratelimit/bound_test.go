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
