package calendar

import (
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine
)

// TestDays is about ranges of several days, and about the first and last possible ranges. TestZonesAgainstPython checks
// single days of all zones.
func TestDays(t *testing.T) {
	for _, row := range []struct{ why, zone, start, end, from, to string }{
		{"several days, over the end of a year", "Asia/Kathmandu", "2023-12-31", "2024-01-01",
			"2023-12-30T18:15:00Z", "2024-01-01T18:15:00Z"},
		{"from a day that does not exist", "Pacific/Apia", "2011-12-30", "2011-12-31",
			"2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"},
		{"to a day that does not exist", "Pacific/Apia", "2011-12-29", "2011-12-30",
			"2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"},
		{"a day that does not exist alone", "Pacific/Apia", "2011-12-30", "2011-12-30",
			"2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},
		{"the first day there is", "Pacific/Kiritimati", "1970-01-01", "1970-01-01",
			"1970-01-01T10:40:00Z", "1970-01-02T10:40:00Z"},
		{"the last day there is", "Europe/Berlin", "2100-12-31", "2100-12-31",
			"2100-12-30T23:00:00Z", "2100-12-31T23:00:00Z"},
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
		if Label(s.Number, Hourly, time.UTC) == "1867-10-19 00:00:00" {
			millis += s.To - s.From
		}
	}
	// 00:00 to 01:00 of the 19th, then 15:30 to 24:00 of the 18th again, then 00:00 to 01:00.
	if want := int64(10*Hour + Hour/2); millis != want {
		t.Errorf("hour 00 of the 19th lasts %d ms, want %d", millis, want)
	}
}

// checkAgainstClock reads the zone's clock instant by instant: no zone periods, no search.
func checkAgainstClock(t *testing.T, name string, r Range, step time.Duration) {
	t.Helper()
	segments := map[Grain][]Segment{}
	for _, g := range []Grain{Hourly, Daily, Weekly, WeeklyFromMonday, Monthly} {
		segments[g] = Segments(r, g)
	}
	newest := ""
	for now := r.From; now.Before(r.To); now = now.Add(step) {
		hour := now.In(r.Zone).Format("2006-01-02 15:00:00")
		if hour[:10] < newest {
			hour = newest + " 00:00:00"
		}
		newest = hour[:10]
		for g, want := range map[Grain]string{Hourly: hour, Daily: hour[:10], Weekly: firstOf(t, hour[:10], Weekly),
			WeeklyFromMonday: firstOf(t, hour[:10], WeeklyFromMonday), Monthly: hour[:8] + "01"} {
			if got := labelAt(now.UnixMilli(), segments[g], g); got != want {
				t.Fatalf("%s at %s: %s bucket %s, want %s", name, now.Format(time.RFC3339), g, got, want)
			}
		}
	}
}

// labelAt is the label of the bucket of an instant.
func labelAt(at int64, segments []Segment, g Grain) string {
	shift := int64(0)
	for _, s := range segments {
		if s.From <= at {
			shift = s.Shift
		}
	}
	return Label(FloorDiv(at+shift, g.Width()), g, time.UTC)
}

// firstOf is the first day of the week of a day.
func firstOf(t *testing.T, day string, g Grain) string {
	t.Helper()
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	first := time.Sunday
	if g == WeeklyFromMonday {
		first = time.Monday
	}
	for d.Weekday() != first {
		d = d.AddDate(0, 0, -1)
	}
	return d.Format(time.DateOnly)
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
