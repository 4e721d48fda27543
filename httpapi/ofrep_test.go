package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
)

func TestOFREP(t *testing.T) {
	w, _ := newFlagWorld(t)
	w.keys["two"] = &auth.Key{ID: "key_two", Owner: "org_a",
		Resources: []auth.Resource{{Kind: "website", ID: "site_a"}, {Kind: "website", ID: "site_b"}}}
	w.create(t, newFlag)
	w.create(t, `{"clientId":"site_a","key":"color","type":"multivariant","defaultValue":true,"variants":[{"key":"dark","type":"json","value":{"bg":1}}]}`)
	w.create(t, `{"clientId":"site_a","key":"pro","type":"rollout","defaultValue":true,"rolloutPercentage":0,"rules":[
		{"type":"property","field":"plan","operator":"equals","value":"pro","enabled":true},{"type":"user_id","operator":"equals","value":"ada","enabled":true}]}`)
	w.create(t, `{"clientId":"org_a","key":"ours","type":"boolean","defaultValue":true}`)
	const ui = `{"key":"new-ui","reason":"DEFAULT","value":true,"metadata":{"hashVersion":2,"payload":"{\"a\":\"<1>\"}","reason":"BOOLEAN_DEFAULT"}}`
	const color = `{"key":"color","reason":"SPLIT","variant":"dark","value":{"bg":1},"metadata":{"hashVersion":2,"reason":"MULTIVARIANT_EVALUATED"}}`
	const off = `{"key":"pro","reason":"SPLIT","value":false,"metadata":{"hashVersion":2,"reason":"ROLLOUT_DISABLED"}}`
	const on = `{"key":"pro","reason":"TARGETING_MATCH","value":true,"metadata":{"hashVersion":2,"reason":"USER_RULE_MATCH"}}`
	fault := func(key, code, details string) string {
		if key != "" {
			key = `"key":"` + key + `",`
		}
		return `{` + key + `"errorCode":"` + code + `","errorDetails":"` + details + `","success":false,"error":"` +
			details + `",`
	}
	tooLong := func(key, field string) string {
		return `{"key":"` + key + `","errorCode":"INVALID_CONTEXT","errorDetails":"` + field +
			` may have at most 512 bytes, not 513"}`
	}
	const missing = "clientId is required: name it in the address or in X-Client-Id, or send a key of an organisation or of one website"
	for _, tc := range []struct {
		name, path, client, key, body string
		status                        int
		want                          string
	}{
		{"one", "/new-ui", "site_a", "", `{"context":{"targetingKey":"u1"}}`, 200, ui},
		{"one with a value", "/color", "site_a", "", `{}`, 200, color},
		{"one by its targeting key", "/pro", "site_a", "", `{"context":{"targetingKey":"ada","userId":"bob"}}`, 200,
			on},
		{"one by the user's id", "/pro", "site_a", "", `{"context":{"userId":"ada"}}`, 200, on},
		{"one by a property", "/pro", "site_a", "", `{"context":{"plan":"pro"}}`, 200, on},
		{"all", "", "site_a", "", `{"context":{}}`, 200, `{"flags":[` + color + `,` + ui + `,` + off + `]}`},
		{"all of an environment without any", "", "site_a", "", `{"context":{"environment":"prod"}}`, 200,
			`{"flags":[]}`},
		{"by a key of one website", "/new-ui", "", "sites", `{}`, 200, ui},
		{"by a key of an organisation", "/ours", "", "all", `{}`, 200,
			`{"key":"ours","reason":"DEFAULT","value":true,"metadata":{"hashVersion":2,"reason":"BOOLEAN_DEFAULT"}}`},
		{"by a key, for a named client", "/new-ui", "site_a", "all", `{}`, 200, ui},
		{"by a key of two websites", "/new-ui", "", "two", `{}`, 400, fault("new-ui", "GENERAL", missing)},
		{"without a client", "/new-ui", "", "", `{}`, 400, fault("new-ui", "GENERAL", missing)},
		{"by a bad key", "/new-ui", "site_a", "bad", `{}`, 401, fault("new-ui", "GENERAL", "Authentication required")},
		{"an unknown flag", "/none", "site_a", "", `{}`, 404, fault("none", "FLAG_NOT_FOUND", "Flag not found")},
		{"no JSON", "/new-ui", "site_a", "", `{`, 400,
			fault("new-ui", "PARSE_ERROR", "The body is not valid JSON: it ends too early, at byte 1")},
		{"an invalid context", "", "site_a", "", `{"context":1}`, 400,
			fault("", "INVALID_CONTEXT", "context must be an object, not a number")},
		{"an invalid targeting key", "/new-ui", "site_a", "", `{"context":{"targetingKey":[1]}}`, 400,
			fault("new-ui", "INVALID_CONTEXT", "targetingKey must be a string, a number, true or false, not an array")},
		{"an environment that is too long", "", "site_a", "", `{"context":{"environment":"` +
			strings.Repeat("x", 513) + `"}}`, 400,
			fault("", "INVALID_CONTEXT", "environment may have at most 512 bytes, not 513")},
		{"an id that is too long, for a flag that reads it", "/pro", "site_a", "", `{"context":{"userId":"` +
			strings.Repeat("x", 513) + `"}}`, 400,
			fault("pro", "INVALID_CONTEXT", "userId may have at most 512 bytes, not 513")},
		{"an id that is too long, for a flag that does not read it", "/new-ui", "site_a", "", `{"context":{"userId":"` +
			strings.Repeat("x", 513) + `"}}`, 200, ui},
		{"an id that is too long, for all flags", "", "site_a", "", `{"context":{"userId":"` + strings.Repeat("x", 513) +
			`"}}`, 200, `{"flags":[` + tooLong("color", "userId") + `,` + ui + `,` + tooLong("pro", "userId") + `]}`},
		{"an id that is too long and hidden by another", "", "site_a", "", `{"context":{"userId":"bob","email":"` +
			strings.Repeat("x", 513) + `"}}`, 200, `{"flags":[` + color + `,` + ui + `,` + off + `]}`},
		{"a large property that no flag reads", "", "site_a", "", `{"context":{"plan":"pro","cart":"` +
			strings.Repeat("x", 20_000) + `"}}`, 200, `{"flags":[` + color + `,` + ui + `,` + on + `]}`},
		{"a context with two mistakes", "", "site_a", "", `{"context":{"targetingKey":{},"email":"` +
			strings.Repeat("x", 513) + `"}}`, 400,
			fault("", "INVALID_CONTEXT",
				"targetingKey must be a string, a number, true or false, not an object (2 problems, see details)")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w.trail.take()
			rec := w.send("POST", ofrepPrefix+tc.path, tc.key, tc.body, "X-Client-Id", tc.client, "X-Request-ID", "r")
			body, _, _ := strings.Cut(rec.Body.String(), `"code":`)
			if diff := cmp.Diff(tc.want, strings.TrimSpace(body)); diff != "" || rec.Code != tc.status {
				t.Errorf("%d, want %d: %s", rec.Code, tc.status, diff)
			}
			if n := len(w.trail.take()); (n == 1) != (tc.key != "") {
				t.Errorf("%d audit entries", n)
			}
			tag := rec.Header().Get("ETag")
			if (tag != "") != (tc.status == 200 && tc.path == "") {
				t.Errorf("ETag %q", tag)
			}
			if tag != "" {
				if again := w.send("POST", ofrepPrefix, "", tc.body, "X-Client-Id", tc.client, "If-None-Match",
					tag); again.Code != 304 || again.Body.Len() > 0 {
					t.Errorf("second request: %d %s", again.Code, again.Body)
				}
			}
		})
	}
}

