package flags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fixed is a store with one set of flags.
type fixed struct {
	*Memory
	set Set
}

func (f fixed) Load(context.Context, Client) (Set, error) { return f.set, nil }

// TestAContextIsTooLargeForFlagsThatReadIt compares which flags fail with the attributes that each of them reads.
func TestAContextIsTooLargeForFlagsThatReadIt(t *testing.T) {
	rule := func(on Attribute, field string) []Rule {
		return []Rule{{On: on, Field: field, Operator: Equals, Value: "x", Enabled: true}}
	}
	half := Rule{On: OnProperty, Operator: Equals, Value: 50.0, Enabled: true}
	all := []Flag{
		{Key: "plain", Type: Boolean},
		{Key: "by user", Type: Rollout, Percentage: 50},
		{Key: "by team", Type: Rollout, Percentage: 50, By: ByTeam},
		{Key: "by organization", Type: Rollout, Percentage: 50, By: ByOrganization},
		{Key: "variants", Type: Multivariant, Variants: []Variant{{Key: "a", Value: []byte(`"A"`)}}},
		{Key: "rule of emails", Type: Boolean, Rules: rule(OnEmail, "")},
		{Key: "rule of ids", Type: Boolean, Rules: rule(OnUserID, "")},
		{Key: "rule of plan", Type: Boolean, Rules: rule(OnProperty, "plan")},
		{Key: "rule of plan and cart", Type: Boolean, Rules: slices.Concat(rule(OnProperty, "plan"),
			rule(OnProperty, "cart"))},
		{Key: "percentage", Type: Boolean, Rules: []Rule{half}},
		{Key: "group", Type: Boolean, Groups: []string{"g"}},
		{Key: "dependency", Type: Boolean, Dependencies: []string{"second"}},
		{Key: "second", Type: Boolean, Dependencies: []string{"rule of plan"}},
		{Key: "cycle", Type: Boolean, Dependencies: []string{"cycle", "rule of plan"}},
		{Key: "off", Type: Boolean, Status: Inactive, Rules: rule(OnProperty, "plan")},
	}
	for i := range all {
		if all[i].Status == "" {
			all[i].Status = Active
		}
	}
	set := Set{Flags: all, Groups: []Group{{ID: "g", Rules: rule(OnProperty, "plan")}}}
	deep := any("x")
	for range MaxDepth + 1 {
		deep = []any{deep}
	}
	many := map[string]any{}
	for i := range MaxProperties + 1 {
		many[fmt.Sprint("p", i)] = i
	}
	long, person := strings.Repeat("x", MaxID+1), []string{"by user", "percentage", "variants"}
	plan := []string{"dependency", "group", "rule of plan", "rule of plan and cart", "second"}
	for _, tc := range []struct {
		name    string
		context Context
		fails   []string
		with    string
	}{
		{"nothing", Context{UserID: "u"}, nil, ""},
		{"a user's id", Context{UserID: long}, slices.Concat(person, []string{"rule of ids"}), "userId may have"},
		{"an email in place of an id", Context{Email: long}, slices.Concat(person, []string{"rule of emails"}),
			"email may have"},
		{"an email beside an id", Context{UserID: "u", Email: long}, []string{"rule of emails"}, "email may have"},
		{"a team", Context{TeamID: long}, []string{"by team"}, "teamId may have"},
		{"an organization", Context{OrganizationID: long}, []string{"by organization"}, "organizationId may have"},
		{"a large property", Context{Properties: map[string]any{"plan": strings.Repeat("x", MaxContext)}}, plan,
			"properties may have at most 16384 bytes"},
		{"a deep property", Context{Properties: map[string]any{"plan": deep}}, plan, "to a depth of at most 8"},
		{"two properties that are too large together", Context{Properties: map[string]any{
			"plan": strings.Repeat("x", MaxContext/2), "cart": strings.Repeat("x", MaxContext/2)}},
			[]string{"rule of plan and cart"}, "properties may have at most 16384 bytes"},
		{"properties that no flag reads", Context{Properties: many}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, err := NewEvaluator(EvaluatorConfig{Store: fixed{&Memory{}, set}})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close(t.Context())
			results, faults, err := e.EvaluateEach(t.Context(), OfWebsite("site"), &tc.context)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(tc.fails)
			if diff := cmp.Diff(tc.fails, slices.Sorted(maps.Keys(faults))); diff != "" {
				t.Errorf("flags that fail: %s", diff)
			}
			want := NewIndex(set).EvaluateAll(&tc.context, time.Now())
			for key := range faults {
				if delete(want, key); !errors.Is(faults[key], ErrInvalid) ||
					!strings.Contains(faults[key].Error(), tc.with) {
					t.Errorf("%s: %v", key, faults[key])
				}
			}
			if diff := cmp.Diff(want, results); diff != "" {
				t.Errorf("results: %s", diff)
			}
			for _, f := range all {
				one, err := e.Evaluate(t.Context(), OfWebsite("site"), f.Key, &tc.context)
				if fmt.Sprint(err) != fmt.Sprint(faults[f.Key]) {
					t.Errorf("%s alone: %v, %v", f.Key, one, err)
				}
			}
		})
	}
}
