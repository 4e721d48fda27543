package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/mcp"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/sightlinetest"
	"github.com/sightline-analytics/sightline/store"
)

func ask(rest string) string {
	return `{"website_id":"web_test","preset":"today","parameters":` + rest + `}`
}

// A client finds the tools, all of which only read, and asks.
func TestAsk(t *testing.T) {
	host := newHost(t)
	for name, s := range map[string]session{"http": overHTTP(t, host, host.Key),
		"stdio": overStdio(t, host, host.Key)} {
		t.Run(name, func(t *testing.T) {
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
				if a := tool.Annotations; a == nil || !a.ReadOnlyHint || *a.DestructiveHint {
					t.Errorf("%s is not marked as read-only: %+v", tool.Name, a)
				}
			}
			if want := []string{"ask", "explain_number", "list_query_types", "list_websites"}; !slices.Equal(names,
				want) {
				t.Errorf("tools %v, want %v", names, want)
			}
			s.wants(t, "list_websites", `{}`, `{"id":"web_test","name":"Test","domain":"site.example"}`, `"web_other"`)
			s.wants(t, "ask", ask(`["summary_metrics"]`), `"pageviews":7`,
				`"units":{"bounce_rate":"%","median_session_duration":"s"}`)
		})
	}
}

// Everything that the API can be asked reaches it as it is.
func TestAskInAllWays(t *testing.T) {
	host := newHost(t)
	s := overHTTP(t, host, host.Key)
	for _, row := range []struct {
		args  string
		wants []string
	}{
		{ask(`[{"name":"pages","filters":[{"field":"path","op":"eq","value":"/page-3"}]}]`),
			[]string{`"path":"/page-3"`, `"rows":1`}},
		{ask(`["summary_metrics"],"compare":"previous_period"`),
			[]string{`"previous":[{`, `"changes":[{`, `"compare":"previous_period"`}},
		{ask(`[{"name":"goals","goals":[{"name":"Third","page":"/page-3"}]}]`),
			[]string{`"name":"Third","visitors":1`, `"units":{"conversion_rate":"%"`}},
		{ask(`[{"name":"funnel","steps":[{"page":"/page-1"},{"page":"/page-2"}]}]`),
			[]string{`"step":2`, `"median_seconds":"s"`}},
		{ask(`[{"metrics":["visitors",{"metric":"bounce_rate"}],"dimensions":["country"]}]`),
			[]string{`"visitors":7`, `"units":{"bounce_rate":"%"}`}},
		{ask(`[{"name":"pages","id":"p","totals":true,"limit":2}]`),
			[]string{`"id":"p"`, `"totals":{"pageviews":7`, `"hasMore":true`}},
		{ask(`["outbound_links"]`), []string{`"data":[]`}},
		// a parameter fails alone
		{ask(`["summary_metrics","pges"]`), []string{`"pageviews":7`, `did you mean \"pages\"?`}},
	} {
		s.wants(t, "ask", row.args, row.wants...)
	}
}

// The names of saved definitions are listed for the key's websites, and ask uses them.
func TestSavedDefinitions(t *testing.T) {
	host := newHost(t)
	for kind, body := range map[string]string{"goal": `{"page":"/page-3"}`,
		"funnel":     `{"steps":[{"page":"/page-1"},{"page":"/page-2"}]}`,
		"segment":    `{"filters":[{"field":"path","op":"eq","value":"/page-4"}]}`,
		"annotation": `{"at":"2026-01-01","text":"x"}`} {
		d := store.Definition{Kind: store.DefinitionKind(kind), Name: "My " + kind, Body: json.RawMessage(body)}
		if _, err := host.Sites.PutDefinition(t.Context(), sightlinetest.Website, d); err != nil {
			t.Fatal(err)
		}
	}
	s := overHTTP(t, host, host.Key)
	s.wants(t, "list_query_types", `{"website_id":"web_test","search":"funnel"}`,
		`"saved":{"funnel":["My funnel"],"goal":["My goal"],"segment":["My segment"]}`, `"funnel":"`)
	s.wants(t, "ask", ask(`[{"name":"goals","saved":true}]`), `"name":"My goal","visitors":1`)
	s.wants(t, "ask", ask(`[{"name":"funnel","saved":"My funnel"}]`), `"step":2`)
	s.wants(t, "ask", ask(`[{"name":"pages","filters":[{"segment":"My segment"}]}]`), `"path":"/page-4"`, `"rows":1`)
	s.fails(t, "ask", ask(`[{"name":"funnel","saved":"My funel"}]`), `did you mean "My funnel"?`)
	s.fails(t, "list_query_types", `{"website_id":"web_none"}`, "FORBIDDEN: ")
	s.fails(t, "list_query_types", `{"website_id":"web_test","names":["pages"]}`, "cannot be given together")
	if text, _ := s.call(t, "list_query_types", `{}`); strings.Contains(text, `"saved"`) {
		t.Errorf("the list without a website has saved definitions: %s", text)
	}
}

