package mcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/mcp"
)

// Pages of other sites cannot use the tools, neither by their own origin nor by a name that they lead to this machine.
func TestOrigins(t *testing.T) {
	host := newHost(t)
	proxies := clientip.Proxies{netip.MustParsePrefix("127.0.0.1/32")}
	const local = "{addr}"
	for _, row := range []struct {
		says    string
		cfg     mcp.Config
		host    string
		origins []string
		status  int
	}{
		{"a program", mcp.Config{}, local, nil, 200},
		{"a program that asks localhost", mcp.Config{}, "localhost:8080", nil, 200},
		{"a program that asks IPv6", mcp.Config{}, "[::1]:8080", nil, 200},
		{"a page of this server", mcp.Config{}, local, []string{"http://" + local}, 200},
		{"a page of this server by name", mcp.Config{}, "localhost:8080", []string{"http://LOCALHOST:8080"}, 200},
		{"a page of another port of this machine", mcp.Config{}, local, []string{"http://127.0.0.1:1"}, 403},
		{"a page of another site", mcp.Config{}, local, []string{"https://evil.example"}, 403},
		{"a page without an origin", mcp.Config{}, local, []string{"null"}, 403},
		{"an empty origin", mcp.Config{}, local, []string{""}, 403},
		{"two origins", mcp.Config{Origins: []string{"https://panel.example"}}, local,
			[]string{"https://panel.example", "https://evil.example"}, 403},
		{"a name that leads here", mcp.Config{}, "evil.example", []string{"http://evil.example"}, 403},
		{"a name that leads here, with a port", mcp.Config{}, "evil.example:8080",
			[]string{"http://evil.example:8080"}, 403},
		{"a name that leads here, without an origin", mcp.Config{}, "evil.example", nil, 403},
		{"a name like a local one", mcp.Config{}, "localhost.evil.example", nil, 403},
		{"a name like a local address", mcp.Config{}, "127.0.0.1.evil.example", nil, 403},
		{"an allowed page", mcp.Config{Origins: []string{"https://Panel.example:443"}}, local,
			[]string{"https://panel.example"}, 200},
		{"its site by http", mcp.Config{Origins: []string{"https://panel.example"}}, local,
			[]string{"http://panel.example"}, 403},
		{"a site below it", mcp.Config{Origins: []string{"https://panel.example"}}, local,
			[]string{"https://x.panel.example"}, 403},
		{"an allowed name", mcp.Config{Origins: []string{"https://stats.example"}}, "stats.example", nil, 200},
		{"a trusted proxy that keeps the name", mcp.Config{Proxies: proxies}, "stats.example", nil, 200},
		{"a page of another site through a trusted proxy", mcp.Config{Proxies: proxies}, "stats.example",
			[]string{"https://evil.example"}, 403},
	} {
		row.cfg.API = host.API()
		tools, err := mcp.New(row.cfg)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(tools)
		at := strings.TrimPrefix(server.URL, "http://")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = strings.ReplaceAll(row.host, local, at)
		for _, origin := range row.origins {
			r.Header.Add("Origin", strings.ReplaceAll(origin, local, at))
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		server.Close()
		if err != nil || answer.StatusCode != row.status || (row.status == 200) != strings.Contains(string(body),
			`"list_websites"`) ||
			(row.status == 403) != strings.Contains(string(body), `"error":{"code":-32001`) {
			t.Errorf("%s: status %d, want %d: %s %v", row.says, answer.StatusCode, row.status, body, err)
		}
	}
	for _, bad := range []string{"panel.example", "https://panel.example/", "https://*.example", "*", ""} {
		if _, err := mcp.New(mcp.Config{API: host.API(), Origins: []string{bad}}); err == nil ||
			!strings.Contains(err.Error(), "Config.Origins") {
			t.Errorf("the origin %q: %v", bad, err)
		}
	}
}
