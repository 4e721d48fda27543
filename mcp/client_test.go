package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/mcp"
	"github.com/sightline-analytics/sightline/sightlinetest"
	"github.com/sightline-analytics/sightline/store"
)

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

// A trail is an audit trail in memory.
type trail struct {
	mu      sync.Mutex
	entries []auth.Entry
}

func (l *trail) Record(_ context.Context, e auth.Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
	return nil
}

// newHost returns a service with visits of Website, and another website of the same owner.
func newHost(t *testing.T, change ...func(*sightline.Config)) *sightlinetest.Host {
	t.Helper()
	host := sightlinetest.New(t, change...)
	if err := host.Sites.AddWebsite(store.Website{ID: "web_other", Owner: sightlinetest.Owner, Name: "Other",
		Domain: "other.example", CreatedAt: sightlinetest.Start()}); err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		r := httptest.NewRequest(http.MethodPost, "/?client_id="+host.Website,
			strings.NewReader(fmt.Sprintf(`{"type":"track","name":"screen_view","path":"https://site.example/page-%d?<&>","anonymousId":"a%d","sessionId":"s%d"}`, i, i, i)))
		r.Header.Set("User-Agent", browser)
		w := httptest.NewRecorder()
		if host.Tracking().ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
	host.Advance(time.Minute) // comparisons count up to now
	return host
}

// newTools returns the tools of host.
func newTools(t *testing.T, host *sightlinetest.Host) *mcp.Handler {
	t.Helper()
	tools, err := mcp.New(mcp.Config{API: host.API(), Rows: 5})
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// withKey sends a key with each request.
type withKey struct{ key string }

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if k.key != "" {
		r.Header.Set("Authorization", "Bearer "+k.key)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A session is a client of the tools.
type session struct{ *sdk.ClientSession }

func connect(t *testing.T, transport sdk.Transport) session {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return session{s}
}

// overHTTP returns a client of the tools of host at /v1/mcp.
func overHTTP(t *testing.T, host *sightlinetest.Host, key string) session {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/v1/mcp", newTools(t, host))
	mux.Handle("/", host.API())
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return connect(t, &sdk.StreamableClientTransport{Endpoint: server.URL + "/v1/mcp",
		HTTPClient: &http.Client{Transport: withKey{key}}})
}

// overStdio returns a client that talks with the tools of host over pipes.
func overStdio(t *testing.T, host *sightlinetest.Host, key string) session {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- newTools(t, host).ServeStdio(t.Context(), in, out, key) }()
	t.Cleanup(func() {
		_ = toServer.Close() // the end of the input ends the server
		if err := <-served; err != nil {
			t.Errorf("stdio: %v", err)
		}
	})
	return connect(t, &sdk.IOTransport{Reader: fromServer, Writer: toServer})
}

// call calls a tool and returns the text of its answer.
func (s session) call(t *testing.T, tool, args string) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	content, ok := r.Content[0].(*sdk.TextContent)
	if !ok || len(r.Content) != 1 {
		t.Fatalf("%s %s: %v, want one text", tool, args, r.Content)
	}
	return content.Text, r.IsError
}

// wants calls a tool, whose answer must have all texts.
func (s session) wants(t *testing.T, tool, args string, texts ...string) {
	t.Helper()
	got, failed := s.call(t, tool, args)
	if failed {
		t.Errorf("%s %s fails: %s", tool, args, got)
	}
	holds(t, tool+" "+args, got, texts...)
}

// fails calls a tool, which must fail with all texts.
func (s session) fails(t *testing.T, tool, args string, texts ...string) {
	t.Helper()
	got, failed := s.call(t, tool, args)
	if !failed {
		t.Errorf("%s %s does not fail: %s", tool, args, got)
	}
	holds(t, tool+" "+args, got, texts...)
}

func holds(t *testing.T, what, got string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("%s: %s\nwant %s", what, got, text)
		}
	}
}
