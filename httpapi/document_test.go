package httpapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/query"
)

// documented returns the operations of the document that w serves, by method and path.
func documented(t *testing.T, js []byte) map[string]bool {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(js, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for path, methods := range doc.Paths {
		for method := range methods {
			found[strings.ToUpper(method)+" "+path] = true
		}
	}
	return found
}

// withAll enables all routes.
func withAll(t *testing.T) func(*Config) {
	return func(cfg *Config) {
		cfg.Flags, cfg.Minter, cfg.Export = newFlags(t, &flags.Memory{}), &fakeMinter{}, &cannedStore{}
		cfg.Subjects = newDirectory()
	}
}

// TestDocumentHasEveryRoute compares the document of a handler with its router, and the rows of the document with the
// table of routes.
func TestDocumentHasEveryRoute(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"few routes": func(cfg *Config) { cfg.Subjects, cfg.NoCompile = nil, true },
		"flags":      withAll(t),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, change)
			rec := w.send("GET", "/v1/openapi.json", "", "")
			expect(t, rec, 200, "")
			found := documented(t, rec.Body.Bytes())
			mounted := map[string]bool{}
			for _, r := range (&api{cfg: w.cfg}).mounted(nil, nil) {
				mounted[r.Method+" "+r.Path] = true
			}
			if got, want := slices.Sorted(maps.Keys(found)),
				slices.Sorted(maps.Keys(mounted)); !slices.Equal(got, want) {
				t.Errorf("the document has\n%s\nand the router\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if again := w.send("GET", "/v1/openapi.json", "", "", "If-None-Match",
				rec.Header().Get("ETag")); again.Code != 304 {
				t.Errorf("the same document again: status %d", again.Code)
			}
		})
	}
}

// TestDocumentHasOwnTypes looks for a query type of a host in its document.
func TestDocumentHasOwnTypes(t *testing.T) {
	own := query.Builtin()[0]
	own.Name, own.Title = "our_pages", "Our pages"
	types, err := query.NewRegistry(append(query.Builtin(), own)...)
	if err != nil {
		t.Fatal(err)
	}
	w := newVersioned(t, &versions{}, query.Config{EngineOptions: query.EngineOptions{Types: types}})
	body := w.send("GET", "/v1/openapi.json", "", "").Body.String()
	for _, want := range []string{`"OurPagesRow":{`, `"OurPagesParameter":{`, `"const":"our_pages"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the document lacks %s", want)
		}
	}
}

// TestDocumentsOfHosts adds the document of another handler, and one that contradicts the document of the API.
func TestDocumentsOfHosts(t *testing.T) {
	other := json.RawMessage(`{"tags":[{"name":"Ours"}],"paths":{"/ours":{"get":{"operationId":"ours","parameters":[{"schema":{"$ref":"#/components/schemas/Ours"}}]}}},"components":{"schemas":{"Ours":{"type":"string"}}}}`)
	w := newWorld(t, func(cfg *Config) { cfg.Documents = []json.RawMessage{other} })
	if body := w.send("GET", "/v1/openapi.json", "", "").Body.Bytes(); !documented(t, body)["GET /ours"] ||
		!strings.Contains(string(body), `"Ours":{"type":"string"}`) {
		t.Errorf("the document lacks /ours: %s", body)
	}
	w = newWorld(t, func(cfg *Config) {
		cfg.Documents = []json.RawMessage{[]byte(`{"components":{"schemas":{"Website":{}}}}`)}
	})
	expect(t, w.send("GET", "/v1/openapi.json", "", ""), 500, "INTERNAL_SERVER_ERROR")
}

// TestDocumentRefersToItsOwnComponents compares references with components.
func TestDocumentRefersToItsOwnComponents(t *testing.T) {
	w := newWorld(t, withAll(t))
	var doc map[string]any
	body := w.send("GET", "/v1/openapi.json", "", "").Body.Bytes()
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	walkRefs(doc, func(ref string) { used[ref] = true })
	components, _ := doc["components"].(map[string]any)
	for _, kind := range []string{"schemas", "responses"} {
		all, _ := components[kind].(map[string]any)
		for name := range all {
			ref := "#/components/" + kind + "/" + name
			if !used[ref] {
				t.Errorf("nothing refers to %s", ref)
			}
			delete(used, ref)
		}
	}
	for ref := range used {
		t.Errorf("%s does not exist", ref)
	}
}

func walkRefs(v any, found func(string)) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			found(ref)
		}
		for _, child := range v {
			walkRefs(child, found)
		}
	case []any:
		for _, child := range v {
			walkRefs(child, found)
		}
	}
}

// TestDocumentForms asks for the forms of the document.
func TestDocumentForms(t *testing.T) {
	w := newWorld(t, withAll(t))
	whole := w.send("GET", "/v1/openapi.json", "", "")
	plain := w.send("GET", "/v1/openapi.json?form=plain", "", "")
	expect(t, plain, 200, "")
	if got, want := documented(t, plain.Body.Bytes()), documented(t, whole.Body.Bytes()); !maps.Equal(got, want) {
		t.Errorf("the plain form has %d operations, and the document %d", len(got), len(want))
	}
	if strings.Contains(plain.Body.String(), `"anyOf"`) || plain.Header().Get("ETag") == whole.Header().Get("ETag") {
		t.Errorf("the plain form has alternatives, or the ETag of the document: %s", plain.Header().Get("ETag"))
	}
	expect(t, w.send("GET", "/v1/openapi.json?form=short", "", ""), 400, "VALIDATION_ERROR")
}
