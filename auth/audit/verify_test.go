package audit_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth/audit"
)

// shifting is a Memory that somebody changes between its state and its first scan.
type shifting struct {
	audit.Memory
	meanwhile func()
}

func (l *shifting) Scan(ctx context.Context) iter.Seq2[audit.Record, error] {
	if do := l.meanwhile; do != nil {
		l.meanwhile = nil
		do()
	}
	return l.Memory.Scan(ctx)
}

// TestVerifyBesideOthers: what other processes do rightly while the log is read is no damage.
func TestVerifyBesideOthers(t *testing.T) {
	for says, meanwhile := range map[string]func(*testing.T, *audit.Memory){
		"another writer begins": func(t *testing.T, m *audit.Memory) {
			w := newWriter(t, audit.Config{Log: m})
			record(t, w, 10, 12)
			closeWriter(t, w)
		},
		"entries are pruned": func(t *testing.T, m *audit.Memory) {
			if _, err := audit.Prune(t.Context(), m, pepper, time.UnixMilli(3)); err != nil {
				t.Fatal(err)
			}
		},
		"a chain is dropped": func(t *testing.T, m *audit.Memory) {
			if p, err := audit.Prune(t.Context(), m, pepper, time.UnixMilli(30)); err != nil || len(p.Chains) != 1 {
				t.Fatalf("%+v, %v", p, err)
			}
		},
	} {
		l := &shifting{}
		w := newWriter(t, audit.Config{Log: l})
		record(t, w, 0, 6)
		closeWriter(t, w)
		l.meanwhile = func() { meanwhile(t, &l.Memory) }
		if r, err := audit.Verify(t.Context(), l, pepper); err != nil || r.Err() != nil || l.meanwhile != nil {
			t.Errorf("%s: %v, %v", says, err, r.Problems)
		}
	}
}