// TestFlagsWithVariantsHaveNoValueWhileOff asks every route for flags of texts, numbers and objects that are off, and for a
// boolean one, whose value is false.
func TestFlagsWithVariantsHaveNoValueWhileOff(t *testing.T) {
	w, _ := newFlagWorld(t)
	w.create(t, `{"clientId":"site_a","key":"off","type":"boolean","defaultValue":false}`)
	variants := map[string]string{"boolean": "", "text": `{"key":"a","type":"string","value":"blue"}`,
		"number": `{"key":"a","type":"number","value":7}`, "object": `{"key":"a","type":"json","value":{"a":1}}`,
		"truth": `{"key":"a","type":"json","value":true}`}
	for name, variant := range variants {
		kind := "multivariant"
		if variant == "" {
			kind = "boolean"
		}
		w.create(t, fmt.Sprintf(`{"clientId":"site_a","key":"needs-%s","type":%q,"defaultValue":true,"variants":[%s],"dependencies":["off"]}`,
			name, kind, variant))
		w.create(t, fmt.Sprintf(`{"clientId":"site_a","key":"ruled-%s","type":%q,"defaultValue":true,"variants":[%s],"rules":[
			{"type":"user_id","operator":"equals","value":"eve","enabled":false},{"type":"user_id","operator":"equals","value":"ada","enabled":true}]}`,
			name, kind, variant))
	}
	type result struct {
		Key, Reason string
		Value       json.RawMessage
	}
	for _, user := range []string{"eve", "ada"} {
		var all, several struct{ Flags json.RawMessage }
		ofrep := `{"context":{"targetingKey":"` + user + `"}}`
		decode(t, w.send("POST", ofrepPrefix, "", ofrep, "X-Client-Id", "site_a"), &all)
		decode(t, w.send("POST", "/public/v1/flags/bulk", "", `{"clientId":"site_a","userId":"`+user+`"}`), &several)
		var list []result
		byKey := map[string]result{}
		if err := errors.Join(json.Unmarshal(all.Flags, &list), json.Unmarshal(several.Flags, &byKey)); err != nil {
			t.Fatal(err)
		}
		if len(list) != 11 || len(byKey) != 11 {
			t.Fatalf("%d and %d flags", len(list), len(byKey))
		}
		for _, one := range list {
			way, kind, found := strings.Cut(one.Key, "-")
			if !found {
				continue
			}
			want, reason := "", "DISABLED"
			switch on := way == "ruled" && user == "ada"; {
			case on && kind == "boolean":
				want, reason = "true", "TARGETING_MATCH"
			case on:
				var v struct{ Value json.RawMessage }
				if err := json.Unmarshal([]byte(variants[kind]), &v); err != nil {
					t.Fatal(err)
				}
				want, reason = string(v.Value), "TARGETING_MATCH"
			case kind == "boolean":
				want = "false"
				if way == "ruled" {
					reason = "TARGETING_MATCH"
				}
			}
			var single, alone result
			decode(t, w.send("POST", ofrepPrefix+"/"+one.Key, "", ofrep, "X-Client-Id", "site_a"), &single)
			decode(t, w.send("GET", "/public/v1/flags/evaluate?clientId=site_a&key="+one.Key+"&userId="+user, "", ""), &alone)
			for where, got := range map[string]result{"all": one, "one": single} {
				if string(got.Value) != want || got.Reason != reason {
					t.Errorf("%s: %s for %s: %s %s, want %s %s", where, one.Key, user, got.Value, got.Reason, want, reason)
				}
			}
			if string(alone.Value) != want || string(byKey[one.Key].Value) != want {
				t.Errorf("%s for %s: %s, in bulk %s; want %s", one.Key, user, alone.Value, byKey[one.Key].Value, want)
			}
		}
	}
}

