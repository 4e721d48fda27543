package flags

import (
	"math"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
)

func checkRules(faults *FieldErrors, rules []Rule) {
	if len(rules) > MaxRules {
		faults.atMost("rules", "entries", len(rules), MaxRules)
		return
	}
	for i := range rules {
		rules[i].check(at("rules", i), faults)
	}
}

// check reports invalid rules, and rules that would never match.
func (r *Rule) check(where string, faults *FieldErrors) {
	oneOf(faults, where+".type", r.On, OnUserID, OnEmail, OnProperty)
	faults.text(where+".field", r.Field, MaxPropertyName)
	for _, list := range []struct {
		name string
		size int
	}{{".values", len(r.Values)}, {".batchValues", len(r.BatchValues)}} {
		if list.size > MaxValues {
			faults.atMost(where+list.name, "values", list.size, MaxValues)
			return
		}
	}
	for i, v := range r.Values {
		checkScalar(faults, at(where+".values", i), v)
	}
	for i, v := range r.BatchValues {
		faults.text(at(where+".batchValues", i), v, MaxValue)
	}
	if r.Value != nil {
		checkScalar(faults, where+".value", r.Value)
	}
	if r.On == OnProperty && r.Field == "" && !r.Batch {
		if n, ok := r.Value.(float64); !ok || !(n >= 0 && n <= 100) {
			faults.add(where+".value", "must be a number between 0 and 100 in a property rule without a field")
		}
		return
	}
	oneOf(faults, where+".operator", r.Operator, Operators()...)
	switch {
	case r.Batch:
		r.checkBatch(where, faults)
	case r.Operator.readsValue():
		r.checkRead(where, faults)
	case r.On == OnProperty:
		r.checkProperty(where, faults)
	default:
		r.checkID(where, faults)
	}
}

func (r *Rule) checkBatch(where string, faults *FieldErrors) {
	if r.On == OnProperty && r.Field == "" {
		faults.add(where+".field", mistake.Required)
	}
	if len(r.BatchValues) == 0 {
		faults.add(where+".batchValues", mistake.Required)
	}
	if r.Operator == Exists || r.Operator == NotExists || r.Operator.readsValue() {
		faults.addf(where+".operator", "must not be %s in a batch: it never matches", r.Operator)
	}
}

func (r *Rule) checkProperty(where string, faults *FieldErrors) {
	switch r.Operator {
	case StartsWith, EndsWith:
		faults.addf(where+".operator", "must not be %s for a property outside a batch: it never matches", r.Operator)
	case Equals, Contains:
		if r.Value == nil {
			faults.add(where+".value", mistake.Required)
		}
	case In, NotIn:
		r.needValues(where, faults)
	}
}

func (r *Rule) checkID(where string, faults *FieldErrors) {
	switch r.Operator {
	case Exists, NotExists:
		faults.addf(where+".operator", "must not be %s where type is %s: it never matches", r.Operator, r.On)
	case Equals, Contains, StartsWith, EndsWith:
		if text, ok := r.Value.(string); !ok || text == "" {
			faults.add(where+".value", "must be a string that is not empty")
		}
	case In, NotIn:
		r.needValues(where, faults)
		for i, v := range r.Values {
			if _, ok := v.(string); !ok {
				faults.add(at(where+".values", i), mistake.Want("a string", mistake.KindOf(v)))
			}
		}
	}
}

func (r *Rule) needValues(where string, faults *FieldErrors) {
	if len(r.Values) == 0 {
		faults.add(where+".values", mistake.Required)
	}
}

func checkScalar(faults *FieldErrors, where string, v any) {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) || utf8.RuneCountInString(v) > MaxValue {
			faults.addf(where, "must be valid UTF-8 with at most %d characters", MaxValue)
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			faults.add(where, "must be a finite number")
		}
	case bool:
	default:
		faults.add(where, mistake.Want("a string, a number, true or false", mistake.KindOf(v)))
	}
}
