package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

func TestAnswersToManyMistakesAreBounded(t *testing.T) {
	w := newWorld(t)
	var made strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&made, "&made_up_%d", i)
	}
	for method, path := range map[string]string{"POST": "/v1/query?website_id=site_a",
		"GET": "/v1/websites/site_a/analytics?preset=today"} {
		rec := w.send(method, path+made.String(), "all", oneQuery)
		expect(t, rec, 400, "VALIDATION_ERROR")
		if details := object(t, rec)["details"].([]any); len(details) < maxUnknown || len(details) > 2*maxUnknown {
			t.Errorf("%s %s: %d mistakes are reported", method, path, len(details))
		}
	}
}

// hostile are bodies that must be rejected, each for another reason.
var hostile = map[string]string{
	"nothing":                   "",
	"blanks":                    " \n\t",
	"no JSON":                   "{",
	"two values":                oneQuery + oneQuery,
	"a bracket too many":        `{} }`,
	"a text":                    `"summary"`,
	"a number":                  `1e308`,
	"null":                      `null`,
	"an empty array":            `[]`,
	"an array of numbers":       `[1,2]`,
	"an array of arrays":        `[[` + oneQuery + `]]`,
	"an empty object":           `{}`,
	"10 000-deep arrays":        strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	"10 000-deep objects":       strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
	"10 000-deep filter":        `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"in","value":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}]}`,
	"an endless array":          strings.Repeat("[", 100_000),
	"a limit of 1e308":          `{"parameters":["pages"],"preset":"today","limit":1e308}`,
	"a limit of -1e308":         `{"parameters":["pages"],"preset":"today","limit":-1e308}`,
	"a limit beyond any number": `{"parameters":["pages"],"preset":"today","limit":1e400}`,
	"a fractional limit":        `{"parameters":["pages"],"preset":"today","limit":1.5}`,
	"a limit of 0":              `{"parameters":["pages"],"preset":"today","limit":0}`,
	"a page of 0":               `{"parameters":["pages"],"preset":"today","page":0}`,
	"a page beyond int64":       `{"parameters":["pages"],"preset":"today","page":9223372036854775808}`,
	"an unknown field":          `{"parameters":["pages"],"preset":"today","sql":"DROP TABLE events"}`,
	"a field twice":             `{"parameters":["pages"],"preset":"today","preset":"yesterday"}`,
	"100 000 parameters": `{"parameters":[` + strings.Repeat(`"pages",`, 99_999) +
		`"pages"],"preset":"today"}`,
	"100 000 filters": `{"parameters":["pages"],"preset":"today","filters":[` +
		strings.Repeat(`{},`, 99_999) + `{}]}`,
	"100 000 values": `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"in","value":[` +
		strings.Repeat(`"",`, 99_999) + `""]}]}`,
	"100 000 queries": `[` + strings.Repeat(`{},`, 99_999) + `{}]`,
	"a long text": `{"parameters":["pages"],"preset":"today","id":"` + strings.Repeat("x", 100_000) +
		`"}`,
	"a NUL byte":                  "{\"parameters\":[\"pages\"],\"preset\":\"to\x00day\"}",
	"an escaped NUL":              `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"eq","value":"\u0000"}]}`,
	"invalid UTF-8":               "{\"parameters\":[\"pages\"],\"preset\":\"today\",\"id\":\"\xff\"}",
	"two byte order marks":        "\xef\xbb\xbf\xef\xbb\xbf" + oneQuery,
	"UTF-16":                      "{\x00\"\x00}\x00",
	"dates that do not exist":     `{"parameters":["pages"],"startDate":"2026-02-30","endDate":"2026-02-31"}`,
	"a million years":             `{"parameters":["pages"],"startDate":"0001-01-01","endDate":"9999-12-31"}`,
	"the machine's own time zone": `{"parameters":["pages"],"preset":"today","timeZone":"Local"}`,
	"a path as a time zone":       `{"parameters":["pages"],"preset":"today","timeZone":"../../etc/passwd"}`,
}

func TestHostileBodies(t *testing.T) {
	w := newWorld(t)
	for name, body := range hostile {
		for _, target := range []string{"/v1/query?website_id=site_a", "/v1/query/compile?website_id=site_a"} {
			rec := w.send("POST", target, "all", body)
			if rec.Code < 400 || rec.Code > 499 {
				t.Errorf("%s at %s: %d %.300s", name, target, rec.Code, rec.Body)
			}
			if rec.Body.Len() > 64<<10 {
				t.Errorf("%s: an answer of %d bytes", name, rec.Body.Len())
			}
			object(t, rec)
		}
	}
	if n := w.store.asked.Load(); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
}

func TestHostileAddresses(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{
		"/v1/query?website_id=site_a&parameters=pages&preset=today&limit=1e308",
		"/v1/query?website_id=site_a&parameters=pages&preset=today&filters=" + strings.Repeat("[", 10_000),
		"/v1/query?website_id=site_a&parameters=" + strings.Repeat("pages,", 10_000) + "&preset=today",
		"/v1/query?website_id=site_a&parameters=pages&preset=%00",
		"/v1/query?website_id=site_a&parameters=pages&preset=%ff",
		"/v1/query?website_id=%00&parameters=pages&preset=today",
		"/v1/query?website_id=%ff&parameters=pages&preset=today",
		"/v1/query?website_id=site_a;link_id=x&parameters=pages&preset=today",
		"/v1/query?website_id=site_a&parameters=pages&preset=today&drop=1",
		"/v1/websites/%00/analytics",
		"/v1/websites/..%2f..%2fhealth/analytics",
		"/v1/websites/site_a/analytics?preset=today&filters=%5B%7B%7D%5D",
	} {
		rec := w.send("GET", target, "all", "")
		if rec.Code < 400 || rec.Code > 499 {
			t.Errorf("%.100s: %d %.300s", target, rec.Code, rec.Body)
		}
	}
}

