package calendar

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What buckets there are, and when, TestZonesAgainstPython and TestNamedDays hold against Python.

func TestInterleavedHoursAreOneBucketEach(t *testing.T) {
	r := days(t, "Antarctica/Troll", "2024-10-27", "2024-10-27")
	var spans, buckets []int64
	for _, s := range Spans(r, Hourly)[:6] {
		spans = append(spans, s.Number-Spans(r, Hourly)[0].Number)
	}
	for _, b := range Buckets(r, Hourly)[:4] {
		buckets = append(buckets, b.Number-Buckets(r, Hourly)[0].Number)
	}
	if diff := cmp.Diff([]int64{0, 1, 2, 1, 2, 3}, spans); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{0, 1, 2, 3}, buckets); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
}

func BenchmarkTenYearsOfDays(b *testing.B) {
	start, _ := ParseDate("2015-01-01")
	for b.Loop() {
		Buckets(Days(start, start+3659, time.UTC), Daily)
	}
}
