package reference

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// Errors of Answer, wrapped with what was wrong.
var (
	ErrType    = errors.New("reference: unknown query type, or one of another kind of subject")
	ErrRange   = errors.New("reference: bad zone or dates")
	ErrFilter  = errors.New("reference: filter not allowed")
	ErrGroupBy = errors.New("reference: groupBy not allowed")
	ErrSort    = errors.New("reference: sort not allowed")
	ErrTooLong = errors.New("reference: series of more than 10000 rows")
	// ErrNeedsSession: a required filter is missing. It wraps [ErrFilter].
	ErrNeedsSession = fmt.Errorf("%w: session_id eq is missing", ErrFilter)
)

// A Question is one parameter of a query: one type asked of one subject.
type Question struct {
	Type      string
	Subject   store.Subject
	Zone      string // IANA name
	StartDate string // YYYY-MM-DD, a local day of Zone
	EndDate   string // the last day, included
	Preset    string // wins over the dates; empty: none
	Compare   string // PreviousPeriod or PreviousYear; empty: none
	Hourly    bool   // false is daily; ignored by types other than series
	Filters   []Filter
	Mandatory []Filter // of the caller's key: they apply to the data before anything else
	GroupBy   []string
	SortBy    string // empty is the default order
	SortOrder string // asc, desc; empty is the column's own direction
	Limit     int    // 0 means none: 100 rows, and all rows of a series
	Page      int    // from 1; 0 is 1
	Now       time.Time
	// Own names the options that the parameter sets itself, as in a request. It does not affect the
	// answer.
	Own []string
}

// A Filter is one condition. Values holds one text, for in and not_in one or more.
type Filter struct {
	Field  string
	Op     string // eq, ne, contains, not_contains, starts_with, in, not_in
	Values []string
}

// String writes f as one readable condition.
func (f Filter) String() string { return fmt.Sprintf("%s %s %q", f.Field, f.Op, f.Values) }

// String writes q on one line, for the message of a failing comparison.
func (q Question) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s %q, %s to %s in %s", q.Type, q.Subject.Kind, q.Subject.ID, q.StartDate, q.EndDate, q.Zone)
	if q.Preset != "" {
		b.WriteString(", " + q.Preset)
	}
	if q.Hourly {
		b.WriteString(", hourly")
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
	if len(q.Own) > 0 {
		fmt.Fprintf(&b, ", own %s", strings.Join(q.Own, " "))
	}
	fmt.Fprintf(&b, ", limit %d, page %d, now %s", q.Limit, q.Page, q.Now.UTC().Format(time.RFC3339Nano))
	return b.String()
}
