package flags

import (
	"encoding/json"
	"time"
)

// Reason says why a result is as it is.
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

// A Result is what a flag evaluates to for a context, with its JSON names.
type Result struct {
	Enabled bool            `json:"enabled"`
	Value   Value           `json:"value"`
	Payload json.RawMessage `json:"payload"` // null unless it is enabled
	Reason  Reason          `json:"reason"`
	Variant string          `json:"variant,omitempty"` // the key of the variant; empty when none was picked
}

// A Value is true, false, or the value of a variant.
type Value struct {
	Bool bool            // when JSON is nil
	JSON json.RawMessage // the value of a variant; shared, must not be changed
}

// MarshalJSON writes the value itself.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.JSON == nil {
		return json.Marshal(v.Bool)
	}
	return v.JSON, nil
}

// evaluate follows the order of the package comment.
func (r *ready) evaluate(c *Context, now time.Time) Result {
	if r == nil {
		return Result{Reason: FlagNotFound}
	}
	f := r.flag
	status, percentage := f.state(now)
	if status != Active {
		return Result{Reason: FlagNotFound}
	}
	for _, need := range r.needs {
		if need == nil || !need.active(now) {
			return Result{Reason: DependencyNotSatisfied}
		}
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
		return Result{Enabled: true, Value: Value{JSON: v.Value}, Payload: f.Payload, Reason: MultivariantEvaluated, Variant: v.Key}
	case f.Type == Rollout:
		if r.rollout.add(c.unit(f.By)).bucket() < percentage {
			return r.result(true, RolloutEnabled)
		}
		return r.result(false, RolloutDisabled)
	}
	return r.result(f.Default, BooleanDefault)
}

func (r *ready) active(now time.Time) bool {
	status, _ := r.flag.state(now)
	return status == Active
}

func (r *ready) result(enabled bool, why Reason) Result {
	result := Result{Enabled: enabled, Value: Value{Bool: enabled}, Reason: why}
	if enabled {
		result.Payload = r.flag.Payload
	}
	return result
}

// pick is the variant of whom c is about.
func (r *ready) pick(c *Context) *Variant {
	variants := r.flag.Variants
	h := r.variant.add(c.person())
	if !r.weighted {
		return &variants[h.size()%int64(len(variants))]
	}
	bucket, sum := float64(h.bucket()), 0.0
	for i := range variants {
		if w := variants[i].Weight; w != nil {
			sum += *w
		}
		if bucket < sum {
			return &variants[i]
		}
	}
	return &variants[len(variants)-1]
}
