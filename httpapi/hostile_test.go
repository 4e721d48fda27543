package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAnswersToManyMistakesAreBounded(t *testing.T) {
	w := newWorld(t)
	var made strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&made, "&made_up_%d", i)
	}
	for method, path := range map[string]string{"POST": "/v1/query?website_id=site_a", "GET": "/v1/websites/site_a/analytics?preset=today"} {
		rec := w.send(method, path+made.String(), "all", oneQuery)
		expect(t, rec, 400, "VALIDATION_ERROR")
		if details := object(t, rec)["details"].([]any); len(details) < maxUnknown || len(details) > 2*maxUnknown {
			t.Errorf("%s %s: %d mistakes are told", method, path, len(details))
		}
	}
}

// hostile are bodies that must be refused, each for its own reason.
var hostile = map[string]string{
	"nothing":                     "",
	"blanks":                      " \n\t",
	"no JSON":                     "{",
	"two values":                  oneQuery + oneQuery,
	"a text":                      `"summary"`,
	"a number":                    `1e308`,
	"null":                        `null`,
	"an empty array":              `[]`,
	"an array of numbers":         `[1,2]`,
	"an array of arrays":          `[[` + oneQuery + `]]`,
	"an empty object":             `{}`,
	"10 000-deep arrays":          strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
	"10 000-deep objects":         strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
	"10 000-deep filter":          `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"in","value":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `}]}`,
	"an endless array":            strings.Repeat("[", 100_000),
	"a limit of 1e308":            `{"parameters":["pages"],"preset":"today","limit":1e308}`,
	"a limit of -1e308":           `{"parameters":["pages"],"preset":"today","limit":-1e308}`,
	"a limit beyond any number":   `{"parameters":["pages"],"preset":"today","limit":1e400}`,
	"a fractional limit":          `{"parameters":["pages"],"preset":"today","limit":1.5}`,
	"a limit of 0":                `{"parameters":["pages"],"preset":"today","limit":0}`,
	"a page of 0":                 `{"parameters":["pages"],"preset":"today","page":0}`,
	"a page beyond int64":         `{"parameters":["pages"],"preset":"today","page":9223372036854775808}`,
	"an unknown field":            `{"parameters":["pages"],"preset":"today","sql":"DROP TABLE events"}`,
	"a field twice":               `{"parameters":["pages"],"preset":"today","preset":"yesterday"}`,
	"100 000 parameters":          `{"parameters":[` + strings.Repeat(`"pages",`, 99_999) + `"pages"],"preset":"today"}`,
	"100 000 filters":             `{"parameters":["pages"],"preset":"today","filters":[` + strings.Repeat(`{},`, 99_999) + `{}]}`,
	"100 000 values":              `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"in","value":[` + strings.Repeat(`"",`, 99_999) + `""]}]}`,
	"100 000 queries":             `[` + strings.Repeat(`{},`, 99_999) + `{}]`,
	"a long text":                 `{"parameters":["pages"],"preset":"today","id":"` + strings.Repeat("x", 100_000) + `"}`,
	"a NUL byte":                  "{\"parameters\":[\"pages\"],\"preset\":\"to\x00day\"}",
	"an escaped NUL":              `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"eq","value":"\u0000"}]}`,
	"invalid UTF-8":               "{\"parameters\":[\"pages\"],\"preset\":\"today\",\"id\":\"\xff\"}",
	"a byte order mark":           "\xef\xbb\xbf" + oneQuery,
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

// FuzzQuery sends any body: the answer is JSON, never a failure of ours, and an error
// says why.
func FuzzQuery(f *testing.F) {
	for _, body := range hostile {
		if len(body) < 4_000 {
			f.Add([]byte(body))
		}
	}
	f.Add([]byte(oneQuery))
	f.Add([]byte(`[` + oneQuery + `,{"parameters":[{"name":"pages","start_date":"2026-01-01","id":"x"}],"preset":"last_7d","groupBy":"country",` +
		`"sortBy":"visitors","sortOrder":"asc","granularity":"hourly","filters":[{"field":"country","op":"not_in","value":["DE",1,true]}]}]`))
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest("POST", "/v1/query?website_id=site_a", strings.NewReader(string(body)))
		r.Header.Set("X-Api-Key", "all")
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		w.trail.take()
		var answer struct {
			Success bool
			Code    string
			Error   string
			Details []struct{ Message string }
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%d: %v", rec.Code, err)
		}
		switch {
		case rec.Code == 200 && answer.Success:
		case rec.Code >= 400 && rec.Code < 500 && !answer.Success && answer.Code != "" && answer.Error != "":
		default:
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
	})
}
