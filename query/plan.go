package query

import (
	"fmt"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/store"
)

// DefaultLimit is the number of rows of an answer that asked for no other.
// A series without a limit has all its buckets.
const DefaultLimit = 100

// MaxLimit is the largest limit, and the most rows that a series may have.
const MaxLimit = 10_000

// A plan is one parameter, resolved: no name is left to look up and no default to
// apply. Compile, store and fill ask nothing more.
type plan struct {
	Type      *boundType
	ID        string // the parameter's own id; empty when it had none
	Subject   store.Subject
	Range     calendar.Range
	Grain     calendar.Grain
	Now       time.Time   // of the request; ends downtime, and is the only clock
	Group     []*field    // leading columns by groupBy
	Filters   []condition // the caller's
	Mandatory []condition // the access's; they cut the data first
	Sort      []order     // without the keys that break ties
	Limit     int         // 0: all, for a series that asked for no limit
	Offset    int
}

// A condition is a filter on a field that exists, with values in the field's own
// form: a path normalised, a device in lower case.
type condition struct {
	Field  *field
	Op     Op
	Values []string
	codes  []string // of byCountry and byReferrer: the stored values that Values name

	onEvents bool // events have the field themselves
}

// order is one step of sorting, by an output column.
type order struct {
	column string
	desc   bool
}

// columns are the output columns of p, in order: those of groupBy, then the type's.
// A statement of p selects them in this order, unrounded. The column date holds bucket
// numbers, booleans are 0 or 1, instants are milliseconds.
func (p *plan) columns() []column {
	cols := make([]column, 0, len(p.Group)+len(p.Type.columns))
	for _, f := range p.Group {
		cols = append(cols, column{Name: f.Name, Format: String})
	}
	return append(cols, p.Type.columns...)
}

// String is p on a few lines, for people and golden files.
func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s %s\n", p.Type.Name, p.Subject.Kind, p.Subject.ID)
	fmt.Fprintf(&b, "range %s to %s %s, %s\n", p.Range.From.Format(time.RFC3339), p.Range.To.Format(time.RFC3339), p.Range.Zone, p.Grain)
	for _, f := range p.Group {
		fmt.Fprintf(&b, "by %s\n", f.Name)
	}
	for _, c := range p.Mandatory {
		fmt.Fprintf(&b, "always %s %s %q\n", c.Field.Name, c.Op, c.Values)
	}
	for _, c := range p.Filters {
		fmt.Fprintf(&b, "where %s %s %q\n", c.Field.Name, c.Op, c.Values)
	}
	for _, o := range p.Sort {
		fmt.Fprintf(&b, "order %s desc=%t\n", o.column, o.desc)
	}
	fmt.Fprintf(&b, "limit %d offset %d\n", p.Limit, p.Offset)
	return b.String()
}
