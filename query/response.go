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
	Cause     error       `json:"-"` // of Error, for logs only
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

// meta tells what the request was resolved to.
func (v *resolver) meta() Meta {
	m := Meta{
		Parameters:      make([]string, len(v.req.Parameters)),
		TotalParameters: len(v.req.Parameters),
		Page:            max(v.req.Page, 1),
		Limit:           DefaultLimit,
		FiltersApplied:  len(v.req.Filters),
		StartDate:       v.rng.StartDate.String(),
		EndDate:         v.rng.EndDate.String(),
		Timezone:        v.rng.Zone.String(),
		Granularity:     v.grain.String(),
	}
	if v.req.Limit != nil {
		m.Limit = *v.req.Limit
	}
	for i, p := range v.req.Parameters {
		m.Parameters[i] = p.Name
	}
	return m
}

// meta tells what p computed: so many rows, and whether there are more.
func (p *plan) meta(rows int, more bool) *ResultMeta {
	m := &ResultMeta{
		From:        p.Range.From,
		To:          p.Range.To,
		Timezone:    p.Range.Zone.String(),
		Granularity: p.Grain.String(),
		Rows:        rows,
		HasMore:     more,
	}
	if p.Limit > 0 {
		m.Limit = new(p.Limit)
	}
	return m
}
