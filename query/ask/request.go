// Package ask says what callers ask: requests and their parameters, filters and options. It reads them from JSON and
// from the query of a URL, and reports every mistake with its place.
//
//	all, isBatch, err := ask.Decode(body, 0)
//	if err != nil { … }                       // the body is not JSON, or not a query
//	for _, one := range all {
//		if one.Errors != nil { … }            // all mistakes of one request, in the order of its fields
//	}
//
// The package checks the form of a request. It knows neither the catalog nor the clock: package plan checks the rest.
package ask

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // every zone on every machine
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// Access defines what one caller may ask.
type Access struct {
	Subject store.Subject // whose rows are read; required, both its kind and its id, unless there are Websites
	// Websites are asked about in one question, in place of a Subject: 1 to MaxWebsites, each once. A person is then a
	// pair of a website and a visitor id, and so is a session. Nil: the question is about Subject.
	Websites []Website
	// Name is that of the website that is the Subject. Rows that are grouped by website show it.
	Name    string
	Zone    *time.Location // of days and hours, when the request names none; nil means UTC
	Filters []Filter       // mandatory: rows and sessions that fail them are left out before anything is counted
	Types   []string       // the query types that it includes; nil means all
	// Owner and Caller identify who asks, by texts of the host's choice, such as an owner and the id of one of its
	// keys. Where a [store.Bounded] makes queries wait, the owner that used the least of the store's time goes first,
	// and of this owner the caller that used the least. An empty Owner means that of a caller of this name alone.
	Owner, Caller string
}

// A Website is one of several that a question is about.
type Website struct {
	ID   string // required
	Name string // of now; answers show it, and filters do not know it
}

// MaxWebsites is the most websites of one question.
const MaxWebsites = 100

// Subjects returns the subjects whose rows a sees.
func (a *Access) Subjects() []store.Subject {
	if a.Websites == nil {
		return []store.Subject{a.Subject}
	}
	all := make([]store.Subject, len(a.Websites))
	for i, w := range a.Websites {
		all[i] = store.Subject{Kind: store.KindWebsite, ID: w.ID}
	}
	return all
}

// Kind returns the kind of these subjects.
func (a *Access) Kind() store.SubjectKind {
	if a.Websites == nil {
		return a.Subject.Kind
	}
	return store.KindWebsite
}

// DefaultLimit is the number of rows of an answer whose request sets no limit. A series without a limit
// has all its buckets.
const DefaultLimit = 100

// MaxLimit is the largest limit, and the most rows that a series may have.
const MaxLimit = 10_000

// A Request is one query as a caller wrote it: shapes are checked, meaning is not.
// Decode makes one from JSON, ParseValues from a URL; Go programs may fill one in themselves, and the
// engine checks it all the same. Texts have at most 2 048 characters.
type Request struct {
	ID         string      `json:"id,omitempty"`
	Parameters []Parameter `json:"parameters,omitempty"` // 1 to 50
	// YYYY-MM-DD, or a time as [calendar.ParseBound] reads it, such as 2026-11-29T08:30; a request whose parameters all
	// have their own ranges needs none.
	StartDate string `json:"startDate,omitempty"`
	EndDate   string `json:"endDate,omitempty"`  // likewise; a day is inclusive, a time is exclusive
	TimeZone  string `json:"timeZone,omitempty"` // IANA name; empty means that of the Access
	Options          // of all parameters that have no own ones
}

