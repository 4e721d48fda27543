package importer_test

import (
	"bytes"
	"testing"

	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/internal/accesslog"
)

// BenchmarkCombined measures an import without a store. An operation is 10 000 lines.
func BenchmarkCombined(b *testing.B) {
	const lines = 10_000
	var log bytes.Buffer
	if _, err := accesslog.Write(&log,
		accesslog.Options{Lines: lines, Seed: 1, From: now.AddDate(0, 0, -2), Days: 1}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		cfg := importer.Config{Target: discard{}, Website: shop, Pepper: pepper()}
		if _, err := importer.Run(b.Context(), cfg, []importer.Source{text("f", log.String())}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(lines*b.N)/b.Elapsed().Seconds(), "lines/s")
}
