package matrix

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

// countedKeys counts lookups.
type countedKeys struct {
	keyStore
	asked atomic.Int64
}

// KeyByDigest implements auth.KeyStore.
func (c *countedKeys) KeyByDigest(ctx context.Context, d auth.Digest) (*auth.Key, error) {
	c.asked.Add(1)
	return c.keyStore.KeyByDigest(ctx, d)
}

// BenchmarkRefusals measures 5 000 refused requests of one network within a minute: their time, and
//
//	429s         number of answers 429
//	look-ups     of keys in the store
//	entries      of the audit trail, and audit-bytes, as JSON
func BenchmarkRefusals(b *testing.B) {
	for name, credential := range map[string]func() string{
		"without a key": func() string { return "" },
		"unknown keys": func() string {
			s, err := auth.NewSecret(nil, "")
			if err != nil {
				b.Fatal(err)
			}
			return s.Reveal()
		},
	} {
		b.Run(name, func(b *testing.B) {
			e := onSQLite(b)
			keys := &countedKeys{keyStore: e.keys}
			e.keys = keys
			w := newWorld(b, e)
			limited := 0
			for b.Loop() {
				w.limiter.renew(b, ratelimit.Config{})
				for range 5000 {
					r := httptest.NewRequest(http.MethodGet, "/v1/query/websites", http.NoBody)
					if key := credential(); key != "" {
						r.Header.Set("X-Api-Key", key)
					}
					if w.send(hostAPI, r).Code == http.StatusTooManyRequests {
						limited++
					}
				}
			}
			entries, size := 0, 0
			for _, some := range w.entries(b) {
				text, err := json.Marshal(some)
				if err != nil {
					b.Fatal(err)
				}
				entries, size = entries+len(some), size+len(text)
			}
			for unit, n := range map[string]int{"429s": limited, "look-ups": int(keys.asked.Load()), "entries": entries,
				"audit-bytes": size} {
				b.ReportMetric(float64(n)/float64(b.N), unit)
			}
		})
	}
}
