package client

import (
	"encoding/json"
)

// A Question asks for one query type, or for Metrics of your choice. docs/asking.md explains the options; what an
// option may be for a type is in docs/query-types.md. Every field is optional, except that a question needs a Preset or
// two dates. Its JSON is a parameter of a query.
type Question struct {
	// Type is the query type. [Query] and [Rows] take it from the type of their rows.
	Type Type `json:"name,omitempty"`

	// YYYY-MM-DD, or a time to the minute: 2026-11-29T08:30 in TimeZone, or with its offset, as 2026-11-29T08:30+01:00
	StartDate string `json:"start_date,omitempty"`
	EndDate   string `json:"end_date,omitempty"` // likewise; a day is inclusive, a time is exclusive
	Preset    Preset `json:"preset,omitempty"`   // a range by name; wins over dates
	// Complete lets a preset from last_7d to last_365d end yesterday, with as many whole days.
	Complete bool `json:"complete,omitempty"`
	// IANA name; empty means UTC. It belongs to the query, so questions of one request have the same.
	TimeZone string `json:"-"`

	Limit       int         `json:"limit,omitempty"`   // rows of a page, 1 to 10 000; 0 means 100, and a whole series
	Page        int         `json:"page,omitempty"`    // from 1; 0 means 1
	Filters     []Filter    `json:"filters,omitempty"` // all must hold; at most 50 conditions
	Granularity Granularity `json:"granularity,omitempty"`
	WeekStart   WeekStart   `json:"weekStart,omitempty"`
	GroupBy     []Field     `json:"groupBy,omitempty"` // columns in front of the others
	// SortBy is empty for the order of the type. ColumnDifference, with Compare, orders the rows of both periods by how
	// much they grew, so that rows which vanished are among them.
	SortBy    Column     `json:"sortBy,omitempty"`
	SortOrder Order      `json:"sortOrder,omitempty"` // of SortBy
	Compare   Comparison `json:"compare,omitempty"`
	Totals    bool       `json:"totals,omitempty"` // also return the metrics over all rows

	// A choice of metrics, in place of a type: see [QueryAs].
	Dataset    Dataset  `json:"dataset,omitempty"` // empty means DatasetPageviews
	Metrics    []Metric `json:"metrics,omitempty"`
	Dimensions []Field  `json:"dimensions,omitempty"` // at most 4

	Goals []Goal `json:"goals,omitempty"` // of goals and goals_trends
	Steps []Step `json:"steps,omitempty"` // of funnel: 2 to 10
	// of funnel: the longest time from the first step to the last, such as 30m or 7d
	Window string `json:"window,omitempty"`
	// of funnel. With WithinSession the answer has the column sessions in place of visitors
	Within Within `json:"within,omitempty"`
	// of funnel: AnyOrder; empty: the steps are done one after the other
	Order   StepOrder   `json:"order,omitempty"`
	Exclude []Exclusion `json:"exclude,omitempty"` // of funnel: at most 5; not with AnyOrder
	Start   *Action     `json:"start,omitempty"`   // of retention; nil: any pageview or custom event
	Return  *Action     `json:"return,omitempty"`  // of retention; nil: any pageview or custom event
	Rolling bool        `json:"rolling,omitempty"` // of retention: a return counts in all periods up to its own
	// of why: the metric whose change is explained
	Metric *ChangedMetric `json:"metric,omitempty"`
	By     []Field        `json:"by,omitempty"` // of why: 1 to 10 dimensions whose values may explain it
	// of why: rows whose weight is nearer to 0 are left out; nil means 2
	MinWeight    *float64 `json:"minWeight,omitempty"`
	PerDimension int      `json:"perDimension,omitempty"` // of why: rows of one dimension, 1 to 100; 0 means 5

	From *string `json:"from,omitempty"` // of paths: the path that transitions come from; nil: any
	To   *string `json:"to,omitempty"`   // of paths: the path that they go to; nil: any
	// goals, or one funnel, by the names under which they are saved for the website
	Saved Saved `json:"saved,omitempty"`
}

