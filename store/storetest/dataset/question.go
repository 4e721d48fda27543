package dataset

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Question returns a random question of a random type. Most questions have rows in the answer.
func (w *Dataset) Question(rng *rand.Rand) reference.Question {
	return w.ask(rng, w.types[rng.IntN(len(w.types))])
}

// Grouped returns a random question of a random type with groups of filters, and fields that are properties.
func (w *Dataset) Grouped(rng *rand.Rand) reference.Question {
	kind := w.types[rng.IntN(len(w.types))]
	a := &asker{Rand: rng, dataset: w, kind: kind}
	q, f := a.question(), fields{names: kind.Filters, properties: kind.Allows("property:a")}
	if f.properties {
		f.names = append(slices.Clone(f.names), "event_name")
	}
	if f.properties && slices.Contains(kind.GroupBy, "path") && a.chance(40) {
		q.GroupBy = []string{pickFrom(a, []string{"event_name", a.propertyField(), a.propertyField()})}
	}
	if kind.Name == "flag_outcomes" { // groups select either exposures or outcomes
		f.names = reference.SessionFields()
	}
	if len(f.names) == 0 {
		return q
	}
	a.addGroups(&q, f)
	if a.chance(25) {
		q.Mandatory = a.mandatoryGroup(f)
	}
	return q
}

// An asker builds one question around a row that the answer should include, its anchor.
type asker struct {
	*rand.Rand
	dataset *Dataset
	kind    reference.Type
	anchor  sample
	asking  bool // for a question of Asking
}

func (w *Dataset) ask(rng *rand.Rand, kind reference.Type) reference.Question {
	a := &asker{Rand: rng, dataset: w, kind: kind}
	return a.question()
}

func (a *asker) question() reference.Question {
	kind := a.kind
	q := reference.Question{Type: kind.Name, Subject: store.Subject{Kind: kind.Kind, ID: a.subject()}}
	a.anchor = a.sampleOf(q.Subject)
	q.Zone = a.zone()
	q.Grain = pickFrom(a, []string{"hourly", "hourly", "daily", "weekly", "monthly"})
	q.WeekStart = pickFrom(a, []string{"", "", "sunday", "monday"})
	if len(kind.GroupBy) > 0 && a.chance(30) {
		q.GroupBy = []string{pickFrom(a, kind.GroupBy)}
		if more := pickFrom(a, kind.GroupBy); a.chance(25) && more != q.GroupBy[0] {
			q.GroupBy = append(q.GroupBy, more)
		}
	}
	q.Now = a.now(a.dates(&q))
	a.times(&q)
	if kind.NeedsSession && a.chance(95) {
		q.Filters = append(q.Filters, a.ofSession())
	}
	filters := []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3}
	if kind.Window != reference.Range || kind.NeedsSession { // there are few rows to choose from
		filters = filters[:9]
	}
	for range filters[a.IntN(len(filters))] {
		q.Filters = append(q.Filters, a.filter(pickFrom(a, kind.Filters)))
	}
	if a.chance(15) {
		q.Mandatory = a.mandatory()
	}
	a.sort(&q)
	a.page(&q)
	a.compare(&q)
	a.own(&q)
	return q
}

// compare adds a comparison with another period, often while the range has not ended.
func (a *asker) compare(q *reference.Question) {
	if !a.chance(40) {
		return
	}
	q.Compare = a.comparison(q)
	if a.ordersByDifference(q) && a.chance(50) {
		q.SortBy, q.SortOrder = "difference", pickFrom(a, []string{"", "", "asc", "desc"})
	}
	presets := []string{"today", "yesterday", "last_7d", "last_24h", "last_30m"}
	if q.Grain == "minute" {
		presets = []string{"last_30m", "last_60m"}
	} else if q.Grain != "hourly" {
		presets = append(presets, "last_30d", "last_28d", "this_week", "last_week", "this_month", "last_month",
			"this_year",
			"last_180d", "last_365d",
			"last_6m", "last_12m", "last_year")
	}
	switch n := a.IntN(100); {
	case kindOfRange(a.kind) && n < 30:
		q.Preset, q.StartDate, q.EndDate = pickFrom(a, presets), "", ""
		q.Now = a.anchor.at.Add(time.Duration(a.Int64N(int64(36*time.Hour/time.Microsecond))) * time.Microsecond)
		a.preset(q)
	case kindOfRange(a.kind) && n < 60:
		q.Now = a.anchor.at.Add(time.Duration(a.Int64N(int64(48*time.Hour/time.Millisecond))) * time.Millisecond)
	}
	minutes := q.Grain == "minute" || q.Grain == "" && (q.Preset == "last_30m" || q.Preset == "last_60m")
	switch {
	case q.Compare == reference.PreviousYearWeeks && a.long(q):
		q.Compare = reference.PreviousWeeks
	case minutes && strings.Contains(q.Compare, ",") && strings.Count(q.Compare, "T") < 2:
		q.Compare = reference.PreviousPeriod
	}
}

// comparison returns the other period of a question.
func (a *asker) comparison(q *reference.Question) string {
	switch n := a.IntN(100); {
	case n < 20:
		return reference.PreviousYear
	case n < 40:
		return reference.PreviousWeeks
	case n < 50:
		return reference.PreviousYearWeeks
	case n < 70: // some days before, around or after the anchor
		if n < 55 {
			return a.span(a.anchor.at.AddDate(0, 0, n-53), a.dataset.locations[q.Zone])
		}
		start := a.anchor.at.AddDate(0, 0, 5*(n-65))
		return start.Format(time.DateOnly) + "," + start.AddDate(0, 0, n%19).Format(time.DateOnly)
	default:
		return reference.PreviousPeriod
	}
}

