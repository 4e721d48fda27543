package catalog_test

import (
	"testing"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
)

// BenchmarkChoose binds choices: known ones, and new ones.
func BenchmarkChoose(b *testing.B) {
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		b.Fatal(err)
	}
	p := ask.Parameter{Dimensions: []string{"date", "country", "property:plan"}, Metrics: []ask.ChosenMetric{
		{Name: "visitors"}, {Name: "bounce_rate"}, {Name: "sum", Property: "total"}, {Name: "percentage"}}}
	for _, known := range []bool{true, false} {
		b.Run(map[bool]string{true: "known", false: "new"}[known], func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if !known {
					p.Metrics[0].As = "visitors_" +
						string([]byte{'a' + byte(n%26), 'a' + byte(n/26%26), 'a' + byte(n/676%26), 'a' +
							byte(n/17576%26)})
				}
				var list ask.Issues
				if types.Choose(catalog.DatasetNamed("pageviews"), &p, 0, &list) == nil {
					b.Fatal(list.Sorted())
				}
			}
		})
	}
}
