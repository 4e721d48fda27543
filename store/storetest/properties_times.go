package storetest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query"
)

const localMinute = "2006-01-02T15:04"

// minutesSumToRange compares the minutes of some hours with these hours as one day.
func minutesSumToRange(c *client, info query.Info) (found []string) {
	if !slices.Contains(info.Granularity, "minute") {
		return nil
	}
	counts := c.counts(info)
	for range 3 {
		q := c.question(info)
		at := q.now.UTC().Truncate(time.Minute)
		start := at.Add(-time.Duration(1+c.rng.IntN(240)) * time.Minute)
		end := at.Add(time.Duration(1+c.rng.IntN(120)) * time.Minute)
		q.req.StartDate, q.req.EndDate = start.Format(localMinute+"Z"), end.Format(localMinute+"Z")
		whole := c.ask(q)
		minutes := c.ask(q.with(func(r *query.Request) { r.Granularity = "minute" }))
		if fault := whole.fault + minutes.fault; fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, fault))
		}
		for column, is := range counts {
			slack := 0.0
			if is == byTime { // rounded in every minute
				slack = 361 * half
			}
			all := func(map[string]any) string { return "" }
			if !is.sumsOverTime() {
				continue
			}
			for _, text := range unequal(sums(whole, column, all), sums(minutes, column, all), slack) {
				found = append(found, fmt.Sprintf("%s: %s\n%v", column, text, q))
			}
		}
	}
	return found
}

// presetIsTimes compares presets with the times that their answers name. last_24h has 24 hours.
func presetIsTimes(c *client, info query.Info) (found []string) {
	for name, grain := range map[string]string{"last_30m": "minute", "last_60m": "minute", "last_24h": "hourly"} {
		q := c.question(info).with(func(r *query.Request) { r.Preset, r.StartDate, r.EndDate = name, "", "" })
		if len(info.Granularity) > 0 && !slices.Contains(info.Granularity, grain) {
			grain = info.Granularity[0] // of retention
			q.req.Granularity = grain
		}
		preset := c.ask(q)
		found = append(found, c.same(q, q.with(func(r *query.Request) {
			r.Preset, r.StartDate, r.EndDate, r.Granularity = "", preset.meta.StartDate, preset.meta.EndDate, grain
		}))...)
		hours := map[any]bool{}
		for _, row := range preset.rows {
			hours[row["date"]] = true
		}
		if grain == "hourly" && len(info.Granularity) > 0 && len(hours) != 24 {
			found = append(found, fmt.Sprintf("%v: %d hours", q, len(hours)))
		}
	}
	return found
}

// midnightsAreDays compares days with the times at which they begin and end.
func midnightsAreDays(c *client, info query.Info) (found []string) {
	for range 3 {
		q := c.question(info)
		loc, err := time.LoadLocation(q.req.TimeZone)
		if err != nil {
			return append(found, err.Error())
		}
		start, ok1 := localMidnight(q.req.StartDate, loc)
		end, ok2 := localMidnight(addDays(q.req.EndDate, 1), loc)
		if !ok1 || !ok2 {
			continue
		}
		found = append(found, c.same(q, q.with(func(r *query.Request) { r.StartDate, r.EndDate = start, end }))...)
	}
	return found
}

// localMidnight returns the local time at which a day begins. It reports false if clocks skip it or show it twice.
func localMidnight(day string, loc *time.Location) (text string, once bool) {
	text = day + "T00:00"
	at, err := time.ParseInLocation(localMinute, text, loc)
	if err != nil || at.Format(localMinute) != text {
		return "", false
	}
	for by := -2 * time.Hour; by <= 2*time.Hour; by += 30 * time.Minute {
		if by != 0 && at.Add(by).Format(localMinute) == text {
			return "", false
		}
	}
	return text, true
}

// differenceHasBoth compares the rows that are ordered by difference with the rows of either period.
func differenceHasBoth(c *client, info query.Info) (found []string) {
	if info.Difference == "" {
		return nil
	}
	for range 3 {
		q := c.question(info)
		q.now = q.now.AddDate(0, 0, 4) // the range is over, so no period is cut
		days := 0
		for day := q.req.StartDate; day <= q.req.EndDate; day = addDays(day, 1) {
			days++
		}
		both := c.ask(q.with(func(r *query.Request) {
			r.Compare, r.SortBy = query.PreviousPeriod, query.DifferenceOrder
		}))
		now, then := c.ask(q), c.ask(q.with(func(r *query.Request) {
			r.StartDate, r.EndDate = addDays(r.StartDate, -days), addDays(r.EndDate, -days)
		}))
		if fault := both.fault + now.fault + then.fault; fault != "" {
			return append(found, fmt.Sprintf("%v: %s", q, fault))
		}
		of := func(a answer, column string) map[string]float64 {
			return sums(a, column, func(row map[string]any) string { return keyOf(info, row) })
		}
		rows := of(now, rowsColumn)
		maps.Copy(rows, of(then, rowsColumn))
		for _, text := range slices.Concat(unequal(rows, of(both, rowsColumn), 0),
			unequal(of(now, info.Difference), of(both, info.Difference), 0)) {
			found = append(found, fmt.Sprintf("%s\n%v", text, q))
		}
	}
	return found
}

// lessOfMinutes plants a limit where the granularity is minute.
func lessOfMinutes(q *question) {
	if q.req.Granularity == "minute" {
		q.req.Limit = new(1)
	}
}
