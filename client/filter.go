package client

import "encoding/json"

// A Filter is a condition on rows, or a group of conditions. [Where], [And], [Or], [Not], [Did] and [Segment] return
// one.
type Filter struct {
	Field   Field    `json:"field,omitempty"`
	Op      Op       `json:"op,omitempty"`
	Value   any      `json:"value,omitempty"` // a text, a number or a bool, or a list of them for OpIn and OpNotIn
	And     []Filter `json:"and,omitempty"`
	Or      []Filter `json:"or,omitempty"`
	Not     *Filter  `json:"not,omitempty"`
	Did     *DidIt   `json:"did,omitempty"`
	Segment string   `json:"segment,omitempty"` // the name of a saved segment
}

// A DidIt says what else the person of a row did.
type DidIt struct {
	Action
	In string `json:"in,omitempty"` // session (default) or range
}

// Where returns a condition. OpIn and OpNotIn take any number of values, OpExists and OpNotExists none, and the other
// operators one.
func Where(field Field, op Op, values ...any) Filter {
	return Filter{Field: field, Op: op, Value: valueOf(op, values)}
}

// And returns a filter that holds when all of filters hold.
func And(filters ...Filter) Filter { return Filter{And: filters} }

// Or returns a filter that holds when one of filters holds.
func Or(filters ...Filter) Filter { return Filter{Or: filters} }

// Not returns a filter that holds when filter does not.
func Not(filter Filter) Filter { return Filter{Not: &filter} }

// Did returns a filter that holds when the session of the row has an event that action means.
func Did(action Action) Filter { return Filter{Did: &DidIt{Action: action}} }

// DidInRange returns a filter that holds when the visitor of the row has an event in the range of the question that
// action means.
func DidInRange(action Action) Filter { return Filter{Did: &DidIt{Action: action, In: "range"}} }

// Segment returns the filters that are saved for the website under name.
func Segment(name string) Filter { return Filter{Segment: name} }

// Property returns the field of a property of events, for filters, groupBy and dimensions.
func Property(key string) Field { return Field("property:" + key) }

// A Text is a test of a text.
type Text struct {
	Op     Op
	Values []string
}

// Is returns a test for equality.
func Is(text string) *Text { return &Text{Op: OpEq, Values: []string{text}} }

// Matching returns a test with an operator for texts, such as OpStartsWith.
func Matching(op Op, values ...string) *Text { return &Text{Op: op, Values: values} }

// MarshalJSON writes the text alone for equality.
func (t Text) MarshalJSON() ([]byte, error) {
	if t.Op == OpEq && len(t.Values) == 1 {
		return json.Marshal(t.Values[0])
	}
	values := make([]any, len(t.Values))
	for i, v := range t.Values {
		values[i] = v
	}
	return json.Marshal(Filter{Op: t.Op, Value: valueOf(t.Op, values)})
}

// valueOf returns values as the API expects them for op; nil: the operator takes none.
func valueOf(op Op, values []any) any {
	switch {
	case op == OpIn || op == OpNotIn ||
		len(values) > 1: // several values for another operator are a mistake that the service reports
		return values
	case len(values) == 1:
		return values[0]
	}
	return nil
}