// Long answers are cut, with a note, and so are the rows beside them.
func TestAnswersAreSmall(t *testing.T) {
	host := newHost(t)
	s := overHTTP(t, host, host.Key)
	text, _ := s.call(t, "ask", ask(`["pages"],"compare":"previous_period"`))
	var answer struct {
		Results []struct {
			Data, Previous, Changes []any
			Note                    string
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || len(answer.Results) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	r := answer.Results[0]
	if len(r.Data) != 5 || len(r.Previous) != 5 || len(r.Changes) != 5 ||
		!strings.HasPrefix(r.Note, "Only the first 5 of 7 rows are shown.") {
		t.Errorf("%d, %d and %d rows, note %q; want 5 of 7", len(r.Data), len(r.Previous), len(r.Changes), r.Note)
	}
	if text, _ := s.call(t, "ask", ask(`[{"name":"pages","limit":5}]`)); strings.Contains(text, `"note"`) {
		t.Errorf("five rows have a note: %s", text)
	}
	// 50 parameters with 5 rows each are more than the bytes of an answer.
	text, _ = s.call(t, "ask",
		ask("["+strings.TrimSuffix(strings.Repeat(`"traffic_sources","session_list",`, 25), ",")+"]"))
	if len(text) > 60<<10 {
		t.Errorf("an answer of %d bytes", len(text))
	}
	if !strings.Contains(text, "Only the first 0 of ") {
		t.Errorf("no parameter is cut: %d bytes", len(text))
	}
}

// Several websites are asked in one question, by their ids or all that the key reads.
func TestAskAboutSeveralWebsites(t *testing.T) {
	host := newHost(t)
	s := overHTTP(t, host, host.Key)
	const rest = `"preset":"today","parameters":[{"dataset":"pageviews","metrics":["pageviews"],"dimensions":["website"]}]}`
	for _, ids := range []string{`["web_other","web_test"]`, `["*"]`, `"*"`} {
		s.wants(t, "ask", `{"website_ids":`+ids+`,`+rest, `"website":"web_test","website_name":"Test","pageviews":`,
			`"website_ids":["`)
	}
}

// Mistakes are errors of the tool, with the message and the suggestion of the API.
func TestMistakes(t *testing.T) {
	host := newHost(t)
	s := overHTTP(t, host, host.Key)
	s.fails(t, "ask", ask(`["pges"]`), "UNKNOWN_TYPE: pges: ", `did you mean "pages"?`)
	s.fails(t, "ask", ask(`["pages"],"granularty":"daily"`), "VALIDATION_ERROR: ", "granularty", `"granularity"`)
	s.fails(t, "ask", ask(`["pages"],"limit":0,"page":-1`), "limit", "page")
	s.fails(t, "ask", `{"parameters":["pages"]}`, "website_id is required")
	s.fails(t, "ask", `{"website_id":7}`, "website_id must be a string")
	s.fails(t, "ask", `{"website_id":"web_test","website_ids":["web_other"],"parameters":["pages"]}`,
		"cannot be given together")
	s.fails(t, "ask", `{"website_ids":[],"parameters":["pages"]}`, "website_ids")
	s.fails(t, "ask", `{"website_ids":["web_test","web_none"],"parameters":["pages"],"preset":"today"}`, "FORBIDDEN: ")
	s.fails(t, "ask", `{"website_id":"web_none&link_id=x","parameters":["pages"],"preset":"today"}`, "FORBIDDEN: ")
	s.fails(t, "list_websites", `{"serch":"x"}`, "serch")
	s.fails(t, "list_query_types", `{"names":["pges"]}`, `did you mean "pages"?`)
	s.fails(t, "explain_number", `{}`, "column is required")
	s.fails(t, "explain_number", `{"column":"bouncerate"}`, `did you mean "bounce_rate"?`)
	s.fails(t, "explain_number", `{"column":"bounce_rate","in":"pges"}`, `did you mean "pages"?`)
	s.fails(t, "explain_number", `{"column":"step","in":"pages"}`, `pages does not have a column "step"`)
}

// Query types are listed in short, and described with columns and units.
func TestQueryTypes(t *testing.T) {
	host := newHost(t)
	s := overHTTP(t, host, "")
	s.wants(t, "list_query_types", `{}`, `"query_types":{`, `"pages":"`, `"datasets":{`, `"last_7d"`)
	text, _ := s.call(t, "list_query_types", `{"search":"funnel"}`)
	if !strings.Contains(text, `"funnel":`) || strings.Contains(text, `"vitals_overview":`) ||
		strings.Contains(text, "link_top_cities") {
		t.Errorf("search for funnel: %s", text)
	}
	s.wants(t, "list_query_types", `{"names":["funnel","pageviews"]}`, `{"query_type":"funnel"`, `"needs":["steps"]`,
		`"unit":"s"`, `{"dataset":"pageviews"`, `"properties":true`)
	s.wants(t, "explain_number", `{"column":"bounce_rate"}`, `"unit":"%"`, "Share of sessions of one pageview",
		`"query_types":["summary",`, `"datasets":["pageviews",`)
	s.wants(t, "explain_number", `{"column":"visitors","in":"pages"}`, `"query_types":["pages"]`, `"about":"`)
}

// A key sees through the tools what it sees through the API, and the audit trail has each use.
func TestKeysAndAudit(t *testing.T) {
	log := &trail{}
	host := newHost(t, func(cfg *sightline.Config) { cfg.Audit = log })
	_, secret, err := host.Keys.CreateKey(t.Context(),
		auth.Key{ID: "key_one", Owner: sightlinetest.Owner, Scopes: []auth.Scope{auth.ReadData},
			Resources: []auth.Resource{{Kind: auth.KindWebsite, ID: "web_other"}}})
	if err != nil {
		t.Fatal(err)
	}
	s := overHTTP(t, host, secret.Reveal())
	s.wants(t, "list_websites", `{}`, `{"websites":[{"id":"web_other","name":"Other","domain":"other.example"}]}`)
	s.fails(t, "ask", ask(`["pages"]`), "FORBIDDEN: ")
	s.wants(t, "ask", `{"website_id":"web_other","preset":"today","parameters":["summary_metrics"]}`, `"pageviews":0`)

	log.mu.Lock()
	defer log.mu.Unlock()
	var got []string
	for _, e := range log.entries {
		if e.KeyID == "key_one" && e.Route != "/v1/self" { // asked for each message
			got = append(got, fmt.Sprintf("%s %s %s %d %s", e.Method, e.Route, e.Resource.ID, e.Status, e.IP))
		}
	}
	if want := []string{
		"GET /v1/query/websites  200 127.0.0.1",
		"POST /v1/query web_test 403 127.0.0.1",
		"POST /v1/query web_other 200 127.0.0.1",
	}; !slices.Equal(got, want) {
		t.Errorf("audit entries %q, want %q", got, want)
	}
}

// send sends a message over HTTP, and returns the answer of the server with its body.
func send(t *testing.T, tools http.Handler, key, message string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/v1/mcp", strings.NewReader(message))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-06-18"}}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	tools.ServeHTTP(w, r)
	return w
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// Each message counts in the limit of its key, whether or not it calls a tool. Refusals are those of the API.
func TestMessagesAreLimited(t *testing.T) {
	host := newHost(t, func(cfg *sightline.Config) {
		limits, err := ratelimit.New(ratelimit.Config{Limits: map[auth.Class]int{auth.ClassOther: 3,
			auth.ClassPublic: 2},
			Now: func() time.Time { return sightlinetest.Start() }})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Limiter = limits
	})
	tools := newTools(t, host)
	for key, limit := range map[string]int{host.Key: 3, "": 2} {
		for i := range limit + 2 {
			w := send(t, tools, key, listTools)
			if refused := i >= limit; (w.Code == 429) != refused || (w.Header().Get("Retry-After") != "") != refused ||
				w.Header().Get("Content-Length") != "" && refused || w.Body.Len() == 0 {
				t.Errorf("message %d of %d with the key %q: %d %v %s", i+1, limit, key, w.Code, w.Header(), w.Body)
			}
		}
	}
	if w := send(t, tools, "sl_wrong", listTools); w.Code != 401 || !strings.Contains(w.Body.String(),
		"AUTH_REQUIRED") ||
		w.Header().Get("WWW-Authenticate") != `Bearer error="invalid_token"` {
		t.Errorf("with a wrong key: %d %v %s", w.Code, w.Header(), w.Body)
	}
}

// The bytes of messages, and of the answers of the API while a tool reads them, count in the budget of the API.
func TestMessagesCountInTheBudget(t *testing.T) {
	const bodies = 4 * mcp.MaxBody
	var budget *memory.Budget
	host := newHost(t, func(cfg *sightline.Config) {
		var err error
		if budget, err = memory.New(memory.Config{Bodies: bodies}); err != nil {
			t.Fatal(err)
		}
		cfg.Memory = budget
	})
	tools := newTools(t, host)
	message := listTools + strings.Repeat(" ", mcp.MaxBody/2)
	beside := budget.Body(memory.Caller{Owner: sightlinetest.Owner, Key: "another"})
	for _, row := range []struct{ beside, want int64 }{{0, 200}, {2*mcp.MaxBody - mcp.MaxBody/4, 429}, {0, 200}} {
		beside.Shrink(row.beside)
		if err := beside.Grow(row.beside - beside.Size()); err != nil {
			t.Fatal(err)
		}
		if w := send(t, tools, host.Key, message); int64(w.Code) != row.want {
			t.Errorf("a message beside %d bytes: %d %s, want %d", row.beside, w.Code, w.Body, row.want)
		}
	}
	beside.End()
	if err := budget.Body(memory.Caller{Owner: "other"}).Grow(bodies); err != nil {
		t.Errorf("messages still hold bytes: %v", err)
	}
	if err := budget.Answer(memory.Caller{Owner: "other"}).Grow(memory.DefaultAnswers); err != nil {
		t.Errorf("answers still hold bytes: %v", err)
	}
}

// Without a valid key the tools that need one fail. A line feed after the key, as from a file, does not matter.
func TestNoKey(t *testing.T) {
	host := newHost(t)
	overHTTP(t, host, "").fails(t, "list_websites", `{}`, "AUTH_REQUIRED: ", "Authorization: Bearer KEY")
	overStdio(t, host, "sl_wrong").fails(t, "ask", ask(`["pages"]`), "AUTH_REQUIRED: ")
	overStdio(t, host, host.Key+"\n").wants(t, "ask", ask(`["pages"]`), `"path":"/page-1"`)
}

// The limit of a key holds for its tools, and the error says when to ask again.
func TestLimits(t *testing.T) {
	host := newHost(t, func(cfg *sightline.Config) {
		limits, err := ratelimit.New(ratelimit.Config{Limits: map[auth.Class]int{auth.ClassQuery: 2},
			Now: func() time.Time { return sightlinetest.Start() }})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Limiter = limits
	})
	s := overHTTP(t, host, host.Key)
	s.wants(t, "ask", ask(`["pages"]`), `"path":"/page-1"`)
	s.wants(t, "ask", ask(`["pages"]`), `"path":"/page-1"`)
	s.fails(t, "ask", ask(`["pages"]`), "RATE_LIMITED: ", "Try again in 30 seconds.")
}

// known returns api with a route that accepts each caller.
func known(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/self" && r.Method != http.MethodHead {
			api.ServeHTTP(w, r)
		}
	})
}

