// Package generate makes requests of an OpenAPI document: valid ones, and ones with a mistake. It knows the rules of
// requests that no schema says, and nothing of the service that answers them.
package generate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Object is a JSON object. Documents are objects.
type Object = map[string]any

// Names are what requests name, and what exists in the service that gets them.
type Names struct {
	Key                    string // a secret that may do everything
	Website, Link, Monitor string // ids
	Session                string // id of a session
	FlagKey                string
	Goal, Funnel, Segment  string    // saved definitions that requests do not remove
	Start                  time.Time // the present
	Days                   int       // with traffic
}

// A Generator makes requests of a document.
type Generator struct {
	*rand.Rand
	Names
	Doc   Object
	Flags []string     // ids of flags that answers had
	Keys  []string     // ids of keys
	Saved []Definition // that requests may remove
	Sites []string     // ids of websites that may be changed and removed

	path  string // of the operation
	names int    // for texts that must differ
	kind  string // the parameter that names the subject of the request
}

// A Definition is a goal, a funnel, a segment or an annotation that is saved.
type Definition struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// An Operation is a method of a path.
type Operation struct {
	Method, Path string
	Of           Object
}

// A Request is one for the operation of a document.
type Request struct {
	Path   string // of the document
	Method string
	Target string
	Header map[string]string
	Body   string
	Valid  bool // it follows the document
}

// String returns r for people.
func (r Request) String() string {
	return r.Method + " " + r.Target + " " + r.Header["Accept"] + " " + r.Body
}

// At returns the value at a path of members, or nil.
func At(v any, path ...string) any {
	for _, name := range path {
		o, _ := v.(Object)
		v = o[name]
	}
	return v
}

// Operations lists the operations of a document in a fixed order.
func Operations(doc Object) (all []Operation) {
	paths, _ := doc["paths"].(Object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods, _ := paths[path].(Object)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			of, _ := methods[method].(Object)
			all = append(all, Operation{strings.ToUpper(method), path, of})
		}
	}
	return all
}

func (g *Generator) chance(p float64) bool { return g.Float64() < p }

func pick[T any](g *Generator, all []T) T { return all[g.IntN(len(all))] }

// Request makes a request for an operation. Every third one has a mistake.
func (g *Generator) Request(op Operation) Request {
	r := Request{Path: op.Path, Method: op.Method, Header: map[string]string{}, Valid: g.chance(2. / 3)}
	target, query := op.Path, url.Values{}
	g.path = op.Path
	g.kind = pick(g, []string{website, website, website, website, "link_id", "schedule_id"})
	params, _ := op.Of["parameters"].([]any)
	for _, p := range params {
		g.param(&target, query, r.Header, p)
	}
	g.subject(op, query)
	if strings.HasSuffix(op.Path, "/definitions") && query.Has("name") && len(g.Saved) > 0 && g.chance(0.9) {
		d := pick(g, g.Saved)
		query.Set("kind", d.Kind)
		query.Set("name", d.Name)
	}
	if schema := At(op.Of, "requestBody", "content", "application/json", "schema"); schema != nil {
		r.Header["Content-Type"] = "application/json"
		r.Body = g.body(schema, &r.Valid)
	} else if !r.Valid {
		g.breakQuery(query)
	}
	g.several(query, r.Body)
	g.credentials(op, &r)
	if accept := pick(g, []string{"", "", "", "application/json", "application/problem+json",
		"text/csv, application/problem+json", "application/x-ndjson", "text/csv"}); accept != "" {
		r.Header["Accept"] = accept
	}
	if r.Target = target; len(query) > 0 {
		r.Target += "?" + query.Encode()
	}
	return r
}

// Good makes a request without a mistake, with a good key.
func (g *Generator) Good(op Operation) Request {
	for {
		if r := g.Request(op); r.Valid {
			r.Header["X-Api-Key"] = g.Key
			delete(r.Header, "Accept")
			return r
		}
	}
}

// Learn notes what a request made or removed, so that later requests name what exists.
func (g *Generator) Learn(r Request, status int, answer string) {
	var made struct {
		Flag struct {
			ID string `json:"id"`
		} `json:"flag"`
		Definition Definition `json:"definition"`
	}
	if json.Unmarshal([]byte(answer), &made) == nil {
		if made.Flag.ID != "" {
			g.Flags = append(g.Flags, made.Flag.ID)
		}
		if made.Definition.Name != "" {
			g.Saved = append(g.Saved, made.Definition)
		}
	}
	if r.Method != http.MethodDelete || status != http.StatusOK {
		return
	}
	gone := func(id string) bool { return strings.Contains(r.Target, id) }
	g.Flags = slices.DeleteFunc(g.Flags, gone)
	g.Saved = slices.DeleteFunc(g.Saved, func(d Definition) bool { return strings.HasSuffix(r.Target, "name="+d.Name) })
	if left := slices.DeleteFunc(slices.Clone(g.Keys), gone); len(left) > 0 {
		g.Keys = left
	}
	if left := slices.DeleteFunc(slices.Clone(g.Sites), gone); len(left) > 0 {
		g.Sites = left
	}
}

// param adds a parameter to a request.
func (g *Generator) param(target *string, query url.Values, header map[string]string, p any) {
	name, _ := At(p, "name").(string)
	schema := At(p, "schema")
	asJSON := At(schema, "contentSchema")
	if asJSON != nil {
		schema = asJSON
	}
	switch At(p, "in") {
	case "path":
		*target = strings.ReplaceAll(*target, "{"+name+"}", url.PathEscape(g.id(name)))
		return
	case "header":
		if name == "databuddy-client-id" && g.chance(0.1) {
			header[name] = g.Website
		}
		return
	}
	if At(p, "required") != true && !g.chance(0.2) {
		return
	}
	value := g.value(name, schema, 0)
	text, isText := value.(string)
	switch {
	case asJSON != nil:
		js, _ := json.Marshal(value)
		text = string(js)
	case isText:
	default:
		js, _ := json.Marshal(value)
		text = string(js)
		if list, ok := value.([]any); ok {
			parts := make([]string, len(list))
			for i := range list {
				parts[i] = fmt.Sprint(list[i])
			}
			text = strings.Join(parts, ",")
		}
	}
	query.Set(name, text)
}

