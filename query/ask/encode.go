package ask

import (
	"bytes"
	"encoding/json"
)

// UnmarshalJSON implements json.Unmarshaler as [Decode] reads one query. The error is an Errors with all mistakes that
// Decode reports.
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

// MarshalJSON implements json.Marshaler: it writes true for all, and one name alone.
func (s SavedNames) MarshalJSON() ([]byte, error) {
	switch len(s) {
	case 0:
		return []byte("true"), nil
	case 1:
		return json.Marshal(s[0])
	}
	return json.Marshal([]string(s))
}

// MarshalJSON implements json.Marshaler: it writes the name alone if p has nothing else.
func (p Parameter) MarshalJSON() ([]byte, error) {
	type object Parameter // without this method
	whole, err := json.Marshal(object(p))
	alone, _ := json.Marshal(object{Name: p.Name})
	if err == nil && bytes.Equal(whole, alone) && p.Name != "" {
		return json.Marshal(p.Name)
	}
	return whole, err
}

// MarshalJSON implements json.Marshaler: it writes a group, Did, a segment, or a leaf with its values as an array for
// In and NotIn and otherwise the one value.
func (f Filter) MarshalJSON() ([]byte, error) {
	type group struct {
		And []Filter `json:"and,omitzero"`
		Or  []Filter `json:"or,omitzero"`
		Not *Filter  `json:"not,omitempty"`
		Did *Did     `json:"did,omitempty"`

		Segment string `json:"segment,omitempty"`
	}
	type leaf struct {
		Field string `json:"field"`
		Op    Op     `json:"op"`
		Value any    `json:"value,omitempty"`
	}
	sent, parts := leaf{f.Field, f.Op, sentValue(f.Op, f.Values)}, group{f.And, f.Or, f.Not, f.Did, f.Segment}
	switch isLeaf := f.Parts() == nil && f.Did == nil && f.Segment == ""; {
	case isLeaf:
		return json.Marshal(sent)
	case f.Field == "" && f.Op == "" && f.Values == nil:
		return json.Marshal(parts)
	}
	return json.Marshal(struct { // a mistake that Decode reports
		leaf
		group
	}{sent, parts})
}

// sentValue returns values as Decode reads them for op; nil: absent.
func sentValue(op Op, values []string) any {
	switch {
	case op.none() && len(values) == 0:
		return nil
	case !op.many() && len(values) == 1:
		return values[0]
	}
	return values
}

// MarshalJSON implements json.Marshaler: it writes the text alone for Eq.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.Op == Eq && len(t.Values) == 1 {
		return json.Marshal(t.Values[0])
	}
	return json.Marshal(struct {
		Op    Op  `json:"op"`
		Value any `json:"value,omitempty"`
	}{t.Op, sentValue(t.Op, t.Values)})
}

// MarshalJSON implements json.Marshaler: it writes the name alone if m has nothing else.
func (m ChosenMetric) MarshalJSON() ([]byte, error) {
	if m.Property == "" && m.As == "" {
		return json.Marshal(m.Name)
	}
	return json.Marshal(struct {
		Name     string `json:"metric"`
		Property string `json:"property,omitempty"`
		As       string `json:"as,omitempty"`
	}(m))
}
