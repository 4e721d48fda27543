package reference

// A cell has the pageviews of one hour of the week.
type cell struct {
	pageviews int
	visitors  set
}

const (
	weekDays = 7
	dayHours = 24
)

// hours has a row for each hour of the week, in each combination with a pageview.
func (a *evaluation) hours() *table {
	views := a.among(of(pageview))
	var g groups[[weekDays * dayHours]cell]
	if len(a.groupBy) == 0 {
		g.open(nil)
	}
	for _, r := range views {
		i := a.period.clock.hourOfWeek(floorDiv(r.at, 1000))
		if a.merged {
			i = 0
		}
		c := &g.open(a.combination(r)).tally[i]
		c.pageviews++
		c.visitors.add(r.Visitor())
	}
	t := a.table("weekday", "hour_of_day")
	t.order = []order{{"weekday", false}, {"hour_of_day", false}}
	for _, one := range g.list {
		for i := range one.tally {
			c := &one.tally[i]
			t.rows = append(t.rows, append(texts(one.combination), count(i/dayHours+1), count(i%dayHours),
				count(c.pageviews), count(len(c.visitors))))
			if a.merged {
				break
			}
		}
	}
	return t
}

// hourOfWeek returns the local hour to which an instant belongs, counted from Monday 00:00. at is in seconds.
func (c clock) hourOfWeek(at int64) int {
	const thursday = 3 // the first of January 1970
	return int(floorMod(c.day(at)+thursday, weekDays)*dayHours + c.hour(at))
}
