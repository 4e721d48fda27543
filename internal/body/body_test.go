package body_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/mistake"
)

type key struct {
	Name   string
	Scopes []string
	Rules  []rule
	Limit  *int
}

type rule struct {
	On    bool   `json:"on"`
	Field string `json:"field"`
}

var fields = body.Of(
	body.Member("name", func(k *key) *string { return &k.Name }).Called("label").NotNull(),
	body.NotEmpty("scopes", func(k *key) *[]string { return &k.Scopes }, "leave it out"),
	body.List("rules", func(k *key) *[]rule { return &k.Rules }, "on"),
	body.Member("limit", func(k *key) **int { return &k.Limit }),
)

func TestMistakes(t *testing.T) {
	for _, c := range []struct{ js, want string }{
		{`{}`, ""},
		{`{"name":"a","scopes":["b"],"rules":[{"on":true}],"limit":null}`, ""},
		{`[1]`, "The body must be an object, not an array"},
		{`{"name":null,"scopes":[]}`, "name must not be null; scopes must not be empty; leave it out"},
		{`{"scopes":null}`, "scopes must not be empty; leave it out"},
		{`{"scopes":["a",1,"b",true]}`,
			"scopes[1] must be a string, not a number; scopes[3] must be a string, not a boolean"},
		{`{"rules":[{"field":"x"},{"on":1},{"on":true,"of":2},7]}`, "rules[0].on is required; " +
			`rules[1].on must be true or false, not a number; rules[2]: unknown field "of"; ` +
			"rules[3] must be an object, not a number"},
		{`{"label":"x","limit":1.5}`, `label: unknown field "label"; did you mean "name"? ` +
			"Allowed are limit, name, rules, scopes; limit must be a whole number, not 1.5"},
		{`{"rules":[{"on":true,"ON":false}],"name":"a","name":"b"}`,
			"rules[0].ON must be given once, not twice; name must be given once, not twice"},
	} {
		_, bad := fields.Read([]byte(c.js))
		texts := make([]string, len(bad))
		for i, one := range bad {
			texts[i] = one.Error()
		}
		if got := strings.Join(texts, "; "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.js, got, c.want)
		}
	}
}

// TestBound sends many mistakes: an answer names a bounded number of them.
func TestBound(t *testing.T) {
	for _, js := range []string{
		`{"scopes":[` + strings.TrimSuffix(strings.Repeat("1,", 1000), ",") + `]}`,
		`{"rules":[` + strings.TrimSuffix(strings.Repeat(`{"on":1,"ON":1},`, 1000), ",") + `]}`,
		`{` + strings.TrimSuffix(strings.Join(slices.Collect(func(yield func(string) bool) {
			for i := range 1000 {
				yield(fmt.Sprintf(`"f%d":1`, i))
			}
		}), ","), ",") + `}`,
	} {
		if _, bad := fields.Read([]byte(js)); len(bad) != mistake.Most {
			t.Errorf("%.40s…: %d mistakes", js, len(bad))
		}
	}
}

func TestPatch(t *testing.T) {
	p, bad := fields.Read([]byte(`{"rules":[{"on":true}],"limit":null,"scopes":["a"]}`))
	if len(bad) > 0 || !p.Gives("limit") || p.Gives("name") || p.Empty() || p.Only("limit") {
		t.Fatalf("%v, %+v", bad, p)
	}
	for range 2 { // a patch may be applied again, after a conflict
		seven := 7
		k := key{Name: "n", Limit: &seven, Rules: []rule{{}, {}}}
		p.Apply(&k)
		if k.Name != "n" || k.Limit != nil || len(k.Rules) != 1 || !k.Rules[0].On || k.Scopes[0] != "a" {
			t.Errorf("%+v", k)
		}
		k.Scopes[0] = "changed"
	}
}

// TestReadKnown reads a body of a fixed protocol, whose clients may send more than is known here.
func TestReadKnown(t *testing.T) {
	p, bad := fields.ReadKnown([]byte(`{"NAME":"a","colour":1,"limit":2}`))
	if k := p.New(); len(bad) > 0 || k.Name != "a" || *k.Limit != 2 {
		t.Errorf("%v, %+v", bad, k)
	}
	if _, bad := fields.ReadKnown([]byte(`{"NAME":1}`)); len(bad) != 1 || bad[0].Field != "name" {
		t.Errorf("%v", bad)
	}
}
