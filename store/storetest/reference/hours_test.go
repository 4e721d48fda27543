package reference

import (
	"testing"
	"time"
)

func TestHours(t *testing.T) {
	d := NewData(read(t, shop+`
		08T09:00:00 view q1 a=anna path=/
		08T09:10:00 view q2 a=ben path=/`))
	first := func(sortBy string, more func(*Question)) func(*Question) {
		return func(q *Question) {
			q.SortBy, q.Limit = sortBy, 3
			more(q)
		}
	}
	for _, w := range []wanted{
		{why: "Thursday; absent hours have 0, in order", name: "hours",
			ask: first("pageviews", where("path", "eq", "/pricing")), rows: `
			{"weekday":4,"hour_of_day":0,"pageviews":1,"visitors":1}
			{"weekday":1,"hour_of_day":0,"pageviews":0,"visitors":0}
			{"weekday":1,"hour_of_day":1,"pageviews":0,"visitors":0}`},
		{why: "visitors of all Wednesdays are one set", name: "hours", ask: first("pageviews", func(q *Question) {
			q.EndDate = "2024-05-08"
			q.Zone = "Asia/Kathmandu"
		}), rows: `
			{"weekday":3,"hour_of_day":14,"pageviews":4,"visitors":2}
			{"weekday":4,"hour_of_day":5,"pageviews":2,"visitors":1}
			{"weekday":3,"hour_of_day":15,"pageviews":1,"visitors":1}`},
		{why: "all hours for each combination", name: "hours", ask: func(q *Question) {
			grouped("browser_name")(q)
			q.Limit, q.Page = 1, 8
		}, rows: `{"browser_name":"Chrome","weekday":1,"hour_of_day":2,"pageviews":0,"visitors":0}`},
	} {
		w.check(t, d)
	}
}

// The clock of Berlin shows the hour from 2 to 3 twice on 27 October 2024, a Sunday.
func TestAnHourThatIsShownTwice(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	b := newClock(berlin)
	for at, want := range map[int64]int{1729987199: 6*24 + 1, 1729987200: 6*24 + 2, 1729990800: 6*24 + 2,
		1729994400: 6*24 + 3} {
		if got := b.hourOfWeek(at); got != want {
			t.Errorf("at %d it is hour %d of the week, want %d", at, got, want)
		}
	}
}
