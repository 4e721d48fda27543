package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// tracing records the request id of each query.
type tracing struct {
	*cannedStore
	mu  sync.Mutex
	ids map[string]int
}

func (s *tracing) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	s.mu.Lock()
	s.ids[store.RequestID(ctx)]++
	s.mu.Unlock()
	return s.cannedStore.Query(ctx, stmt)
}

func TestStoreKnowsTheRequest(t *testing.T) {
	w := newWorld(t)
	traced := &tracing{cannedStore: w.store, ids: map[string]int{}}
	engine, err := query.New(query.Config{Store: traced})
	if err != nil {
		t.Fatal(err)
	}
	w.cfg.Engine = engine
	if w.handler, err = New(w.cfg); err != nil {
		t.Fatal(err)
	}
	body := `{"parameters":["pages","traffic"],"preset":"last_7d"}`
	got := w.send("POST", "/v1/query?website_id=site_a", "all", body, "X-Request-ID", "req-7")
	if got.Code != 200 || got.Header().Get("X-Request-ID") != "req-7" {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	if len(traced.ids) != 1 || traced.ids["req-7"] != 2 {
		t.Errorf("queries by request %v, want both in req-7", traced.ids)
	}
	if id := store.RequestID(t.Context()); id != "" {
		t.Errorf("a context without a request has the id %q", id)
	}
}

// TestFirstRequestWrittenWrong makes mistakes in the first request of the README. Each response must say what to do.
func TestFirstRequestWrittenWrong(t *testing.T) {
	w := newWorld(t)
	const path, body = "/v1/query?website_id=site_a&timezone=Europe/Berlin",
		`{"preset":"last_7d","parameters":["summary_metrics","traffic"],"limit":2}`
	const json, key = "application/json", "x-api-key: all"
	for _, tc := range []struct {
		why, path, contentType, header, body string
		status                               int
		told                                 string
	}{
		{"without -H 'Content-Type: application/json'", path, "application/x-www-form-urlencoded", key, body, 415,
			`came as "application/x-www-form-urlencoded": send the header Content-Type: application/json`},
		{"without Bearer", path, json, "Authorization: sl_secret", body, 401,
			`Authorization has no scheme: the word Bearer must stand before the key; send "Authorization: Bearer KEY" or "x-api-key: KEY"`},
		{"with an empty $KEY", path, json, "Authorization: Bearer ", body, 401,
			"Authorization has no key behind Bearer"},
		{"with another scheme", path, json, "Authorization: Basic c2xfc2VjcmV0", body, 401,
			"Authorization uses a scheme other than Bearer; send"},
		{"with the key in the URL", path + "&api_key=sl_secret", json, "", body, 401,
			"api_key is ignored: URLs end up in logs, so keys are not accepted there; send"},
		{"without a key", path, json, "", body, 401, "Authorization is missing; send"},
		{"with another name for the website", "/v1/query?website=site_a", json, key, body, 400,
			"website_id is required, or link_id or schedule_id; the address has \"website\"\nwebsite is not a parameter of this endpoint; did you mean \"website_id\"?"},
		{"with an unknown time zone", "/v1/query?website_id=site_a&timezone=Berlin", json, key, body, 400,
			`timezone unknown time zone "Berlin"; use an IANA name such as Europe/Berlin`},
		{"by the other name of the time zone", "/v1/query?website_id=site_a&timeZone=Berlin", json, key, body, 400,
			`timeZone unknown time zone "Berlin"`},
		{"with an unknown preset", path, json, key, strings.Replace(body, "last_7d", "last_366d", 1), 400,
			`preset unknown preset "last_366d"; allowed are last_30m, last_60m, last_24h, today, yesterday, last_7d`},
		{"with a limit in quotes", path, json, key, strings.Replace(body, "2", `"2"`, 1), 400,
			"limit must be a whole number, not a string"},
		{"with an extra comma", path, json, key, strings.Replace(body, "}", ",}", 1), 400,
			"The body is not valid JSON: unexpected } at byte"},
		{"with an unknown type", path, json, key, strings.Replace(body, "summary_metrics", "sumary_metrics", 1), 200,
			`did you mean "summary_metrics"?`},
	} {
		t.Run(tc.why, func(t *testing.T) {
			name, value, _ := strings.Cut(tc.header, ": ")
			rec := w.send("POST", tc.path, "", tc.body, "Content-Type", tc.contentType, cmp.Or(name, "X-Nothing"),
				value)
			expect(t, rec, tc.status, "")
			var text strings.Builder
			answer := object(t, rec)
			details, _ := answer["details"].([]any)
			for _, d := range details {
				d := d.(map[string]any)
				fmt.Fprintln(&text, d["field"], d["message"])
			}
			if data, ok := answer["data"].([]any); ok {
				fmt.Fprintln(&text, data[0].(map[string]any)["error"])
			}
			if !strings.Contains(text.String(), tc.told) || strings.Contains(rec.Body.String(), "sl_secret") {
				t.Errorf("response %s, want %s", rec.Body, tc.told)
			}
		})
	}
}

// TestEveryMistakeIsReported checks that mistakes in the URL, the body and the parameters are all reported at once.
func TestEveryMistakeIsReported(t *testing.T) {
	w, _ := newFlagWorld(t)
	const body = `{"parameters":[{"name":"pages","limit":10001}],"preset":"x"}`
	const address = "&parameters=pages&preset=x&limit=0"
	for _, tc := range []struct{ method, target, key, body, want string }{
		{"POST", "/v1/query?website_id=site_a&timezone=Foo&x=1", "all", body, "x timezone parameters[0].limit preset"},
		{"POST", "/v1/query?website_id=site_a&timezone=Foo", "all", "5", " timezone"},
		{"POST", "/v1/query?website_id=site_a&link_id=x&timezone=Foo", "all", body,
			"website_id link_id timezone parameters[0].limit preset"},
		{"POST", "/v1/query?timezone=Foo", "all", body, "website_id timezone parameters[0].limit preset"},
		{"GET", "/v1/query?preset=x", "all", "", "website_id parameters preset"},
		{"POST", "/v1/query?website_id=site_a&x=1", "all", "[" + body + `,{"preset":"y"}]`,
			"x [0].parameters[0].limit [0].preset [1].parameters [1].preset"},
		{"POST", "/v1/query/compile?website_id=site_a&link_id=x", "all", body,
			"website_id link_id parameters[0].limit preset"},
		{"POST", "/public/v1/flags", "flags", `{}`, "clientId key type defaultValue"},
		{"POST", "/public/v1/flags", "flags",
			`{"clientId":"site_a","key":"a b","defaultValue":7,"x":1,"rolloutPercentage":101}`,
			"defaultValue x type key rolloutPercentage"},
		{"PATCH", "/public/v1/flags/f", "flags",
			`{"clientId":"site_a","name":5,"x":1,"type":"odd","rolloutPercentage":101,"rules":[5,{"enabled":true}]}`,
			"name rules[0] x type rolloutPercentage rules[1].type rules[1].operator"},
		{"PATCH", "/public/v1/flags/f", "flags",
			`{"type":7,"schedule":[{"scheduledAt":"2026-03-28T00:00:00Z","action":"update_rollout","value":50}]}`,
			"type clientId schedule[0].scheduledAt"},
		{"GET", "/public/v1/flags/evaluate", "", "", "clientId key"},
		{"GET", "/public/v1/flags/evaluate?userId=" + strings.Repeat("u", 513) + "&key=" + strings.Repeat("k", 129), "",
			"", "clientId key userId"},
		{"POST", "/public/v1/flags/bulk", "",
			`{"keys":5,"userId":[5],"email":{},"properties":{"a":[[[[[[[[[[]]]]]]]]]]}}`,
			"email keys userId clientId properties"},
		{"GET", "/v1/query?website_id=site_a&link_id=x&timezone=Foo" + address, "all", "",
			"website_id link_id preset timezone limit"},
	} {
		rec := w.send(tc.method, tc.target, tc.key, tc.body)
		expect(t, rec, 400, "")
		var fields []string
		for _, d := range object(t, rec)["details"].([]any) {
			fields = append(fields, d.(map[string]any)["field"].(string))
		}
		if got := strings.Join(fields, " "); got != tc.want {
			t.Errorf("%s %s %s: told %q, want %q: %s", tc.method, tc.target, tc.body, got, tc.want, rec.Body)
		}
	}
}
