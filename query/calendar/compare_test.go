package calendar

import (
	"testing"
	"time"
)

func TestYearBefore(t *testing.T) {
	for from, want := range map[string]string{
		"2024-03-01": "2023-03-01", "2024-02-29": "2023-02-28", "2024-02-28": "2023-02-28",
		"2025-02-28": "2024-02-28", "2025-03-01": "2024-03-01", "2025-12-31": "2024-12-31",
	} {
		if got := date(t, from).YearBefore(); got.String() != want {
			t.Errorf("a year before %s is %s, want %s", from, got, want)
		}
	}
}

func TestPresetBefore(t *testing.T) {
	for _, row := range []struct{ today, preset, start, end string }{
		{"2024-03-31", "this_month", "2024-02-01", "2024-02-29"},
		{"2024-01-15", "this_month", "2023-12-01", "2023-12-31"},
		{"2024-03-31", "last_month", "2024-01-01", "2024-01-31"},
		{"2024-01-15", "last_month", "2023-11-01", "2023-11-30"},
		{"2024-03-31", "this_year", "2023-01-01", "2023-12-31"},
		{"2024-03-31", "last_year", "2022-01-01", "2022-12-31"},
		{"2024-03-31", "last_6m", "2023-04-01", "2023-09-30"},
		{"2024-03-31", "last_12m", "2022-04-01", "2023-03-31"},
		{"2024-03-31", "this_week", "2024-03-18", "2024-03-24"}, // a Sunday
		{"2024-04-01", "this_week", "2024-03-25", "2024-03-31"},
		{"2024-04-01", "last_week", "2024-03-18", "2024-03-24"},
	} {
		start, end, ok := PresetBefore(row.preset, date(t, row.today), time.Monday)
		if !ok || start.String() != row.start || end.String() != row.end {
			t.Errorf("before %s on %s: %s to %s (%v), want %s to %s", row.preset, row.today, start, end, ok, row.start,
				row.end)
		}
	}
	for _, name := range []string{"today", "last_30d", "last_8d"} {
		if _, _, ok := PresetBefore(name, 0, time.Sunday); ok {
			t.Errorf("%s is no week, month or year of the calendar", name)
		}
	}
}

// The same reading of the clock, on days whose clocks change.
func TestTimeOfDayAndAt(t *testing.T) {
	for _, row := range []struct{ why, zone, now, reading, day, at string }{
		{"a usual day", "Asia/Kathmandu", "2026-03-10T00:25:00Z", "6h10m0s", "2026-03-09", "2026-03-09T00:25:00Z"},
		{"midnight", "UTC", "2026-03-10T00:00:00Z", "0s", "2026-03-09", "2026-03-09T00:00:00Z"},
		{"the last millisecond", "UTC", "2026-03-10T23:59:59.999Z", "23h59m59.999s", "2026-03-09",
			"2026-03-09T23:59:59.999Z"},
		{"on a short day", "America/New_York", "2026-03-08T10:00:00Z", "6h0m0s", "2026-03-07", "2026-03-07T11:00:00Z"},
		{"of a short day", "America/New_York", "2026-03-09T10:00:00Z", "6h0m0s", "2026-03-08", "2026-03-08T10:00:00Z"},
		{"a time that the other day skips", "America/New_York", "2026-03-09T06:30:00Z", "2h30m0s", "2026-03-08",
			"2026-03-08T07:00:00Z"},
		{"on a long day, the first time", "America/New_York", "2026-11-01T05:30:00Z", "1h30m0s", "2026-10-31",
			"2026-10-31T05:30:00Z"},
		{"on a long day, the second time", "America/New_York", "2026-11-01T06:30:00Z", "1h30m0s", "2026-10-31",
			"2026-10-31T05:30:00Z"},
		{"a time that the other day has twice", "America/New_York", "2026-11-02T06:30:00Z", "1h30m0s", "2026-11-01",
			"2026-11-01T05:30:00Z"},
		{"yesterday shown again is in hour 00", "America/St_Johns", "2010-11-07T03:00:00Z", "29m0s", "2010-11-06",
			"2010-11-06T02:59:00Z"},
		{"a day that does not exist", "Pacific/Apia", "2011-12-31T22:00:00Z", "12h0m0s", "2011-12-30",
			"2011-12-30T10:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, row.now)
		if err != nil {
			t.Fatal(err)
		}
		reading := TimeOfDay(now, zone(t, row.zone))
		if reading.String() != row.reading {
			t.Errorf("%s: the clock reads %s, want %s", row.why, reading, row.reading)
		}
		if got := At(date(t, row.day), reading, zone(t, row.zone)).Format(time.RFC3339Nano); got != row.at {
			t.Errorf("%s: at %s of %s it is %s, want %s", row.why, reading, row.day, got, row.at)
		}
	}
}