// A Parameter asks for one query type by its Name, or for Metrics that it chooses. It takes options that it does not
// give from its request. With only one date, it takes the other one from the resolved range of the request. A mistake
// in its options fails only this parameter. A limit or a page out of bounds is a mistake of the request.
type Parameter struct {
	Name      string `json:"name,omitempty"` // empty with Metrics
	ID        string `json:"id,omitempty"`
	StartDate string `json:"start_date,omitempty"` // as those of a request
	EndDate   string `json:"end_date,omitempty"`
	Options

	// A choice of metrics, in place of Name.
	Dataset    string         `json:"dataset,omitempty"`   // empty means DefaultDataset
	Metrics    []ChosenMetric `json:"metrics,omitzero"`    // 1 to 10
	Dimensions []string       `json:"dimensions,omitzero"` // at most 4: fields that groupBy takes, and date

	// What some query types ask about.
	Goals []Goal `json:"goals,omitzero"` // of goals and goals_trends: 1 to 20
	Steps []Step `json:"steps,omitzero"` // of funnel: 2 to 10
	// of funnel: the longest time from the first step to the last, such as 30m, 12h or 7d; empty: no bound
	Window string `json:"window,omitempty"`
	Within string `json:"within,omitempty"` // of funnel: WithinVisitor or WithinSession; empty means WithinVisitor
	// of funnel: AnyOrder; empty means in the order of Steps
	Order   string      `json:"order,omitempty"`
	Exclude []Exclusion `json:"exclude,omitzero"`  // of funnel: at most MaxExclusions; not with AnyOrder
	Start   *Action     `json:"start,omitempty"`   // of retention; nil: any pageview or custom event
	Return  *Action     `json:"return,omitempty"`  // of retention; nil: any pageview or custom event
	Rolling *bool       `json:"rolling,omitempty"` // of retention: later returns count, too; nil means no
	From    *string     `json:"from,omitempty"`    // of paths: the path that transitions come from; nil: any
	To      *string     `json:"to,omitempty"`      // of paths: the path that they go to; nil: any
	Why                 // of why

	// Saved names goals, or one funnel, that are saved for the subject: see [Request.Resolve]. Empty but not nil: all
	// goals.
	Saved SavedNames `json:"saved,omitzero"`
}

// SavedNames are names of goals or funnels. Empty but not nil: all.
type SavedNames []string

// Chooses reports whether p chooses metrics, not for a query type by name.
func (p *Parameter) Chooses() bool { return p.Metrics != nil || p.Dataset != "" }

// Called returns the name by which answers call p: that of its query type or, of a choice, that of its dataset.
func (p *Parameter) Called() string {
	if p.Chooses() {
		return cmp.Or(p.Dataset, DefaultDataset)
	}
	return p.Name
}

// Cost returns the sum of the costs of the parameters of q. of returns the cost of a parameter by its name. It counts
// once more each where the parameter is compared, where it has totals, and where it has metrics of properties.
func (q *Request) Cost(of func(name string) int) int {
	sum := 0
	for i := range q.Parameters {
		p, n := &q.Parameters[i], 1
		totals := cmp.Or(p.Totals, q.Totals)
		for _, more := range []bool{
			cmp.Or(p.Compare, q.Compare).Any(), totals != nil && *totals,
			slices.ContainsFunc(p.Metrics, func(m ChosenMetric) bool { return m.Property != "" }),
		} {
			if more {
				n++
			}
		}
		if p.Metric != nil { // each dimension is a question
			n *= len(p.Why.Candidates(false))
		}
		sum += n * of(p.Name)
	}
	return sum
}

// AllTime reports whether the range of q, or of one of its parameters, begins with the first row.
func (q *Request) AllTime() bool {
	return q.Preset == calendar.AllTime ||
		slices.ContainsFunc(q.Parameters, func(p Parameter) bool { return p.Preset == calendar.AllTime })
}

// ShowsWebsites reports whether q, or one of its parameters, groups rows by website, so that answers show its name.
func (q *Request) ShowsWebsites() bool {
	return slices.Contains(q.GroupBy, websiteField) || slices.ContainsFunc(q.Parameters, func(p Parameter) bool {
		return slices.Contains(p.GroupBy, websiteField) || slices.Contains(p.Dimensions, websiteField)
	})
}

// websiteField is the name of the field that has the website of rows.
const websiteField = "website"

// CountFilters returns the number of conditions in the filters of q, through all groups. Those inside a Did count, too.
func (q *Request) CountFilters() int { return countLeaves(q.Filters) }

