package same

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/internal/contract/generate"
	"github.com/sightline-analytics/sightline/internal/matrix/samples"
)

// setting returns the number in an environment variable, or its default.
func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

// questions is the number of random questions. There are a fifth as many bodies with a mistake.
func questions() int { return setting("SIGHTLINE_QUESTIONS", 5000) }

// replay asks both programs for everything in every way.
func (b *sides) replay(f *filled) {
	b.t.Helper()
	var doc generate.Object
	if err := json.Unmarshal([]byte(b.get(f.key, "/v1/openapi.json", nil).body), &doc); err != nil {
		b.t.Fatal(err)
	}
	g := &generate.Generator{Rand: seeded(uint64(setting("SIGHTLINE_SEED", 1)), 0), Doc: doc,
		Names: generate.Names{Key: f.key, Website: "web_demo", Link: "lnk_demo", Monitor: "mon_demo",
			Session: b.aSession(f), FlagKey: "dark-mode", Goal: "Signup", Funnel: "Checkout", Segment: "Germany",
			Start: b.before.clock, Days: demoDays},
		Keys: []string{"key_a", "key_b", "key_c"}, Sites: []string{"web_a", "web_b", "web_c"},
		Saved: []generate.Definition{{Kind: "annotation", Name: "Launch"}}}
	var asking, all []generate.Operation
	for _, op := range generate.Operations(doc) {
		if all = append(all, op); op.Path == "/v1/query" {
			asking = append(asking, op)
		}
	}
	b.questions(g, asking)
	if b.store != onClickHouse { // these ask little of the store, and write much
		b.credentials(g, all, f)
		b.samples(f)
		b.mistaken(g, all)
		b.conditional(g, all)
	}
	b.exports(f)
	b.assistant(f)
	for range 6 {
		b.get(f.secrets["few"], "/v1/query/websites", nil)
	}
	b.derived("verify")
	b.trail()
}

// get sends a request without a body.
func (b *sides) get(key, target string, header map[string]string) answer {
	b.t.Helper()
	with := map[string]string{"X-Api-Key": key}
	maps.Copy(with, header)
	return b.send(generate.Request{Method: http.MethodGet, Target: target, Header: with})
}

// ask sends a generated request, and has the generator learn from the answer.
func (b *sides) ask(g *generate.Generator, r generate.Request) answer {
	b.t.Helper()
	a := b.send(r)
	g.Learn(r, a.status, a.body)
	return a
}

// aSession returns the id of a session of the demo.
func (b *sides) aSession(f *filled) string {
	b.t.Helper()
	a := b.get(f.key, "/v1/query?website_id=web_demo&preset=last_7d&parameters=sessions&limit=1", nil)
	var found struct {
		Data []struct {
			Data []struct {
				SessionID string `json:"session_id"`
			}
		}
	}
	err := json.Unmarshal([]byte(a.body), &found)
	if err != nil || len(found.Data) != 1 || len(found.Data[0].Data) != 1 {
		b.t.Fatalf("no session: %v %s", err, a.body)
	}
	return found.Data[0].Data[0].SessionID
}

// questions sends random questions about the demo and the stream, in turn.
func (b *sides) questions(g *generate.Generator, asking []generate.Operation) {
	b.t.Helper()
	demo := g.Names
	stream := demo
	stream.Website, stream.Link, stream.Monitor = site, "listed", "listed"
	for i := range questions() {
		g.Names = []generate.Names{demo, stream}[i%2]
		b.ask(g, g.Request(asking[g.IntN(len(asking))]))
	}
	g.Names = demo
}

// credentials sends a request for every route with every kind of credential, also for what belongs to others.
func (b *sides) credentials(g *generate.Generator, all []generate.Operation, f *filled) {
	b.t.Helper()
	demo := g.Names
	defer func() { g.Names = demo }()
	for _, op := range all {
		for _, of := range []string{"listed", "aside", "foreign", "nowhere"} {
			g.Website, g.Link, g.Monitor = of, of, of
			for _, name := range slices.Sorted(maps.Keys(f.secrets)) {
				if of != "listed" && name != "whole" && name != "right" && name != "token" || name == "few" {
					continue
				}
				r := g.Good(op)
				delete(r.Header, "X-Api-Key")
				if secret := f.secrets[name]; g.IntN(4) == 0 {
					r.Header["Authorization"] = "Bearer " + secret
				} else if secret != "" {
					r.Header["X-Api-Key"] = secret
				}
				b.ask(g, r)
			}
		}
		for _, method := range []string{http.MethodHead, http.MethodOptions, http.MethodPut} {
			r := g.Good(op)
			r.Method, r.Body = method, ""
			r.Header["Origin"], r.Header["Access-Control-Request-Method"] = origin, op.Method
			b.send(r)
		}
	}
	b.get(f.key, "/v1/nothing", nil)
	b.get(f.key, "/", nil)
}

