package flags

import "testing"

// TestRules checks the documented rules one by one. The context has the user id u-1, the email a@b.c, and the
// properties plan "pro", n 1, yes true, list ["a", 1e21], null null, "" and
// deep {}.
func TestRules(t *testing.T) {
	c := &Context{UserID: "u-1", Email: "a@b.c", Properties: map[string]any{
		"plan": "pro", "n": 1.0, "yes": true, "list": []any{"a", 1e21, nil, -0.5}, "null": nil, "": "unnamed",
		"empty": "", "deep": map[string]any{},
	}}
	nobody := &Context{}
	property := func(field string, o Operator, value any, values ...any) Rule {
		return Rule{On: OnProperty, Field: field, Operator: o, Value: value, Values: values}
	}
	id := func(o Operator, value any, values ...any) Rule {
		return Rule{On: OnUserID, Operator: o, Value: value, Values: values}
	}
	batch := func(on Attribute, field string, o Operator, values ...string) Rule {
		return Rule{On: on, Field: field, Operator: o, Batch: true, BatchValues: values}
	}
	for _, tt := range []struct {
		says   string
		rule   Rule
		want   bool // for the context c
		nobody bool // for an empty context
	}{
		{"an id equals", id(Equals, "u-1"), true, false},
		{"ids are case-sensitive", id(Equals, "U-1"), false, false},
		{"an id contains", id(Contains, "-"), true, false},
		{"an id starts with", id(StartsWith, "u-"), true, false},
		{"an id ends with", id(EndsWith, "-1"), true, false},
		{"starts_with does not match the end", id(StartsWith, "-1"), false, false},
		{"an id is in values", id(In, nil, "x", "u-1"), true, false},
		{"an id is not in values; a missing id never matches", id(NotIn, nil, "x"), true, false},
		{"not_in does not match an id in values", id(NotIn, nil, "u-1"), false, false},
		{"exists never matches an id", id(Exists, nil), false, false},
		{"nor does not_exists", id(NotExists, nil), false, false},
		{"an id does not equal a number", id(Equals, 1.0), false, false},
		{"an email", Rule{On: OnEmail, Operator: EndsWith, Value: "@b.c"}, true, false},
		{"an unknown type never matches", Rule{On: "ip", Operator: NotIn, Values: []any{"x"}}, false, false},

		{"a property equals", property("plan", Equals, "pro"), true, false},
		{"a number equals", property("n", Equals, 1.0), true, false},
		{"a number of another Go type equals", property("n", Equals, 1), true, false},
		{"a number does not equal a text", property("n", Equals, "1"), false, false},
		{"true does not equal a text", property("yes", Equals, "true"), false, false},
		{"true equals", property("yes", Equals, true), true, false},
		{"null never equals", property("null", Equals, nil), false, false},
		{"an object never equals", property("deep", Equals, "[object Object]"), false, false},
		{"a property contains", property("plan", Contains, "r"), true, false},
		{"the text of a number contains", property("n", Contains, 1.0), true, false},
		{"the text of a list contains", property("list", Contains, "a,1e+21,,-0.5"), true, false},
		{"the text of an object contains", property("deep", Contains, "object"), true, false},
		{"a missing property never contains", property("null", Contains, "null"), false, false},
		{"a property is in values", property("n", In, nil, "x", 1.0), true, false},
		{"a list is never in values", property("list", In, nil, "a"), false, false},
		{"not_in matches a missing property", property("plan", NotIn, nil, "free"), true, true},
		{"not_in does not match a property in values", property("plan", NotIn, nil, "pro"), false, true},
		{"not_in matches a list", property("list", NotIn, nil, "a"), true, true},
		{"a property exists", property("empty", Exists, nil), true, false},
		{"null does not exist", property("null", Exists, nil), false, false},
		{"a missing property does not exist", property("none", NotExists, nil), true, true},
		{"starts_with never matches a property", property("plan", StartsWith, "p"), false, false},
		{"nor does ends_with", property("plan", EndsWith, "o"), false, false},
		{"a rule without field does not use the property with an empty name", property("", Equals, "unnamed"), false,
			false},

		{"an id is in a batch", batch(OnUserID, "", In, "x", "u-1"), true, false},
		{"a batch equals", batch(OnUserID, "", Equals, "u-1"), true, false},
		{"not_in matches an id that is not in a batch, also a missing one", batch(OnEmail, "", NotIn, "x"), true, true},
		{"not_in does not match an id in a batch", batch(OnEmail, "", NotIn, "a@b.c"), false, true},
		{"any of a batch", batch(OnEmail, "", EndsWith, "@x", "@b.c"), true, false},
		{"a batch compares texts", batch(OnProperty, "n", In, "1"), true, false},
		{"a batch knows starts_with of properties", batch(OnProperty, "plan", StartsWith, "x", "p"), true, false},
		{"a batch contains", batch(OnProperty, "list", Contains, "e+21"), true, false},
		{"null is missing in a batch", batch(OnProperty, "null", NotIn, ""), true, true},
		{"an empty property is not missing", batch(OnProperty, "empty", In, ""), true, false},
		{"exists never matches in a batch", batch(OnUserID, "", Exists, "u-1"), false, false},
		{"an empty batch is ignored", Rule{On: OnUserID, Operator: Equals, Value: "u-1", Batch: true}, true, false},

		{"a percentage of everybody", Rule{On: OnProperty, Value: 100.0}, true, true},
		{"a percentage of nobody", Rule{On: OnProperty, Value: 0.0}, false, false},
		{"a rule with a field is not a percentage", property("n", "", 100.0), false, false},
	} {
		m := compile(&tt.rule, newSplit(FirstHash, forPercentage, ""), patterns{})
		if got := m.matches(&m, c); got != tt.want {
			t.Errorf("%s: %v", tt.says, got)
		}
		if got := m.matches(&m, nobody); got != tt.nobody {
			t.Errorf("%s, for an empty context: %v", tt.says, got)
		}
	}
	m := compile(&Rule{On: OnProperty, Value: 92.5}, newSplit(FirstHash, forPercentage, ""), patterns{})
	if !m.matches(&m, &Context{UserID: "user-123"}) { // bucket 92
		t.Error("bucket 92 is not less than 92.5")
	}
}
