package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/mcp"
)

// Assistants write numbers, booleans and lists as texts. The API still refuses what is wrong.
func TestValuesAsTexts(t *testing.T) {
	host := newHost(t)
	s := overHTTP(t, host, host.Key)
	for _, row := range []struct {
		args  string
		wants []string
	}{
		{ask(`"[\"summary_metrics\"]"`), []string{`"pageviews":7`}},
		{ask(`"summary_metrics"`), []string{`"pageviews":7`}},
		{ask(`{"name":"summary_metrics"}`), []string{`"pageviews":7`}},
		{ask(`"{\"name\":\"pages\",\"limit\":\"2\"}"`), []string{`"hasMore":true`}},
		{ask(`["{\"name\":\"pages\",\"limit\":2}"]`), []string{`"hasMore":true`}},
		{ask(`["pages"],"limit":"2","page":" 1 "`), []string{`"hasMore":true`}},
		{ask(`["pages"],"limit":null,"filters":null`), []string{`"path":"/page-3"`}},
		{ask(`[{"name":"pages","limit":"2","totals":"true"}]`), []string{`"totals":{"pageviews":7`, `"hasMore":true`}},
		{ask(`["pages"],"filters":"[{\"field\":\"path\",\"op\":\"eq\",\"value\":\"/page-3\"}]"`), []string{`"rows":1`}},
		{ask(`["pages"],"filters":{"field":"path","op":"eq","value":"/page-3"}`), []string{`"rows":1`}},
		{ask(`[{"name":"pages","filters":"[{\"field\":\"path\",\"op\":\"eq\",\"value\":\"/page-3\"}]"}]`),
			[]string{`"rows":1`}},
		{ask(`[{"name":"goals","goals":"[{\"name\":\"Third\",\"page\":\"/page-3\"}]"}]`),
			[]string{`"name":"Third","visitors":1`}},
	} {
		s.wants(t, "ask", row.args, row.wants...)
	}
	s.wants(t, "list_query_types", `{"names":"pages"}`, `"pages"`)
	s.wants(t, "list_query_types", `{"names":"[\"pages\"]"}`, `"pages"`)
	s.wants(t, "list_websites", `{"search":"10"}`, `"websites":[]`)
	s.fails(t, "ask", ask(`["pages"],"limit":"ten"`), "limit must be")
	s.fails(t, "ask", ask(`["pages"],"limit":"0"`), "limit must be")
	s.fails(t, "ask", ask(`"[]"`), "parameters")
}

