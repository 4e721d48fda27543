package ask

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/calendar"
)

// Compare is the other period that an answer is compared with: one of the constants, or a period of the caller's choice
// as "2026-01-01,2026-01-31", its startDate and its endDate. Types that ignore the range, and lists of single rows,
// are not compared: see Info.Comparable.
type Compare string

// The comparisons. With all but a period of the caller's choice, a period that has not ended is cut at now, and
// compared with the same elapsed local time of the other. The other period of a range with a time has the
// same local times, but for PreviousPeriod.
const (
	// PreviousPeriod is the same number of local days just before; for a preset of a calendar week, month or
	// year, the week, month or year before; for a range with a time the same real time just before.
	PreviousPeriod Compare = "previous_period"
	// PreviousYear is the same local dates a year earlier; for 29 February, the 28th.
	PreviousYear Compare = "previous_year"
	// PreviousWeeks is the range moved back by the least number of whole weeks that is not shorter than the range: the
	// same days of the week.
	PreviousWeeks Compare = "previous_weeks"
	// PreviousYearWeeks is the range moved back by 364 days: the same days of the week a year earlier. The range has at
	// most 364 days.
	PreviousYearWeeks Compare = "previous_year_weeks"
	// NoComparison compares with nothing: for a parameter whose request asks for a comparison.
	NoComparison Compare = "none"
)

// YearOfWeeks is the number of days of the weeks of a year.
const YearOfWeeks = 364

// Any reports whether c asks for another period: it is neither empty nor NoComparison.
func (c Compare) Any() bool { return c != "" && c != NoComparison }

// Own returns the bounds of a period of the caller's choice. It reports false for other comparisons, and for wrong
// bounds.
func (c Compare) Own() (start, end calendar.Bound, own bool) {
	first, last, own := strings.Cut(string(c), ",")
	if !own {
		return start, end, false
	}
	start, err1 := calendar.ParseBound(first)
	end, err2 := calendar.ParseBound(last)
	return start, end, err1 == nil && err2 == nil
}

func compareNames() []string {
	return []string{string(PreviousPeriod), string(PreviousYear), string(PreviousWeeks), string(PreviousYearWeeks),
		string(NoComparison)}
}

func compareOption() option {
	row := textOption("compare", func(o *Options) *Compare { return &o.Compare }).checked(checkCompare)
	row.Field = body.Custom("compare", func(o *Options) *Compare { return &o.Compare }, readCompare).
		Shaped(CompareSchema("The other period to compare with; default `none`. `2026-01-01,2026-01-31` are the first "+
			"and the last day of a period of your choice, or its start and its end as times; a body may also "+
			"have an object with `startDate` and `endDate`",
			NoComparison))
	return row
}

// CompareSchema returns the schema of a comparison: a name, or two days or times. more are names besides those of
// other periods.
func CompareSchema(about string, more ...Compare) *openapi.Schema {
	names := append([]Compare{PreviousPeriod, PreviousYear, PreviousWeeks, PreviousYearWeeks}, more...)
	return openapi.Any(about, openapi.OneOf("", names...),
		&openapi.Schema{Type: openapi.Types{"string"}, Pattern: "^" + boundPattern + "," + boundPattern + "$"})
}

// checkCompare adds the mistakes of c, which was given at a place.
func checkCompare(at FieldPath, c Compare, list *Issues) {
	first, last, own := strings.Cut(string(c), ",")
	if !own {
		if known := compareNames(); !slices.Contains(known, string(c)) {
			list.Add(at, Unknown(Invalid, "comparison", string(c), known))
		}
		return
	}
	start, ok1 := checkCompared(at.Member("startDate"), first, list)
	end, ok2 := checkCompared(at.Member("endDate"), last, list)
	if ok1 && ok2 && start.IsDay() && end.IsDay() {
		CheckSpan(at, Invalid, start.Day(), end.Day(), list)
	}
}

func checkCompared(at FieldPath, text string, list *Issues) (calendar.Bound, bool) {
	if text == "" {
		list.addf(at, "is required, as YYYY-MM-DD or YYYY-MM-DDThh:mm")
		return calendar.Bound{}, false
	}
	return checkBound(at, text, list)
}

// comparedDays are the members of a comparison with a period of the caller's choice.
type comparedDays struct{ start, end string }

var comparedMembers = body.Of(
	body.Text("startDate", func(d *comparedDays) *string { return &d.start }),
	body.Text("endDate", func(d *comparedDays) *string { return &d.end }),
)

// readCompare reads the name of a comparison, or an object with the period to compare with.
func readCompare(m body.Mistakes, at FieldPath, v body.Value, into *Compare) {
	if v.IsJSON() && v.Kind() == "an object" {
		var days comparedDays
		comparedMembers.Into(m, at, v, &days)
		*into = Compare(days.start + "," + days.end)
		return
	}
	if v.IsJSON() && v.Kind() != "a string" {
		body.WrongKind(m, at, "a string or an object", v)
		return
	}
	*into = Compare(body.ReadText(m, at, v))
}
