package query

// A Request is one query as a caller wrote it: shapes are checked, meaning is not.
// Decode makes one from JSON, ParseValues from an address; Go programs may fill one in
// themselves, and the engine checks it all the same. Texts have at most 2 048 characters.
type Request struct {
	ID          string
	Parameters  []Parameter // 1 to 50
	StartDate   string      // YYYY-MM-DD
	EndDate     string      // YYYY-MM-DD, inclusive
	Preset      string      // wins over dates
	TimeZone    string      // IANA name; empty means UTC
	Limit       *int        // 1 to MaxLimit; nil: 100 rows, series whole
	Page        int         // from 1; 0 means 1
	Filters     []Filter    // at most 50
	Granularity string      // hourly, daily, hour, day; empty means daily
	GroupBy     []string    // fields
	SortBy      string      // an output column
	SortOrder   string      // asc, desc; empty: desc for metrics and instants, asc for names and date; alone it turns the first step of the type's order
}

// A Parameter asks for one query type. What it leaves empty it takes from its request;
// with only one date of its own, the other is that of the request's resolved range.
type Parameter struct {
	Name        string
	ID          string
	StartDate   string
	EndDate     string
	Granularity string
	Limit       *int // in Go only; nil: the request's
	Previous    bool // in Go only: the period just before the request's, of as many days; instead of dates
}

// A Filter is one condition; all conditions of a request must hold.
type Filter struct {
	Field  string
	Op     Op
	Values []string // one value, or for In and NotIn 1 to 500
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
