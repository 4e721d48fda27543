package docgen_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/sightline-analytics/sightline/internal/golden"
)

// schemas are the parts of the OpenAPI document that names and rows are generated from.
type schemas map[string]schema

type schema struct {
	Description string            `json:"description"`
	Type        any               `json:"type"` // a string or a list of strings
	Format      string            `json:"format"`
	Const       string            `json:"const"`
	Enum        []string          `json:"enum"`
	Required    []string          `json:"required"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	AnyOf       []schema          `json:"anyOf"`
}

func document(t *testing.T) schemas {
	t.Helper()
	text, err := os.ReadFile("../openapi/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	all := schemas{}
	for name, text := range doc.Components.Schemas {
		var s schema
		if err := json.Unmarshal(text, &s); err != nil { // schemas of flags have enums of other types
			continue
		}
		all[name] = s
	}
	return all
}

const header = "// Code generated from the OpenAPI document by go test ./internal/docgen -run GoldenClient -update. DO NOT EDIT.\n\npackage client\n\n"

// TestGoldenClientRows holds generated_rows.go equal to the document.
func TestGoldenClientRows(t *testing.T) {
	all := document(t)
	var body strings.Builder
	for _, name := range all["QueryType"].Enum {
		row, ok := all[pascal(name, nil)+"Row"]
		if !ok {
			t.Fatalf("the document has no row for %s", name)
		}
		goName := pascal(name, initialisms) + "Row"
		fmt.Fprintf(&body, "// %s is a row of [Type%s]. %s\ntype %s struct {\n", goName, pascal(name, initialisms), row.Description, goName)
		for _, column := range row.Required { // the others come with options
			about := row.Properties[column].Description
			if _, after, ok := strings.Cut(about, ": "); ok {
				about = after
			}
			fmt.Fprintf(&body, "%s %s `json:%q` // %s\n", pascal(column, initialisms), goType(t, row.Properties[column]), column, about)
		}
		fmt.Fprintf(&body, "}\n\n// QueryType implements [Row].\nfunc (%s) QueryType() Type { return Type%s }\n\n", goName, pascal(name, initialisms))
	}
	check(t, "generated_rows.go", "import (\n\"encoding/json\"\n\"time\"\n)\n\n"+body.String())
}

// TestGoldenClientNames holds generated_names.go equal to the document.
func TestGoldenClientNames(t *testing.T) {
	all := document(t)
	var columns, fields, operators, codes, datasets []string
	for name, s := range all {
		switch {
		case strings.HasSuffix(name, "Row"):
			columns = append(columns, s.Required...)
		case strings.HasSuffix(name, "Filter"):
			for _, one := range s.AnyOf {
				fields, operators = append(fields, one.Properties["field"].Enum...), append(operators, one.Properties["op"].Enum...)
			}
		case strings.HasPrefix(name, "Error"), strings.HasPrefix(name, "TrackError"):
			codes = append(codes, s.Properties["code"].Enum...)
		case strings.HasPrefix(name, "Chosen") && strings.HasSuffix(name, "Parameter"):
			datasets = append(datasets, s.Properties["dataset"].Const)
			columns = append(columns, enums(s.Properties["metrics"].Items)...)
			fields = append(fields, enums(s.Properties["dimensions"].Items)...)
		}
		if s.Properties["groupBy"].Items != nil {
			fields = append(fields, enums(s.Properties["groupBy"].Items)...)
		}
	}
	codes = append(codes, all["ParameterCode"].Enum...)
	var kinds []string
	for _, one := range all["Definition"].AnyOf {
		kinds = append(kinds, one.Properties["kind"].Const)
	}
	var body strings.Builder
	for _, list := range []struct {
		kind, about string
		values      []string
	}{
		{"Type", "A Type is the name of a query type.", all["QueryType"].Enum},
		{"Preset", "A Preset is a range by name.", all["Preset"].Enum},
		{"Granularity", "A Granularity is the length of the buckets of a series; empty means daily.", all["Granularity"].Enum[:4]},
		{"WeekStart", "A WeekStart is the first day of weeks; empty means sunday.", all["WeekStart"].Enum},
		{"Op", "An Op is the operator of a filter.", sorted(operators)},
		{"Field", "A Field is what filters, groupBy and dimensions name; see also [Property]. docs/query-types.md says which fields a type has.", sorted(fields)},
		{"Column", "A Column is one of an answer, to sort by or to choose as a metric.", sorted(columns)},
		{"Dataset", "A Dataset has the metrics and dimensions that a question can choose.", sorted(datasets)},
		{"Scope", "A Scope says what a key may do.", all["NewKey"].Properties["scopes"].Items.Enum},
		{"DefinitionKind", "A DefinitionKind is the kind of a saved definition.", kinds},
		{"FlagType", "A FlagType is the type of a feature flag.", all["NewFlag"].Properties["type"].Enum},
		{"FlagStatus", "A FlagStatus says whether a feature flag is used.", all["NewFlag"].Properties["status"].Enum},
		{"FlagReason", "A FlagReason says why a flag has its value.", all["FlagResult"].Properties["reason"].Enum},
		{"Code", "A Code says why a request failed. docs/errors.md explains each.", sorted(codes)},
	} {
		if len(list.values) == 0 {
			t.Fatalf("the document has no values for %s", list.kind)
		}
		fmt.Fprintf(&body, "// %s\ntype %s string\n\n// The values of [%s].\nconst (\n", list.about, list.kind, list.kind)
		for _, v := range list.values {
			fmt.Fprintf(&body, "%s%s %s = %q\n", list.kind, pascal(v, initialisms), list.kind, v)
		}
		body.WriteString(")\n\n")
	}
	check(t, "generated_names.go", body.String())
}

func check(t *testing.T, file, body string) {
	t.Helper()
	code, err := format.Source([]byte(header + body))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	golden.Check(t, "../../client/"+file, append(bytes.TrimRight(code, "\n"), '\n'))
}

// enums returns the values of s and of its alternatives.
func enums(s *schema) []string {
	all := slices.Clone(s.Enum)
	for _, one := range s.AnyOf {
		all = append(all, one.Enum...)
	}
	return all
}

func sorted(list []string) []string {
	set := map[string]bool{}
	for _, v := range list {
		set[v] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// goType returns the Go type of a column. Columns that can be null are pointers.
func goType(t *testing.T, s schema) string {
	t.Helper()
	names := map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
	name, _ := s.Type.(string)
	null := ""
	if list, ok := s.Type.([]any); ok {
		name, _ = list[0].(string)
		null = "*"
	}
	switch {
	case s.Type == nil:
		return "json.RawMessage"
	case s.Format == "date-time":
		return null + "time.Time"
	case names[name] == "":
		t.Fatalf("a column has the type %v", s.Type)
	}
	return null + names[name]
}

// initialisms are words that Go names write in capitals.
var initialisms = map[string]string{
	"id": "ID", "ids": "IDs", "url": "URL", "utm": "UTM", "os": "OS", "api": "API", "ip": "IP", "json": "JSON", "ssl": "SSL", "http": "HTTP",
	"lcp": "LCP", "fcp": "FCP", "cls": "CLS", "inp": "INP", "ttfb": "TTFB", "fps": "FPS", "dom": "DOM", "gclid": "GCLID",
}

// pascal returns a name in upper camel case, with the words of special as they are there.
func pascal(name string, special map[string]string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(cmp.Or(special[word], strings.ToUpper(word[:1])+word[1:]))
	}
	return b.String()
}
