//go:build cgo

package command

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// CSV of senders' texts runs no formula in a spreadsheet, unless a program wants the texts as they are. Negative
// numbers stay numbers.
func TestCSVHasNoFormulas(t *testing.T) {
	t.Parallel()
	in := installed{dir: t.TempDir()}
	in.do(t, "websites", "add", "--id", "w", "--domain", "one.example")
	p := in.serve(t)
	key := in.secret(t, "keys", "add", "--id", "k", "--all", "--scope", "read:data", "--scope", "export:data")
	for name, v := range map[string]string{`=HYPERLINK(0)`: "-12.5", `+cmd`: "=2"} {
		if status, body := p.send(t, "POST", "/ingest/track", "",
			`{"websiteId":"w","name":"`+name+`","properties":{"v":"`+v+`"}}`); status != 200 {
			t.Fatalf("status %d: %s", status, body)
		}
	}
	const route = "/v1/export?website_id=w&table=events&format=csv"
	asked := func(path string) string {
		t.Helper()
		status, body := p.get(t, path, key)
		if status != 200 {
			t.Fatalf("%s: status %d, %s", path, status, body)
		}
		return body
	}
	csv := func(more string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Address+
			"/v1/query?website_id=w&parameters=custom_events&preset=today"+more, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Accept", "text/csv")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("status %d, %s, %v", answer.StatusCode, body, err)
		}
		return string(body)
	}
	command := []string{"export", "--website", "w", "--table", "events", "--format", "csv"}
	for says, text := range map[string]string{
		"the command": in.do(t, command...), "the route": asked(route), "the route, with true": asked(route +
			"&escapeFormulas=true"),
	} {
		if !strings.Contains(text, ",'=HYPERLINK(0),") || !strings.Contains(text, ",'+cmd,") {
			t.Errorf("%s leaves formulas: %s", says, text)
		}
	}
	for says, text := range map[string]string{
		"the command": in.do(t, append(command, "--no-escape-formulas")...), "the route": asked(route +
			"&escapeFormulas=false"),
	} {
		if !strings.Contains(text, ",=HYPERLINK(0),") || !strings.Contains(text, ",+cmd,") {
			t.Errorf("%s changes texts that are wanted as they are: %s", says, text)
		}
	}
	// for Excel, with a byte order mark before the same file; by default without
	for says, pair := range map[string][2]string{
		"the command": {in.do(t, command...), in.do(t, append(command, "--bom")...)},
		"the route":   {asked(route), asked(route + "&bom=1")},
		"a query":     {csv(""), csv("&bom=1")}, "a query, remembered": {csv("&bom=0"), csv("&bom=1")},
	} {
		if strings.HasPrefix(pair[0], "\ufeff") || pair[1] != "\ufeff"+pair[0] || pair[0] == "" {
			t.Errorf("%s: %.40q and with --bom %.40q", says, pair[0], pair[1])
		}
	}
	if text := asked("/v1/export?website_id=w&bom=1"); strings.Contains(text, "\ufeff") {
		t.Errorf("NDJSON has a byte order mark: %.80q", text)
	}
	p.stop(t)
}
