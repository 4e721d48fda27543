package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// told returns the text of an error, followed by the field and message of each detail.
func told(t *testing.T, body map[string]any) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintln(&text, body["error"])
	details, _ := body["details"].([]any)
	for _, d := range details {
		d := d.(map[string]any)
		fmt.Fprintf(&text, "%s | %s\n", d["field"], d["message"])
	}
	return text.String()
}

// TestTypicalFirstMistakes checks that the answers to typical first requests say what to write instead.
func TestTypicalFirstMistakes(t *testing.T) {
	w, _ := newFlagWorld(t)
	const query = "/v1/query?website_id=site_a"
	const ask = `{"parameters":["summary"],"preset":"today"`
	const denied = "Insufficient permissions\n"
	for _, tc := range []struct {
		method, target, key, body string
		status                    int
		want                      string
	}{
		// Ids in the body.
		{"POST", "/v1/query", "all", ask + `,"website_id":"site_a"}`, 400,
			"website_id belongs in the address, not in the body: ?website_id=ID\nwebsite_id | belongs in the address, not in the body: ?website_id=ID\n"},
		{"POST", "/v1/query", "all", ask + `,"linkId":"link_a"}`, 400,
			"linkId belongs in the address, not in the body: ?link_id=ID\nlinkId | belongs in the address, not in the body: ?link_id=ID\n"},
		{"POST", "/v1/query", "all", ask + "}", 400,
			"One of website_id, link_id and schedule_id is required in the address\nwebsite_id | is required, or link_id or schedule_id; the address has no parameters\n"},
		{"POST", query + "&link_id=link_a", "all", ask + "}", 400,
			`website_id: send exactly one of website_id, link_id and schedule_id; this request has website_id and link_id (2 problems, see details)`},
		{"POST", query + "&website_id=site_b", "all", ask + "}", 400,
			`website_id: send exactly one of website_id, link_id and schedule_id; this request has 2 times website_id (2 problems, see details)`},
		// Ids that the key does not reach: an unknown one, one of another owner, and a domain.
		{"POST", "/v1/query?website_id=notes.example", "all", ask + "}", 403, denied +
			"website_id | is not the id of a website that the key reaches; GET /v1/query/websites lists them\n"},
		{"POST", "/v1/query?website_id=site_x", "all", ask + "}", 403, denied +
			"website_id | is not the id of a website that the key reaches; GET /v1/query/websites lists them\n"},
		{"POST", "/v1/query?website_id=" + strings.Repeat("x", 300), "all", ask + "}", 403, denied +
			"website_id | is not the id of a website that the key reaches; GET /v1/query/websites lists them\n"},
		{"GET", "/v1/websites/site_x/analytics", "all", "", 403, denied +
			"website_id | is not the id of a website that the key reaches; GET /v1/query/websites lists them\n"},
		{"POST", "/v1/query?link_id=x", "all", ask + "}", 403, denied +
			"link_id | is not the id of a link that the key reaches; GET /v1/query/links lists them\n"},
		{"POST", "/v1/query?schedule_id=x", "all", ask + "}", 403, denied +
			"schedule_id | is not the id of a monitor that the key reaches; GET /v1/query/monitors lists them\n"},
		{"POST", query, "flags", ask + "}", 403, denied + "Authorization | needs a key with the scope read:data\n"},
		{"POST", "/v1/query?website_id=nope", "flags", ask + "}", 403, denied +
			"Authorization | needs a key with the scope read:data\n"},
		{"POST", "/v1/query/compile?website_id=site_a", "rows", ask + "}", 403, denied +
			"Authorization | needs an API key with the scope read:data and without filters, and not a panel token\n"},
		{"GET", "/public/v1/flags/definitions?clientId=site_b", "sites", "", 403, denied +
			"clientId | must be the id of a website that the key reaches, or of its organisation\n"},
		{"POST", "/public/v1/flags", "all", newFlag, 403, denied +
			"Authorization | needs a key with the scope manage:flags\n"},
		// Shapes and names.
		{"POST", query, "all", `{"parameters":"summary","preset":"today"}`, 400,
			`parameters must be an array of query types, such as ["summary"], not a string` + "\n"},
		{"POST", query, "all", ask + `,"filters":{"country":"DE"}}`, 400,
			`filters must be an array of filters, such as [{"field":"country","op":"eq","value":"DE"}], not an object` +
				"\n"},
		{"GET", query + "&parameters=summary&preset=today&filters=country:DE", "all", "", 400,
			`filters must be an array of filters, such as [{"field":"country","op":"eq","value":"DE"}] in JSON: the text is not valid JSON: unexpected c at byte 1` + "\n"},
		{"POST", query, "all", ask + `,"filters":[{"field":"country","operator":"eq","value":"DE"}]}`, 400,
			`filters[0].operator | unknown field "operator"; did you mean "op"? Allowed are field, op, value, and, or, not, did, segment` + "\n"},
		{"POST", query + "&timezone=GMT+2", "all", ask + "}", 400,
			`timezone: unknown time zone "GMT 2": a + in an address is read as a blank, write %2B; use an IANA name`},
		{"POST", query, "all", "{'parameters':['summary']}", 400,
			"The body is not valid JSON: unexpected ' at byte 2; JSON strings need double quotes\n"},
		{"POST", query, "all", "", 400, "The body is empty\n"},
		{"POST", query, "all", `{"parameters":["summary"],"startDate":"2026-02-30","endDate":"2026-03-01"}`, 400,
			`startDate: "2026-02-30" is not a real date` + "\n"},
		{"POST", query, "all", `{"parameters":["summary"],"preset":"today","startDate":"2026-02-30"}`, 400,
			`startDate: "2026-02-30" is not a real date` + "\n"},
		{"POST", "/v1/tokens", "all", `{"expiresIn":900}`, 400,
			`expiresIn: unknown field "expiresIn"; did you mean "ttl"? Allowed are filters, resources, scopes, subject, ttl, types` + "\n"},
		{"POST", "/v1/tokens", "all", `{"ttl":0}`, 400,
			`ttl must be between 1 and 86400 seconds, as a whole number or a duration such as "15m", not 0` + "\n"},
		{"GET", "/v1/query/types?include_meta=ja", "", "", 400, `include_meta must be true or false, not "ja"` + "\n"},
		{"POST", "/public/v1/flags", "flags", `{"clientId":"site_a","key":"a b","type":"bool","defaultValue":"yes"}`,
			400,
			"defaultValue must be true or false, not a string (3 problems, see details)\ndefaultValue | must be true or false, not a string\n" +
				"key | must not contain spaces, commas or control characters\n" +
				`type | must be boolean, rollout or multivariant, not "bool"` + "\n"},
		{"POST", "/public/v1/flags", "flags",
			`{"clientId":"site_a","key":"b","type":"boolean","defaultValue":true,"dependencies":["nope"]}`, 400,
			`dependencies[0]: there is no flag "nope" for this client in this environment` + "\n"},
		{"POST", "/public/v1/flags", "flags", `[]`, 400, "The body must be an object, not an array\n"},
		{"GET", "/public/v1/flags/definitions?website_id=site_a", "flags", "", 400,
			"website_id is not a parameter of this endpoint; allowed are clientId, environment\n"},
		// Places.
		{"POST", "/query", "", "", 404, "No such endpoint: POST /query; did you mean POST /v1/query?\n"},
		{"POST", "/api/v1/query?website_id=site_a", "", "", 404,
			"No such endpoint: POST /api/v1/query; did you mean POST /v1/query?\n"},
		{"PUT", "/v1/query", "", "", 405, "This endpoint does not support PUT; use GET or POST\n"},
		{"GET", "/v1/tokens", "", "", 405, "This endpoint does not support GET; use POST\n"},
	} {
		t.Run(tc.method+" "+tc.target+" "+tc.body, func(t *testing.T) {
			rec := w.send(tc.method, tc.target, tc.key, tc.body)
			if got := told(t, object(t, rec)); rec.Code != tc.status || !strings.Contains(got, tc.want) {
				t.Errorf("%d %s\nwant %d %s", rec.Code, got, tc.status, tc.want)
			}
		})
	}
}

