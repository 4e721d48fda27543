package ask

import (
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/calendar"
)

// Compare is the other period that an answer is compared with: one of the constants, or days of the caller's choice
// as "2026-01-01,2026-01-31", the first and the last of them. Types that ignore the range, and lists of single rows,
// are not compared: see Info.Comparable.
type Compare string

// The comparisons. With all but days of the caller's choice, a period that has not ended is cut at now, and compared
// with the same elapsed local time of the other.
const (
	// PreviousPeriod is the same number of local days just before; for a preset of a calendar week, month or
	// year, the week, month or year before.
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

// Days returns the first and the last day of a comparison with days of the caller's choice. It reports false for other
// comparisons. Wrong days are returned as well as they can be read: Check reports them.
func (c Compare) Days() (start, end calendar.Date, own bool) {
	first, last, own := strings.Cut(string(c), ",")
	if !own {
		return 0, 0, false
	}
	start, err1 := calendar.ParseDate(first)
	end, err2 := calendar.ParseDate(last)
	return start, end, err1 == nil && err2 == nil
}

func compareNames() []string {
	return []string{string(PreviousPeriod), string(PreviousYear), string(PreviousWeeks), string(PreviousYearWeeks),
		string(NoComparison)}
}

func compareOption() option {
	row := textOption("compare", func(o *Options) *Compare { return &o.Compare }).checked(checkCompare)
	row.Field = body.Custom("compare", func(o *Options) *Compare { return &o.Compare }, readCompare).
		Shaped(CompareSchema("The other period to compare with; default `none`. `2026-01-01,2026-01-31` are the first and "+
			"the last day of a period of your choice; a body may also have an object with `startDate` and `endDate`",
			NoComparison))
	return row
}

// CompareSchema returns the schema of a comparison: a name, or two days. more are names besides those of other periods.
func CompareSchema(about string, more ...Compare) *openapi.Schema {
	names := append([]Compare{PreviousPeriod, PreviousYear, PreviousWeeks, PreviousYearWeeks}, more...)
	const days = "^[0-9]{4}-[0-9]{2}-[0-9]{2},[0-9]{4}-[0-9]{2}-[0-9]{2}$"
	return openapi.Any(about, openapi.OneOf("", names...),
		&openapi.Schema{Type: openapi.Types{"string"}, Pattern: days})
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
	if ok1 && ok2 {
		CheckSpan(at, Invalid, start, end, list)
	}
}

func checkCompared(at FieldPath, text string, list *Issues) (calendar.Date, bool) {
	if text == "" {
		list.addf(at, "is required, as YYYY-MM-DD")
		return 0, false
	}
	d, err := calendar.ParseDate(text)
	if err != nil {
		list.addf(at, "%s %s", mistake.Quote(text), err)
	}
	return d, err == nil
}

// comparedDays are the members of a comparison with days of the caller's choice.
type comparedDays struct{ start, end string }

var comparedMembers = body.Of(
	body.Text("startDate", func(d *comparedDays) *string { return &d.start }),
	body.Text("endDate", func(d *comparedDays) *string { return &d.end }),
)

// readCompare reads the name of a comparison, or an object with the days to compare with.
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