// Lines that are no messages are answered with errors, and the next message is answered.
func TestStdioGoesOn(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	for _, row := range []struct {
		says, line string
		code       int64
		id         string
	}{
		{"a blank line", "", -32700, "null"},
		{"a line of Windows", "\r", -32700, "null"},
		{"a text", "hello", -32700, "null"},
		{"two messages", ping + ping, -32700, "null"},
		{"two messages with a space", ping + " " + ping, -32700, "null"},
		{"half a message", `{"jsonrpc":"2.0","id":1,`, -32700, "null"},
		{"bytes that are not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, "null"},
		{"UTF-16", "\xff\xfe{\x00}\x00", -32700, "null"},
		{"zero bytes", "\x00\x00", -32700, "null"},
		{"a very long line", strings.Repeat("x", 3*mcp.MaxBody), -32600, "null"},
		{"a message that is too long", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x",
			mcp.MaxBody) + `"}}`,
			-32600, "null"},
		{"a number", "1", -32600, "null"},
		{"null", "null", -32600, "null"},
		{"a batch", "[" + ping + "]", -32600, "null"},
		{"an empty batch", "[]", -32600, "null"},
		{"no version", `{"id":"a","method":"ping"}`, -32600, `"a"`},
		{"another version", `{"jsonrpc":"1.0","id":3,"method":"ping"}`, -32600, "3"},
		{"no method", `{"jsonrpc":"2.0"}`, -32600, "null"},
		{"a method that is no text", `{"jsonrpc":"2.0","id":4,"method":1}`, -32600, "4"},
		{"an id that is a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600, "null"},
	} {
		t.Run(row.says, func(t *testing.T) {
			t.Parallel()
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			served := make(chan error, 1)
			tools, err := mcp.New(mcp.Config{API: http.NotFoundHandler()})
			if err != nil {
				t.Fatal(err)
			}
			go func() { served <- tools.ServeStdio(t.Context(), in, out, "key") }()
			answers := bufio.NewReader(fromServer)
			go func() { _, _ = io.WriteString(toServer, row.line+"\n\ufeff"+ping+"\r\n"+row.line+"\n") }()
			found := map[string]int{} // answers come in any order
			for range 3 {
				text, err := answers.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				var got struct {
					ID    json.RawMessage `json:"id"`
					Error struct{ Code int64 }
				}
				if err := json.Unmarshal([]byte(text), &got); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				found[fmt.Sprint(got.Error.Code, " ", string(got.ID))]++
			}
			if want := (map[string]int{"0 7": 1, fmt.Sprint(row.code, " ", row.id): 2}); !maps.Equal(found, want) {
				t.Errorf("answers %v, want %v", found, want)
			}
			_ = toServer.Close()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

// The last message may lack the end of its line.
func TestStdioLastLine(t *testing.T) {
	tools, err := mcp.New(mcp.Config{API: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	for _, input := range []string{"", "\n", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "text",
		strings.Repeat("x", 2*mcp.MaxBody)} {
		if err := tools.ServeStdio(t.Context(), strings.NewReader(input), io.Discard, "key"); err != nil {
			t.Errorf("%.80q: %v", input, err)
		}
	}
}

// Allowed pages ask before they send, and may read the answers.
func TestPreflight(t *testing.T) {
	host := newHost(t)
	tools, err := mcp.New(mcp.Config{API: host.API(), Origins: []string{"https://panel.example"}})
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, origin string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "/v1/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		tools.ServeHTTP(w, r)
		return w
	}
	const origin = "Access-Control-Allow-Origin"
	w := send("OPTIONS", "https://panel.example", "Access-Control-Request-Method", "POST",
		"Access-Control-Request-Headers", "authorization,content-type,mcp-protocol-version,traceparent")
	allowed := w.Header().Get("Access-Control-Allow-Headers")
	if w.Code != 204 || w.Header().Get(origin) != "https://panel.example" || !strings.Contains(allowed,
		"mcp-protocol-version") ||
		!strings.Contains(allowed, "Authorization") || !strings.Contains(allowed, "traceparent") ||
		!strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), "POST") {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	if w := send("POST", "https://panel.example"); w.Code != 200 || w.Header().Get(origin) != "https://panel.example" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
	if w := send("OPTIONS", "https://evil.example", "Access-Control-Request-Method", "POST"); w.Code != 403 ||
		w.Header().Get(origin) != "" {
		t.Errorf("preflight of another page: %d %v", w.Code, w.Header())
	}
	if w := send("OPTIONS", ""); w.Code != 204 || w.Header().Get("Allow") != "GET, POST, DELETE, OPTIONS" ||
		w.Header().Get(origin) != "" {
		t.Errorf("OPTIONS of a program: %d %v", w.Code, w.Header())
	}
	for _, version := range []string{"2024-10-07", "1.0", "latest", "draft", "2025-06-18", "2025-11-25", "zz"} {
		if w := send("POST", "", "Mcp-Protocol-Version", version); w.Code != 200 || !strings.Contains(w.Body.String(),
			`"list_websites"`) {
			t.Errorf("version %s: %d %s", version, w.Code, w.Body)
		}
	}
	if w := send("POST", "", "Mcp-Protocol-Version", "2099-01-01"); !strings.Contains(w.Body.String(),
		`"error":{"code":`) {
		t.Errorf("version 2099-01-01: %d %s", w.Code, w.Body)
	}
}
