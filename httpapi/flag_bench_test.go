package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/flags"
)

// BenchmarkBulk requests all 100 flags of a client over open connections. Each flag has 20 rules that do not match. The
// time includes server and client.
func BenchmarkBulk(b *testing.B) {
	store := &flags.Memory{}
	served := newFlags(b, store)
	for i := range 100 {
		f := flags.Flag{Client: flags.OfWebsite("site_a"), Key: fmt.Sprint("flag-", i), Type: flags.Rollout,
			Percentage: 50}
		for j := range 20 {
			f.Rules = append(f.Rules,
				flags.Rule{On: flags.OnEmail, Operator: flags.EndsWith, Value: fmt.Sprint("@", j, ".example"),
					Enabled: true})
		}
		if _, err := served.Editor().Create(b.Context(), flags.Actor{Kind: "test"}, f); err != nil {
			b.Fatal(err)
		}
	}
	w := newWorld(b, func(cfg *Config) { cfg.Flags, cfg.Limiter = served, auth.Unlimited })
	server := httptest.NewServer(w.handler)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resp, err := client.Get(server.URL +
				"/public/v1/flags/bulk?clientId=site_a&userId=user-4711&email=ada@acme.example&properties=%7B%22plan%22:%22free%22%7D")
			if err != nil {
				b.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK || n < 5000 {
				b.Errorf("%d with %d bytes, %v", resp.StatusCode, n, err)
			}
			_ = resp.Body.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}
