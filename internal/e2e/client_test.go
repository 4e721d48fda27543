//go:build cgo

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"testing"
	"time"
)

// browser is the user agent of a real browser.
const browser = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15"

type (
	object = map[string]any
	list   = []any
)

// A call is one request.
type call struct {
	method string
	url    string
	header map[string]string
	body   any // nil: no body; a string: sent unchanged; else sent as JSON
}

// do sends c and returns the status and the decoded body.
func do(ctx context.Context, c call) (int, object, error) {
	var body io.Reader
	switch b := c.body.(type) {
	case nil:
	case string:
		body = bytes.NewBufferString(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			return 0, nil, err
		}
		body = bytes.NewReader(text)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, c.method, c.url, body)
	if err != nil {
		return 0, nil, err
	}
	for name, value := range c.header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, nil, err
	}
	var answer object
	if err := json.Unmarshal(text, &answer); err != nil {
		return resp.StatusCode, nil, fmt.Errorf("%w in %q", err, text)
	}
	return resp.StatusCode, answer, nil
}

// track returns a request to a route of tracking. Requests of browsers have an origin, requests of servers have a key.
func (r ready) track(route string, body any) call {
	c := call{method: http.MethodPost, url: r.TrackAddress + route, body: body,
		header: map[string]string{"Content-Type": "application/json"}}
	switch route {
	case "/track", "/link-visits", "/uptime-checks":
		c.header["Authorization"] = "Bearer " + r.Key
	default:
		c.url += "?client_id=" + r.WebsiteID
		c.header["User-Agent"] = browser
	}
	return c
}

// mustTrack sends body to route and fails unless the status is success.
func mustTrack(t *testing.T, r ready, route string, body any) object {
	t.Helper()
	status, answer, err := do(t.Context(), r.track(route, body))
	if err != nil || status != http.StatusOK || answer["status"] != "success" {
		t.Fatalf("POST %s: status %d, %v, %v", route, status, answer, err)
	}
	return answer
}

// ask queries one type for subject ("website_id=…") and returns its rows.
func ask(t *testing.T, r ready, subject, parameter string, with object) []object {
	t.Helper()
	body := object{"preset": "last_7d", "parameters": list{parameter}}
	maps.Copy(body, with)
	status, answer, err := do(t.Context(), call{
		method: http.MethodPost, url: r.Address + "/v1/query?" + subject, body: body,
		header: map[string]string{"Content-Type": "application/json", "X-Api-Key": r.Key},
	})
	if err != nil || status != http.StatusOK {
		t.Fatalf("query %s: status %d, %v, %v", parameter, status, answer, err)
	}
	return rowsOf(t, answer)[0]
}

// rowsOf returns the rows of each parameter of an answer, all of which must have succeeded.
func rowsOf(t *testing.T, answer object) [][]object {
	t.Helper()
	results, _ := answer["data"].(list)
	if answer["success"] != true || len(results) == 0 {
		t.Fatalf("no answer: %v", answer)
	}
	all := make([][]object, len(results))
	for i, result := range results {
		entry := result.(object)
		if entry["success"] != true {
			t.Fatalf("%v failed: %v", entry["parameter"], entry["error"])
		}
		for _, row := range entry["data"].(list) {
			all[i] = append(all[i], row.(object))
		}
	}
	return all
}

func filter(field, op string, value any) object {
	return object{"filters": list{object{"field": field, "op": op, "value": value}}}
}

func now() int64 { return time.Now().UnixMilli() }
