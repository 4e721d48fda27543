package query

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // every zone on every machine
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/query/calendar"
)

// The most there may be in a request.
const (
	maxParameters = 50
	maxFilters    = 50
	maxValues     = 500     // of one filter
	maxText       = 2_048   // characters of any text
	maxGroups     = 50      // fields of groupBy
	maxDays       = 3_660   // of a range
	maxHourlyDays = 30      // of a range with hourly buckets
	maxOffset     = 1 << 30 // rows before a page; later pages are empty like this one
)

// A reading is what a request says by itself, before any type is looked at.
type reading struct {
	zone       *time.Location // nil when the request names none
	start, end calendar.Date  // without a preset
	grain      calendar.Grain
}

// checkRequest reads q and tells all that is wrong with its values, as far as neither
// the catalogue nor the clock is needed. It is the one place of these checks: Decode
// adds those of shape, resolve the rest.
func checkRequest(q *Request, m *mistakes) reading {
	var rd reading
	checkText(inField("id"), q.ID, m)
	checkParameters(q.Parameters, m)
	rd.zone = checkZone(q.TimeZone, m)
	rd.grain = checkGrain(inField("granularity"), q.Granularity, m)
	if q.Preset != "" {
		checkPreset(q.Preset, m)
	} else if !m.at(inField("preset")) {
		rd.start, rd.end = checkDates(q, m)
		if !m.at(inField("startDate")) && !m.at(inField("endDate")) {
			checkHourly(inField("granularity"), Invalid, rd.grain, int(rd.end-rd.start)+1, m)
		}
	}
	checkPaging(q, m)
	atMostFilters(q.Filters, m)
	for i, f := range q.Filters {
		checkFilter(place{"filters", i, ""}, f, m)
	}
	checkOrder(q, m)
	return rd
}

func checkParameters(all []Parameter, m *mistakes) {
	at := inField("parameters")
	if len(all) == 0 {
		m.say(at, "must name at least one query type")
	}
	m.atMost(at, "query types", maxParameters, len(all))
	for i, p := range all[:min(len(all), maxParameters)] {
		here := place{at.field, i, "name"}
		if p.Name == "" {
			m.say(here, "is required")
		}
		checkText(here, p.Name, m)
		checkText(place{at.field, i, "id"}, p.ID, m)
		if p.Limit != nil {
			checkLimit(place{at.field, i, "limit"}, *p.Limit, m)
		}
	}
}

func checkPreset(name string, m *mistakes) {
	if !calendar.IsPreset(name) {
		m.add(inField("preset"), unknown(Invalid, "preset", name, calendar.Presets()))
	}
}

// checkZone looks up a zone. The names that Go knows beside those of IANA mean
// something else on every machine, or count leap seconds.
func checkZone(name string, m *mistakes) *time.Location {
	if name == "" {
		return nil
	}
	at := inField("timeZone")
	first, _, _ := strings.Cut(name, "/")
	switch first {
	case "Local", "localtime", "posixrules", "posix", "right":
	default:
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	m.say(at, "unknown time zone %s; use an IANA name such as Europe/Berlin", quote(name))
	return nil
}

func checkGrain(at place, name string, m *mistakes) calendar.Grain {
	grain, ok := calendar.ParseGrain(name)
	if !ok && name != "" {
		m.add(at, unknown(Invalid, "granularity", name, calendar.GrainNames()))
	}
	return grain
}

// checkDates reads the range of a request without preset.
func checkDates(q *Request, m *mistakes) (start, end calendar.Date) {
	start, ok1 := checkDate(inField("startDate"), q.StartDate, m)
	end, ok2 := checkDate(inField("endDate"), q.EndDate, m)
	if ok1 && ok2 {
		checkSpan(inField("startDate"), Invalid, start, end, m)
	}
	return start, end
}

func checkDate(at place, text string, m *mistakes) (calendar.Date, bool) {
	if text == "" {
		m.say(at, "is required when no preset is given, as YYYY-MM-DD")
		return 0, false
	}
	d, err := calendar.ParseDate(text)
	if err != nil {
		m.say(at, "%s %s", quote(text), err)
	}
	return d, err == nil
}

// checkSpan judges a first and a last day together.
func checkSpan(at place, code Code, start, end calendar.Date, m *mistakes) {
	if start > end {
		m.add(at, Error{Code: code, Message: "the start " + start.String() + " is after the end " + end.String()})
		return
	}
	if days := int(end-start) + 1; days > maxDays {
		m.add(at, Error{Code: code, Message: fmt.Sprintf("the range has %d days; at most %d are allowed", days, maxDays)})
	}
}

// checkHourly holds hourly buckets to short ranges.
func checkHourly(at place, code Code, grain calendar.Grain, days int, m *mistakes) {
	if grain == calendar.Hourly && days > maxHourlyDays {
		m.add(at, Error{Code: code, Message: fmt.Sprintf("hourly is for ranges of at most %d days, and this one has %d; "+
			"use daily or a shorter range", maxHourlyDays, days)})
	}
}

func checkPaging(q *Request, m *mistakes) {
	if q.Limit != nil {
		checkLimit(inField("limit"), *q.Limit, m)
	}
	if q.Page < 0 {
		m.say(inField("page"), "must be at least 1, not %d", q.Page)
	}
}

func checkLimit(at place, limit int, m *mistakes) {
	if limit < 1 || limit > MaxLimit {
		m.say(at, "must be from 1 to %d, not %d", MaxLimit, limit)
	}
}

func checkOrder(q *Request, m *mistakes) {
	at := inField("groupBy")
	m.atMost(at, "fields", maxGroups, len(q.GroupBy))
	for i, name := range q.GroupBy[:min(len(q.GroupBy), maxGroups)] {
		here := place{at.field, i, ""}
		if name == "" {
			m.say(here, "must name a field")
		}
		checkText(here, name, m)
	}
	checkText(inField("sortBy"), q.SortBy, m)
	if o := q.SortOrder; o != "" && o != "asc" && o != "desc" {
		m.add(inField("sortOrder"), unknown(Invalid, "order", o, []string{"asc", "desc"}))
	}
}

// checkText refuses texts that are too long, and those that no stored text can equal
// and not every database can be asked for.
func checkText(at place, s string, m *mistakes) {
	switch {
	case len(s) > maxText && utf8.RuneCountInString(s) > maxText:
		m.say(at, "may have at most %d characters", maxText)
	case !utf8.ValidString(s):
		m.say(at, "must be valid UTF-8")
	case strings.IndexByte(s, 0) >= 0:
		m.say(at, "must not hold the character U+0000")
	}
}