// long reports whether the range of q may have more days than the weeks of a year.
func (a *asker) long(q *reference.Question) bool {
	if strings.Contains(q.StartDate, "T") && strings.Contains(q.EndDate, "T") {
		return false
	}
	start, err1 := time.Parse(time.DateOnly, q.StartDate)
	end, err2 := time.Parse(time.DateOnly, q.EndDate)
	return err1 != nil || err2 != nil || end.Sub(start) >= 364*24*time.Hour
}

func kindOfRange(kind reference.Type) bool { return kind.Window == reference.Range }

// own chooses the options that the parameter itself sets.
func (a *asker) own(q *reference.Question) {
	if !a.chance(40) {
		return
	}
	for _, name := range []string{"dates", "limit", "page", "filters", "groupBy", "granularity", "sortBy", "sortOrder",
		"compare"} {
		if a.chance(40) {
			q.Own = append(q.Own, name)
		}
	}
}

// subject returns a subject of the question's kind, usually the first, which has the most rows.
func (a *asker) subject() string {
	list := map[store.SubjectKind][]string{
		store.KindWebsite: a.dataset.Websites, store.KindLink: a.dataset.Links, store.KindSchedule: a.dataset.Schedules,
	}[a.kind.Kind]
	if a.chance(65) {
		return list[0]
	}
	return pickFrom(a, list)
}

// zone returns a random zone, often the one whose clocks change around the anchor.
func (a *asker) zone() string {
	for _, i := range a.Perm(len(eras)) {
		day, err := time.Parse(time.DateOnly, eras[i].date)
		if err == nil && a.anchor.at.Sub(day).Abs() < 7*24*time.Hour && a.chance(40) {
			return eras[i].zone
		}
	}
	return pickFrom(a, zones)
}

// dates chooses days around the anchor, and returns the end of the last day in UTC.
func (a *asker) dates(q *reference.Question) time.Time {
	loc := cmp.Or(a.dataset.locations[q.Zone], time.UTC)
	y, mon, d := a.anchor.at.In(loc).Date()
	day := time.Date(y, mon, d, 0, 0, 0, 0, time.UTC)
	if a.chance(3) { // somewhere else
		day = day.AddDate(0, 0, a.IntN(41)-20)
	}
	before, after := a.days(), a.days()
	hourly := q.Grain == "hourly"
	many := a.kind.Series && (hourly || len(q.GroupBy) > 1)
	switch {
	case many && len(q.GroupBy) > 0:
		before, after = min(before, 1), min(after, 2)
	case hourly:
		after = min(after, 29-min(before, 20))
		before = min(before, 20)
	}
	start, end := day.AddDate(0, 0, -before), day.AddDate(0, 0, after)
	q.StartDate, q.EndDate = start.Format(time.DateOnly), end.Format(time.DateOnly)
	return end.AddDate(0, 0, 1)
}

// days returns the distance of a range's end from its anchor: zero, a few days, rarely many.
func (a *asker) days() int {
	switch n := a.IntN(100); {
	case n < 40:
		return 0
	case n < 80:
		return 1 + a.IntN(3)
	case n < 97:
		return a.IntN(16)
	default:
		return a.IntN(250)
	}
}

// mandatory returns filters of a key, on fields that every row in a session has.
func (a *asker) mandatory() []reference.Filter {
	fields := slices.DeleteFunc(slices.Clone(a.kind.Filters), func(f string) bool {
		return f == "message" || f == "error_type" || f == "metric_name"
	})
	list := []reference.Filter{a.filter(pickFrom(a, fields))}
	if a.chance(30) {
		list = append(list, a.filter(pickFrom(a, fields)))
	}
	return list
}

// sort chooses an order. The default direction for a boolean, or for a number used as a name, is not tested.
func (a *asker) sort(q *reference.Question) {
	if !a.chance(35) {
		return
	}
	c := pickFrom(a, slices.DeleteFunc(slices.Clone(a.kind.Columns), func(c reference.Column) bool {
		return c.Kind == reference.Object
	}))
	q.SortBy = c.Name
	q.SortOrder = pickFrom(a, []string{"", "asc", "desc"})
	if (c.Kind == reference.Boolean || c.Kind == reference.Code) && q.SortOrder == "" {
		q.SortOrder = "asc"
	}
}

func (a *asker) page(q *reference.Question) {
	n := a.IntN(100)
	if a.kind.Series { // the first of many rows are not interesting
		n -= 25
	}
	switch {
	case n < 55:
	case n < 80:
		q.Limit = 1 + a.IntN(6)
	case n < 90:
		q.Limit = 7 + a.IntN(60)
	default:
		q.Limit = pickFrom(a, []int{100, 1_000, 10_000})
	}
	q.Page = 1
	if 0 < q.Limit && q.Limit < 7 && a.chance(25) {
		q.Page = 2 + a.IntN(2)
	} else if a.chance(2) {
		q.Page = 2
	}
}

func (a *asker) chance(percent int) bool { return a.IntN(100) < percent }

func pickFrom[T any](a *asker, list []T) T { return list[a.IntN(len(list))] }
