package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// definitionWorld returns a world whose websites can have definitions. The key "definer" saves them for site_a.
func definitionWorld(t *testing.T) *world {
	t.Helper()
	saved := &store.MemoryDirectory{}
	for _, id := range []string{"site_a", "site_b"} {
		if err := saved.AddWebsite(store.Website{ID: id, Owner: "org_a"}); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, func(cfg *Config) { cfg.Definitions = saved })
	w.keys["definer"] = &auth.Key{ID: "key_definer", Owner: "org_a",
		Scopes:    []auth.Scope{auth.ManageDefinitions, auth.ReadData},
		Resources: []auth.Resource{{Kind: "website", ID: "site_a"}}}
	return w
}

// TestDefinitions saves definitions, uses them in queries in every form, and removes them.
func TestDefinitions(t *testing.T) {
	w := definitionWorld(t)
	const at = "/v1/websites/site_a/definitions"
	for _, body := range []string{
		`{"kind":"goal","name":"Signup","body":{"event":"signup"}}`,
		`{"kind":"goal","name":"Signup","body":{"event":"signup","value":"total"}}`,
		`{"kind":"segment","name":"Mobile","body":{"filters":[{"field":"device_type","op":"eq","value":"mobile"}]}}`,
		`{"kind":"funnel","name":"Checkout","body":{"steps":[{"page":"/cart"},{"event":"order"}]}}`,
		`{"kind":"annotation","name":"2.1","body":{"at":"2026-03-04","text":"Version 2.1"}}`,
		`{"kind":"annotation","name":"2.1.1","body":{"at":"2026-03-04T12:00:00+01:00","text":"<b>Version</b> 2.1 📣"}}`,
	} {
		if rec := w.send("POST", at, "definer", body); rec.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", body, rec.Code, rec.Body)
		}
	}
	var list struct{ Definitions []definitionRecord }
	if err := json.Unmarshal(w.send("GET", at, "site_a", "").Body.Bytes(), &list); err != nil ||
		len(list.Definitions) != 5 || !strings.Contains(string(list.Definitions[0].Body), "total") {
		t.Errorf("list: %+v, %v", list, err)
	}
	filters := url.QueryEscape(`[{"segment":"Mobile"}]`)
	for _, target := range []string{
		"/v1/query?website_id=site_a&parameters=pages&preset=today&filters=" + filters,
		"/v1/websites/site_a/analytics?preset=today&filters=" + filters,
	} {
		for range 2 { // also from the cache
			if rec := w.send("GET", target, "site_a", ""); rec.Code != http.StatusOK {
				t.Errorf("%s: %d %s", target, rec.Code, rec.Body)
			}
		}
		// saved for site_a
		expect(t, w.send("GET", strings.Replace(target, "site_a", "site_b", 1), "all", ""), 400, "VALIDATION_ERROR")
	}
	query := func(site, parameter string) string {
		return w.send("POST", "/v1/query/compile?website_id="+site, "all", `{"preset":"today","parameters":[`+parameter+
			`]}`).Body.String()
	}
	for parameter, same := range map[string]string{
		`{"name":"goals","saved":true}`:                     `{"name":"goals","goals":[{"name":"Signup","event":"signup","value":"total"}]}`,
		`{"name":"funnel","saved":"Checkout"}`:              `{"name":"funnel","steps":[{"page":"/cart"},{"event":"order"}]}`,
		`{"name":"pages","filters":[{"segment":"Mobile"}]}`: `{"name":"pages","filters":[{"and":[{"field":"device_type","op":"eq","value":"mobile"}]}]}`,
	} {
		if got, want := query("site_a", parameter), query("site_a", same); got != want ||
			!strings.Contains(got, `"sql"`) {
			t.Errorf("%s: %s, want %s", parameter, got, want)
		}
		if got := query("site_a",
			strings.NewReplacer("Checkout", "2.1", "Mobile", "2.1", "true",
				`"2.1"`).Replace(parameter)); !strings.Contains(got, "VALIDATION_ERROR") {
			t.Errorf("%s with the name of an annotation: %s", parameter, got)
		}
		if got := query("site_b", parameter); !strings.Contains(got, "VALIDATION_ERROR") {
			t.Errorf("%s of another website: %s", parameter, got)
		}
	}
	expect(t, w.send("DELETE", at+"?kind=segment&name=Mobile", "definer", ""), 200, "")
	expect(t, w.send("DELETE", at+"?kind=segment&name=Mobile", "definer", ""), 404, "NOT_FOUND")
	expect(t, w.send("DELETE", at+"?kind=segments", "definer", ""), 400, "VALIDATION_ERROR")
	expect(t, w.send("GET", "/v1/query?website_id=site_a&parameters=pages&preset=today&filters="+filters, "site_a", ""),
		400, "VALIDATION_ERROR")
	expect(t, w.send("POST", "/v1/websites/site_b/definitions", "definer", `{}`), 403, "FORBIDDEN")
	expect(t, newWorld(t).send("GET", "/v1/query?website_id=site_a&parameters=pages&preset=today&filters="+filters,
		"site_a", ""), 400, "VALIDATION_ERROR")
}

// TestDefinitionMistakes checks that what a query could not use is refused, with the place in the definition.
func TestDefinitionMistakes(t *testing.T) {
	w := definitionWorld(t)
	for body, field := range map[string]string{
		`{"kind":"goal","name":"x","body":{"event":{"op":"like","value":"s"}}}`:                         "body.event.op",
		`{"kind":"goal","name":"x","body":{}}`:                                                          "body",
		`{"kind":"segment","name":"x","body":{"filters":[{"field":"colour","op":"eq","value":"red"}]}}`: "body.filters[0].field",
		`{"kind":"segment","name":"x","body":{"filters":[{"field":"country","op":"eq","val":"red"}]}}`:  "body.filters[0].val",
		`{"kind":"funnel","name":"x","body":{"steps":[{"page":"/"}]}}`:                                  "body.steps",
		`{"kind":"annotation","name":"x","body":{"at":"yesterday","text":"y"}}`:                         "body.at",
		`{"kind":"annotation","name":"x","body":{"at":"2026-03-04"}}`:                                   "body.text",
		`{"kind":"goal","name":"x","definition":{"event":"a"}}`:                                         "definition",
		`{"kind":"goal","name":"x","body":{"event":"a"},"name":"y"}`:                                    "name",
	} {
		rec := w.send("POST", "/v1/websites/site_a/definitions", "definer", body)
		if strings.Contains(rec.Body.String(), "goals[0]") {
			t.Errorf("%s: the place is not in the definition: %s", body, rec.Body)
		}
		if rec.Code != 400 || !strings.Contains(rec.Body.String(), `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s, want a mistake in %s", body, rec.Code, rec.Body, field)
		}
	}
}
