package flags

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func noon() time.Time { return time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC) }

// text returns r as clients receive it.
func (r Result) text(t *testing.T) string {
	t.Helper()
	js, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(js)
}

func TestOrderOfEvaluation(t *testing.T) {
	yes := []Rule{{On: OnUserID, Operator: Equals, Value: "yes", Enabled: true},
		{On: OnUserID, Operator: Equals, Value: "yes"}}
	no := []Rule{{On: OnUserID, Operator: Contains, Value: "n"}}
	payload := json.RawMessage(`{"a":1}`)
	texts := []Variant{{Key: "a", Type: StringValue, Value: json.RawMessage(`"blue"`)}}
	flag := func(key string, change func(*Flag)) Flag {
		f := Flag{Key: key, Type: Boolean, Status: Active, Payload: payload}
		change(&f)
		return f
	}
	x := NewIndex(Set{
		Groups: []Group{{ID: "g1", Rules: no}, {ID: "g2", Rules: yes}},
		Flags: []Flag{
			flag("on", func(f *Flag) { f.Default = true }),
			flag("off", func(*Flag) {}),
			flag("inactive", func(f *Flag) { f.Status = Inactive }),
			flag("archived", func(f *Flag) { f.Status = Archived }),
			flag("removed", func(f *Flag) { f.RemovedAt = noon() }),
			flag("staged", func(f *Flag) { f.Environment, f.Default = "staging", true }),
			flag("needs off", func(f *Flag) { f.Default, f.Dependencies = true, []string{"off"} }),
			flag("needs inactive", func(f *Flag) { f.Default, f.Dependencies = true, []string{"off", "inactive"} }),
			flag("needs nothing known", func(f *Flag) { f.Dependencies = []string{"removed"} }),
			flag("ruled", func(f *Flag) { f.Rules, f.Type, f.Percentage = append(no, yes...), Rollout, 100 }),
			flag("grouped", func(f *Flag) {
				f.Groups, f.Type, f.Variants = []string{"g2", "gone", "g1"}, Multivariant, weighted(100)
			}),
			flag("texts, ruled", func(f *Flag) {
				f.Rules, f.Type, f.Variants = append(slices.Clone(no), yes...), Multivariant, texts
			}),
			flag("texts, needs off", func(f *Flag) {
				f.Type, f.Variants, f.Dependencies = Multivariant, texts, []string{"off"}
			}),
			flag("texts, in a cycle", func(f *Flag) {
				f.Type, f.Variants, f.Dependencies = Multivariant, texts, []string{"texts, in a cycle"}
			}),
			flag("texts, inactive", func(f *Flag) { f.Type, f.Variants, f.Status = Multivariant, texts, Inactive }),
			flag("bare", func(f *Flag) { f.Type, f.Default = Multivariant, true }),
			flag("half", func(f *Flag) { f.Type, f.Percentage = Rollout, 40 }),
		},
	})
	const notFound = `{"enabled":false,"value":false,"payload":null,"reason":"FLAG_NOT_FOUND"}`
	for _, c := range []struct {
		says, key, user, environment string
		want                         string
	}{
		{"an enabled default has the payload", "on", "", "",
			`{"enabled":true,"value":true,"payload":{"a":1},"reason":"BOOLEAN_DEFAULT"}`},
		{"a disabled default has no payload", "off", "", "",
			`{"enabled":false,"value":false,"payload":null,"reason":"BOOLEAN_DEFAULT"}`},
		{"an inactive flag is not found", "inactive", "", "", notFound},
		{"an archived flag is not found", "archived", "", "", notFound},
		{"a removed flag is not found", "removed", "", "", notFound},
		{"an unknown flag is not found", "never", "", "", notFound},
		{"a flag with an environment is not found without it", "staged", "", "", notFound},
		{"a flag without environment is not found in an environment", "on", "", "staging", notFound},
		{"a flag is found in its environment", "staged", "", "staging",
			`{"enabled":true,"value":true,"payload":{"a":1},"reason":"BOOLEAN_DEFAULT"}`},
		{"a disabled dependency is not satisfied", "needs off", "", "",
			`{"enabled":false,"value":false,"payload":null,"reason":"DEPENDENCY_NOT_SATISFIED"}`},
		{"an inactive dependency is not satisfied", "needs inactive", "", "",
			`{"enabled":false,"value":false,"payload":null,"reason":"DEPENDENCY_NOT_SATISFIED"}`},
		{"a removed dependency is not satisfied", "needs nothing known", "", "",
			`{"enabled":false,"value":false,"payload":null,"reason":"DEPENDENCY_NOT_SATISFIED"}`},
		{"the first rule that matches decides", "ruled", "yes", "",
			`{"enabled":true,"value":true,"payload":{"a":1},"reason":"USER_RULE_MATCH"}`},
		{"a rule can also disable", "ruled", "no", "",
			`{"enabled":false,"value":false,"payload":null,"reason":"USER_RULE_MATCH"}`},
		{"without a rule the type decides", "ruled", "x", "",
			`{"enabled":true,"value":true,"payload":{"a":1},"reason":"ROLLOUT_ENABLED"}`},
		{"groups decide in the flag's order", "grouped", "yes", "",
			`{"enabled":true,"value":1,"payload":{"a":1},"reason":"TARGET_GROUP_MATCH","variant":"a"}`},
		{"the second group; numbers have no value while they are off", "grouped", "no", "",
			`{"enabled":false,"payload":null,"reason":"TARGET_GROUP_MATCH"}`},
		{"a rule enables a variant", "texts, ruled", "yes", "",
			`{"enabled":true,"value":"blue","payload":{"a":1},"reason":"USER_RULE_MATCH","variant":"a"}`},
		{"texts have no value if a rule disables them", "texts, ruled", "no", "",
			`{"enabled":false,"payload":null,"reason":"USER_RULE_MATCH"}`},
		{"texts have no value without their dependency", "texts, needs off", "", "",
			`{"enabled":false,"payload":null,"reason":"DEPENDENCY_NOT_SATISFIED"}`},
		{"texts have no value in a cycle", "texts, in a cycle", "", "",
			`{"enabled":false,"payload":null,"reason":"DEPENDENCY_NOT_SATISFIED"}`},
		{"texts have no value while they are inactive", "texts, inactive", "", "",
			`{"enabled":false,"payload":null,"reason":"FLAG_NOT_FOUND"}`},
		{"a variant", "grouped", "x", "",
			`{"enabled":true,"value":1,"payload":{"a":1},"reason":"MULTIVARIANT_EVALUATED","variant":"a"}`},
		{"no variants", "bare", "", "", `{"enabled":true,"value":true,"payload":{"a":1},"reason":"BOOLEAN_DEFAULT"}`},
		{"a rollout without a person uses anonymous", "half", "", "",
			`{"enabled":false,"value":false,"payload":null,"reason":"ROLLOUT_DISABLED"}`},
	} {
		got := x.Evaluate(c.key, &Context{UserID: c.user, Environment: c.environment}, noon())
		if text := got.text(t); text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.says, text, c.want)
		}
	}
	if all := x.EvaluateAll(&Context{}, noon()); len(all) != 12 {
		t.Errorf("%d flags are evaluated: %v", len(all), all)
	}
	if some := x.EvaluateKeys([]string{"on", "inactive", "never", "on"}, &Context{}, noon()); len(some) != 1 ||
		!some["on"].Enabled {
		t.Errorf("of keys: %v", some)
	}
}

