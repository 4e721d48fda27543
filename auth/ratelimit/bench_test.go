package ratelimit_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

func BenchmarkAllow(b *testing.B) {
	own := &auth.Limits{PerMinute: 1_000_000_000}
	ids := make([]string, 200_000)
	for i := range ids {
		ids[i] = "key_" + strconv.Itoa(i)
	}
	for _, row := range []struct {
		name string
		ids  int
		own  *auth.Limits
	}{
		{"yes", 1, own},
		{"no", 1, nil},
		{"50000ids", 50_000, nil},
		{"200000ids", 200_000, nil}, // more ids than fit: each one is new
	} {
		b.Run(row.name, func(b *testing.B) {
			l, err := ratelimit.New(ratelimit.Config{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, err := l.Allow(context.Background(), auth.ClassQuery, ids[i%row.ids], 1, row.own); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

func BenchmarkAllowParallel(b *testing.B) {
	l, err := ratelimit.New(ratelimit.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := l.Allow(context.Background(), auth.ClassQuery, "key", 1, nil); err != nil {
				b.Error(err)
			}
		}
	})
}

func BenchmarkGate(b *testing.B) {
	l, err := ratelimit.New(ratelimit.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Acquire("key", 1)
		l.Release("key")
	}
}
