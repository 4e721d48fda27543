package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// fakeMinter records its arguments.
type fakeMinter struct {
	claims auth.Claims
	ttl    time.Duration
}

func (m *fakeMinter) Mint(_ *http.Request, c auth.Claims, ttl time.Duration) (auth.Secret, error) {
	if m.claims, m.ttl = c, ttl; ttl > auth.MaxTokenTTL || ttl < time.Second {
		return auth.Secret{}, errors.Join(auth.ErrBadKey)
	}
	return auth.NewSecret(nil, "")
}

func TestTokens(t *testing.T) {
	m := &fakeMinter{}
	w := newWorld(t, func(cfg *Config) { cfg.Minter = m })
	for _, tc := range []struct {
		name, key, body string
		status          int
		ttl             time.Duration
	}{
		{"without claims", "all", `{}`, 200, time.Hour},
		{"with all claims", "links",
			`{"ttl":60,"scopes":["read:links"],"resources":[{"kind":"link","id":"l"}],"filters":[{"field":"country","op":"eq","values":["DE"]}],"types":["link_top_cities"],"subject":"cus_1"}`, 200, time.Minute},
		{"as a duration", "all", `{"ttl":"15m"}`, 200, 15 * time.Minute},
		{"as a duration that is not whole", "all", `{"ttl":"1500ms"}`, 200, 1500 * time.Millisecond},
		{"null", "all", `{"ttl":null}`, 200, time.Hour},
		{"a duration too long", "all", `{"ttl":"24h1s"}`, 400, 0},
		{"a duration too short", "all", `{"ttl":"999ms"}`, 400, 0},
		{"a number as text", "all", `{"ttl":"900"}`, 400, 0},
		{"not whole", "all", `{"ttl":1.5}`, 400, 0},
		{"of another type", "all", `{"ttl":[1]}`, 400, 0},
		{"too long", "all", `{"ttl":9223372036854775807}`, 400, 0},
		{"a ttl of 0", "all", `{"ttl":0}`, 400, 0},
		{"an unknown field", "all", `{"user":"x"}`, 400, 0},
		{"two values", "all", `{}{}`, 400, 0},
		{"an extra bracket", "all", `{}]`, 400, 0},
		{"no JSON", "all", `{`, 400, 0},
		{"filters twice", "all", `{"filters":[{"field":"path","op":"eq","value":"/a"}],"filters":[]}`, 400, 0},
		{"a field twice, in another case", "all",
			`{"filters":[{"field":"path","FIELD":"country","op":"eq","value":"/a"}]}`, 400, 0},
		{"a field twice, by a letter that folds", "all",
			`{"filters":[{"values":["/a"],"value\u017f":["/b"],"field":"path","op":"in"}]}`, 400, 0},
		{"a key without read scopes", "flags", `{}`, 403, 0},
		{"no key", "", `{}`, 401, 0},
	} {
		m.ttl = 0
		rec := w.send("POST", "/v1/tokens", tc.key, tc.body)
		if rec.Code != tc.status || m.ttl != tc.ttl {
			t.Errorf("%s: %d %s, ttl %v; want %d, %v", tc.name, rec.Code, rec.Body, m.ttl, tc.status, tc.ttl)
		}
		if tc.name == "with all claims" &&
			(m.claims.Subject != "cus_1" || len(m.claims.Scopes)+len(m.claims.Resources)+len(m.claims.Filters)+
				len(m.claims.Types) != 4) {
			t.Errorf("%s: claims %+v", tc.name, m.claims)
		}
		if tc.status == 200 {
			if body := object(t, rec); !strings.HasPrefix(body["token"].(string), "sl_") ||
				body["expiresAt"] != now.Add(tc.ttl).Format("2006-01-02T15:04:05.000Z") {
				t.Errorf("%s: %s", tc.name, rec.Body)
			}
		}
	}
	expect(t, newWorld(t).send("POST", "/v1/tokens", "all", `{}`), 404, "NOT_FOUND")
}

