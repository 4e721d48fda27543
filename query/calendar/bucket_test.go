package calendar

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDailyBuckets(t *testing.T) {
	for _, row := range []struct{ why, zone, start, end, want string }{
		{"each day once", "Europe/Berlin", "2024-10-26", "2024-10-28", "2024-10-26 2024-10-27 2024-10-28"},
		{"no row for a day that does not exist", "Pacific/Apia", "2011-12-29", "2011-12-31", "2011-12-29 2011-12-31"},
		{"nothing when it is asked alone", "Pacific/Apia", "2011-12-30", "2011-12-30", ""},
		{"a day that begins at 01:00 is a day", "America/Santiago", "2022-09-10", "2022-09-12", "2022-09-10 2022-09-11 2022-09-12"},
		{"yesterday again is no row of its own", "America/St_Johns", "2010-11-06", "2010-11-08", "2010-11-06 2010-11-07 2010-11-08"},
		{"before 1970 in UTC, still the first day", "Asia/Tokyo", "1970-01-01", "1970-01-02", "1970-01-01 1970-01-02"},
	} {
		if diff := cmp.Diff(row.want, labels(days(t, row.zone, row.start, row.end), Daily)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.why, diff)
		}
	}
}

func TestHourlyBuckets(t *testing.T) {
	for _, row := range []struct {
		why, zone, day string
		hours          int
		has, lacks     string
	}{
		{"24 hours", "Asia/Kathmandu", "2024-05-05", 24, "00 23", ""},
		{"the skipped hour has no row", "Europe/Berlin", "2024-03-31", 23, "01 03", "02"},
		{"the repeated hour has one", "Europe/Berlin", "2024-10-27", 24, "01 02 03", ""},
		{"a day that begins at 01:00", "America/Santiago", "2022-09-11", 23, "01 23", "00"},
		{"a day that ends with the same hour twice", "America/Santiago", "2022-04-02", 24, "22 23", ""},
		{"midnight twice", "America/Havana", "2023-11-05", 24, "00 01", ""},
		{"yesterday again falls into hour 00", "America/St_Johns", "2010-11-07", 24, "00 01 23", ""},
		{"half an hour skipped leaves the hour", "Australia/Lord_Howe", "2024-10-06", 24, "01 02 03", ""},
		{"half an hour repeated", "Australia/Lord_Howe", "2024-04-07", 24, "01 02 03", ""},
		{"two hours repeated", "Antarctica/Troll", "2024-10-27", 24, "01 02 03", ""},
		{"two hours skipped", "Antarctica/Troll", "2024-03-31", 22, "00 03", "01 02"},
	} {
		r := days(t, row.zone, row.day, row.day)
		got := labels(r, Hourly)
		if n := len(strings.Split(got, ",")); n != row.hours {
			t.Errorf("%s: %d rows, want %d: %s", row.why, n, row.hours, got)
		}
		for hour := range strings.FieldsSeq(row.has) {
			if !strings.Contains(got, row.day+" "+hour+":00:00") {
				t.Errorf("%s: hour %s is missing: %s", row.why, hour, got)
			}
		}
		for hour := range strings.FieldsSeq(row.lacks) {
			if strings.Contains(got, row.day+" "+hour+":00:00") {
				t.Errorf("%s: hour %s does not exist: %s", row.why, hour, got)
			}
		}
	}
}

// labels joins the labels of r: days with blanks, hours (which hold a blank) with commas.
func labels(r Range, g Grain) string {
	separator := " "
	if g == Hourly {
		separator = ","
	}
	var all []string
	for _, b := range Buckets(r, g) {
		all = append(all, b.Label)
	}
	return strings.Join(all, separator)
}

func TestSpansCoverTheRange(t *testing.T) {
	for _, row := range []struct{ zone, start, end string }{
		{"Antarctica/Troll", "2024-10-25", "2024-10-29"},
		{"America/St_Johns", "2010-11-06", "2010-11-08"},
		{"Pacific/Apia", "2011-12-25", "2012-01-02"},
		{"Australia/Lord_Howe", "2024-04-01", "2024-04-10"},
		{"UTC", "2015-01-01", "2025-01-07"},
	} {
		r := days(t, row.zone, row.start, row.end)
		for _, g := range []Grain{Daily, Hourly} {
			at := r.From.UnixMilli()
			for _, s := range Spans(r, g) {
				if s.From != at || s.To <= s.From {
					t.Fatalf("%s %s: a span of [%d, %d) follows %d", row.zone, g, s.From, s.To, at)
				}
				at = s.To
			}
			if at != r.To.UnixMilli() {
				t.Errorf("%s %s: spans end at %d, the range at %d", row.zone, g, at, r.To.UnixMilli())
			}
		}
	}
}

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
