package flags

import (
	"encoding/json"
	"slices"
	"time"
)

// Type says how a flag is evaluated when no rule matches.
type Type string

// The types of flags.
const (
	Boolean      Type = "boolean"      // its default
	Rollout      Type = "rollout"      // on for a percentage
	Multivariant Type = "multivariant" // one of its variants
)

// Status says whether a flag is evaluated.
type Status string

// The statuses of flags. Only active ones are evaluated.
const (
	Active   Status = "active"
	Inactive Status = "inactive"
	Archived Status = "archived"
)

// Unit is what shares one result of a rollout.
type Unit string

// The units of rollouts.
const (
	ByUser         Unit = "user"
	ByOrganization Unit = "organization"
	ByTeam         Unit = "team"
)

// A Flag is one definition. The fields from ID on are set by the store and the editor: what a caller
// sets there is replaced.
type Flag struct {
	Client      Client `json:"clientId"`              // the website or organisation that has it
	Environment string `json:"environment,omitempty"` // empty means none
	Key         string `json:"key"`                   // one per client and environment; printable, without blanks and commas
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`

	Type         Type            `json:"type"`
	Status       Status          `json:"status"` // empty means Active
	Default      bool            `json:"defaultValue"`
	Payload      json.RawMessage `json:"payload,omitempty"` // an object; nil means none
	Rules        []Rule          `json:"rules"`
	Groups       []string        `json:"targetGroupIds"`
	Percentage   float64         `json:"rolloutPercentage"`   // 0 to 100, with at most two decimals; whole for FirstHash
	By           Unit            `json:"rolloutBy,omitempty"` // empty means ByUser
	Variants     []Variant       `json:"variants"`
	Dependencies []string        `json:"dependencies"` // keys of the same environment
	Schedule     []Step          `json:"schedule"`     // steps to come, the next one first

	// HashVersion is FirstHash or MixedHash. 0 is FirstHash in a stored flag, since older programs did not
	// store it; Editor.Create makes it MixedHash. A change shuffles people.
	HashVersion int `json:"hashVersion,omitzero"`

	// PersistAcrossAuth tells client libraries to keep the result for a visitor who signs in.
	// Evaluation does not use it.
	PersistAcrossAuth bool `json:"persistAcrossAuth"`

	ID        string    `json:"id"`
	Revision  int64     `json:"revision"` // 1, and one more with every change
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	RemovedAt time.Time `json:"deletedAt,omitzero"` // zero unless it is removed
}

// A Variant is one value of a multivariant flag.
type Variant struct {
	Key         string          `json:"key"`
	Type        ValueType       `json:"type"`
	Value       json.RawMessage `json:"value"`
	Weight      *float64        `json:"weight,omitempty"` // percent; nil means none. Those of a flag total 100
	Description string          `json:"description,omitempty"`
}

// ValueType says what the value of a variant is.
type ValueType string

// The types of values.
const (
	StringValue ValueType = "string"
	NumberValue ValueType = "number"
	JSONValue   ValueType = "json" // any
)

// A Rule decides the result for contexts that it matches; the package documentation says when it does.
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

// Attribute is the part of a context that a rule is about.
type Attribute string

// What rules can be about.
const (
	OnUserID   Attribute = "user_id"
	OnEmail    Attribute = "email"
	OnProperty Attribute = "property"
)

// Operator says how a rule compares.
type Operator string

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
)

// A Step changes a flag from an instant on.
type Step struct {
	At         time.Time `json:"scheduledAt"` // whole milliseconds
	Action     Action    `json:"action"`
	Percentage float64   `json:"value"` // of UpdateRollout
}

// Action is what a step does.
type Action string

// The actions of steps.
const (
	Enable        Action = "enable"         // the status becomes Active
	Disable       Action = "disable"        // the status becomes Inactive
	UpdateRollout Action = "update_rollout" // the percentage becomes that of the step
)

// A Group is a set of rules that several flags share. Client, ID, Revision and the instants
// are as those of a [Flag].
type Group struct {
	ID          string    `json:"id"`
	Client      Client    `json:"clientId"`
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Color       string    `json:"color"` // as #6366f1, which empty means
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

// Clone returns a copy that shares nothing with f.
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

// Clone returns a copy that shares nothing with g.
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
