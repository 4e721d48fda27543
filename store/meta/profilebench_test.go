package meta

import (
	"fmt"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// BenchmarkNewProfile stores profiles of a website that already has many profiles, stored by an older program.
func BenchmarkNewProfile(b *testing.B) {
	for _, many := range []int{0, 100_000, 300_000} {
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			cfg := config(b)
			oldFile(b, cfg, "0015", fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				INSERT INTO profiles SELECT 'w', 'old' || i, '', '{}', TRUE, 1 FROM n WHERE %[1]d > 0`, many))
			s := mustOpen(b, cfg)
			for i := 0; b.Loop(); i++ {
				if err := s.Identify(b.Context(), store.Identification{Website: "w", Profile: fmt.Sprint("new", i)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
