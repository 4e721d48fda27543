package meta

import (
	"fmt"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// BenchmarkNewProfile stores profiles of a website that already has many profiles.
func BenchmarkNewProfile(b *testing.B) {
	for _, many := range []int{0, 100_000, 300_000} {
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			s := mustOpen(b, config(b))
			for _, statement := range []string{
				`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
					INSERT INTO profiles SELECT 'w', 'old' || i, '', '{}', TRUE, 1 FROM n WHERE %[1]d > 0`,
				"INSERT INTO profile_counts VALUES ('w', 0, %d)",
			} {
				if _, err := s.write.ExecContext(b.Context(), fmt.Sprintf(statement, many)); err != nil {
					b.Fatal(err)
				}
			}
			for i := 0; b.Loop(); i++ {
				if err := s.Identify(b.Context(),
					store.Identification{Website: "w", Profile: fmt.Sprint("new", i)}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
