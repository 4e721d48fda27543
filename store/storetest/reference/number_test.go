package reference

import (
	"math/big"
	"testing"
)

func TestDecimal(t *testing.T) {
	for _, tt := range []struct {
		a, b   int64
		digits int
		want   string
	}{
		{0, 1, 2, "0"}, {3, 1, 2, "3"}, {25, 2, 2, "12.5"}, {1, 3, 2, "0.33"}, {2, 3, 2, "0.67"},
		{201, 200, 2, "1.01"}, // 1.005, a half
		{1235, 1000, 2, "1.24"}, {-1235, 1000, 2, "-1.24"}, {-1, 1000, 2, "0"},
		{1, 200, 2, "0.01"}, {1999, 1000, 2, "2"}, {100, 1, 2, "100"},
		{1234, 10_000, 4, "0.1234"}, {12_345, 100_000, 4, "0.1235"}, {1, 1000, 4, "0.001"},
	} {
		if got := decimal(big.NewRat(tt.a, tt.b), tt.digits); got != tt.want {
			t.Errorf("%d/%d: got %s, want %s", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	for _, tt := range []struct {
		list    []int64
		percent int64
		want    string
	}{
		{[]int64{7}, 95, "7"},
		{[]int64{4, 1}, 50, "2.5"},
		{[]int64{3, 1, 2}, 50, "2"},
		{[]int64{10, 20, 30, 40}, 75, "32.5"},   // place 2.25
		{[]int64{10, 20, 30, 40}, 95, "38.5"},   // place 2.85
		{[]int64{0, 100}, 99, "99"},             // place 0.99
		{[]int64{5, 5, 5, 9}, 0, "5"},           // the least
		{[]int64{5, 9, 5, 5}, 100, "9"},         // the most
		{[]int64{1, 2, 3, 4, 5, 6}, 75, "4.75"}, // place 3.75
	} {
		if got := decimal(quantile(tt.list, tt.percent), 2); got != tt.want {
			t.Errorf("p%d of %v: got %s, want %s", tt.percent, tt.list, got, tt.want)
		}
	}
	if quantile(nil, 50) != nil || average(nil) != nil {
		t.Error("the median of an empty list is not null")
	}
}