// A ChangedMetric is the metric whose change the query type why explains.
type ChangedMetric struct {
	Name string // visitors, sessions or pageviews; empty with Goal
	Goal *Goal  // its visitors
}

// MarshalJSON implements json.Marshaler: the name, or an object with the goal.
func (m ChangedMetric) MarshalJSON() ([]byte, error) {
	if m.Goal == nil {
		return json.Marshal(m.Name)
	}
	return json.Marshal(map[string]*Goal{"goal": m.Goal})
}

// A Comparison is the other period of [Question.Compare]: one of the constants, or the first and the last day of a
// period as "2026-01-01,2026-01-31", or its start and its end as times; empty: none.
type Comparison string

// The other periods.
const (
	PreviousPeriod    Comparison = "previous_period"
	PreviousYear      Comparison = "previous_year"
	PreviousWeeks     Comparison = "previous_weeks"      // as many whole weeks before that the periods do not overlap
	PreviousYearWeeks Comparison = "previous_year_weeks" // 364 days before
)

// An Order is the direction of [Question.SortOrder].
type Order string

// The directions.
const (
	Ascending  Order = "asc"
	Descending Order = "desc"
)

// Within says to whom the events of a funnel's chain belong.
type Within string

// The owners of a chain.
const (
	WithinVisitor Within = "visitor" // the default
	WithinSession Within = "session"
)

// A StepOrder says in which order the steps of a funnel count.
type StepOrder string

// AnyOrder counts the steps of a funnel in any order.
const AnyOrder StepOrder = "any"

// A Metric is a column of a question that chooses its own: a column of the dataset, or one computed from a property.
type Metric struct {
	// of the dataset, or with Property: sum, avg, min, max, median, p75, p90, p95, p99, count or distinct
	Column   Column
	Property string // the key of a property; empty: none
	As       string // the name of the column with Property; empty means COLUMN_KEY, such as sum_total
}

// Columns returns metrics that are columns of a dataset.
func Columns(columns ...Column) []Metric {
	all := make([]Metric, len(columns))
	for i, c := range columns {
		all[i].Column = c
	}
	return all
}

// MarshalJSON writes the name alone of a column of the dataset.
func (m Metric) MarshalJSON() ([]byte, error) {
	if m.Property == "" {
		return json.Marshal(m.Column)
	}
	return json.Marshal(struct {
		Column   Column `json:"metric"`
		Property string `json:"property"`
		As       string `json:"as,omitempty"`
	}(m))
}

// An Action says which events are meant: exactly one of Event, Page and Click, and all Filters.
type Action struct {
	Event   *Text    `json:"event,omitempty"`   // the name of a custom event
	Page    *Text    `json:"page,omitempty"`    // the path of a pageview
	Click   *Text    `json:"click,omitempty"`   // the address of a clicked link
	Filters []Filter `json:"filters,omitempty"` // on fields of rows and on properties
}

// A Goal is an action whose events and visitors are counted.
type Goal struct {
	Name string `json:"name"` // required, and different from those of the other goals
	Action
	Value string `json:"value,omitempty"` // the key of a property whose decimals are added up; empty: none
}

// A Step is one of a funnel.
type Step struct {
	Name string `json:"name,omitempty"` // empty means what it matches
	Action
}

// An Exclusion is an event that ends the chains of a funnel between two neighbouring steps.
type Exclusion struct {
	Action
	After  int `json:"after"`  // the number of the step before, from 1
	Before int `json:"before"` // After + 1
}

// Saved has names of saved goals or funnels: see [AllSaved].
type Saved []string

// AllSaved returns a value for all saved goals of the website.
func AllSaved() Saved { return Saved{""} }

// MarshalJSON writes true for [AllSaved], and one name alone.
func (s Saved) MarshalJSON() ([]byte, error) {
	switch {
	case len(s) == 1 && s[0] == "":
		return []byte("true"), nil
	case len(s) == 1:
		return json.Marshal(s[0])
	}
	return json.Marshal([]string(s))
}