// The most there may be in a request.
const (
	MaxParameters  = 50
	MaxFilters     = 50
	maxValues      = 500     // of one filter
	maxText        = 2_048   // characters of any text
	maxGroups      = 50      // fields of groupBy
	MaxDays        = 3_660   // of a range
	MaxMetrics     = 10      // of a parameter
	MaxDimensions  = 4       // of a parameter
	MaxGoals       = 20      // of a parameter
	MinSteps       = 2       // of a funnel
	MaxSteps       = 10      // of a funnel
	MaxExclusions  = 5       // of a funnel
	MaxHourlyDays  = 30      // of a range with hourly buckets
	MaxMinuteHours = 6       // of real time, of a range with buckets of minutes
	MaxDidDays     = 366     // of a range in which callers may filter by what else people did
	MaxOffset      = 1 << 30 // rows before a page; later pages are empty like this one
)

// Bounds has the limits of requests.
type Bounds struct {
	Parameters  int    `json:"parameters"`
	Conditions  int    `json:"conditions"`  // in all filters of a request or parameter, through all groups
	Nesting     int    `json:"nesting"`     // groups around a condition
	Values      int    `json:"values"`      // of one condition
	Days        int    `json:"days"`        // of a range
	HourlyDays  int    `json:"hourlyDays"`  // of a range with hourly buckets
	MinuteHours int    `json:"minuteHours"` // of real time, of a range with buckets of minutes
	DidDays     int    `json:"didDays"`     // of a range in which a condition asks what else people did
	Metrics     int    `json:"metrics"`     // of a parameter
	Dimensions  int    `json:"dimensions"`  // of a parameter
	Goals       int    `json:"goals"`       // of a parameter
	MinSteps    int    `json:"minSteps"`    // of a funnel
	Steps       int    `json:"steps"`       // of a funnel
	Exclusions  int    `json:"exclusions"`  // of a funnel
	Window      string `json:"window"`      // of a funnel, such as 90d
}

// RequestBounds returns the limits of every request. The catalog has the limits of single types.
func RequestBounds() Bounds {
	return Bounds{MaxParameters, MaxFilters, maxNesting, maxValues, MaxDays, MaxHourlyDays, MaxMinuteHours, MaxDidDays,
		MaxMetrics, MaxDimensions, MaxGoals, MinSteps, MaxSteps, MaxExclusions,
		fmt.Sprintf("%dd", MaxWindow/(24*time.Hour))}
}

// A Checked request holds the values that the request has without its types.
type Checked struct {
	Zone       *time.Location // nil when the request names none
	Start, End calendar.Bound // without a preset
	Grain      calendar.Grain
}

// CheckRequest reads q and adds all mistakes in its values to list, as far as it takes neither the catalog nor the
// clock to find them. It is the one place of these checks: Decode adds mistakes of form, and package plan adds the
// rest. zoneField is the name that the caller used for the time zone.
func CheckRequest(q *Request, zoneField string, zones *Zones, list *Issues) Checked {
	var rd Checked
	checkText(InField("id"), q.ID, list)
	checkParameters(q.Parameters, list)
	rd.Zone = zones.Check(InField(zoneField), q.TimeZone, list)
	all := OptionsOf(q)
	all.check(list)
	rd.Grain = all.GrainOf(q.Preset)
	checkComplete(q, list)
	switch {
	case q.Preset != "" || list.At(InField("preset")):
		// The preset wins, but a date that is not one shows that the caller is wrong about the range.
		checkGiven(list, dateText{InField("startDate"), q.StartDate}, dateText{InField("endDate"), q.EndDate})
	case NeedsRange(q):
		rd.Start, rd.End = checkDates(q, list)
		if !list.At(InField("startDate")) && !list.At(InField("endDate")) && rd.Start.IsDay() && rd.End.IsDay() {
			CheckGrain(InField("granularity"), Invalid, rd.Grain, int(rd.End.Day()-rd.Start.Day())+1, list)
		}
	}
	if len(list.Errors) > 0 {
		checkOptions(q.Parameters, list)
	}
	return rd
}

