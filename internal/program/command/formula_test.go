//go:build cgo

package command

import (
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
	p.stop(t)
}
