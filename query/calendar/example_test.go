package calendar_test

import (
	"fmt"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// A preset is resolved to days, the days to instants of a zone, and these to buckets. In
// Berlin the last Sunday of March has 23 hours.
func Example() {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	today := calendar.Today(time.Date(2026, 3, 30, 9, 0, 0, 0, time.UTC), zone)
	start, end, _ := calendar.PresetDays("yesterday", today, time.Sunday)
	days := calendar.Days(start, end, zone)
	fmt.Println(days.StartDate, days.From.Format(time.RFC3339), days.To.Format(time.RFC3339))
	hours := calendar.Buckets(days, calendar.Hourly)
	fmt.Println(len(hours), hours[1].Label, hours[2].Label)
	// Output:
	// 2026-03-29 2026-03-28T23:00:00Z 2026-03-29T22:00:00Z
	// 23 2026-03-29 01:00:00 2026-03-29 03:00:00
}