// checkOptions adds the mistakes that would fail single parameters, for a request that is rejected.
func checkOptions(all []Parameter, list *Issues) {
	for i, p := range all[:min(len(all), MaxParameters)] {
		if list.Full() { // looking for suggestions takes time
			return
		}
		checkGiven(list, dateText{InParameter(i, "start_date"), p.StartDate},
			dateText{InParameter(i, "end_date"), p.EndDate})
		CheckParameter(&p, i, list)
	}
}

// CheckParameter adds the mistakes in the i-th parameter p that fail it alone, as far as it takes neither the catalog
// nor the clock to find them.
func CheckParameter(p *Parameter, i int, list *Issues) {
	own := ParameterOptions(p, i)
	own.check(list)
	checkChoice(p, i, list)
	checkSubjects(p, i, list)
	p.checkWhy(i, list)
}

func checkParameters(all []Parameter, list *Issues) {
	at := InField("parameters")
	if len(all) == 0 {
		list.addf(at, "must name at least one query type")
	}
	body.AtMost(list, at, "query types", MaxParameters, len(all))
	for i, p := range all[:min(len(all), MaxParameters)] {
		here := InParameter(i, "name")
		switch choice := p.Metrics != nil || p.Dataset != ""; {
		case p.Name == "" && !choice:
			list.addText(here, mistake.Required)
		case p.Name != "" && choice:
			list.addf(here, "cannot be given with metrics or dataset, which ask without a query type")
		}
		checkText(here, p.Name, list)
		checkText(InParameter(i, "id"), p.ID, list)
		own := ParameterOptions(&p, i)
		own.checkRows(list, func(row *option) bool { return row.fails })
	}
}

// The names of the time zone in a request: its own, and the one that addresses have had from the start.
const (
	TimeZone = "timeZone"
	timezone = "timezone"
)

// A dateText is a date as a caller wrote it; empty when it is absent.
type dateText struct {
	at   FieldPath
	text string
}

// checkGiven checks the dates that are not absent.
func checkGiven(list *Issues, dates ...dateText) {
	for _, d := range dates {
		if d.text != "" {
			checkBound(d.at, d.text, list)
		}
	}
}

// NeedsRange reports whether q must have a range: it names a date, or a parameter does not have its own range.
func NeedsRange(q *Request) bool {
	return q.StartDate != "" || q.EndDate != "" || len(q.Parameters) == 0 ||
		slices.ContainsFunc(q.Parameters,
			func(p Parameter) bool { return p.Preset == "" && (p.StartDate == "" || p.EndDate == "") })
}

// checkComplete adds the mistake that the range of a request itself cannot end yesterday.
func checkComplete(q *Request, list *Issues) {
	asked := q.Preset != "" || q.StartDate != "" || q.EndDate != ""
	if q.Completes() && asked && !list.At(InField("preset")) {
		CheckCompletes(InField("complete"), Invalid, q.Preset, list)
	}
}

// CheckCompletes adds a mistake unless a preset, which is empty for a range of dates, may end yesterday.
func CheckCompletes(at FieldPath, code Code, preset string, list *Issues) {
	if !calendar.Completes(preset) {
		list.Add(at, Error{Code: code, Message: "is only for the presets " +
			strings.Join(calendar.Completing(), ", ")})
	}
}

// checkDates reads the range of a request without preset.
func checkDates(q *Request, list *Issues) (start, end calendar.Bound) {
	start, ok1 := checkDate(InField("startDate"), q.StartDate, list)
	end, ok2 := checkDate(InField("endDate"), q.EndDate, list)
	if ok1 && ok2 && start.IsDay() && end.IsDay() {
		CheckSpan(InField("startDate"), Invalid, start.Day(), end.Day(), list)
	}
	return start, end
}

func checkDate(at FieldPath, text string, list *Issues) (calendar.Bound, bool) {
	if text == "" {
		list.addf(at, "is required when no preset is given, as YYYY-MM-DD or YYYY-MM-DDThh:mm")
		return calendar.Bound{}, false
	}
	return checkBound(at, text, list)
}