// TestWrappedKeysGetAHint uses credentials with text around the key, which cannot be keys.
func TestWrappedKeysGetAHint(t *testing.T) {
	w := newWorld(t)
	const alone = "must contain only the key, without quotation marks or a second word; send "
	for _, tc := range []struct{ header, value, want string }{
		{"X-Api-Key", "Bearer sl_secret", "x-api-key | " + alone + "\"x-api-key: KEY\"\n"},
		{"X-Api-Key", "bearer ", "x-api-key | " + alone + "\"x-api-key: KEY\"\n"},
		{"X-Api-Key", "'sl_secret'", "x-api-key | " + alone + "\"x-api-key: KEY\"\n"},
		{"X-Api-Key", "sl_secret", ""},
		{"X-Api-Key", "bad", ""},
	} {
		rec := w.send("GET", "/v1/query/websites", "", "", tc.header, tc.value)
		if got, want := told(t, object(t, rec)), "Authentication required\n"+
			tc.want; rec.Code != http.StatusUnauthorized || got != want {
			t.Errorf("%s: %s: %d %s, want %s", tc.header, tc.value, rec.Code, got, want)
		}
	}
	r := w.send("GET", "/v1/query/websites", "bad", "", "Authorization", "Bearer Bearer sl_secret")
	if got := told(t, object(t, r)); got != "Authentication required\nAuthorization | "+alone+
		"\"Authorization: Bearer KEY\"\n" {
		t.Errorf("two Bearers: %s", got)
	}
}

// TestSlashesAtTheEnd uses URLs that end in a slash, as programs often build them.
func TestSlashesAtTheEnd(t *testing.T) {
	w, _ := newFlagWorld(t)
	expect(t, w.send("POST", "/public/v1/flags/", "flags", newFlag), 200, "")
	expect(t, w.send("POST", "/v1/query/?website_id=site_a", "all", oneQuery), 200, "")
	expect(t, w.send("PATCH", "/public/v1/flags/", "flags", `{}`), 405, "METHOD_NOT_ALLOWED")
}

// TestParametersWithRangesOfTheirOwn checks that a request needs no range if all its parameters have one.
func TestParametersWithRangesOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	rec := w.send("POST", "/v1/query?website_id=site_a", "all",
		`{"parameters":[{"name":"pages","preset":"yesterday"},{"name":"countries","start_date":"2026-01-05","end_date":"2026-01-06"}]}`)
	expect(t, rec, 200, "")
	if meta := object(t, rec)["meta"].(map[string]any); meta["startDate"] != "2026-01-05" ||
		meta["endDate"] != "2026-03-28" {
		t.Errorf("%v", meta)
	}
}
