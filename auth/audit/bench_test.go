package audit_test

import (
	"context"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// nothing is a Log that discards records, so that benchmarks measure only the writer.
type nothing struct{}

func (nothing) Append(context.Context, audit.Checkpoint, []audit.Record) error { return nil }

func use() auth.Entry {
	return auth.Entry{
		Time: time.UnixMilli(1_795_000_000_123), RequestID: "req_ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		KeyID: "key_01234567890123456789",
		Start: "sl_4fT9x", Owner: "org_acme", Method: "POST", Route: "/v1/query",
		Resource: auth.Resource{Kind: auth.KindWebsite, ID: "web_r5t2y8kq0p3m", Owner: "org_acme"},
		Scope:    auth.ReadData,
		Outcome:  "allowed", Status: 200, IP: "203.0.113.77",
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	}
}

// BenchmarkRecord measures Record, including concurrent flushes.
func BenchmarkRecord(b *testing.B) {
	for name, log := range map[string]audit.Log{"nothing": nothing{}, "memory": &audit.Memory{}} {
		b.Run(name, func(b *testing.B) {
			w := newWriter(b, audit.Config{Log: log})
			defer closeWriter(b, w)
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Record(b.Context(), use()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkVerify verifies 10 000 entries in memory.
func BenchmarkVerify(b *testing.B) {
	m := &audit.Memory{}
	w := newWriter(b, audit.Config{Log: m})
	const n = 10_000
	for range n {
		if err := w.Record(b.Context(), use()); err != nil {
			b.Fatal(err)
		}
	}
	closeWriter(b, w)
	for b.Loop() {
		if r, err := audit.Verify(b.Context(), m, pepper); err != nil || r.Entries != n || r.Err() != nil {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}
