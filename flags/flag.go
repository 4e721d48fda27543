package flags

import (
	"encoding/json"
	"slices"
	"time"
)

// Type defines how a flag is evaluated if no rule matches.
type Type string

// The types of flags.
const (
	Boolean      Type = "boolean"      // evaluates to its default
	Rollout      Type = "rollout"      // enabled for a percentage of units
	Multivariant Type = "multivariant" // evaluates to one of its variants
)

// Status says whether a flag is evaluated.
type Status string

// The statuses of flags. Only active flags are evaluated.
const (
	Active   Status = "active"
	Inactive Status = "inactive"
	Archived Status = "archived"
)

// Unit is the unit of a rollout: all contexts with the same unit get the same result.
type Unit string

// The units of rollouts.
const (
	ByUser         Unit = "user"
	ByOrganization Unit = "organization"
	ByTeam         Unit = "team"
)

// A Flag is the definition of a feature flag. The store and the editor set the fields from ID on, and replace
// values that a caller sets.
type Flag struct {
	Client      Client `json:"clientId"`              // the website or organisation that owns the flag
	Environment string `json:"environment,omitempty"` // empty means none
	// unique per client and environment; printable, without spaces, commas and / ? # % & + \, and not . or ..
	Key         string `json:"key"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`

	Type    Type            `json:"type"`
	Status  Status          `json:"status"` // required in a store; an Editor replaces empty by Active
	Default bool            `json:"defaultValue"`
	Payload json.RawMessage `json:"payload,omitempty"` // an object; nil means none
	Rules   []Rule          `json:"rules"`
	Groups  []string        `json:"targetGroupIds"`
	// 0 to 100, with at most two decimals; whole for FirstHash
	Percentage   float64   `json:"rolloutPercentage"`
	By           Unit      `json:"rolloutBy,omitempty"` // empty means ByUser
	Variants     []Variant `json:"variants"`
	Dependencies []string  `json:"dependencies"` // keys of flags in the same environment
	Schedule     []Step    `json:"schedule"`     // future steps in order of time

	// HashVersion is FirstHash or MixedHash. 0 means FirstHash in a stored flag, since older versions did not store
	// it, but Editor.Create replaces 0 by MixedHash. A change moves people to other buckets.
	HashVersion int `json:"hashVersion,omitzero"`

	// PersistAcrossAuth asks client libraries to keep the result when a visitor signs in. Evaluation ignores
	// it.
	PersistAcrossAuth bool `json:"persistAcrossAuth"`

	ID        string    `json:"id"`
	Revision  int64     `json:"revision"` // 1, plus one for every change
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	RemovedAt time.Time `json:"deletedAt,omitzero"` // zero unless the flag was removed
}

// A Variant is one value of a multivariant flag.
type Variant struct {
	Key   string          `json:"key"`
	Type  ValueType       `json:"type"`
	Value json.RawMessage `json:"value"`
	// percent; nil means no weight. The weights of a flag sum to 100
	Weight      *float64 `json:"weight,omitempty"`
	Description string   `json:"description,omitempty"`
}

// ValueType is the type of a variant's value.
type ValueType string

// The types of values.
const (
	StringValue ValueType = "string"
	NumberValue ValueType = "number"
	JSONValue   ValueType = "json" // any JSON value
)

// A Rule decides the result for contexts that it matches. The package documentation says when a rule matches.
type Rule struct {
	On          Attribute `json:"type"`
	Operator    Operator  `json:"operator,omitempty"`
	Field       string    `json:"field,omitempty"` // name of a property
	Value       any       `json:"value,omitempty"` // a string, float64 or bool
	Values      []any     `json:"values,omitempty"`
	Enabled     bool      `json:"enabled"`
	Batch       bool      `json:"batch,omitempty"`
	BatchValues []string  `json:"batchValues,omitempty"`
}

// Attribute is the part of a context that a rule compares.
type Attribute string

// The attributes of rules.
const (
	OnUserID   Attribute = "user_id"
	OnEmail    Attribute = "email"
	OnProperty Attribute = "property"
)

// Operator is the comparison of a rule.
type Operator string

// Operators returns all operators of rules.
func Operators() []Operator {
	return []Operator{Equals, Contains, StartsWith, EndsWith, In, NotIn, Exists, NotExists,
		Greater, AtLeast, Less, AtMost, SemverEquals, SemverGreater, SemverAtLeast, SemverLess, SemverAtMost, Matches}
}

// The operators of rules.
const (
	Equals     Operator = "equals"
	Contains   Operator = "contains"
	StartsWith Operator = "starts_with"
	EndsWith   Operator = "ends_with"
	In         Operator = "in"
	NotIn      Operator = "not_in"
	Exists     Operator = "exists"
	NotExists  Operator = "not_exists"

	Greater       Operator = "gt" // compare numbers
	AtLeast       Operator = "gte"
	Less          Operator = "lt"
	AtMost        Operator = "lte"
	SemverEquals  Operator = "semver_eq" // compare versions
	SemverGreater Operator = "semver_gt"
	SemverAtLeast Operator = "semver_gte"
	SemverLess    Operator = "semver_lt"
	SemverAtMost  Operator = "semver_lte"
	Matches       Operator = "matches" // finds a regular expression
)

// A Step changes a flag at an instant.
type Step struct {
	At         time.Time `json:"scheduledAt"` // whole milliseconds
	Action     Action    `json:"action"`
	Percentage float64   `json:"value"` // for UpdateRollout only
}

// Action is the change that a step makes.
type Action string

// The actions of steps.
const (
	Enable        Action = "enable"         // the status becomes Active
	Disable       Action = "disable"        // the status becomes Inactive
	UpdateRollout Action = "update_rollout" // the percentage becomes the step's percentage
)

// A Group is a set of rules that several flags share. Client, ID, Revision and the times have the same meaning as in
// [Flag].
type Group struct {
	ID          string    `json:"id"`
	Client      Client    `json:"clientId"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Color       string    `json:"color"` // such as #6366f1, the default
	Rules       []Rule    `json:"rules"`
	Revision    int64     `json:"revision"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// hashVersion returns the version of the hash that divides people for f.
func (f *Flag) hashVersion() int {
	if f.HashVersion == 0 {
		return FirstHash
	}
	return f.HashVersion
}

// Clone returns a copy that shares no memory with f.
func (f Flag) Clone() Flag {
	f.Payload = slices.Clone(f.Payload)
	f.Rules = cloneRules(f.Rules)
	f.Groups = slices.Clone(f.Groups)
	f.Variants = slices.Clone(f.Variants)
	for i, v := range f.Variants {
		f.Variants[i].Value = slices.Clone(v.Value)
		if v.Weight != nil {
			f.Variants[i].Weight = new(*v.Weight)
		}
	}
	f.Dependencies = slices.Clone(f.Dependencies)
	f.Schedule = slices.Clone(f.Schedule)
	return f
}

// Clone returns a copy that shares no memory with g.
func (g Group) Clone() Group {
	g.Rules = cloneRules(g.Rules)
	return g
}

func cloneRules(rules []Rule) []Rule {
	rules = slices.Clone(rules)
	for i, r := range rules {
		rules[i].Values = slices.Clone(r.Values)
		rules[i].BatchValues = slices.Clone(r.BatchValues)
	}
	return rules
}
