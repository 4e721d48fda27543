//go:build cgo

package command

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-analytics/sightline/internal/program/service"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// bearer sends a key with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// toolsOf starts sightline mcp with the options, and returns a transport that talks with it.
func toolsOf(t *testing.T, options ...string) mcp.Transport {
	t.Helper()
	var all commands
	p, err := newParser(&all)
	if err == nil {
		_, err = p.Parse(append([]string{"mcp"}, options...))
	}
	if err != nil {
		t.Fatal(err)
	}
	in, toCommand := io.Pipe()
	fromCommand, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- all.Mcp.answer(t.Context(), in, out, t.Output()) }()
	t.Cleanup(func() {
		_ = toCommand.Close()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("sightline mcp: %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("sightline mcp does not end with its input")
		}
	})
	return &mcp.IOTransport{Reader: fromCommand, Writer: toCommand}
}

// callTool calls a tool over transport, and returns its text.
func callTool(t *testing.T, transport mcp.Transport, call *mcp.CallToolParams) (text string, failed bool) {
	t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.CallTool(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	content, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%v is not a text", r.Content)
	}
	return content.Text, r.IsError
}

// TestMCPDocument asks the question of docs/mcp.md over HTTP and over sightline mcp. Both must return the answer of the
// page.
func TestMCPDocument(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	document := read(t, "../../../docs/mcp.md")
	var call mcp.CallToolParams
	var shown any
	if err := json.Unmarshal([]byte(block(t, document, "json", `"arguments"`)), &call); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(block(t, document, "json", `"results"`)), &shown); err != nil {
		t.Fatal(err)
	}
	s := service.Settings{Addr: "127.0.0.1:0", Data: t.TempDir(), Demo: true, DemoDays: 15, JSON: true, MCP: true}
	p := start(t, func(ctx context.Context, out, errs io.Writer) int {
		return report(errs, service.Serve(ctx, s, out, errs, func() time.Time { return readmeDay }))
	})
	for name, transport := range map[string]mcp.Transport{
		"serve --mcp": &mcp.StreamableClientTransport{Endpoint: p.Address + "/v1/mcp",
			HTTPClient: &http.Client{Transport: bearer(p.Key)}},
		"sightline mcp": toolsOf(t, "--url", p.Address, "--key", p.Key),
	} {
		text, failed := callTool(t, transport, &call)
		var got any
		if err := json.Unmarshal([]byte(text), &got); err != nil || failed {
			t.Fatalf("%s: %v: %s", name, err, text)
		}
		if diff := cmp.Diff(shown, got); diff != "" {
			t.Errorf("%s: the answer of docs/mcp.md (-) and the real one (+) differ:\n%s\n%s", name, diff, text)
		}
	}
}

// Without --mcp the path has no tools. A wrong address and a missing server are reported.
func TestToolsThatAreNotThere(t *testing.T) {
	p := installed{dir: t.TempDir()}.serve(t)
	if status, body := p.send(t, http.MethodPost, "/v1/mcp", "", `{}`); status != http.StatusNotFound {
		t.Errorf("/v1/mcp without --mcp: status %d: %s", status, body)
	}
	p.stop(t)
	text, failed := callTool(t, toolsOf(t, "--url", p.Address, "--key", "sl_x"),
		&mcp.CallToolParams{Name: "list_websites"})
	if want := "UNREACHABLE: cannot ask the server at " + p.Address; !failed || !strings.HasPrefix(text, want) {
		t.Errorf("without a server: %s; want %s", text, want)
	}
	for _, address := range []string{"ftp://stats.example", "stats.example", "https://",
		"https://name:password@stats.example", "https://stats.example?key=x"} {
		if _, errs, code := (installed{}).run(t, "mcp", "--key", "x", "--url", address); code != 2 ||
			!strings.Contains(errs, "such as https://stats.example") {
			t.Errorf("%s: exit code %d, %s", address, code, errs)
		}
	}
}

// run runs a command without the options of an install.
func (installed) run(t *testing.T, command ...string) (out, errs string, code int) {
	t.Helper()
	var o, e strings.Builder
	code = Run(t.Context(), command, &o, &e)
	return o.String(), e.String(), code
}
