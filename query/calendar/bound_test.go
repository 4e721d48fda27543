package calendar

import (
	"errors"
	"testing"
	"time"
)

func TestParseBound(t *testing.T) {
	for text, want := range map[string]error{
		"2026-11-29": nil, "2026-11-29T08:30": nil, "2026-11-29T08:30Z": nil, "2026-11-29T08:30+01:00": nil,
		"2026-11-29T08:30:00": nil, "2026-11-29T08:30:00.000Z": nil, "2026-11-29T23:59:00-03:30": nil,
		"2026-11-29T08:30:01": ErrSeconds, "2026-11-29T08:30:00.001Z": ErrSeconds, "2026-11-29T24:00": ErrNoSuchTime,
		"2026-11-29T08:60": ErrNoSuchTime, "2026-11-29T08:30+24:00": ErrNoSuchTime,
		"2026-11-29T08:30 01:00": ErrBlank, "2026-11-29 08:30": ErrBound, "2026-11-29T8:30": ErrBound,
		"2026-11-29T08:30+0100": ErrBound, "2026-11-29T08:30+": ErrBound, "2026-11-29T": ErrBound, "": ErrBound,
		"2026-11-29T08:30z": ErrBound, "29.11.2026": ErrBound, "2026-1-1T08:30": ErrBound,
		"2026-02-30": ErrNoSuchDate, "2026-02-30T08:30": ErrNoSuchDate, "1969-12-31T08:30": ErrYear,
		"2101-01-01": ErrYear,
	} {
		if b, err := ParseBound(text); !errors.Is(err, want) || err == nil && b.String() != text {
			t.Errorf("%q: %v, %v, want %v", text, b, err, want)
		}
	}
}

// Each row is a time in a zone, and the instant that it is, or what callers may write in its place.
func TestLocalTimes(t *testing.T) {
	for _, row := range []struct{ zone, text, start, one, other string }{
		{"Asia/Kathmandu", "2024-02-29T00:00", "2024-02-28T18:15:00Z", "", ""},
		{"Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59:00Z", "", ""},
		{"Europe/Berlin", "2026-03-29T02:30", "", "2026-03-29T02:30+01:00", "2026-03-29T02:30+02:00"},
		{"Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00Z", "", ""},
		{"Europe/Berlin", "2026-10-25T02:30", "", "2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"},
		{"Europe/Berlin", "2026-10-25T02:30+01:00", "2026-10-25T01:30:00Z", "", ""},
		{"Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00Z", "", ""},
		{"Europe/Berlin", "2026-10-25T00:30Z", "2026-10-25T00:30:00Z", "", ""},
		{"Australia/Lord_Howe", "2024-04-07T01:29", "2024-04-06T14:29:00Z", "", ""},
		{"Australia/Lord_Howe", "2024-04-07T01:30", "", "2024-04-07T01:30+11:00", "2024-04-07T01:30+10:30"},
		{"Australia/Lord_Howe", "2024-04-07T02:00", "2024-04-06T15:30:00Z", "", ""},
		{"Australia/Lord_Howe", "2024-10-06T02:15", "", "2024-10-06T02:15+10:30", "2024-10-06T02:15+11:00"},
		{"Pacific/Apia", "2011-12-30T08:30", "", "2011-12-30T08:30-10:00", "2011-12-30T08:30+14:00"},
		{"Pacific/Apia", "2011-12-29T23:59", "2011-12-30T09:59:00Z", "", ""},
		{"Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00:00Z", "", ""},
		{"America/St_Johns", "2010-11-06T23:30", "", "2010-11-06T23:30-02:30", "2010-11-06T23:30-03:30"},
	} {
		b, err := ParseBound(row.text)
		if err != nil {
			t.Fatal(err)
		}
		at, err := b.Start(zone(t, row.zone))
		var clock *ClockError
		switch {
		case row.start != "" && (err != nil || at.At.Format(time.RFC3339) != row.start || !at.Time):
			t.Errorf("%+v: %v, %v", row, at, err)
		case row.start == "" && (!errors.As(err, &clock) || clock.Instants != [2]string{row.one, row.other}):
			t.Errorf("%+v: the error is %v", row, err)
		}
	}
}

