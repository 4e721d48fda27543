package redislimit_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
)

var (
	_ auth.Limiter            = (*redislimit.Limiter)(nil)
	_ auth.GroupLimiter       = (*redislimit.Limiter)(nil)
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

func BenchmarkAllow(b *testing.B) {
	s := startServer(b)
	l, _ := newLimiter(b, newClient(b, s.dsn()), ratelimit.Config{})
	b.Run("yes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			allow(b, l, "key", 1, 1_000_000_000)
		}
	})
	key := auth.Principal{Key: &auth.Key{ID: "k", Owner: "o", Limits: &auth.Limits{PerMinute: 10_000_000}}}
	b.Run("charge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if d, err := key.Charge(b.Context(), l, auth.ClassQuery, 1); err != nil || !d.OK {
				b.Fatal(d, err)
			}
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
