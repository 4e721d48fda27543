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
	Value   Value           `json:"value,omitzero"`
	Payload json.RawMessage `json:"payload"` // null unless Enabled
	Reason  Reason          `json:"reason"`
	Variant string          `json:"variant,omitempty"` // the key of the picked variant; empty if none was picked

	// HashVersion is the version of the flag's hash; 0 if the flag was not found. It is not in the JSON, since
	// clients of the public product expect no other fields.
	HashVersion int `json:"-"`
}

// A Value is true, false, the value of a variant, or no value. A flag with variants has no value while it is off,
// since false would have another type than its variants: the caller uses its own default.
type Value struct {
	None bool            // there is no value; the other fields are zero
	Bool bool            // used if JSON is nil
	JSON json.RawMessage // the value of a variant; shared, must not be changed
}

// IsZero reports whether there is no value, so that JSON leaves it out.
func (v Value) IsZero() bool { return v.None }

// MarshalJSON returns the JSON of the value, null if there is none.
func (v Value) MarshalJSON() ([]byte, error) {
	switch {
	case v.None:
		return []byte("null"), nil
	case v.JSON == nil:
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
		return Result{Value: Value{None: r.varies()}, Reason: FlagNotFound}
	}
	if !e.satisfied(r) {
		return r.result(c, false, DependencyNotSatisfied)
	}
	for i := range r.rules {
		if m := &r.rules[i]; m.matches(m, c) {
			return r.result(c, m.enabled, UserRuleMatch)
		}
	}
	for i := range r.groups {
		if m := &r.groups[i]; m.matches(m, c) {
			return r.result(c, m.enabled, TargetGroupMatch)
		}
	}
	switch {
	case r.varies():
		return r.result(c, true, MultivariantEvaluated)
	case f.Type == Rollout:
		if r.rollout.below(c.unit(f.By), percentage) {
			return r.result(c, true, RolloutEnabled)
		}
		return r.result(c, false, RolloutDisabled)
	}
	return r.result(c, f.Default, BooleanDefault)
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

// varies reports whether the values of r are those of its variants.
func (r *ready) varies() bool { return r.flag.Type == Multivariant && len(r.flag.Variants) > 0 }

// result returns the result of a flag that is on or off for c. Its value has the type of the flag's values.
func (r *ready) result(c *Context, enabled bool, why Reason) Result {
	result := Result{Enabled: enabled, Value: Value{Bool: enabled}, Reason: why, HashVersion: r.flag.hashVersion()}
	if enabled {
		result.Payload = r.flag.Payload
	}
	switch {
	case enabled && r.varies():
		v := r.pick(c)
		result.Value, result.Variant = Value{JSON: v.Value}, v.Key
	case r.varies():
		result.Value = Value{None: true}
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