// Times that are computed are never refused.
func TestAtLocal(t *testing.T) {
	for _, row := range []struct{ zone, day, at, want string }{
		{"Europe/Berlin", "2026-03-29", "2h30m", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-10-25", "2h30m", "2026-10-25T00:30:00Z"},
		{"Pacific/Apia", "2011-12-30", "8h", "2011-12-30T10:00:00Z"},
		{"Australia/Lord_Howe", "2024-04-07", "1h45m", "2024-04-06T14:45:00Z"},
		{"UTC", "2026-03-29", "23h59m", "2026-03-29T23:59:00Z"},
	} {
		since, err := time.ParseDuration(row.at)
		if err != nil {
			t.Fatal(err)
		}
		got := AtLocal(date(t, row.day), since.Milliseconds(), zone(t, row.zone))
		if got.Format(time.RFC3339) != row.want {
			t.Errorf("%+v: %s", row, got)
		}
	}
}

func TestPresetTimes(t *testing.T) {
	for _, row := range []struct {
		zone, preset, now, start, end string
		grain                         Grain
		buckets                       int
	}{
		{"UTC", "last_30m", "2026-11-29T08:30:59.999Z",
			"2026-11-29T08:01+00:00", "2026-11-29T08:31+00:00", Minutely, 30},
		{"UTC", "last_60m", "2026-11-29T08:30:00Z",
			"2026-11-29T07:31+00:00", "2026-11-29T08:31+00:00", Minutely, 60},
		{"Asia/Kathmandu", "last_24h", "2026-11-29T08:30:00Z",
			"2026-11-28T15:00+05:45", "2026-11-29T15:00+05:45", Hourly, 24},
		// The clocks show 02:00 to 03:00 twice, or not at all.
		{"Europe/Berlin", "last_24h", "2026-10-25T10:30:00Z",
			"2026-10-24T12:00+02:00", "2026-10-25T12:00+01:00", Hourly, 24},
		{"Europe/Berlin", "last_24h", "2026-10-25T00:30:00Z",
			"2026-10-24T03:00+02:00", "2026-10-25T03:00+01:00", Hourly, 24},
		{"Europe/Berlin", "last_24h", "2026-03-29T10:30:00Z",
			"2026-03-28T12:00+01:00", "2026-03-29T13:00+02:00", Hourly, 24},
		{"Europe/Berlin", "last_60m", "2026-10-25T01:10:30Z",
			"2026-10-25T02:11+02:00", "2026-10-25T02:11+01:00", Minutely, 60},
		{"Australia/Lord_Howe", "last_24h", "2024-04-06T15:10:00Z",
			"2024-04-06T02:00+11:00", "2024-04-07T02:00+10:30", Hourly, 24},
		{"Pacific/Apia", "last_24h", "2011-12-30T12:10:00Z",
			"2011-12-29T03:00-10:00", "2011-12-31T03:00+14:00", Hourly, 24},
		{"Antarctica/Troll", "last_24h", "2024-10-27T02:10:00Z",
			"2024-10-26T03:00+02:00", "2024-10-27T03:00+00:00", Hourly, 24},
		{"America/St_Johns", "last_24h", "2010-11-07T03:10:00Z",
			"2010-11-06T01:00-02:30", "2010-11-07T01:00-03:30", Hourly, 24},
	} {
		now, err := time.Parse(time.RFC3339, row.now)
		if err != nil {
			t.Fatal(err)
		}
		r, ok := PresetTimes(row.preset, now, zone(t, row.zone))
		start, end := r.Texts()
		n := len(Buckets(r, row.grain))
		if !ok || start != row.start || end != row.end || n != row.buckets || PresetGrain(row.preset) != row.grain {
			t.Errorf("%+v: %s to %s, %d buckets", row, start, end, n)
		}
	}
}

// Real minutes are in the order of time, each with its own label, which ParseBound reads as its start.
func TestMinutes(t *testing.T) {
	for _, row := range []struct{ zone, from string }{
		{"Europe/Berlin", "2026-10-24T23:30:00Z"}, {"Europe/Berlin", "2026-03-29T00:00:00Z"},
		{"Australia/Lord_Howe", "2024-04-06T14:00:00Z"}, {"Pacific/Apia", "2011-12-30T09:00:00Z"},
		{"Asia/Kathmandu", "1985-12-31T17:30:00Z"},
	} {
		from, err := time.Parse(time.RFC3339, row.from)
		if err != nil {
			t.Fatal(err)
		}
		in := zone(t, row.zone)
		buckets := Buckets(Times(from, from.Add(3*time.Hour), in), Minutely)
		if len(buckets) != 180 {
			t.Fatalf("%+v: %d minutes", row, len(buckets))
		}
		for i, b := range buckets {
			want := from.Add(time.Duration(i) * time.Minute)
			bound, err := ParseBound(b.Label)
			start, clock := bound.Start(in)
			if err != nil || clock != nil || !start.At.Equal(want) || b.From != want.UnixMilli() ||
				b.To-b.From != Minute {
				t.Errorf("%+v: minute %d is %+v, which starts at %s: %v", row, i, b, start.At, err)
			}
		}
	}
}

func TestBeginsInside(t *testing.T) {
	for _, row := range []struct {
		start string
		grain Grain
		want  bool
	}{
		{"2026-10-25", Daily, false}, {"2026-10-25T00:00", Daily, false}, {"2026-10-25T00:01", Daily, true},
		{"2026-10-25T01:00", Hourly, false}, {"2026-10-25T01:01", Hourly, true},
		{"2026-10-25T02:00+02:00", Hourly, false}, {"2026-10-25T02:00+01:00", Hourly, true},
		{"2026-10-25T02:30+01:00", Minutely, false}, {"2026-10-25", Weekly, false}, {"2026-10-25T00:01", Weekly, true},
		{"2026-10-26", Weekly, true}, {"2026-10-01T00:00", Monthly, false}, {"2026-10-01T00:01", Monthly, true},
	} {
		berlin := zone(t, "Europe/Berlin")
		b, err := ParseBound(row.start)
		start, clock := b.Start(berlin)
		end, _ := Bound{date: DateOf(2026, 11, 2)}.End(berlin)
		if got := BeginsInside(Between(start, end, berlin), row.grain); got != row.want || err != nil || clock != nil {
			t.Errorf("%+v: %t, %v, %v", row, got, err, clock)
		}
	}
}
