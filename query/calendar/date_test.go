package calendar

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestParseDate(t *testing.T) {
	for _, row := range []struct {
		text string
		want error
	}{
		{"1970-01-01", nil},
		{"2100-12-31", nil},
		{"2024-02-29", nil},
		{"2000-02-29", nil},
		{"2023-02-29", ErrNoSuchDate},
		{"2100-02-29", ErrNoSuchDate},
		{"2024-04-31", ErrNoSuchDate},
		{"2024-00-10", ErrNoSuchDate},
		{"2024-13-01", ErrNoSuchDate},
		{"2024-01-00", ErrNoSuchDate},
		{"1969-12-31", ErrYear},
		{"2101-01-01", ErrYear},
		{"0000-01-01", ErrYear},
		{"", ErrFormat},
		{"2024-1-1", ErrFormat},
		{"2024-01-01 ", ErrFormat},
		{" 2024-01-01", ErrFormat},
		{"2024/01/01", ErrFormat},
		{"20240101", ErrFormat},
		{"2024-01-01T00:00:00Z", ErrFormat},
		{"+024-01-01", ErrFormat},
		{"2024--1-01", ErrFormat},
		{"２024-01-0", ErrFormat},
	} {
		d, err := ParseDate(row.text)
		if !errors.Is(err, row.want) {
			t.Errorf("ParseDate(%q): %v, want %v", row.text, err, row.want)
		}
		if err == nil && d.String() != row.text {
			t.Errorf("ParseDate(%q) reads back as %s", row.text, d)
		}
	}
}

func TestPresets(t *testing.T) {
	for _, row := range []struct{ today, preset, start, end string }{
		{"2024-03-01", "today", "2024-03-01", "2024-03-01"},
		{"2024-03-01", "yesterday", "2024-02-29", "2024-02-29"},
		{"2023-03-01", "yesterday", "2023-02-28", "2023-02-28"},
		{"2024-03-01", "last_7d", "2024-02-24", "2024-03-01"},
		{"2024-03-01", "last_14d", "2024-02-17", "2024-03-01"},
		{"2024-03-01", "last_30d", "2024-02-01", "2024-03-01"},
		{"2024-03-01", "last_90d", "2023-12-03", "2024-03-01"},
		{"2024-03-01", "this_week", "2024-02-25", "2024-03-01"}, // a Friday
		{"2024-03-01", "last_week", "2024-02-18", "2024-02-24"},
		{"2024-03-03", "this_week", "2024-03-03", "2024-03-03"}, // a Sunday
		{"2024-03-03", "last_week", "2024-02-25", "2024-03-02"},
		{"2024-03-02", "this_week", "2024-02-25", "2024-03-02"}, // a Saturday
		{"2024-03-02", "last_week", "2024-02-18", "2024-02-24"},
		{"2024-03-01", "this_month", "2024-03-01", "2024-03-01"},
		{"2024-03-31", "this_month", "2024-03-01", "2024-03-31"},
		{"2024-03-31", "last_month", "2024-02-01", "2024-02-29"},
		{"2024-01-15", "last_month", "2023-12-01", "2023-12-31"},
		{"2024-01-01", "this_year", "2024-01-01", "2024-01-01"},
		{"2024-12-31", "this_year", "2024-01-01", "2024-12-31"},
		{"2024-02-29", "last_year", "2023-01-01", "2023-12-31"},
		{"2024-02-29", "last_6m", "2023-09-01", "2024-02-29"},
		{"2024-12-31", "last_6m", "2024-07-01", "2024-12-31"},
		{"2024-02-29", "last_12m", "2023-03-01", "2024-02-29"},
		{"2024-02-29", "last_180d", "2023-09-03", "2024-02-29"},
		{"2024-02-29", "last_365d", "2023-03-02", "2024-02-29"},
	} {
		start, end, ok := PresetDays(row.preset, date(t, row.today), time.Sunday)
		if !ok || start.String() != row.start || end.String() != row.end {
			t.Errorf("%s on %s: %s to %s (%v), want %s to %s",
				row.preset, row.today, start, end, ok, row.start, row.end)
		}
	}
	if _, _, ok := PresetDays("last_8d", 0, time.Sunday); ok || IsPreset("Today") || !IsPreset("last_week") {
		t.Error("only listed names are presets")
	}
	for _, row := range []struct{ today, preset, start, end string }{
		{"2024-03-04", "this_week", "2024-03-04", "2024-03-04"}, // a Monday
		{"2024-03-03", "this_week", "2024-02-26", "2024-03-03"}, // a Sunday
		{"2024-03-03", "last_week", "2024-02-19", "2024-02-25"},
	} {
		if start, end, _ := PresetDays(row.preset, date(t, row.today), time.Monday); start.String() != row.start ||
			end.String() != row.end {
			t.Errorf("%s from Monday on %s: %s to %s, want %s to %s", row.preset, row.today, start, end, row.start,
				row.end)
		}
	}
	want := []string{"last_30m", "last_60m", "last_24h", "today", "yesterday", "last_7d", "last_14d", "last_28d",
		"last_30d",
		"last_90d", "last_180d",
		"last_365d", "this_week", "last_week", "this_month", "last_month", "last_6m", "last_12m", "this_year",
		"last_year", "all_time"}
	if got := Presets(); !slices.Equal(got, want) {
		t.Errorf("Presets() = %v, want %v", got, want)
	}
}

func TestGrainNames(t *testing.T) {
	want := map[string]Grain{"daily": Daily, "day": Daily, "hourly": Hourly, "hour": Hourly, "weekly": Weekly,
		"week":    Weekly,
		"monthly": Monthly, "month": Monthly, "minute": Minutely}
	for _, name := range append(GrainNames(), "", "Daily", "minutes", "yearly") {
		g, ok := ParseGrain(name)
		if w, known := want[name]; ok != known || g != w {
			t.Errorf("ParseGrain(%q) = %v, %v", name, g, ok)
		}
	}
}

func TestTodayInZone(t *testing.T) {
	for _, row := range []struct{ zone, now, want string }{
		{"UTC", "2024-03-01T00:00:00Z", "2024-03-01"},
		{"UTC", "2024-02-29T23:59:59.999Z", "2024-02-29"},
		{"America/New_York", "2024-03-01T04:59:59Z", "2024-02-29"},
		{"Asia/Kathmandu", "2024-02-29T18:15:00Z", "2024-03-01"},
		{"Asia/Kathmandu", "2024-02-29T18:14:59Z", "2024-02-29"},
		// The clock shows the 6th again from 02:31 to 03:30 UTC: that is the 7th already.
		{"America/St_Johns", "2010-11-07T02:29:59Z", "2010-11-06"},
		{"America/St_Johns", "2010-11-07T02:30:00Z", "2010-11-07"},
		{"America/St_Johns", "2010-11-07T03:00:00Z", "2010-11-07"},
		{"Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"},
		{"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"},
	} {
		now, err := time.Parse(time.RFC3339, row.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := Today(now, zone(t, row.zone)); got.String() != row.want {
			t.Errorf("today in %s at %s is %s, want %s", row.zone, row.now, got, row.want)
		}
	}
}

func date(t *testing.T, s string) Date {
	t.Helper()
	d, err := ParseDate(s)
	if err != nil {
		t.Fatalf("%q %v", s, err)
	}
	return d
}
