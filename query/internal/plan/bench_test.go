package plan

import (
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

func BenchmarkResolve(b *testing.B) {
	registry := smallRegistry()
	zones := ask.NewZones()
	access := ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}}
	for _, zone := range []string{"", "Europe/Berlin"} {
		b.Run("zone="+zone, func(b *testing.B) {
			req := ask.Request{Parameters: []ask.Parameter{{Name: "pages"}}, TimeZone: zone,
				Options: ask.Options{Preset: "last_30d",
					Filters: []ask.Filter{{Field: "country", Op: ask.Eq, Values: []string{"DE"}}}}}
			b.ReportAllocs()
			for b.Loop() {
				if _, errs := Resolve(registry, access, req, time.Unix(1_700_000_000, 0), zones); errs != nil {
					b.Fatal(errs)
				}
			}
		})
	}
}
