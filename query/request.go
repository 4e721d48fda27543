package query

// A Request is one query as a caller wrote it: shapes are checked, meaning is not.
// Decode makes one from JSON, ParseValues from an address.
type Request struct {
	ID          string
	Parameters  []Parameter
	StartDate   string // YYYY-MM-DD
	EndDate     string // YYYY-MM-DD, inclusive
	Preset      string // wins over dates
	TimeZone    string // IANA name; empty means UTC
	Limit       *int   // nil: 100 rows, series whole
	Page        int    // from 1; 0 means 1
	Filters     []Filter
	Granularity string   // hourly, daily, hour, day; empty means daily
	GroupBy     []string // fields
	SortBy      string   // an output column
	SortOrder   string   // asc, desc; empty: desc for metrics and instants, asc for names and date
}

// A Parameter asks for one query type. What it leaves empty it takes from its request.
type Parameter struct {
	Name        string
	ID          string
	StartDate   string
	EndDate     string
	Granularity string
	Limit       *int // in Go only; nil: the request's
}

// A Filter is one condition; all conditions of a request must hold.
type Filter struct {
	Field  string
	Op     Op
	Values []string // one value, or for In and NotIn at least one
}

// Op is how a filter compares. The set is closed.
type Op string

// The operators.
const (
	Eq          Op = "eq"
	Ne          Op = "ne"
	Contains    Op = "contains"
	NotContains Op = "not_contains"
	StartsWith  Op = "starts_with"
	In          Op = "in"
	NotIn       Op = "not_in"
)