// An API of a host may fail in any way; the server continues.
func TestBrokenAPI(t *testing.T) {
	for want, api := range map[string]http.HandlerFunc{
		"the API failed to answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is not complete": func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = w.Write([]byte(`{"websites":[`))
		},
		"larger than 8 MiB": func(w http.ResponseWriter, _ *http.Request) {
			_,
				_ = w.Write(make([]byte, 9<<20))
		},
		"status 502": func(w http.ResponseWriter,
			_ *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
		},
		"Try again in 5 seconds.": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
	} {
		tools, err := mcp.New(mcp.Config{API: known(api)})
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(tools)
		connect(t, &sdk.StreamableClientTransport{Endpoint: server.URL}).fails(t, "list_websites", `{}`, want)
		server.Close()
	}
}

// stamp is a key of a context.
type stamp struct{}

// The API sees the address, the headers and the context of the caller, but not the headers about the message.
func TestTheAPISeesTheCaller(t *testing.T) {
	seen := make(chan *http.Request, 1)
	tools, err := mcp.New(mcp.Config{Proxies: clientip.Proxies{netip.MustParsePrefix("127.0.0.1/32")},
		API: known(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen <- r
			_, _ = w.Write([]byte(`{}`))
		}))})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tools.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), stamp{}, "of the host")))
	}))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_websites","arguments":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "stats.example"
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-06-18"},
		"If-None-Match":        {"*"}, "X-Api-Key": {"key"}, "Cookie": {"a=b"}, "X-Forwarded-For": {"203.0.113.9"}}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d", answer.StatusCode)
	}
	got := <-seen
	if got.Host != "stats.example" || !strings.HasPrefix(got.RemoteAddr, "127.0.0.1:") ||
		got.Context().Value(stamp{}) != "of the host" {
		t.Errorf("host %s, address %s, context %v", got.Host, got.RemoteAddr, got.Context().Value(stamp{}))
	}
	for name, want := range map[string]string{"X-Api-Key": "key", "Cookie": "a=b", "X-Forwarded-For": "203.0.113.9",
		"If-None-Match": "", "Mcp-Protocol-Version": "", "Accept": "", "Content-Type": "", "Content-Length": ""} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
		}
	}
}

// The end of the context ends ServeStdio, also while it waits for input.
func TestStdioEndsWithItsContext(t *testing.T) {
	tools, err := mcp.New(mcp.Config{API: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	in, _ := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := tools.ServeStdio(ctx, in, io.Discard, "key"); err != nil {
		t.Error(err)
	}
}
