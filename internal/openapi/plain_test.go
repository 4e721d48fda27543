package openapi

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlain(t *testing.T) {
	for _, tc := range []struct{ name, schema, want string }{
		{"one schema", `{"type":"string","maxLength":3}`, `{"type":"string","maxLength":3}`},
		{"objects", `{"description":"Both","anyOf":[
			{"type":"object","properties":{"kind":{"type":"string","const":"a"},"size":{"type":"integer"}},
				"required":["kind","size"]},
			{"type":"object","properties":{"kind":{"type":"string","const":"b"},"size":{"type":"integer"}},"required":["kind"]}]}`,
			`{"description":"Both","type":"object","properties":{"kind":{"type":"string"},"size":{"type":"integer"}},"required":["kind"]}`},
		{"an object or a list of it", `{"anyOf":[{"$ref":"#/components/schemas/Item"},{"type":"array","items":{"$ref":"#/components/schemas/Item"}}]}`,
			`{"$ref":"#/components/schemas/Item"}`},
		{"an object or null", `{"anyOf":[{"$ref":"#/components/schemas/Item"},{"type":"null"}]}`,
			`{"oneOf":[{"$ref":"#/components/schemas/Item"},{"type":"null"}]}`},
		{"a text or a list", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`,
			`{"type":"array","items":{"type":"string"}}`},
		{"texts", `{"anyOf":[{"type":"string","enum":["a"]},{"type":"string","pattern":"^b"}]}`, `{"type":"string"}`},
		{"texts and numbers", `{"description":"V","anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"description":"V"}`},
		{"a reference to texts and numbers", `{"type":"object","properties":{"v":{"$ref":"#/components/schemas/Mixed"}}}`,
			`{"type":"object","properties":{"v":{}}}`},
		{"lists of different objects", `{"anyOf":[
			{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"a":{}}}}}},
			{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{"b":{}}}}}}]}`,
			`{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","additionalProperties":true}}}}`},
		{"members by a pattern", `{"type":"object","patternProperties":{"^a":{"type":"string"}}}`,
			`{"type":"object","additionalProperties":true}`},
		{"a name of Go", `{"type":"object","properties":{"a":{"type":"string","x-go-name":"B"}}}`,
			`{"type":"object","properties":{"a":{"type":"string","x-go-name":"B"}},"x-ogen-properties":{"a":{"name":"B"}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			js, err := Plain([]byte(`{"components":{"schemas":{"S":` + tc.schema + `,"Item":{"type":"object"},` +
				`"Mixed":{"anyOf":[{"type":"string"},{"type":"number"}]}}}}`))
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Components struct{ Schemas map[string]any }
			}
			var want any
			if err := json.Unmarshal(js, &got); err != nil || json.Unmarshal([]byte(tc.want), &want) != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Components.Schemas["S"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPlainDocument checks that the plain form of the program's document has no alternatives but null, and one form of
// each answer.
func TestPlainDocument(t *testing.T) {
	whole, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	js, err := Plain(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{`"anyOf":`, `"const":`, `"patternProperties":`, ProblemType} {
		if strings.Contains(string(js), word) {
			t.Errorf("the plain document has %s", word)
		}
	}
}
