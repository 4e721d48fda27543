package reference

import (
	"fmt"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
)

// The offsets were computed by hand from the rules of each zone.
func TestPeriodRanges(t *testing.T) {
	for _, tt := range []struct{ why, zone, start, end, from, to string }{
		{"a plain day", "UTC", "2024-05-01", "2024-05-01", "2024-05-01T00:00:00Z", "2024-05-02T00:00:00Z"},
		{"east by 5:45", "Asia/Kathmandu", "2024-05-01", "2024-05-02", "2024-04-30T18:15:00Z", "2024-05-02T18:15:00Z"},
		{"25 hours", "America/New_York", "2023-11-05", "2023-11-05", "2023-11-05T04:00:00Z", "2023-11-06T05:00:00Z"},
		{"23 hours", "America/New_York", "2024-03-10", "2024-03-10", "2024-03-10T05:00:00Z", "2024-03-11T04:00:00Z"},
		{"starts at 01:00", "America/Santiago", "2022-09-11", "2022-09-11", "2022-09-11T04:00:00Z",
			"2022-09-12T03:00:00Z"},
		{"starts at 01:00", "Africa/Cairo", "2024-04-26", "2024-04-26", "2024-04-25T22:00:00Z", "2024-04-26T21:00:00Z"},
		{"the hour before midnight twice", "Africa/Cairo", "2023-10-26", "2023-10-26", "2023-10-25T21:00:00Z",
			"2023-10-26T22:00:00Z"},
		{"24.5 hours", "Australia/Lord_Howe", "2024-04-07", "2024-04-07", "2024-04-06T13:00:00Z",
			"2024-04-07T13:30:00Z"},
		{"yesterday shown again at 00:01", "America/St_Johns", "2010-11-07", "2010-11-07", "2010-11-07T02:30:00Z",
			"2010-11-08T03:30:00Z"},
		{"the day before that one", "America/St_Johns", "2010-11-06", "2010-11-06", "2010-11-06T02:30:00Z",
			"2010-11-07T02:30:00Z"},
		{"a day that does not exist", "Pacific/Apia", "2011-12-30", "2011-12-30", "2011-12-30T10:00:00Z",
			"2011-12-30T10:00:00Z"},
		{"a day that does not exist within", "Pacific/Apia", "2011-12-29", "2011-12-31", "2011-12-29T10:00:00Z",
			"2011-12-31T10:00:00Z"},
	} {
		p, err := periodOf(tt.zone, tt.start, tt.end, bucketKind{})
		if err != nil {
			t.Fatal(err)
		}
		got := [2]string{showMillis(p.from), showMillis(p.to)}
		if want := [2]string{tt.from, tt.to}; got != want {
			t.Errorf("%s, %s of %s: got %v, want %v", tt.why, tt.start, tt.zone, got, want)
		}
	}
}

func showMillis(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

func TestHourlyBuckets(t *testing.T) {
	for _, tt := range []struct {
		why, zone, date string
		hours           int
		odd             map[string]int // minutes of hours without 60 minutes; -1: the hour does not exist
	}{
		{"plain", "Asia/Kathmandu", "2024-05-01", 24, nil},
		{"01 twice", "America/New_York", "2023-11-05", 24, map[string]int{"01": 120}},
		{"no 02", "America/New_York", "2024-03-10", 23, map[string]int{"02": -1}},
		{"no 00", "America/Santiago", "2022-09-11", 23, map[string]int{"00": -1}},
		{"23 twice", "Africa/Cairo", "2023-10-26", 24, map[string]int{"23": 120}},
		{"half of 02", "Australia/Lord_Howe", "2024-10-06", 24, map[string]int{"02": 30}},
		{"01 and a half", "Australia/Lord_Howe", "2024-04-07", 24, map[string]int{"01": 90}},
		{"yesterday again is hour 00", "America/St_Johns", "2010-11-07", 24, map[string]int{"00": 120}},
		{"01 and 02 in turns", "Antarctica/Troll", "2024-10-27", 24, map[string]int{"01": 120, "02": 120}},
		{"no such day", "Pacific/Apia", "2011-12-30", 0, nil},
	} {
		p, err := periodOf(tt.zone, tt.date, tt.date, bucketKind{grain: "hourly"})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.labels) != tt.hours {
			t.Errorf("%s: %d rows, want %d", tt.why, len(p.labels), tt.hours)
		}
		minutes := map[string]int{}
		for _, s := range p.stretches {
			minutes[p.labels[s.bucket]] += int(s.to-s.from) / 60_000
		}
		want := map[string]int{}
		for h := range 24 {
			hour := fmt.Sprintf("%02d", h)
			if m, ok := tt.odd[hour]; !ok {
				want[tt.date+" "+hour+":00:00"] = 60
			} else if m > 0 {
				want[tt.date+" "+hour+":00:00"] = m
			}
		}
		if tt.hours == 0 {
			want = map[string]int{}
		}
		if d := cmp.Diff(want, minutes); d != "" {
			t.Errorf("%s in %s (-want +got):\n%s", tt.why, tt.zone, d)
		}
	}
}

// Reading the clock every minute, and never returning to an earlier date, must give the same days.
func TestDaysAgainstWatchingTheClock(t *testing.T) {
	for _, tt := range []struct{ zone, date string }{
		{"America/St_Johns", "2010-11-07"}, {"America/St_Johns", "2011-03-13"},
		{"America/Santiago", "2022-09-11"}, {"America/Santiago", "2023-04-02"},
		{"Pacific/Apia", "2011-12-30"}, {"Africa/Cairo", "2023-10-27"},
		{"Australia/Lord_Howe", "2024-04-07"}, {"Antarctica/Casey", "2010-03-05"},
		{"Antarctica/Troll", "2024-03-31"}, {"Asia/Kathmandu", "1986-01-01"},
		{"America/Havana", "2024-11-03"}, {"Europe/Berlin", "2024-10-27"},
	} {
		loc, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		middle, _ := time.Parse(time.DateOnly, tt.date)
		c, latest := newClock(loc), ""
		for at := middle.Add(-72 * time.Hour); at.Before(middle.Add(72 * time.Hour)); at = at.Add(time.Minute) {
			shown := at.In(loc).Format(time.DateOnly)
			again := shown < latest
			latest = max(latest, shown)
			want := latest + " 00"
			if !again {
				want = at.In(loc).Format("2006-01-02 15")
			}
			day := time.Unix(c.day(at.Unix())*daySeconds, 0).UTC().Format(time.DateOnly)
			if got := fmt.Sprintf("%s %02d", day, c.hour(at.Unix())); got != want {
				t.Fatalf("%s at %v: got %s, want %s", tt.zone, at, got, want)
			}
		}
	}
}

func TestBadPeriods(t *testing.T) {
	for _, tt := range [][3]string{
		{"Nowhere/Atall", "2024-05-01", "2024-05-01"},
		{"UTC", "2024-02-30", "2024-05-01"},
		{"UTC", "2024-05-01", "soon"},
		{"UTC", "2024-05-02", "2024-05-01"},
	} {
		if _, err := periodOf(tt[0], tt[1], tt[2], bucketKind{}); err == nil {
			t.Errorf("the invalid range %v was accepted", tt)
		}
	}
}

func periodOf(zone, start, end string, kind bucketKind) (*period, error) {
	c, err := clockOf(zone)
	if err != nil {
		return nil, err
	}
	r, err := c.reach(start, end)
	if err != nil {
		return nil, err
	}
	return newPeriod(c, r, kind), nil
}
