package query

import "time"

// A Response answers one request.
type Response struct {
	Success bool     `json:"success"`
	QueryID string   `json:"queryId,omitempty"`
	Data    []Result `json:"data"`
	Meta    Meta     `json:"meta"`
}

// A Result answers one parameter. Exactly one of Data and Error counts, by Success;
// a failed one has an empty Data.
type Result struct {
	Parameter string      `json:"parameter"` // the type's name
	ID        string      `json:"id,omitempty"`
	Success   bool        `json:"success"`
	Data      Table       `json:"data"`
	Error     string      `json:"error,omitempty"`
	Code      Code        `json:"code,omitempty"`
	Meta      *ResultMeta `json:"meta,omitempty"`
}

// ResultMeta says what was computed.
type ResultMeta struct {
	From        time.Time `json:"from"`
	To          time.Time `json:"to"` // exclusive
	Timezone    string    `json:"timezone"`
	Granularity string    `json:"granularity"`
	Limit       *int      `json:"limit"` // null for a series without one
	Rows        int       `json:"rows"`
	HasMore     bool      `json:"hasMore"`
}

// Meta says what a request was resolved to.
type Meta struct {
	Parameters      []string `json:"parameters"`
	TotalParameters int      `json:"total_parameters"`
	Page            int      `json:"page"`
	Limit           int      `json:"limit"`
	FiltersApplied  int      `json:"filters_applied"`
	StartDate       string   `json:"startDate"`
	EndDate         string   `json:"endDate"`
	Timezone        string   `json:"timezone"`
	Granularity     string   `json:"granularity"`
}

// A Table is rows by column, encoded as a JSON array of objects.
type Table struct{}
