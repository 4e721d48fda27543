package audit_test

import (
	"context"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
)

// nothing is a Log that keeps heads alone, so that the writer's own work is what is measured.
type nothing struct{ audit.Memory }

func (l *nothing) Append(ctx context.Context, head audit.Mark, _ []audit.Record) error {
	return l.Memory.Append(ctx, head, nil)
}

func use() auth.Entry {
	return auth.Entry{
		Time: time.UnixMilli(1_795_000_000_123), RequestID: "req_ABCDEFGHIJKLMNOPQRSTUVWXYZ", KeyID: "key_01234567890123456789",
		Start: "sl_4fT9x", Owner: "org_acme", Method: "POST", Route: "/v1/query",
		Resource: auth.Resource{Kind: auth.KindWebsite, ID: "web_r5t2y8kq0p3m", Owner: "org_acme"}, Scope: auth.ReadData,
		Outcome: "allowed", Status: 200, IP: "203.0.113.77",
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	}
}

// BenchmarkRecord is what the request pays, with the flushes of another goroutine counted
// in but for the log's own work.
func BenchmarkRecord(b *testing.B) {
	w := newWriter(b, audit.Config{Log: &nothing{}})
	defer closeWriter(b, w)
	e := use()
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Record(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecordAlone is the same without any flush meanwhile.
func BenchmarkRecordAlone(b *testing.B) {
	w := newWriter(b, audit.Config{Log: &nothing{}, Buffer: 1 << 20, Every: time.Hour})
	defer closeWriter(b, w)
	e := use()
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n == 1<<18 {
			b.StopTimer()
			if err := w.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
			n = 0
			b.StartTimer()
		}
		if err := w.Record(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFile is an entry in a file of JSON lines, a thousand at a time.
func BenchmarkFile(b *testing.B) {
	w := newWriter(b, audit.Config{Log: openFile(b, b.TempDir()+"/audit.jsonl"), Every: time.Hour})
	defer closeWriter(b, w)
	e := use()
	b.ReportAllocs()
	for n := 1; b.Loop(); n++ {
		if err := w.Record(b.Context(), e); err != nil {
			b.Fatal(err)
		}
		if n%1000 == 0 {
			if err := w.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkVerify is the verification of one entry, in memory.
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
	for i := 0; b.Loop(); i++ {
		if i%n != 0 {
			continue
		}
		if r, err := audit.Verify(b.Context(), m, pepper); err != nil || r.Entries != n || r.Err() != nil {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}