// TestTokenMistakes also sends empty lists, which must not be treated like missing ones.
func TestTokenMistakes(t *testing.T) {
	m := &fakeMinter{}
	w := newWorld(t, func(cfg *Config) { cfg.Minter = m })
	rec := w.send("POST", "/v1/tokens", "all",
		`{"ttl":"25h","scopes":[],"resources":[ ],"types":null,"filters":[{"field":"country","op":"eq","value":{}}],"subject":null,"user":"x"}`)
	want := `[{"field":"filters[0].value","message":"must be a string, not an object"},` +
		`{"field":"resources","message":"must not be empty; leave it out to use the list of the key"},` +
		`{"field":"scopes","message":"must not be empty; leave it out to use the list of the key"},` +
		`{"field":"ttl","message":"must be between 1 and 86400 seconds, as a whole number or a duration such as \"15m\", not \"25h\""},` +
		`{"field":"types","message":"must not be empty; leave it out to use the list of the key"},` +
		`{"field":"user","message":"unknown field \"user\"; did you mean \"subject\"? Allowed are filters, resources, scopes, subject, ttl, types","suggestion":"subject"}]`
	if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(), want) {
		t.Errorf("%s\nwant %s", rec.Body, want)
	}
	rec = w.send("POST", "/v1/tokens", "all",
		`{"ttl":90000,"scopes":["xx","read:data",5],"resources":[{"kind":"flag","id":"x"},{"kind":"link"}],"filters":[{"field":"country","op":"eq"}],"types":"x"}`)
	want = `[{"field":"filters[0].value","message":"must be one value for eq, not 0"},` +
		`{"field":"resources[0].kind","message":"must be website, link or schedule, not \"flag\""},` +
		`{"field":"resources[1].id","message":"is required and must be valid UTF-8"},` +
		`{"field":"scopes[0]","message":"must be read:data, read:links or read:monitors, not \"xx\""},` +
		`{"field":"scopes[2]","message":"must be a string, not a number"},` +
		`{"field":"ttl","message":"must be between 1 and 86400 seconds, as a whole number or a duration such as \"15m\", not 90000"},` +
		`{"field":"types","message":"must be an array, not a string"}]`
	if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(), want) {
		t.Errorf("%s\nwant %s", rec.Body, want)
	}
	rec = w.send("POST", "/v1/tokens", "all",
		`{"filters":[{"field":"contry","op":"is","value":"DE"},{"field":"path","op":"eq","value":"/"}],"types":["summary","pags"]}`)
	expect(t, rec, 400, "VALIDATION_ERROR")
	for _, want := range []string{`{"field":"filters[0].field","message":"unknown field \"contry\"; did you mean \"country\"?`,
		`{"field":"filters[0].op","message":"unknown operator \"is\"`,
		`{"field":"types[1]","message":"unknown query type \"pags\"; did you mean \"pages\"?`} {
		if !strings.Contains(rec.Body.String(), want) || len(object(t, rec)["details"].([]any)) != 3 {
			t.Errorf("%s\nwant %s and two others", rec.Body, want)
		}
	}
	rec = w.send("POST", "/v1/tokens", "all",
		`{"filters":[{"or":[{"field":"country","op":"eq","value":"DE"},{"not":{"field":"path","op":"eq","value":"/"}}]},{"and":[{"field":"path","op":"x","value":"/"}]}]}`)
	if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(), `"field":"filters[1].and[0].op"`) {
		t.Errorf("a group with an unknown operator: %s", rec.Body)
	}
	rec = w.send("POST", "/v1/tokens", "all",
		`{"filters":[{"or":[{"field":"country","op":"eq","value":"DE"},{"not":{"field":"path","op":"eq","value":"/"}}]}]}`)
	if expect(t, rec, 400, "VALIDATION_ERROR"); !strings.Contains(rec.Body.String(),
		`{"field":"filters[0]","message":"mixes fields of sessions`) {
		t.Errorf("a group of fields of sessions and rows: %s", rec.Body)
	}
	rec = w.send("POST", "/v1/tokens", "all",
		`{"filters":[{"or":[{"field":"country","op":"eq","value":"DE"},{"not":{"field":"browser_name","op":"matches","value":"^Chrom"}}]}]}`)
	expect(t, rec, 200, "")
	rec = w.send("POST", "/v1/tokens", "all",
		`{"filters":[{"not":{"did":{"page":"/pricing","filters":[{"field":"property:plan","op":"exists"}]}}}]}`)
	expect(t, rec, 200, "")
	want = `[{"not":{"did":{"page":{"op":"eq","values":["/pricing"]},"filters":[{"field":"property:plan","op":"exists"}]}}}]`
	if f, _ := json.Marshal(m.claims.Filters); string(f) != want {
		t.Errorf("the filter of the token is %s", f)
	}
	for filter, want := range map[string]string{
		`{"did":{"page":"/","in":"range"}}`:                                               `"field":"filters[0].did.in","message":"must be session`,
		`{"or":[{"did":{"page":"/"}},{"field":"path","op":"eq","value":"/"}]}`:            `"field":"filters[0]","message":"mixes fields of sessions`,
		`{"did":{"page":"/","filters":[{"field":"country","op":"eq","value":"DE"}]}}`:     `"field":"filters[0].did.filters[0].field"`,
		`{"did":{"page":"/","event":{"op":"starts_with","value":"order"}}}`:               `exactly one of event, page and click`,
		`{"did":{"event":{"op":"is","value":"order"}}}`:                                   `"field":"filters[0].did.event.op"`,
		`{"did":{"click":"https://a.example/"},"field":"country","op":"eq","value":"DE"}`: `"field":"filters[0]"`,
	} {
		if rec := w.send("POST", "/v1/tokens", "all", `{"filters":[`+filter+`]}`); rec.Code != 400 ||
			!strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", filter, rec.Code, rec.Body, want)
		}
	}
	for _, value := range []string{`"value":"DE"`, `"value":["DE"]`, `"values":["DE"]`} {
		rec := w.send("POST", "/v1/tokens", "all", `{"filters":[{"field":"country","op":"in",`+value+`}]}`)
		if f := m.claims.Filters; rec.Code != 200 || len(f) != 1 || len(f[0].Values) != 1 || f[0].Values[0] != "DE" {
			t.Errorf("%s: %d %s, filters %v", value, rec.Code, rec.Body, f)
		}
	}
}
