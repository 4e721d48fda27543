//go:build cgo

package command

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Metrics have a separate address, which closes when the server ends.
func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	p := installed{dir: t.TempDir()}.serve(t, "--metrics-addr", ":0")
	if !strings.HasPrefix(p.MetricsAddress, "http://127.0.0.1:") {
		t.Fatalf("without a host, metrics are at %q", p.MetricsAddress)
	}
	p.get(t, "/v1/query/types", "")
	p.get(t, "/ingest/nothing", "")
	metrics := scrape(t, p.MetricsAddress)
	for _, line := range []string{
		`sightline_requests_total{class="public",handler="api",route="GET /v1/query/types",status="200"} 1`,
		`sightline_errors_total{code="NOT_FOUND",handler="track",route="none"} 1`,
		`sightline_requests_in_flight{handler="api"} 0`,
		`sightline_audit_bytes 0`,
		`sightline_seal_days_due 0`,
		`sightline_seal_oldest_due_timestamp_seconds 0`,
		`sightline_states_days_due 0`,
		`sightline_states_bytes 0`,
		`sightline_answers_bytes 0`,
		`go_goroutines `,
		`process_resident_memory_bytes `,
	} {
		if !strings.Contains(metrics, "\n"+line) {
			t.Errorf("metrics have no %q: %s", line, metrics)
		}
	}
	if status, _ := p.get(t, "/metrics", ""); status != http.StatusNotFound {
		t.Errorf("/metrics of --addr: %d", status)
	}
	p.stop(t)
	if _, err := http.DefaultClient.Head(p.MetricsAddress); err == nil {
		t.Error("metrics are served after the end")
	}
}

func scrape(t *testing.T, address string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%d %v %s", answer.StatusCode, err, text)
	}
	return string(text)
}

func TestLog(t *testing.T) {
	in := installed{dir: filepath.Join(t.TempDir(), "data")} // not readable for others, so there is no warning
	in.do(t, "owners", "add", "--id", "acme")
	secret := in.secret(t, "keys", "add", "--id", "key_log", "--owner", "acme", "--all")
	p := in.serve(t, "--log-format", "json", "--log-level", "debug")
	p.get(t, "/v1/query/websites", secret)
	p.stop(t)
	found := false
	for line := range strings.Lines(p.errs.String()) {
		var entry struct{ Level, Msg, RequestID, Key, Route string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%q is not JSON: %v", line, err)
		}
		found = found || entry.Level == "DEBUG" && entry.Msg == "request" && entry.RequestID != "" &&
			entry.Key == "key_log" && entry.Route == "GET /v1/query/websites"
	}
	if !found || strings.Contains(p.errs.String(), secret) {
		t.Errorf("the log has no line for the request, or it has its secret:\n%s", p.errs)
	}
	p = in.serve(t, "--log-level", "warn")
	p.get(t, "/v1/query/websites", secret)
	p.stop(t)
	if text := p.errs.String(); text != "" {
		t.Errorf("the log has %s, want nothing", text)
	}
}