// samples sends the samples of the route matrix about resources of all owners, except samples that remove them.
func (b *sides) samples(f *filled) {
	b.t.Helper()
	all := samples.All()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		words := strings.Fields(name) // handler, method and path
		for _, kind := range all[name].Subjects() {
			for _, id := range []string{samples.Listed, "aside", "foreign", "nowhere"} {
				if words[1] == http.MethodDelete && kind != "" && !strings.Contains(words[2], "/visitors/") {
					continue
				}
				for _, secret := range []string{"whole", "right", "reads", "token", "none"} {
					r := generate.Request{Method: words[1], Header: map[string]string{"X-Api-Key": f.secrets[secret],
						"Content-Type": "application/json", country: "DE"}}
					if r.Target, r.Body = all[name].Of(kind, id); words[0] == "track" {
						r.Target = "/ingest" + r.Target
					}
					b.send(r)
				}
			}
		}
	}
}

// mistaken sends bodies and addresses with mistakes, and some without.
func (b *sides) mistaken(g *generate.Generator, all []generate.Operation) {
	b.t.Helper()
	withBody := slices.DeleteFunc(slices.Clone(all),
		func(op generate.Operation) bool { return op.Of["requestBody"] == nil })
	for sent := 0; sent < questions()/5; {
		if r := g.Request(withBody[sent%len(withBody)]); !r.Valid {
			b.ask(g, r)
			sent++
		}
	}
	for i := range questions() / 25 {
		b.ask(g, g.Request(all[i%len(all)]))
	}
}

// conditional asks every GET route again with the tag of its answer, and in every form and coding.
func (b *sides) conditional(g *generate.Generator, all []generate.Operation) {
	b.t.Helper()
	for _, op := range all {
		if op.Method != http.MethodGet {
			continue
		}
		r := g.Good(op)
		a := b.send(r)
		tag := a.header.Get("Etag")
		for _, h := range []string{"If-None-Match=" + tag, `If-None-Match="x", *`, "If-None-Match=W/" + tag,
			"Accept-Encoding=gzip", "Accept-Encoding=zstd, gzip;q=0.5", "Accept=text/csv",
			"Accept=application/x-ndjson", "Accept=image/png", "Origin=" + origin,
			"Origin=https://evil.example", "X-Request-ID=mine"} {
			name, value, _ := strings.Cut(h, "=")
			if name == "If-None-Match" && strings.HasPrefix(op.Path, "/v1/keys") {
				continue // the tag follows the last use of keys, which is stored by real time
			}
			again := r
			again.Header = maps.Clone(r.Header)
			again.Header[name] = value
			b.send(again)
		}
	}
}

// exports reads all stored rows in every form.
func (b *sides) exports(f *filled) {
	b.t.Helper()
	for of := range strings.FieldsSeq("website_id=web_demo website_id=web_main website_id=web_import " +
		"website_id=web_old website_id=listed link_id=listed link_id=lnk_demo " +
		"schedule_id=listed schedule_id=mon_demo") {
		tables := []string{""}
		if strings.HasPrefix(of, "website_id") {
			tables = []string{"", "&table=events", "&table=errors", "&table=vitals"}
		}
		for _, table := range tables {
			for _, form := range []string{"application/x-ndjson", "text/csv"} {
				b.get(f.key, "/v1/export?"+of+table, map[string]string{"Accept": form})
			}
		}
	}
}

// assistant sends messages of assistants.
func (b *sides) assistant(f *filled) {
	b.t.Helper()
	call := func(tool, arguments string) string {
		return `"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}`
	}
	for i, message := range []string{
		`"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"same","version":"1"}}`,
		`"method":"tools/list"`, call("list_websites", `{}`), call("list_query_types", `{"website_id":"web_demo"}`),
		call("list_query_types", `{"names":["summary_metrics","pages","nothing"]}`),
		call("ask", `{"website_id":"web_demo","parameters":["summary","pages"],"preset":"last_7d","limit":"3"}`),
		call("ask", `{"website_id":"foreign","parameters":["pages"]}`), call("ask", `{"website":"x"}`),
		call("explain_number", `{"column":"bounce_rate"}`), call("nothing", `{}`), `"method":"nothing"`,
	} {
		for _, key := range []string{f.key, f.secrets["reads"], ""} {
			b.send(generate.Request{Method: http.MethodPost, Target: "/v1/mcp",
				Body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, message),
				Header: map[string]string{"X-Api-Key": key, "Content-Type": "application/json",
					"Accept": "application/json, text/event-stream"}})
		}
	}
}

// trail compares the audit trails, after a restart that stores all entries.
func (b *sides) trail() {
	b.t.Helper()
	b.restart(0)
	b.run("audit", "verify")
	entries := func(s *side) (all []json.RawMessage) {
		for args := []string{"audit", "list", "--json", "--limit", "1000"}; ; {
			a, err := s.run(args)
			if err != nil {
				b.t.Fatal(err)
			}
			var page struct {
				Entries []json.RawMessage
				Next    *string
			}
			if err := json.Unmarshal([]byte(a.body), &page); err != nil {
				b.t.Fatalf("%v: %s", err, a.body)
			}
			all = append(all, page.Entries...)
			if page.Next == nil {
				return all
			}
			args = append(args[:5:5], "--after", *page.Next)
		}
	}
	before, after := entries(b.before), entries(b.after)
	found, err := b.trailsDiffer(before, after)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, d := range found {
		b.report("audit list", d)
	}
	b.t.Logf("%s: %d entries in the audit trail", b.store, len(before))
}
