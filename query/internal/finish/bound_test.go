package finish

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

func TestNumbersBeyondTheirBound(t *testing.T) {
	ty := &catalog.BoundType{Type: catalog.Type{Name: "x", Shape: catalog.Totals},
		Outputs: []catalog.Output{{Name: "revenue", Format: catalog.Number, Most: 10},
			{Name: "other", Format: catalog.Number}}}
	for x, wrong := range map[float64]bool{10: false, -10: false, 10.5: true, -10.5: true} {
		rows := &store.Rows{Len: 1,
			Columns: []store.Column{{Kind: dialect.Float, Floats: []float64{x}},
				{Kind: dialect.Float, Floats: []float64{99}}}}
		_, err := Finish(&plan.Plan{Type: ty}, rows)
		if (err != nil) != wrong || wrong &&
			(err.Code != ask.TooLarge || !strings.Contains(err.Message, "revenue is beyond 10")) {
			t.Errorf("%v: %v", x, err)
		}
	}
	null := &store.Rows{Len: 1,
		Columns: []store.Column{{Kind: dialect.Float, Floats: []float64{99}, Valid: []bool{false}},
			{Kind: dialect.Float, Floats: []float64{99}}}}
	if _, err := Finish(&plan.Plan{Type: ty}, null); err != nil {
		t.Errorf("null: %v", err)
	}
}
