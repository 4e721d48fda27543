package flags

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// valid returns a valid flag.
func valid() Flag {
	f := Flag{Client: OfWebsite("web"), Key: "k", Type: Rollout}
	f.normalize()
	return f
}

// TestCheck makes one mistake at a time in a valid flag.
func TestCheck(t *testing.T) {
	many := func(n int) []string { return strings.Split(strings.TrimSuffix(strings.Repeat("x,", n), ","), ",") }
	rule := func(r Rule) func(*Flag) { return func(f *Flag) { f.Rules = []Rule{r} } }
	for _, c := range []struct {
		spoil func(*Flag)
		want  string // part of the error; empty if the flag is valid
	}{
		{func(*Flag) {}, ""},
		{func(f *Flag) { f.Client = Client{} }, "clientId is required"},
		{func(f *Flag) { f.Client = OfWebsite("a\x00") }, "clientId must not contain control characters"},
		{func(f *Flag) { f.Key = "" }, "key is required"},
		{func(f *Flag) { f.Key = "a b" }, "key must not contain spaces, commas or control characters"},
		{func(f *Flag) { f.Key = "a,b" }, "key must not contain spaces, commas or control characters"},
		{func(f *Flag) { f.Key = "a\u202eb" }, "key must not contain spaces, commas or control characters"},
		{func(f *Flag) { f.Key = "a\u2066b" }, "key must not contain spaces, commas or control characters"},
		{func(f *Flag) { f.Key = "a\u200bb" }, "key must not contain spaces, commas or control characters"},
		{func(f *Flag) { f.Key = "a\x7fb" }, "key must not contain spaces, commas or control characters"},
		{func(f *Flag) { f.Key = "a/b" },
			`key must not contain any of / ? # % & + \, which mean something else in addresses`},
		{func(f *Flag) { f.Key = "a?b" }, "key must not contain any of"},
		{func(f *Flag) { f.Key = "#b" }, "key must not contain any of"},
		{func(f *Flag) { f.Key = "a%2fb" }, "key must not contain any of"},
		{func(f *Flag) { f.Key = "a&key=b" }, "key must not contain any of"},
		{func(f *Flag) { f.Key = "a+b" }, "key must not contain any of"},
		{func(f *Flag) { f.Key = `a\b` }, "key must not contain any of"},
		{func(f *Flag) { f.Key = "." }, `key must not be ".", which means something else in addresses`},
		{func(f *Flag) { f.Key = ".." }, `key must not be "..", which means something else in addresses`},
		{func(f *Flag) { f.Key = ".a..b:c@d=e;f!g~h-ü🎉" }, ""},
		{func(f *Flag) { f.Key = strings.Repeat("ü", MaxKey) }, ""},
		{func(f *Flag) { f.Key = strings.Repeat("k", MaxKey+1) }, "key may have at most 128 characters"},
		{func(f *Flag) { f.Environment = "a b" }, "environment must not contain spaces, commas or control characters"},
		{func(f *Flag) { f.Name = "\xff" }, "name must be valid UTF-8"},
		{func(f *Flag) { f.Description = strings.Repeat("d", MaxDescription+1) },
			"description may have at most 500 characters"},
		{func(f *Flag) { f.Type = "boolen" }, `type must be boolean, rollout or multivariant, not "boolen"`},
		{func(f *Flag) { f.Status = "deleted" }, `status must be active, inactive or archived, not "deleted"`},
		{func(f *Flag) { f.By = "country" }, `rolloutBy must be user, organization or team, not "country"`},
		{func(f *Flag) { f.Percentage = 101 }, "rolloutPercentage must be between 0 and 100, not 101"},
		{func(f *Flag) { f.Percentage = -1 }, "rolloutPercentage must be between 0 and 100, not -1"},
		{func(f *Flag) { f.Payload = json.RawMessage(`[1]`) }, "payload must be an object, not an array"},
		{func(f *Flag) { f.Payload = json.RawMessage(`{`) }, "payload must be JSON in UTF-8"},
		{func(f *Flag) { f.Payload = json.RawMessage("{\"\xff\":1}") }, "payload must be JSON in UTF-8"},
		{func(f *Flag) { f.Payload = json.RawMessage(`{"a":"` + strings.Repeat("x", MaxPayload) + `"}`) },
			"payload may have at most 32768 bytes, not 32776"},
		{func(f *Flag) { f.Groups = []string{"g", "g"} }, `targetGroupIds[1] must not be listed twice: "g"`},
		{func(f *Flag) { f.Dependencies = many(MaxDependencies + 1) },
			"dependencies may have at most 32 entries, not 33"},
		{func(f *Flag) { f.Rules = make([]Rule, MaxRules+1) }, "rules may have at most 100 entries, not 101"},
		{func(f *Flag) { f.Variants = weighted(make([]float64, MaxVariants+1)...) },
			"variants may have at most 32 entries, not 33"},
		{func(f *Flag) { f.Variants = weighted(50, 49) }, "variants must have weights with a sum of 100, not 99"},
		{func(f *Flag) { f.Variants = weighted(50, -1, 50) }, ""},
		{func(f *Flag) {
			f.Variants = []Variant{{Key: "a", Type: JSONValue, Value: json.RawMessage("1"), Weight: new(math.NaN())}}
		}, "variants[0].weight must be between 0 and 100, not NaN"},
		{func(f *Flag) { f.Variants = append(weighted(-1), weighted(-1)...) },
			`variants[1].key must differ from the keys of other variants: "a"`},
		{func(f *Flag) { f.Variants = []Variant{{Key: "a", Type: StringValue, Value: json.RawMessage("1")}} },
			"variants[0].value must be a string, not a number"},
		{func(f *Flag) { f.Variants = []Variant{{Key: "a", Type: NumberValue, Value: json.RawMessage("-1")}} }, ""},
		{func(f *Flag) { f.Variants = []Variant{{Key: "a", Type: JSONValue}} }, "variants[0].value is required"},
		{func(f *Flag) { f.Variants = []Variant{{Key: "a", Type: "text", Value: json.RawMessage(`"x"`)}} },
			`variants[0].type must be string, number or json, not "text"`},
		{func(f *Flag) { f.Schedule = []Step{{At: noon(), Action: Enable}} },
			"schedule[0].scheduledAt must be in the future"},
		{func(f *Flag) { f.Schedule = []Step{{Action: Enable}} }, "schedule[0].scheduledAt is required"},
		{func(f *Flag) { f.Schedule = []Step{{At: lastStep(), Action: Enable}} },
			"schedule[0].scheduledAt must be before the year 2101"},
		{func(f *Flag) { f.Schedule = make([]Step, MaxSteps+1) }, "schedule may have at most 50 steps, not 51"},
		{func(f *Flag) {
			f.Schedule = []Step{{At: noon().Add(1e9), Action: Enable}, {At: noon().Add(1e9), Action: Disable}}
		}, "schedule[1].scheduledAt must differ from the instants of other steps"},
		{func(f *Flag) {
			f.Type, f.Schedule = Boolean, []Step{{At: noon().Add(1e9), Action: UpdateRollout}}
		}, "schedule[0].action must not be update_rollout, since the flag's type is not rollout"},
		{func(f *Flag) { f.Schedule = []Step{{At: noon().Add(1e9), Action: UpdateRollout, Percentage: 101}} },
			"schedule[0].value must be between 0 and 100, not 101"},
		{rule(Rule{On: "ip", Operator: Equals, Value: "x"}),
			`rules[0].type must be user_id, email or property, not "ip"`},
		{rule(Rule{On: OnUserID, Operator: "like", Value: "x"}),
			`rules[0].operator must be equals, contains, starts_with, ends_with, in, not_in, exists, not_exists, gt, gte, lt, lte, semver_eq, semver_gt, semver_gte, semver_lt, semver_lte or matches, not "like"`},
		{rule(Rule{On: OnUserID, Operator: Equals, Value: 1.0}), "rules[0].value must be a string that is not empty"},
		{rule(Rule{On: OnUserID, Operator: Equals}), "rules[0].value must be a string that is not empty"},
		{rule(Rule{On: OnUserID, Operator: In}), "rules[0].values is required"},
		{rule(Rule{On: OnUserID, Operator: In, Values: []any{"a", true}}),
			"rules[0].values[1] must be a string, not a boolean"},
		{rule(Rule{On: OnEmail, Operator: Exists}),
			"rules[0].operator must not be exists where type is email: it never matches"},
		{rule(Rule{On: OnProperty, Field: "f", Operator: Exists}), ""},
		{rule(Rule{On: OnProperty, Field: "f", Operator: Equals, Value: []any{}}),
			"rules[0].value must be a string, a number, true or false, not an array"},
		{rule(Rule{On: OnProperty, Field: "f", Operator: Contains}), "rules[0].value is required"},
		{rule(Rule{On: OnProperty, Field: "f", Operator: StartsWith, Value: "x"}),
			"rules[0].operator must not be starts_with for a property outside a batch: it never matches"},
		{rule(Rule{On: OnProperty, Value: 12.5}), ""},
		{rule(Rule{On: OnProperty, Value: 101.0}),
			"rules[0].value must be a number between 0 and 100 in a property rule without a field"},
		{rule(Rule{On: OnProperty, Operator: Equals, Value: "x"}),
			"rules[0].value must be a number between 0 and 100 in a property rule without a field"},
		{rule(Rule{On: OnProperty, Operator: In, Batch: true, BatchValues: []string{"x"}}),
			"rules[0].field is required"},
		{rule(Rule{On: OnUserID, Operator: In, Batch: true}), "rules[0].batchValues is required"},
		{rule(Rule{On: OnUserID, Operator: Exists, Batch: true, BatchValues: []string{"x"}}),
			"rules[0].operator must not be exists in a batch: it never matches"},
		{rule(Rule{On: OnUserID, Operator: In, Batch: true, BatchValues: many(MaxValues + 1)}),
			"rules[0].batchValues may have at most 1000 values, not 1001"},
		{rule(Rule{On: OnUserID, Operator: Equals, Value: strings.Repeat("x", MaxValue+1)}),
			"rules[0].value must be valid UTF-8 with at most 512 characters"},
		{rule(Rule{On: OnProperty, Field: "f", Operator: Greater, Value: 1.5}), ""},
		{rule(Rule{On: OnProperty, Field: "f", Operator: AtMost, Value: "-1e3"}), ""},
		{rule(Rule{On: OnProperty, Field: "f", Operator: Less, Value: "0x10"}), "rules[0].value must be a number"},
		{rule(Rule{On: OnProperty, Field: "f", Operator: AtLeast, Value: true}), "rules[0].value must be a number"},
		{rule(Rule{On: OnUserID, Operator: AtLeast}), "rules[0].value must be a number"},
		{rule(Rule{On: OnProperty, Field: "f", Operator: SemverLess, Value: "2.0.0-rc.1+build"}), ""},
		{rule(Rule{On: OnProperty, Field: "f", Operator: SemverEquals, Value: "1.2.3.4"}),
			`rules[0].value must be a version such as "1.4.0" or "2.0.0-rc.1"`},
		{rule(Rule{On: OnProperty, Field: "f", Operator: SemverEquals, Value: 1.2}),
			"rules[0].value must be a version"},
		{rule(Rule{On: OnEmail, Operator: Matches, Value: `@(a|b)\.example$`}), ""},
		{rule(Rule{On: OnEmail, Operator: Matches, Value: `(`}), "rules[0].value is not a regular expression"},
		{rule(Rule{On: OnEmail, Operator: Matches, Value: `(?=a)`}), "rules[0].value is not a regular expression"},
		{rule(Rule{On: OnEmail, Operator: Matches, Value: ``}), "rules[0].value must be a string that is not empty"},
		{rule(Rule{On: OnEmail, Operator: Matches, Value: strings.Repeat("a", 501)}),
			"rules[0].value may have at most 500 bytes"},
		{rule(Rule{On: OnEmail, Operator: Matches, Value: `((a{30}){30}){30}`}), "rules[0].value is"},
		{rule(Rule{On: OnEmail, Operator: Matches, Batch: true, BatchValues: []string{"x"}}),
			"rules[0].operator must not be matches in a batch: it never matches"},
		{func(f *Flag) {
			for range MaxRules {
				f.Rules = append(f.Rules,
					Rule{On: OnUserID, Operator: In, Batch: true, BatchValues: []string{strings.Repeat("x", MaxValue)},
						Values: []any{"a"}})
			}
			for i := range f.Rules {
				f.Rules[i].BatchValues = strings.Split(strings.Repeat(strings.Repeat("y", 300)+" ", 10), " ")
			}
		}, "The record may have at most 262144 bytes as JSON, not 313119"},
	} {
		f := valid()
		c.spoil(&f)
		err := f.Check(noon())
		faults, _ := errors.AsType[FieldErrors](err)
		if c.want == "" && err != nil || c.want != "" &&
			(len(faults) != 1 || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestCheckReportsEveryFault(t *testing.T) {
	f := Flag{Rules: []Rule{{}, {On: OnUserID}}, Percentage: 200, Schedule: []Step{{}}}
	faults, _ := errors.AsType[FieldErrors](f.Check(noon()))
	var fields []string
	for _, fault := range faults {
		fields = append(fields, fault.Field)
	}
	const want = "[clientId key type status rolloutBy rolloutPercentage rules[0].type rules[0].operator rules[1].operator schedule[0].action schedule[0].scheduledAt]"
	if got := fmt.Sprint(fields); got != want {
		t.Errorf("mistakes in %s\nwant        %s", got, want)
	}
	if faults, _ := errors.AsType[FieldErrors](Group{Color: "red", Rules: []Rule{{}}}.Check()); len(faults) != 5 {
		t.Errorf("mistakes in a group: %v", faults)
	}
	f.Rules = make([]Rule, MaxRules)
	if faults, _ := errors.AsType[FieldErrors](f.Check(noon())); len(faults) != 100 {
		t.Errorf("%d mistakes", len(faults))
	}
}

func TestContextIsBounded(t *testing.T) {
	deep := any("x")
	for range MaxDepth + 1 {
		deep = []any{deep}
	}
	wide := map[string]any{}
	for i := range MaxProperties + 1 {
		wide[fmt.Sprint(i)] = i
	}
	long := strings.Repeat("x", MaxContext)
	for name, c := range map[string]Context{
		"deep":   {Properties: map[string]any{"a": deep}},
		"wide":   {Properties: wide},
		"long":   {Properties: map[string]any{"a": map[string]any{"b": long}}},
		"list":   {Properties: map[string]any{"a": make([]any, MaxContext/8)}},
		"name":   {Properties: map[string]any{long[:MaxPropertyName*4+1]: 1}},
		"userId": {UserID: long[:MaxID+1]},
	} {
		if err := c.Check(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	fine := Context{UserID: long[:MaxID], Properties: map[string]any{"a": []any{map[string]any{"b": 1.0}}, "c": nil}}
	if err := fine.Check(); err != nil {
		t.Error(err)
	}
}

func TestNormalizedFlagsStay(t *testing.T) {
	f := Flag{
		Client: OfWebsite("web"), Key: "k", Type: Multivariant, Payload: json.RawMessage(" { \"a\" : 1 } "),
		Rules: []Rule{{On: OnProperty, Field: "n", Operator: In,
			Values: []any{1, int64(2), float32(3), json.Number("4")}, BatchValues: []string{}}},
		Variants: []Variant{{Key: "a", Type: JSONValue, Value: json.RawMessage("[ 1 ]")}},
		Schedule: []Step{
			{At: noon().Add(2*time.Hour + 1), Action: Disable, Percentage: 3},
			{At: noon().Add(time.Hour).In(time.FixedZone("", 3600)), Action: Enable},
		},
	}
	f.normalize()
	js, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"clientId":"web","key":"k","type":"multivariant","status":"active","defaultValue":false,"payload":{"a":1},` +
		`"rules":[{"type":"property","operator":"in","field":"n","values":[1,2,3,4],"enabled":false}],"targetGroupIds":[],"rolloutPercentage":0,"rolloutBy":"user",` +
		`"variants":[{"key":"a","type":"json","value":[1]}],"dependencies":[],` +
		`"schedule":[{"scheduledAt":"2026-03-29T13:00:00Z","action":"enable","value":0},{"scheduledAt":"2026-03-29T14:00:00Z","action":"disable","value":0}],` +
		`"persistAcrossAuth":false,"id":"","revision":0,"createdAt":"0001-01-01T00:00:00Z","updatedAt":"0001-01-01T00:00:00Z"}`
	if string(js) != want {
		t.Errorf("%s\nwant\n%s", js, want)
	}
}
