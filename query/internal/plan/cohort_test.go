package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/store"
)

// retentionOf resolves a parameter retention with that range and granularity, asked at noon on 2024-03-01.
func retentionOf(t *testing.T, start, end, granularity string) Parameter {
	t.Helper()
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	req := ask.Request{Parameters: []ask.Parameter{{Name: "retention"}}, StartDate: start, EndDate: end,
		Options: ask.Options{Granularity: granularity}}
	found, mistakes := Resolve(types, ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}}, req, now,
		nil)
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	return found.Parameters[0]
}

func TestCohorts(t *testing.T) {
	for _, tt := range []struct {
		start, end, granularity string
		grain                   calendar.Grain
		mistake                 string // in the error; empty: none
	}{
		{"2024-01-01", "2024-02-29", "", calendar.Weekly, ""},
		{"2024-01-01", "2024-02-29", "daily", calendar.Daily, ""},
		{"2024-01-01", "2024-02-29", "month", calendar.Monthly, ""},
		{"2024-01-01", "2024-01-02", "hourly", 0, "hourly is not for retention; use daily, weekly or monthly"},
		{"2024-01-01", "2024-03-01", "daily", 0,
			"retention is for ranges of at most 60 daily cohorts, and this one has 61; use longer cohorts or a shorter range"},
		{"2022-12-25", "2024-02-17", "", calendar.Weekly, ""},
		{"2022-12-25", "2024-02-18", "", 0, "at most 60 weekly cohorts, and this one has 61"},
	} {
		p := retentionOf(t, tt.start, tt.end, tt.granularity)
		switch {
		case tt.mistake != "" &&
			(p.Err == nil || p.Err.Code != ask.BadRange || !strings.Contains(p.Err.Message, tt.mistake)):
			t.Errorf("%+v: the error is %v", tt, p.Err)
		case tt.mistake == "" && (p.Err != nil || p.Plan.Grain != tt.grain):
			t.Errorf("%+v: %+v", tt, p)
		}
	}
}

// Rows of cohorts change with the clock only while a bucket of the range has not begun.
func TestCohortsByClock(t *testing.T) {
	for end, want := range map[string]struct {
		begun   int
		byClock bool
	}{"2024-02-29": {1, false}, "2024-03-02": {1, false}, "2024-03-03": {1, true}} { // Sundays: 25 February, 3 March
		p := retentionOf(t, "2024-02-28", end, "").Plan
		if got := len(p.Begun()); got != want.begun || p.ByClock() != want.byClock {
			t.Errorf("until %s: %d weeks have begun, and the answer depends on the clock: %t; want %+v", end, got,
				p.ByClock(), want)
		}
	}
}
