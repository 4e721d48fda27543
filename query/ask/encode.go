package ask

import (
	"bytes"
	"encoding/json"
)

// sentRequest and sentParameter have the fields of a Request and of a Parameter by their names in a body.
type sentRequest struct {
	ID          string      `json:"id,omitempty"`
	Parameters  []Parameter `json:"parameters,omitempty"`
	StartDate   string      `json:"startDate,omitempty"`
	EndDate     string      `json:"endDate,omitempty"`
	Preset      string      `json:"preset,omitempty"`
	TimeZone    string      `json:"timeZone,omitempty"`
	Limit       *int        `json:"limit,omitempty"`
	Page        int         `json:"page,omitempty"`
	Filters     []Filter    `json:"filters,omitzero"`
	Granularity string      `json:"granularity,omitempty"`
	WeekStart   string      `json:"weekStart,omitempty"`
	GroupBy     []string    `json:"groupBy,omitzero"`
	Compare     Compare     `json:"compare,omitempty"`
	SortBy      string      `json:"sortBy,omitempty"`
	SortOrder   string      `json:"sortOrder,omitempty"`
}

type sentParameter struct {
	Name        string   `json:"name,omitempty"`
	ID          string   `json:"id,omitempty"`
	StartDate   string   `json:"start_date,omitempty"`
	EndDate     string   `json:"end_date,omitempty"`
	Preset      string   `json:"preset,omitempty"`
	Limit       *int     `json:"limit,omitempty"`
	Page        int      `json:"page,omitempty"`
	Filters     []Filter `json:"filters,omitzero"`
	Granularity string   `json:"granularity,omitempty"`
	WeekStart   string   `json:"weekStart,omitempty"`
	GroupBy     []string `json:"groupBy,omitzero"`
	SortBy      string   `json:"sortBy,omitempty"`
	SortOrder   string   `json:"sortOrder,omitempty"`
	Compare     Compare  `json:"compare,omitempty"`
}

// MarshalJSON implements json.Marshaler: it writes the body that [Decode] reads q from. It checks nothing, so that the JSON of a
// request with mistakes has these mistakes.
func (q Request) MarshalJSON() ([]byte, error) { return json.Marshal(sentRequest(q)) }

// UnmarshalJSON implements json.Unmarshaler as [Decode] reads one query. The error is an Errors with all mistakes that Decode
// reports.
func (q *Request) UnmarshalJSON(b []byte) error {
	all, isBatch, err := Decode(b, 0)
	switch {
	case err != nil:
		return err
	case isBatch:
		return bodyError(InvalidJSON, "The body must be one query object, not an array")
	case all[0].Errors != nil:
		return all[0].Errors
	}
	*q = all[0].Request
	return nil
}

// MarshalJSON implements json.Marshaler: it writes the name alone if p has nothing else.
func (p Parameter) MarshalJSON() ([]byte, error) {
	whole, err := json.Marshal(sentParameter(p))
	if alone, _ := json.Marshal(sentParameter{Name: p.Name}); err == nil && bytes.Equal(whole, alone) && p.Name != "" {
		return json.Marshal(p.Name)
	}
	return whole, err
}

// MarshalJSON implements json.Marshaler: it writes a group, or a leaf with its values as an array for In and NotIn and otherwise the
// one value.
func (f Filter) MarshalJSON() ([]byte, error) {
	type group struct {
		And []Filter `json:"and,omitzero"`
		Or  []Filter `json:"or,omitzero"`
		Not *Filter  `json:"not,omitempty"`
	}
	type leaf struct {
		Field string `json:"field"`
		Op    Op     `json:"op"`
		Value any    `json:"value,omitempty"`
	}
	sent := leaf{f.Field, f.Op, f.Values}
	switch {
	case f.Op.none() && len(f.Values) == 0:
		sent.Value = nil
	case !f.Op.many() && len(f.Values) == 1:
		sent.Value = f.Values[0]
	}
	switch isGroup := f.And != nil || f.Or != nil || f.Not != nil; {
	case !isGroup:
		return json.Marshal(sent)
	case f.Field == "" && f.Op == "" && f.Values == nil:
		return json.Marshal(group{f.And, f.Or, f.Not})
	}
	return json.Marshal(struct { // a mistake that Decode reports
		leaf
		group
	}{sent, group{f.And, f.Or, f.Not}})
}
