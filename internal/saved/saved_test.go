package saved_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/saved"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

func definition(kind, name, body string) store.Definition {
	return store.Definition{Kind: store.DefinitionKind(kind), Name: name, Body: json.RawMessage(body)}
}

// taking returns the function with which libraries know the built-in query types.
func taking(t *testing.T) func(part string) []string {
	t.Helper()
	types, err := query.NewRegistry(query.Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	return types.Taking
}

func TestMistakes(t *testing.T) {
	for _, tc := range []struct{ kind, name, body, want string }{
		{"goal", "Signup", `{"event":"signup","value":"total"}`, ""},
		{"goal", "Docs", `{"page":{"op":"starts_with","value":"/docs"},"filters":[{"or":[{"field":"country","op":"eq","value":"DE"}]}]}`, ""},
		{"funnel", "Checkout", `{"steps":[{"page":"/cart"},{"event":"order"}],"window":"7d","within":"session"}`, ""},
		{"segment", "Mobile", `{"filters":[{"field":"device_type","op":"eq","value":"mobile"}]}`, ""},
		{"", "", ``, "kind name body"},
		{"funel", " x", `[1]`, "kind name body"},
		{"goal", strings.Repeat("ä", 101), `{}`, "name"},
		{"goal", "a\nb", `{"event":`, "name body"},
		{"goal", "x", `{"name":"y","event":"signup","id":"z"}`, "body.id body.name"},
		{"goal", "x", `{"event":"a","filters":[{"field":"country","op":"eq"}]}`, "body.filters[0].value"},
		{"goal", "x", `{"event":"a","filters":[{"segment":"Mobile"}]}`, "body"},
		{"funnel", "x", `{"steps":7}`, "body.steps"},
		{"funnel", "x", `{}`, "body.steps"},
		{"segment", "x", `{"filters":[{"field":"country","op":"eq","value":"DE"}],"limit":5}`, "body.limit"},
		{"segment", "x", `{"filters":` + strings.Repeat(" ", saved.MaxBody) + `[]}`, "body"},
	} {
		d := definition(tc.kind, tc.name, tc.body)
		_, bad := saved.Request(&d)
		var fields []string
		for _, e := range bad {
			fields = append(fields, e.Field)
		}
		if got := strings.Join(fields, " "); got != tc.want {
			t.Errorf("%s %q %.80s: mistakes in %q, want %q: %v", tc.kind, tc.name, tc.body, got, tc.want, bad)
		}
	}
}

// TestResolve compares requests that use saved definitions with the same requests written out.
func TestResolve(t *testing.T) {
	library := saved.Library(taking(t), []store.Definition{
		definition("goal", "Signup", `{"event":"signup"}`),
		definition("goal", "Order",
			`{"event":"order","value":"total","filters":[{"field":"property:plan","op":"exists"}]}`),
		definition("funnel", "Checkout", `{"steps":[{"page":"/cart"},{"event":"order"}],"window":"7d"}`),
		definition("segment", "Mobile",
			`{"filters":[{"field":"device_type","op":"eq","value":"mobile"},{"field":"country","op":"eq","value":"DE"}]}`),
		definition("goal", "broken", `{"event":7}`),
	})
	const (
		signup = `{"name":"Signup","event":"signup"}`
		order  = `{"name":"Order","event":"order","value":"total","filters":[{"field":"property:plan","op":"exists"}]}`
		mobile = `{"and":[{"field":"device_type","op":"eq","value":"mobile"},{"field":"country","op":"eq","value":"DE"}]}`
		named  = `{"segment":"Mobile"}`
	)
	for _, tc := range []struct{ sent, same string }{
		{`{"name":"goals","saved":true}`, `{"name":"goals","goals":[` + signup + `,` + order + `]}`},
		{`{"name":"goals_trends","saved":["Order"],"goals":[{"name":"Own","page":"/"}]}`,
			`{"name":"goals_trends","goals":[{"name":"Own","page":"/"},` + order + `]}`},
		{`{"name":"funnel","saved":"Checkout"}`,
			`{"name":"funnel","steps":[{"page":"/cart"},{"event":"order"}],"window":"7d"}`},
		{`{"name":"funnel","saved":["Checkout"],"window":"1h"}`,
			`{"name":"funnel","steps":[{"page":"/cart"},{"event":"order"}],"window":"1h"}`},
		{`{"name":"pages","filters":[` + named + `]}`, `{"name":"pages","filters":[` + mobile + `]}`},
		{`{"name":"pages","filters":[{"or":[{"not":` + named + `},{"field":"path","op":"eq","value":"/"}]}]}`,
			`{"name":"pages","filters":[{"or":[{"not":` + mobile + `},{"field":"path","op":"eq","value":"/"}]}]}`},
		{`{"name":"pages","filters":[{"did":{"event":"order","filters":[` + named + `]}}]}`,
			`{"name":"pages","filters":[{"did":{"event":"order","filters":[` + mobile + `]}}]}`},
		{`{"name":"goals","goals":[{"name":"Own","event":"x","filters":[` + named + `]}]}`,
			`{"name":"goals","goals":[{"name":"Own","event":"x","filters":[` + mobile + `]}]}`},
		{`{"name":"funnel","steps":[{"event":"a","filters":[` + named + `]},{"event":"b"}]}`,
			`{"name":"funnel","steps":[{"event":"a","filters":[` + mobile + `]},{"event":"b"}]}`},
		{`{"name":"retention","start":{"event":"a","filters":[` + named + `]}}`,
			`{"name":"retention","start":{"event":"a","filters":[` + mobile + `]}}`},
	} {
		sent, same := request(t, tc.sent), request(t, tc.same)
		before := string(sent.AppendKey(nil))
		got, bad := sent.Resolve(library)
		if bad != nil {
			t.Errorf("%s: %v", tc.sent, bad)
			continue
		}
		if diff := cmp.Diff(same, got); diff != "" || !sent.UsesSaved() || got.UsesSaved() {
			t.Errorf("%s (-want +got): %s", tc.sent, diff)
		}
		if string(sent.AppendKey(nil)) != before || before == string(got.AppendKey(nil)) {
			t.Errorf("%s: the request itself changed, or has the key of the resolved one", tc.sent)
		}
		var again ask.Request
		js, err := json.Marshal(sent)
		if err == nil {
			err = json.Unmarshal(js, &again)
		}
		if diff := cmp.Diff(sent, again); err != nil || diff != "" {
			t.Errorf("%s, as %s: %v %s", tc.sent, js, err, diff)
		}
	}
	for sent, want := range map[string]string{
		`{"name":"goals","saved":["Singup"]}`:                                       `parameters[0].saved: unknown goal "Singup"; did you mean "Signup"?`,
		`{"name":"funnel","saved":true}`:                                            `parameters[0].saved must be the name of one funnel, not several`,
		`{"name":"funnel","saved":"Order"}`:                                         `parameters[0].saved: unknown funnel "Order"`,
		`{"name":"funnel","saved":"Checkout","steps":[{"page":"/"},{"page":"/x"}]}`: `parameters[0].saved has the steps of a funnel, so steps must be left out`,
		`{"name":"pages","saved":true}`:                                             `parameters[0].saved belongs to goals, goals_trends and funnel`,
		`{"name":"pages","filters":[{"or":[{"segment":"Desktop"}]}]}`:               `parameters[0].filters[0].or[0].segment: unknown segment "Desktop"`,
	} {
		req := request(t, sent)
		if _, bad := req.Resolve(library); !strings.HasPrefix(bad.Error(), want) {
			t.Errorf("%s: %v, want %s", sent, bad, want)
		}
	}
}

// TestAnnotations checks what an annotation may hold, and that no request can use one.
func TestAnnotations(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"a", `{"at":"2026-11-27","text":"Version 2.1"}`, ""},
		{"b", `{"at":"2026-11-27T23:30:00.5+05:30","text":"<b>Newsletter</b> 📣 ` + strings.Repeat("é", 179) + `"}`, ""},
		{" c", `{}`, "name body.at body.text"},
		{"d", `{"at":"2026-11-27","text":"x","event":"y"}`, "body.event"},
		{"e", `{"at":7,"text":["x"]}`, "body.at body.text"},
		{"f", `{"at":"27.11.2026","text":"x"}`, "body.at"},
		{"g", `{"at":"2026-02-30","text":" x"}`, "body.at body.text"},
		{"h", `{"at":"2026-11-27T14:05","text":"a\u0000b"}`, "body.at body.text"},
		{"i", `{"at":"2101-01-01T00:00:00Z","text":""}`, "body.at body.text"},
		{"j", `{"at":null,"text":"` + strings.Repeat("é", 201) + `"}`, "body.at body.text"},
	} {
		d := definition("annotation", tc.name, tc.body)
		_, bad, err := saved.Check(t.Context(), nil, "site", &d)
		var fields []string
		for _, e := range bad {
			fields = append(fields, e.Field)
		}
		if got := strings.Join(fields, " "); got != tc.want || err != nil {
			t.Errorf("%s: mistakes in %q, want %q: %v, %v", tc.body, got, tc.want, bad, err)
		}
	}
	launch := definition("annotation", "Launch", `{"at":"2026-11-27","text":"Launch"}`)
	if _, bad := saved.Request(&launch); bad == nil {
		t.Error("an annotation became a request")
	}
	library := saved.Library(taking(t), []store.Definition{launch})
	for _, sent := range []string{`{"name":"goals","saved":["Launch"]}`, `{"name":"goals","saved":true}`,
		`{"name":"funnel","saved":"Launch"}`, `{"name":"pages","filters":[{"segment":"Launch"}]}`} {
		req := request(t, sent)
		if _, bad := req.Resolve(library); bad == nil {
			t.Errorf("%s uses an annotation", sent)
		}
	}
}

func request(t *testing.T, parameter string) (req ask.Request) {
	t.Helper()
	if err := json.Unmarshal([]byte(`{"preset":"today","parameters":[`+parameter+`]}`), &req); err != nil {
		t.Fatalf("%s: %v", parameter, err)
	}
	return req
}
