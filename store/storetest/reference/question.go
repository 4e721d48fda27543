package reference

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Errors of Answer, wrapped with the cause.
var (
	ErrType    = errors.New("reference: unknown query type, or a type for another kind of subject")
	ErrRange   = errors.New("reference: invalid zone or dates")
	ErrFilter  = errors.New("reference: filter not allowed")
	ErrGroupBy = errors.New("reference: groupBy not allowed")
	ErrSort    = errors.New("reference: sort not allowed")
	ErrTooLong = errors.New("reference: series of more than 10000 rows")
	// ErrPart: a part that only choices of metrics and some types have is invalid, such as a metric, goal or step.
	ErrPart = errors.New("reference: invalid metric, dimension, goal, step or action")
	// ErrSum: a sum of a property is larger than can be shown.
	ErrSum = errors.New("reference: sum beyond 9·10^14")
	// ErrNeedsSession: a required filter is missing. It wraps [ErrFilter].
	ErrNeedsSession = fmt.Errorf("%w: session_id eq is missing", ErrFilter)
)

// A Question is one parameter of a query, for one subject: one type, or with Metrics a choice of metrics.
type Question struct {
	Type      string // empty with Metrics
	Subject   store.Subject
	Websites  []string // ids of several websites, in place of a Subject with an id; nil: one subject
	Zone      string   // IANA name
	StartDate string   // YYYY-MM-DD, a local day of Zone, or a time to the minute with or without its offset from UTC
	EndDate   string   // likewise: the last day, included, or a time, excluded
	Preset    string   // overrides the dates; may be empty
	Compare   string   // PreviousPeriod and its like, or a start and an end as 2026-01-01,2026-01-31; may be empty
	Complete  bool     // the last day of Preset is yesterday
	// Grain is minute, hourly, daily, weekly or monthly; empty means daily, or that of Preset. Types other than series
	// ignore it.
	Grain     string
	WeekStart string // sunday or monday; empty means sunday
	Filters   []Filter
	Mandatory []Filter // filters of the caller's key, applied to the data first
	GroupBy   []string
	SortBy    string // empty means the default order; difference orders the rows of both periods of a comparison
	SortOrder string // asc or desc; empty means the column's default direction
	Limit     int    // 0 means 100 rows, or all rows of a series
	Page      int    // from 1; 0 means 1
	Now       time.Time
	// Own names the options that the parameter itself sets in a request. It does not affect the answer.
	Own []string

	// A choice of metrics.
	Dataset    string // empty means pageviews
	Metrics    []Metric
	Dimensions []string // fields, or date
	Totals     bool     // also returns Compared.Totals; for breakdowns by type too

	// Parts of some types.
	Goals  []Goal // goals, goals_trends
	Steps  []Step // funnel
	Window string // funnel: a number of m, h or d; empty means no bound
	Within string // funnel: visitor or session; empty means visitor
	Order  string // funnel: any; empty means in the order of Steps
	// funnel: events that end a chain between two steps
	Exclude []Exclusion
	Rolling bool    // retention: a return counts in every period up to its own
	Start   *Action // retention; nil means any pageview or custom event
	Return  *Action // retention; nil means the same
	From    *string // paths: the path before a transition; nil means any
	To      *string // paths: the path after it; nil means any
	Why     *Why    // why
}

// A Filter is a condition on rows. It is a leaf, with Field, Op and Values, or it has exactly one of And, Or, Not
// and Did. Values has one text, or several for in and not_in, or none for exists and not_exists.
type Filter struct {
	Field  string // a field of the type, or property:KEY
	Op     string // one of TextOperators, or one of PropertyOperators for a property
	Values []string
	And    []Filter
	Or     []Filter
	Not    *Filter
	Did    *Did
}

// String returns f as a readable condition.
func (f Filter) String() string {
	switch {
	case f.And != nil:
		return fmt.Sprintf("all of %v", f.And)
	case f.Or != nil:
		return fmt.Sprintf("any of %v", f.Or)
	case f.Not != nil:
		return fmt.Sprintf("not (%v)", *f.Not)
	case f.Did != nil:
		return fmt.Sprintf("did (%s, in %q)", f.Did.describe(), f.Did.In)
	}
	return fmt.Sprintf("%s %s %q", f.Field, f.Op, f.Values)
}

// String returns q on one line, for failure messages.
func (q Question) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s %q, %s to %s in %s", q.Type+q.Dataset, q.Subject.Kind, q.Subject.ID, q.StartDate,
		q.EndDate, q.Zone)
	if q.Websites != nil {
		fmt.Fprintf(&b, ", websites %q", q.Websites)
	}
	if q.Preset != "" {
		b.WriteString(", " + q.Preset)
	}
	if q.Complete {
		b.WriteString(", complete")
	}
	if q.Grain != "" {
		b.WriteString(", " + q.Grain)
	}
	if q.WeekStart != "" {
		b.WriteString(", weeks from " + q.WeekStart)
	}
	if q.Compare != "" {
		b.WriteString(", beside " + q.Compare)
	}
	for _, f := range q.Mandatory {
		fmt.Fprintf(&b, ", key has %v", f)
	}
	for _, f := range q.Filters {
		fmt.Fprintf(&b, ", where %v", f)
	}
	if len(q.GroupBy) > 0 {
		fmt.Fprintf(&b, ", by %s", strings.Join(q.GroupBy, " and "))
	}
	if q.SortBy != "" {
		fmt.Fprintf(&b, ", sorted by %s %s", q.SortBy, q.SortOrder)
	}
	b.WriteString(q.describe())
	if len(q.Own) > 0 {
		fmt.Fprintf(&b, ", own %s", strings.Join(q.Own, " "))
	}
	fmt.Fprintf(&b, ", limit %d, page %d, now %s", q.Limit, q.Page, q.Now.UTC().Format(time.RFC3339Nano))
	return b.String()
}