// keyFor returns the name of a key with the scope that a route needs, or else of the key that reads everything.
func keyFor(rt *route) string {
	scope, _ := rt.May.Scope(&auth.Key{})
	return cmp.Or(map[auth.Scope]string{auth.ManageFlags: "flags", auth.ManageKeys: "manager",
		auth.ManageDefinitions: "definer", auth.ManageWebsites: "sites"}[scope], "all")
}

// FuzzHandler sends any request to any route. The response must be JSON and never an internal error. An error must have
// a message, and a body that is not JSON must be rejected. {id} in a URL is the id of a flag.
func FuzzHandler(f *testing.F) {
	for _, rt := range (*api)(nil).routes() {
		target, body := ask(rt, "site_a")
		f.Add(rt.Method, target, keyFor(rt), []byte(body))
		for _, body := range hostile {
			if rt.body && len(body) < 4_000 {
				f.Add(rt.Method, target, keyFor(rt), []byte(body))
			}
		}
	}
	for _, seed := range []struct{ method, target, key, body string }{
		{"POST", "/v1/query?website_id=site_a", "all", `[` + oneQuery +
			`,{"parameters":[{"name":"pages","start_date":"2026-01-01","id":"x"}],"preset":"last_7d","groupBy":"country",` +
			`"sortBy":"visitors","sortOrder":"asc","granularity":"hourly","filters":[{"field":"country","op":"not_in","value":["DE",1,true]}]}]`},
		{"GET", "/v1/query?link_id=link_a&parameters=link_top_devices&preset=today&limit=3&filters=%5B%7B%22field%22%3A%22country%22%2C%22op%22%3A%22eq%22%2C%22value%22%3A%22DE%22%7D%5D", "links", ""},
		{"GET", "/v1/websites/site_a/analytics?preset=last_7d&timezone=Europe/Berlin", "rows", ""},
		{"POST", "/v1/tokens", "all",
			`{"ttl":60,"scopes":["read:links"],"resources":[{"kind":"link","id":"l"}],"filters":[{"field":"country","op":"eq","values":["DE"]}],"types":["x"],"subject":"c"}`},
		{"POST", "/public/v1/flags", "flags", strings.Replace(newFlag, "new-ui", "other", 1)},
		{"PATCH", "/public/v1/flags/{id}", "flags", `{"clientId":"site_a","rolloutPercentage":50,"payload":null}`},
		{"DELETE", "/public/v1/flags/{id}?clientId=site_a", "flags", ""},
		{"GET", "/public/v1/flags/definitions?clientId=site_a&environment=x", "flags", ""},
		{"GET", "/public/v1/flags/evaluate?clientId=site_a&key=new-ui&userId=u&properties=%7B%22a%22%3A1%7D", "", ""},
		{"GET", "/public/v1/flags/bulk?clientId=site_a&keys=new-ui,+,x", "", ""},
		{"POST", "/public/v1/flags/bulk", "",
			`{"clientId":"site_a","keys":["new-ui"],"userId":"u","properties":{"a":[1,null]}}`},
		{"POST", "/ofrep/v1/evaluate/flags/new-ui?clientId=site_a", "",
			`{"context":{"targetingKey":"u","a":{"b":1e308}}}`},
		{"POST", "/ofrep/v1/evaluate/flags?clientId=site_a", "", `{"context":{"targetingKey":"u"}}`},
	} {
		f.Add(seed.method, seed.target, seed.key, []byte(seed.body))
	}
	w, kept := newFlagWorld(f)
	id := w.create(f, newFlag)
	kept.forgets.Store(true) // so that all requests find the same flags
	f.Fuzz(func(t *testing.T, method, target, key string, body []byte) {
		u, err := url.Parse(strings.ReplaceAll(target, "{id}", id))
		if err != nil || key == "broken" || key == "panic" {
			return
		}
		r := httptest.NewRequest("POST", "/", strings.NewReader(string(body)))
		r.Method, r.URL = method, u
		r.Header.Set("X-Api-Key", key)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		w.trail.take()
		w.limiter.asked = nil
		var answer struct {
			Success *bool
			Code    string
			Error   string
		}
		switch err := json.Unmarshal(rec.Body.Bytes(), &answer); {
		case rec.Code >= 300 && rec.Code < 400 || method == http.MethodHead || method == http.MethodOptions:
		// a page that ends mail
		case rec.Code == 200 && strings.HasPrefix(rec.Header().Get("Content-Type"), "text/html"):
		case err != nil:
			t.Fatalf("%d: %v", rec.Code, err)
		case rec.Code == 200 && (method == http.MethodPost || method == http.MethodPatch) && !isJSON(body):
			t.Fatalf("a body that is not JSON was accepted: %s", rec.Body)
		case rec.Code == 200 && (answer.Success == nil || *answer.Success):
		case rec.Code >= 400 && rec.Code < 500 && answer.Success != nil && !*answer.Success && answer.Code != "" &&
			answer.Error != "":
		default:
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
	})
}

// isJSON reports whether body is JSON, perhaps after a byte order mark.
func isJSON(body []byte) bool { return json.Valid(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))) }