// id returns a value for a name that stands for something that exists.
func (g *Generator) id(name string) string {
	switch name {
	case "website_id", "websiteId", "clientId", "client_id":
		if g.path == "/v1/websites/{website_id}" {
			return pick(g, g.Sites)
		}
		return g.Website
	case "link_id", "linkId":
		return g.Link
	case "schedule_id", "scheduleId":
		return g.Monitor
	case "id":
		if g.path != "/public/v1/flags/{id}" {
			return pick(g, g.Keys)
		}
		if len(g.Flags) > 0 && g.chance(0.9) {
			return pick(g, g.Flags)
		}
	case "file":
		return "0000000000000000.js"
	}
	return pick(g, []string{g.FlagKey, g.FlagKey, "x", "ü", "a b"})
}

// subject names exactly one subject, mostly a website.
func (g *Generator) subject(op Operation, query url.Values) {
	if strings.HasPrefix(op.Path, "/ingest") {
		if g.chance(0.9) && op.Path != "/ingest/link-visits" {
			query.Set("client_id", g.Website)
			query.Del("website_id")
		}
		return
	}
	if strings.HasPrefix(op.Path, "/ofrep") {
		query.Set("clientId", g.id("clientId"))
	}
	if !strings.HasPrefix(op.Path, "/v1/query") && op.Path != "/v1/export" ||
		strings.HasPrefix(op.Path, "/v1/query/") && op.Path != "/v1/query/compile" {
		return
	}
	for _, name := range []string{website, websites, "link_id", "schedule_id"} {
		query.Del(name)
	}
	query.Set(g.kind, g.id(g.kind))
	for _, name := range []string{"sortBy", "groupBy", "filters", "after"} { // which the types would have to know
		query.Del(name)
	}
	if g.kind != website {
		query.Del("table")
	}
	if op.Method == http.MethodGet && op.Path == "/v1/query" && !query.Has("preset") &&
		!(query.Has("startDate") && query.Has("endDate")) {
		query.Del("startDate")
		query.Del("endDate")
		query.Set("preset", "last_7d")
	}
}

// several names the website of some queries as the only one of several. Such queries use nothing that is saved.
func (g *Generator) several(query url.Values, body string) {
	uses := strings.Contains(body, `"saved"`) || strings.Contains(body, `"segment"`)
	if strings.HasPrefix(g.path, "/v1/query") && query.Has(website) && !uses && g.chance(0.2) {
		query.Set(websites, pick(g, []string{query.Get(website), "*"}))
		query.Del(website)
	}
}

// The parameters that name a website, and several.
const (
	website  = "website_id"
	websites = "website_ids"
)

// about reports whether a query type, or the component with its parameter, is about the subject of the request.
func (g *Generator) about(name string) bool {
	of := website
	switch name := strings.ToLower(strings.TrimPrefix(name[strings.LastIndexByte(name, '/')+1:], "Chosen")); {
	case strings.HasPrefix(name, "link"):
		of = "link_id"
	case strings.HasPrefix(name, "uptime"), strings.HasPrefix(name, "checks"):
		of = "schedule_id"
	}
	return of == g.kind
}

// credentials adds a key, or a wrong one.
func (g *Generator) credentials(op Operation, r *Request) {
	security, _ := op.Of["security"].([]any)
	switch n := g.IntN(20); {
	case len(security) == 0 || n == 0:
	case n == 1:
		r.Header["X-Api-Key"] = "sl_wrong"
	default:
		r.Header["X-Api-Key"] = g.Key
	}
}

// body makes a body. An invalid one has a mistake.
func (g *Generator) body(schema any, valid *bool) string {
	value := g.value("", schema, 0)
	if !*valid {
		value = g.spoil(value)
	}
	js, _ := json.Marshal(value)
	if !*valid && g.chance(0.1) {
		return string(js[:len(js)/2])
	}
	return string(js)
}

// breakQuery makes a mistake in an address.
func (g *Generator) breakQuery(query url.Values) {
	switch names := slices.Sorted(maps.Keys(query)); {
	case len(names) == 0 || g.chance(0.3):
		query.Set("unknown", "x")
	case g.chance(0.5):
		query.Del(pick(g, names))
	default:
		query.Set(pick(g, names), pick(g, []string{"", "nonsense", "-1", "[", "\x00"}))
	}
}

// spoil returns v with a mistake somewhere.
func (g *Generator) spoil(v any) any {
	switch v := v.(type) {
	case Object:
		if len(v) == 0 || g.chance(0.2) {
			v["unknown"] = 1
			return v
		}
		name := pick(g, slices.Sorted(maps.Keys(v)))
		if g.chance(0.2) {
			delete(v, name)
			return v
		}
		v[name] = g.spoil(v[name])
		return v
	case []any:
		if len(v) == 0 || g.chance(0.2) {
			return append(v, pick(g, []any{nil, 1.0, "nonsense"}))
		}
		i := g.IntN(len(v))
		v[i] = g.spoil(v[i])
		return v
	}
	return pick(g, []any{nil, -1.0, 1e300, true, "", "nonsense", strings.Repeat("x", 3000), []any{}, Object{}, "\x00"})
}