func TestVariantsAndUnits(t *testing.T) {
	active := func(f Flag) Flag {
		f.Status = Active
		return f
	}
	x := NewIndex(Set{Flags: []Flag{
		active(Flag{Key: "exp-1", Type: Multivariant, Variants: weighted(39, 61)}),
		active(Flag{Key: "beta", Type: Rollout, By: ByOrganization, Percentage: 44}),
		active(Flag{Key: "new-ui", Type: Rollout, By: ByTeam, Percentage: 41}),
		active(Flag{Key: "short", Type: Multivariant, Variants: weighted(10, -1, 0)}),
		active(Flag{Key: "even", Type: Multivariant, Variants: weighted(-1, -1, -1)}),
	}})
	for _, c := range []struct {
		says, key string
		context   Context
		want      string
		on        bool
	}{
		{"bucket 39 is not less than 39", "exp-1", Context{UserID: "user-1"}, "b", true},
		{"bucket 38 is less than 39", "exp-1", Context{UserID: "user-2", Email: "x"}, "a", true},
		{"an email replaces a missing user", "exp-1", Context{Email: "user-2"}, "a", true},
		{"the last variant is beyond all weights", "short", Context{UserID: "user-1"}, "c", true},
		{"by organisation, bucket 43 of 44", "beta", Context{UserID: "x", OrganizationID: "org_abc"}, "", true},
		{"by team without one is anonymous, bucket 40 of 41", "new-ui", Context{UserID: "user-123"}, "", true},
		{"without weights by the hash itself", "even", Context{UserID: "user-1"},
			string(rune('a' + hash(0).add("even:variant:user-1").size()%3)), true},
	} {
		if got := x.Evaluate(c.key, &c.context, noon()); got.Variant != c.want || got.Enabled != c.on {
			t.Errorf("%s: %+v", c.says, got)
		}
	}
}

func TestSchedule(t *testing.T) {
	step := func(minutes int, a Action, percentage int) Step {
		return Step{At: noon().Add(time.Duration(minutes) * time.Minute), Action: a, Percentage: float64(percentage)}
	}
	f := Flag{ID: "f", Key: "k", Type: Rollout, Status: Inactive, Revision: 4, Schedule: []Step{
		step(0, Enable, 0), step(10, UpdateRollout, 50), step(20, UpdateRollout, 100), step(30, Disable, 0),
	}}
	needs := Flag{Key: "needs", Type: Boolean, Default: true, Status: Active, Dependencies: []string{"k"}}
	x := NewIndex(Set{Flags: []Flag{f, needs}})
	for _, c := range []struct {
		minutes    int
		status     Status
		percentage int
		revision   int64
		reason     Reason
	}{
		{-1, Inactive, 0, 4, FlagNotFound},
		{0, Active, 0, 5, RolloutDisabled},
		{15, Active, 50, 6, RolloutEnabled},
		{25, Active, 100, 7, RolloutEnabled},
		{100_000, Inactive, 100, 8, FlagNotFound}, // all steps, long after the last one
	} {
		now := noon().Add(time.Duration(c.minutes) * time.Minute)
		got := f.At(now)
		if got.Status != c.status || got.Percentage != float64(c.percentage) || got.Revision != c.revision ||
			len(got.Schedule) != int(8-c.revision) {
			t.Errorf("after %d minutes: %+v", c.minutes, got)
		}
		who := &Context{UserID: "user-1"} // in bucket 38 of flag k
		if r := x.Evaluate("k", who, now); r.Reason != c.reason {
			t.Errorf("after %d minutes: %+v, want %s", c.minutes, r, c.reason)
		}
		if r := x.Evaluate("needs", who, now); r.Enabled != (c.reason == RolloutEnabled) {
			t.Errorf("the dependent flag after %d minutes: %+v", c.minutes, r)
		}
		if again := NewIndex(Set{Flags: []Flag{got}}).Evaluate("k", who, now); again.Reason != c.reason {
			t.Errorf("with the steps done, after %d minutes: %+v", c.minutes, again)
		}
	}
}
