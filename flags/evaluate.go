package flags

import (
	"encoding/json"
	"time"
)

// Reason explains a result.
type Reason string

// The reasons of results.
const (
	UserRuleMatch          Reason = "USER_RULE_MATCH"
	TargetGroupMatch       Reason = "TARGET_GROUP_MATCH"
	MultivariantEvaluated  Reason = "MULTIVARIANT_EVALUATED"
	RolloutEnabled         Reason = "ROLLOUT_ENABLED"
	RolloutDisabled        Reason = "ROLLOUT_DISABLED"
	BooleanDefault         Reason = "BOOLEAN_DEFAULT"
	DependencyNotSatisfied Reason = "DEPENDENCY_NOT_SATISFIED"
	FlagNotFound           Reason = "FLAG_NOT_FOUND"
)

// A Result is the result of evaluating a flag for a context.
type Result struct {
	Enabled bool            `json:"enabled"`
	Value   Value           `json:"value"`
	Payload json.RawMessage `json:"payload"` // null unless Enabled
	Reason  Reason          `json:"reason"`
	Variant string          `json:"variant,omitempty"` // the key of the picked variant; empty if none was picked

	// HashVersion is the version of the flag's hash; 0 if the flag was not found. It is not in the JSON, since
	// clients of the public product expect no other fields.
	HashVersion int `json:"-"`
}

// A Value is true, false, or the value of a variant.
type Value struct {
	Bool bool            // used if JSON is nil
	JSON json.RawMessage // the value of a variant; shared, must not be changed
}

// MarshalJSON returns the JSON of the value.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.JSON == nil {
		return json.Marshal(v.Bool)
	}
	return v.JSON, nil
}

// An evaluation evaluates flags for one context at one instant. It evaluates each flag with dependents only once, so
// its cost is bounded by the numbers of flags and dependencies.
type evaluation struct {
	context *Context
	now     time.Time
	done    map[*ready]Result // results of flags on which others depend
}

// result returns the result of a flag; r is nil if the flag does not exist.
func (e *evaluation) result(r *ready) Result {
	if r == nil {
		return Result{Reason: FlagNotFound}
	}
	if !r.needed {
		return e.evaluate(r)
	}
	result, known := e.done[r]
	if !known {
		if e.done == nil {
			e.done = map[*ready]Result{}
		}
		result = e.evaluate(r)
		e.done[r] = result
	}
	return result
}

// evaluate follows the order in the package documentation.
func (e *evaluation) evaluate(r *ready) Result {
	f, c := r.flag, e.context
	status, percentage := f.state(e.now)
	if status != Active {
		return Result{Reason: FlagNotFound}
	}
	if !e.satisfied(r) {
		return r.result(false, DependencyNotSatisfied)
	}
	for i := range r.rules {
		if m := &r.rules[i]; m.matches(m, c) {
			return r.result(m.enabled, UserRuleMatch)
		}
	}
	for i := range r.groups {
		if m := &r.groups[i]; m.matches(m, c) {
			return r.result(m.enabled, TargetGroupMatch)
		}
	}
	switch {
	case f.Type == Multivariant && len(f.Variants) > 0:
		v := r.pick(c)
		return Result{Enabled: true, Value: Value{JSON: v.Value}, Payload: f.Payload, Reason: MultivariantEvaluated,
			Variant: v.Key, HashVersion: f.hashVersion()}
	case f.Type == Rollout:
		if r.rollout.below(c.unit(f.By), percentage) {
			return r.result(true, RolloutEnabled)
		}
		return r.result(false, RolloutDisabled)
	}
	return r.result(f.Default, BooleanDefault)
}

// satisfied reports whether all dependencies of r are enabled. The recursion is at most MaxChain deep, since flags
// with longer chains are blocked.
func (e *evaluation) satisfied(r *ready) bool {
	if r.blocked {
		return false
	}
	for _, need := range r.needs {
		if !e.result(need).Enabled {
			return false
		}
	}
	return true
}

func (r *ready) result(enabled bool, why Reason) Result {
	result := Result{Enabled: enabled, Value: Value{Bool: enabled}, Reason: why, HashVersion: r.flag.hashVersion()}
	if enabled {
		result.Payload = r.flag.Payload
	}
	return result
}

// pick returns the variant for the person in c.
func (r *ready) pick(c *Context) *Variant {
	variants, person := r.flag.Variants, c.person()
	if !r.weighted {
		return &variants[r.variant.equal(person, len(variants))]
	}
	bucket, sum := r.variant.bucket(person), 0.0
	for i := range variants {
		if w := variants[i].Weight; w != nil {
			sum += *w
		}
		if bucket < r.variant.limit(sum) {
			return &variants[i]
		}
	}
	return &variants[len(variants)-1]
}
