package track

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestMistakesUseTheWordsOfTheAPI checks that errors about items use the words of the API.
func TestMistakesUseTheWordsOfTheAPI(t *testing.T) {
	w := &world{}
	for _, tc := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"POST", "/?client_id=w1", `{"type":5}`, 400, "Invalid event schema\ntype must be a string, not a number\n"},
		{"POST", "/?client_id=w1", `[]`, 400, "Invalid event schema\nThe body must be an object, not an array\n"},
		{"POST", "/?client_id=w1", `5`, 400, "Invalid event schema\nThe body must be an object, not a number\n"},
		{"POST", "/events?client_id=w1", `{"name":["x"]}`, 400,
			"Invalid event schema\nname must be a string, not an array\n"},
		{"POST", "/events?client_id=w1", `{}`, 400, "Invalid event schema\nname is required\n"},
		{"POST", "/events?client_id=w1", `[true]`, 400,
			"Invalid event schema\nThe item must be an object, not a boolean\n"},
		{"POST", "/events?client_id=w1", `{"name":"x","timestamp":"1999-12-31"}`, 400,
			"Invalid event schema\ntimestamp must not be before 2000-01-01\n"},
		{"POST", "/vitals?client_id=w1", `{"path":"/","metricName":"XYZ","metricValue":1}`, 400,
			"Invalid event schema\nmetricName must be FCP, LCP, CLS, INP, TTFB or FPS\n"},
		{"POST", "/vitals?client_id=w1", `{"path":"/","metricName":"LCP","metricValue":-1}`, 400,
			"Invalid event schema\nmetricValue must be a number between 0 and the limit of the metric\n"},
		{"POST", "/v1/track", `{}`, 404, "No such endpoint: POST /v1/track; did you mean POST /track?\n"},
		{"POST", "/batch/events/x", `{}`, 404, "No such endpoint: POST /batch/events/x; did you mean POST /batch?\n"},
		{"POST", "/nothing", `{}`, 404, "No such endpoint: POST /nothing\n"},
		{"PUT", "/track", `{}`, 405, "This endpoint does not support PUT; use POST\n"},
	} {
		a := w.do(t, tc.method, tc.target, tc.body)
		text := fmt.Sprintln(a.body["message"])
		all, _ := a.body["errors"].([]any)
		if results, ok := a.body["results"].([]any); ok {
			all, _ = results[0].(map[string]any)["errors"].([]any)
		}
		for _, e := range all {
			e := e.(map[string]any)
			text += strings.TrimSpace(fmt.Sprintln(e["field"], e["message"])) + "\n"
		}
		if a.code != tc.status || text != tc.want || a.body["error"] != a.body["message"] {
			t.Errorf("%s %s %s: %d %s, want %d %s", tc.method, tc.target, tc.body, a.code, text, tc.status, tc.want)
		}
	}
	if a := w.do(t, http.MethodGet, "/track", ""); a.header.Get("Allow") != "OPTIONS, POST" {
		t.Errorf("Allow %q", a.header.Get("Allow"))
	}
}
