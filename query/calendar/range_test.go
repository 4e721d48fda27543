package calendar

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/google/go-cmp/cmp"
)

func TestDays(t *testing.T) {
	for _, row := range []struct{ why, zone, start, end, from, to string }{
		{"a plain day", "UTC", "2024-03-01", "2024-03-01",
			"2024-03-01T00:00:00Z", "2024-03-02T00:00:00Z"},
		{"several days, over the end of a year", "Asia/Kathmandu", "2023-12-31", "2024-01-01",
			"2023-12-30T18:15:00Z", "2024-01-01T18:15:00Z"},
		{"a day of 23 hours", "Europe/Berlin", "2024-03-31", "2024-03-31",
			"2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z"},
		{"a day of 25 hours", "Europe/Berlin", "2024-10-27", "2024-10-27",
			"2024-10-26T22:00:00Z", "2024-10-27T23:00:00Z"},
		{"midnight skipped, the day begins at 01:00", "America/Santiago", "2022-09-11", "2022-09-11",
			"2022-09-11T04:00:00Z", "2022-09-12T03:00:00Z"},
		{"midnight skipped", "America/Asuncion", "2022-10-02", "2022-10-02",
			"2022-10-02T04:00:00Z", "2022-10-03T03:00:00Z"},
		{"midnight skipped", "Africa/Cairo", "2023-04-28", "2023-04-28",
			"2023-04-27T22:00:00Z", "2023-04-28T21:00:00Z"},
		{"midnight skipped", "Asia/Beirut", "2022-03-27", "2022-03-27",
			"2022-03-26T22:00:00Z", "2022-03-27T21:00:00Z"},
		{"midnight skipped", "Asia/Tehran", "2022-03-22", "2022-03-22",
			"2022-03-21T20:30:00Z", "2022-03-22T19:30:00Z"},
		{"the last hour of the day before comes twice", "America/Santiago", "2022-04-02", "2022-04-02",
			"2022-04-02T03:00:00Z", "2022-04-03T04:00:00Z"},
		{"midnight twice, the day begins at the first", "America/Havana", "2023-11-05", "2023-11-05",
			"2023-11-05T04:00:00Z", "2023-11-06T05:00:00Z"},
		{"a minute of the new day, then yesterday again", "America/St_Johns", "2010-11-07", "2010-11-07",
			"2010-11-07T02:30:00Z", "2010-11-08T03:30:00Z"},
		{"the day before that ends at its first midnight", "America/St_Johns", "2010-11-06", "2010-11-06",
			"2010-11-06T02:30:00Z", "2010-11-07T02:30:00Z"},
		{"a day that does not exist", "Pacific/Apia", "2011-12-30", "2011-12-30",
			"2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},
		{"from a day that does not exist", "Pacific/Apia", "2011-12-30", "2011-12-31",
			"2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"},
		{"to a day that does not exist", "Pacific/Apia", "2011-12-29", "2011-12-30",
			"2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
		{"half an hour back", "Australia/Lord_Howe", "2024-04-07", "2024-04-07",
			"2024-04-06T13:00:00Z", "2024-04-07T13:30:00Z"},
		{"half an hour forward", "Australia/Lord_Howe", "2024-10-06", "2024-10-06",
			"2024-10-05T13:30:00Z", "2024-10-06T13:00:00Z"},
		{"the first day there is", "Pacific/Kiritimati", "1970-01-01", "1970-01-01",
			"1970-01-01T10:40:00Z", "1970-01-02T10:40:00Z"},
		{"the last day there is", "Europe/Berlin", "2100-12-31", "2100-12-31",
			"2100-12-30T23:00:00Z", "2100-12-31T23:00:00Z"},
		{"summer time far ahead", "Europe/Berlin", "2099-07-01", "2099-07-01",
			"2099-06-30T22:00:00Z", "2099-07-01T22:00:00Z"},
	} {
		r := days(t, row.zone, row.start, row.end)
		from, to := r.From.Format(time.RFC3339), r.To.Format(time.RFC3339)
		if from != row.from || to != row.to {
			t.Errorf("%s: %s %s..%s is [%s, %s), want [%s, %s)",
				row.why, row.zone, row.start, row.end, from, to, row.from, row.to)
		}
	}
}

func TestRangeLen(t *testing.T) {
	if got := days(t, "UTC", "2024-02-01", "2024-03-01").Len(); got != 30 {
		t.Errorf("February 2024 and a day have %d days, want 30", got)
	}
	if got := days(t, "Pacific/Apia", "2011-12-30", "2011-12-30").Len(); got != 1 {
		t.Errorf("a day of the calendar is %d days, want 1", got)
	}
}

// segmentText writes segments as the clock reading at which each begins and its shift in minutes.
func segmentText(r Range) string {
	var b strings.Builder
	for _, s := range Segments(r) {
		fmt.Fprintf(&b, "%s %+d\n",
			time.UnixMilli(s.From).UTC().Format("01-02 15:04"), s.Shift/60_000)
	}
	return b.String()
}

func TestSegments(t *testing.T) {
	for _, row := range []struct{ why, zone, start, end, want string }{
		{"no change", "Asia/Kathmandu", "2024-01-01", "2024-12-31", "12-31 18:15 +345\n"},
		{"both changes of a year", "Europe/Berlin", "2024-01-01", "2024-12-31",
			"12-31 23:00 +60\n03-31 01:00 +120\n10-27 01:00 +60\n"},
		{"yesterday again moves into hour 00", "America/St_Johns", "2010-11-07", "2010-11-07",
			"11-07 02:30 -150\n11-07 02:31 -151\n11-07 03:30 -210\n"},
		{"yesterday repeats nothing when asked alone", "America/St_Johns", "2010-11-06", "2010-11-06",
			"11-06 02:30 -150\n"},
		{"midnight twice shows no yesterday", "America/Havana", "2023-11-05", "2023-11-05",
			"11-05 04:00 -240\n11-05 05:00 -300\n"},
		{"the last hour twice", "America/Santiago", "2022-04-02", "2022-04-03",
			"04-02 03:00 -180\n04-03 03:00 -240\n"},
		{"a jump over a day", "Pacific/Apia", "2011-12-29", "2011-12-31",
			"12-29 10:00 -600\n12-30 10:00 +840\n"},
		{"nothing at all", "Pacific/Apia", "2011-12-30", "2011-12-30", ""},
	} {
		if diff := cmp.Diff(row.want, segmentText(days(t, row.zone, row.start, row.end))); diff != "" {
			t.Errorf("%s: %s %s..%s (-want +got):\n%s", row.why, row.zone, row.start, row.end, diff)
		}
	}
}

// A long stretch of yesterday does not fit into one hour, so it is cut. No zone has
// had one since 1970; Guam repeated an hour and Alaska a whole day before.
func TestLongRepeatedStretch(t *testing.T) {
	alaska := zone(t, "America/Sitka")
	r := Range{
		StartDate: DateOf(1867, time.October, 18), EndDate: DateOf(1867, time.October, 19), Zone: alaska,
		From: time.UnixMilli(begin(DateOf(1867, time.October, 18), alaska)).UTC(),
		To:   time.UnixMilli(begin(DateOf(1867, time.October, 20), alaska)).UTC(),
	}
	checkAgainstClock(t, "America/Sitka", r, 5*time.Minute)
	var millis int64
	for _, s := range Spans(r, Hourly) {
		if Label(s.Number, Hourly) == "1867-10-19 00:00:00" {
			millis += s.To - s.From
		}
	}
	// 00:00 to 01:00 of the 19th, then 15:30 to 24:00 of the 18th again, then 00:00 to 01:00.
	if want := 10*hourMillis + hourMillis/2; millis != want {
		t.Errorf("hour 00 of the 19th lasts %d ms, want %d", millis, want)
	}
}

// The zone's clock, read instant by instant, is the judge: no zone periods, no search.
func TestSegmentsAgreeWithClock(t *testing.T) {
	for _, row := range []struct{ zone, start, end string }{
		{"Europe/Berlin", "2024-03-30", "2024-04-01"},
		{"Europe/Berlin", "2024-10-26", "2024-10-28"},
		{"Europe/Dublin", "2071-10-24", "2071-10-26"},
		{"America/Santiago", "2022-09-10", "2022-09-12"},
		{"America/Santiago", "2022-04-01", "2022-04-04"},
		{"America/Asuncion", "2022-10-01", "2022-10-03"},
		{"America/Havana", "2023-11-04", "2023-11-06"},
		{"America/St_Johns", "2010-11-05", "2010-11-09"},
		{"America/St_Johns", "1988-10-28", "1988-11-02"},
		{"Antarctica/Troll", "2024-10-26", "2024-10-28"},
		{"Antarctica/Casey", "2010-03-03", "2010-03-07"},
		{"Australia/Lord_Howe", "2024-04-06", "2024-04-08"},
		{"Pacific/Apia", "2011-12-28", "2012-01-01"},
		{"Pacific/Kwajalein", "1993-08-19", "1993-08-23"},
		{"Asia/Pyongyang", "2018-05-03", "2018-05-06"},
		{"Asia/Gaza", "2011-08-01", "2011-09-30"},
		{"Africa/Casablanca", "2024-03-08", "2024-04-16"},
		{"Africa/Monrovia", "1972-01-05", "1972-01-09"},
		{"America/Caracas", "2007-12-08", "2007-12-10"},
		{"Asia/Kathmandu", "1985-12-30", "1986-01-02"},
	} {
		r := days(t, row.zone, row.start, row.end)
		checkAgainstClock(t, row.zone, r, 30*time.Second)
	}
}

func checkAgainstClock(t *testing.T, name string, r Range, step time.Duration) {
	t.Helper()
	segments, at := Segments(r), 0
	newest := ""
	for now := r.From; now.Before(r.To); now = now.Add(step) {
		ms := now.UnixMilli()
		for at+1 < len(segments) && segments[at+1].From <= ms {
			at++
		}
		hour := now.In(r.Zone).Format("2006-01-02 15:00:00")
		if hour[:10] < newest {
			hour = newest + " 00:00:00"
		}
		newest = hour[:10]
		for g, want := range map[Grain]string{Hourly: hour, Daily: hour[:10]} {
			if got := Label(floorDiv(ms+segments[at].Shift, g.Width()), g); got != want {
				t.Fatalf("%s at %s: %s bucket %s, want %s", name, now.Format(time.RFC3339), g, got, want)
			}
		}
	}
}

func days(t *testing.T, zoneName, start, end string) Range {
	t.Helper()
	return Days(date(t, start), date(t, end), zone(t, zoneName))
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}
