package answer

import (
	"testing"

	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// TestLargeChanges tests changes whose decimals floats do not compute.
func TestLargeChanges(t *testing.T) {
	floats := func(x float64) *Cells {
		return &Cells{Output: &catalog.Output{}, Column: store.Column{Kind: dialect.Float, Floats: []float64{x}}}
	}
	ints := func(n int64) *Cells {
		return &Cells{Output: &catalog.Output{}, Column: store.Column{Kind: dialect.Int, Ints: []int64{n}}}
	}
	for _, row := range []struct {
		now, then *Cells
		want      string
	}{
		{floats(-499999999.49925), floats(0.0001), "-499999999499350"},
		{floats(99999999999.99), floats(0.03), "333333333333200"},
		{floats(900000000.00005), floats(0.0007), "128571428571335.72"},
		{floats(12345678.9012), floats(0.0001), "12345678901100"},
		{floats(-1e10), floats(-0.7), "1428571428471.43"},
		{ints(9007199254740991), ints(7), "128674275067728340"},
	} {
		got, ok := change(row.now, row.then, 0)
		if text := string(appendRounded(nil, got, 2)); !ok || text != row.want {
			t.Errorf("from %v to %v: %s %%, want %s", row.then.Number(0), row.now.Number(0), text, row.want)
		}
	}
}