func decode(t *testing.T, rec *httptest.ResponseRecorder, v any) {
	t.Helper()
	if err := json.Unmarshal(rec.Body.Bytes(), v); err != nil || rec.Code != 200 {
		t.Fatalf("%d %s: %v", rec.Code, rec.Body, err)
	}
}

// TestIDsOfContextsMayBeNumbers sends every kind of JSON value in place of every id, to all routes with a body.
func TestIDsOfContextsMayBeNumbers(t *testing.T) {
	w, _ := newFlagWorld(t)
	w.create(t, `{"clientId":"site_a","key":"by-user","type":"rollout","rolloutPercentage":50,"defaultValue":false,"rules":[
		{"type":"user_id","operator":"in","values":["42","1000","1.5","12345678901234567890","-7","true","0"],"enabled":true},
		{"type":"email","operator":"equals","value":"42","enabled":true}]}`)
	w.create(t, `{"clientId":"site_a","key":"by-org","type":"rollout","rolloutBy":"organization","rolloutPercentage":50,"defaultValue":false}`)
	for _, tc := range []struct {
		context string
		reason  string // reason for by-user; empty for a mistake
	}{
		{`{"ID":42}`, "USER_RULE_MATCH"}, {`{"ID":"42"}`, "USER_RULE_MATCH"}, {`{"ID":1e3}`, "USER_RULE_MATCH"},
		{`{"ID":1.50}`, "USER_RULE_MATCH"},
		{`{"ID":12345678901234567890}`, "USER_RULE_MATCH"}, {`{"ID":12345678901234567891}`, "ROLLOUT_"},
		{`{"ID":-7}`, "USER_RULE_MATCH"},
		{`{"ID":true}`, "USER_RULE_MATCH"}, {`{"ID":-0}`, "USER_RULE_MATCH"}, {`{"ID":0}`, "USER_RULE_MATCH"},
		{`{"ID":null,"email":42}`, "USER_RULE_MATCH"},
		{`{"ID":"u","organizationId":42,"teamId":7,"environment":null}`, "ROLLOUT_"}, {`{"ID":[42]}`, ""},
		{`{"ID":{}}`, ""}, {`{"organizationId":[]}`, ""},
	} {
		ofrep := `{"context":` + strings.Replace(tc.context, "ID", "targetingKey", 1) + `}`
		bulk := `{"clientId":"site_a",` + strings.Replace(tc.context, "ID", "userId", 1)[1:]
		for path, body := range map[string]string{ofrepPrefix: ofrep, ofrepPrefix + "/by-user": ofrep,
			"/public/v1/flags/bulk": bulk} {
			rec := w.send("POST", path, "", body, "X-Client-Id", "site_a")
			if tc.reason == "" && rec.Code != 400 || tc.reason != "" &&
				(rec.Code != 200 || !strings.Contains(rec.Body.String(), `"reason":"`+tc.reason)) {
				t.Errorf("%s %s: %d %s", path, body, rec.Code, rec.Body)
			}
		}
	}
	asText := w.send("POST", ofrepPrefix+"/by-org", "", `{"context":{"targetingKey":"u","organizationId":"42"}}`,
		"X-Client-Id", "site_a")
	asNumber := w.send("POST", ofrepPrefix+"/by-org", "", `{"context":{"targetingKey":"u","organizationId":42}}`,
		"X-Client-Id", "site_a")
	if asText.Code != 200 || asText.Body.String() != asNumber.Body.String() {
		t.Errorf("an organisation as text: %s, and as number: %s", asText.Body, asNumber.Body)
	}
}