// boundPattern is a regular expression for the bounds of ranges.
const boundPattern = "[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:00)?(Z|[+-][0-9]{2}:[0-9]{2})?)?"

// BoundSchema returns the schema of a start or an end of a range.
func BoundSchema(about string) *openapi.Schema {
	return &openapi.Schema{Type: openapi.Types{"string"}, Pattern: "^" + boundPattern + "$", Description: about}
}

func checkBound(at FieldPath, text string, list *Issues) (calendar.Bound, bool) {
	b, err := calendar.ParseBound(text)
	if err != nil {
		list.Add(at, BoundError(Invalid, text, err))
	}
	return b, err == nil
}

// BoundError returns the mistake that a text is not a bound of a range: err is of calendar.ParseBound.
func BoundError(code Code, text string, err error) Error {
	e := Error{Code: code, Message: mistake.Quote(text) + " " + err.Error()}
	if plus := strings.Replace(text, " ", "+", 1); errors.Is(err, calendar.ErrBlank) {
		if _, err := calendar.ParseBound(plus); err == nil {
			e.Suggestion = plus
		}
	}
	return e
}

// CheckSpan judges a first and a last day together.
func CheckSpan(at FieldPath, code Code, start, end calendar.Date, list *Issues) {
	if start > end {
		list.Add(at, Error{Code: code, Message: "the start " + start.String() + " is after the end " + end.String()})
		return
	}
	if days := int(end-start) + 1; days > MaxDays {
		list.Add(at, Error{Code: code,
			Message: fmt.Sprintf("the range has %d days; at most %d are allowed", days, MaxDays)})
	}
}

// CheckEnds judges the start and the end of a range in zone together.
func CheckEnds(at FieldPath, code Code, start, end calendar.End, zone *time.Location, list *Issues) {
	if (start.Time || end.Time) && !start.At.Before(end.At) {
		from, _ := calendar.Between(start, start, zone).Texts()
		_, to := calendar.Between(end, end, zone).Texts()
		list.Add(at, Error{Code: code, Message: "the start " + from + " is not before the end " + to})
		return
	}
	CheckSpan(at, code, start.Date, end.Date, list)
}

// CheckGrain holds hourly buckets, and those of minutes, to short ranges. The range has whole days.
func CheckGrain(at FieldPath, code Code, grain calendar.Grain, days int, list *Issues) {
	const day = 24 * time.Hour
	checkGrain(at, code, grain, days, time.Duration(days)*day, list)
}

// CheckGrainOf is CheckGrain for any range.
func CheckGrainOf(at FieldPath, code Code, grain calendar.Grain, r calendar.Range, list *Issues) {
	checkGrain(at, code, grain, r.Len(), r.Length(), list)
}

func checkGrain(at FieldPath, code Code, grain calendar.Grain, days int, length time.Duration, list *Issues) {
	const most = MaxMinuteHours * time.Hour
	switch {
	case grain == calendar.Hourly && days > MaxHourlyDays:
		list.Add(at, Error{Code: code,
			Message: fmt.Sprintf("hourly is for ranges of at most %d days, and this one has %d; "+
				"use daily or a shorter range", MaxHourlyDays, days)})
	case grain == calendar.Minutely && length > most:
		list.Add(at, Error{Code: code,
			Message: fmt.Sprintf("minute is for ranges of at most %d hours, and this one has %d minutes; "+
				"use hourly or a shorter range", MaxMinuteHours, int64((length+time.Minute-1)/time.Minute))})
	}
}

// checkText rejects texts that are too long, and texts that cannot be stored and that some databases do not accept.
func checkText(at FieldPath, s string, list *Issues) {
	switch {
	case len(s) > maxText && utf8.RuneCountInString(s) > maxText:
		list.addf(at, "may have at most %d characters", maxText)
	case !utf8.ValidString(s):
		list.addf(at, "must be valid UTF-8")
	case strings.IndexByte(s, 0) >= 0:
		list.addf(at, "must not hold the character U+0000")
	}
}
