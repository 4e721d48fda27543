package flags

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const fullBody = `{"clientId":"web","key":"k","type":"multivariant","defaultValue":true,"status":"inactive","name":"N","description":"D",
	"environment":"staging","payload":{"a":1},"rolloutPercentage":5,"rolloutBy":"team","persistAcrossAuth":true,
	"rules":[{"type":"property","field":"p","operator":"in","values":["a",1,true],"enabled":true}],
	"variants":[{"key":"a","type":"string","value":"x","weight":100}],"dependencies":["d"],"targetGroupIds":["g"],
	"schedule":[{"scheduledAt":"2026-03-30T00:00:00+02:00","action":"enable"}]}`

func TestPatch(t *testing.T) {
	p, err := ParsePatch([]byte(fullBody))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Flag(OfWebsite(p.ClientID))
	if err != nil {
		t.Fatal(err)
	}
	f.normalize()
	if err := f.Check(noon()); err != nil {
		t.Error(err)
	}
	if f.Client != OfWebsite("web") || !f.Default || f.Percentage != 5 || f.Rules[0].Values[1] != 1.0 ||
		*f.Variants[0].Weight != 100 || f.Schedule[0].At.Hour() != 22 {
		t.Errorf("%+v", f)
	}
	var direct Flag
	if err := json.Unmarshal([]byte(fullBody), &direct); err != nil {
		t.Fatal(err)
	}
	direct.Client.Kind = Website
	direct.normalize()
	if !reflect.DeepEqual(f, direct) {
		t.Errorf("field by field %+v\nat once %+v", f, direct)
	}

	less, err := ParsePatch([]byte(`{"clientId":"web","description":null,"rules":null,"payload":null,"rolloutPercentage":null,"status":"active"}`))
	if err != nil {
		t.Fatal(err)
	}
	less.Apply(&f)
	f.normalize()
	if f.Description != "" || len(f.Rules) != 0 || f.Payload != nil || f.Percentage != 0 || f.Status != Active ||
		f.Name != "N" || len(f.Variants) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestPatchReportsEveryFault(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`[]`, "flags: not valid: The body must be an object, not an array"},
		{`null`, "flags: not valid: The body must be an object, not null"},
		{`{} {}`, "flags: not valid: The body is not valid JSON: unexpected { at byte 4"},
		{`{"clientId":5}`, "flags: not valid: clientId must be a string, not a number"},
		{`{"defaultValue":"yes","key":null,"rolloutPercentage":"half","rules":{}}`,
			"flags: not valid: defaultValue must be true or false, not a string; key must not be null; rolloutPercentage must be a number, not a string; rules must be an array, not an object"},
		{`{"rules":[{"enabled":"x"},{"type":"user_id"},5,{"enabled":true,"op":"x"}]}`,
			`flags: not valid: rules[0].enabled must be true or false, not a string; rules[1].enabled is required; rules[2] must be an object, not a number; rules[3]: unknown field "op"`},
		{`{"schedule":[{"scheduledAt":"tomorrow"}]}`,
			"flags: not valid: schedule[0] must have times like 2026-03-29T12:00:00Z"},
		{`{"variants":[{"weight":"5"}]}`, "flags: not valid: variants[0].weight must be a number, not a string"},
	} {
		if _, err := ParsePatch([]byte(c.body)); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%v\nwant\n%s", c.body, err, c.want)
		}
	}
	_, err := ParsePatch([]byte(`{"colour":1}`))
	if err == nil || !strings.Contains(err.Error(),
		`colour: unknown field "colour"; allowed are clientId, defaultValue, dependencies,`) {
		t.Error(err)
	}
	p, err := ParsePatch([]byte(`{"name":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Flag(OfWebsite(p.ClientID)); err == nil ||
		err.Error() != "flags: not valid: clientId is required; key is required; type is required; defaultValue is required" {
		t.Error(err)
	}
}

// FuzzPatch checks that an accepted patch is unchanged after storing and loading, and can be
// evaluated.
func FuzzPatch(f *testing.F) {
	f.Add([]byte(fullBody))
	f.Add([]byte(`{"clientId":"c","key":"k","type":"boolean","defaultValue":true,"payload":{"<":"\u2028"}}`))
	f.Add([]byte(`{"clientId":"c","key":"k","type":"rollout","defaultValue":false,"rules":[{"type":"property","value":1e2,"enabled":false}]}`))
	f.Add([]byte(`{"clientId":"c","key":"k","type":"multivariant","defaultValue":false,"variants":[{"key":"v","type":"json","value":[{}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := ParsePatch(body)
		if err != nil {
			if faults, ok := errors.AsType[FieldErrors](err); !ok || len(faults) == 0 {
				t.Fatalf("an error without fields: %v", err)
			}
			for _, isNew := range []bool{true, false} {
				if all, _ := errors.AsType[FieldErrors](p.Check(isNew, noon())); len(all) < len(p.faults) {
					t.Fatalf("of the mistakes %v Check only reports %v", err, all)
				}
			}
			return
		}
		flag, err := p.Flag(OfWebsite(p.ClientID))
		flag.normalize()
		if err != nil || flag.Check(noon()) != nil {
			return
		}
		js, err := json.Marshal(flag)
		if err != nil {
			t.Fatalf("%+v: %v", flag, err)
		}
		var back Flag
		if err := json.Unmarshal(js, &back); err != nil {
			t.Fatalf("%s: %v", js, err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(js) {
			t.Errorf("%s\nbecame\n%s, %v", js, again, err)
		}
		c := &Context{UserID: "u", Email: "e@x", Environment: flag.Environment, Properties: map[string]any{"p": "a"}}
		r := NewIndex(Set{Flags: []Flag{flag}}).Evaluate(flag.Key, c, noon())
		if _, err := json.Marshal(r); err != nil || r.Reason == FlagNotFound != (flag.Status != Active) {
			t.Errorf("%s evaluates to %+v, %v", js, r, err)
		}
	})
}
