package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/sightlinetest"
)

// A generator makes requests of a document.
type generator struct {
	*rand.Rand
	world *world
	flags []string     // ids of flags that answers had
	keys  []string     // ids of keys
	saved []definition // that requests may remove
	sites []string     // ids of websites that may be changed and removed
	path  string       // of the operation
	names int          // for texts that must differ
	kind  string       // the parameter that names the subject of the request
}

// A definition is a goal, a funnel, a segment or an annotation that is saved.
type definition struct{ Kind, Name string }

// An operation is a method of a path.
type operation struct {
	method, path string
	of           object
}

// operations lists the operations of a document in a fixed order.
func operations(doc document) (all []operation) {
	paths, _ := doc["paths"].(object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods, _ := paths[path].(object)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			of, _ := methods[method].(object)
			all = append(all, operation{strings.ToUpper(method), path, of})
		}
	}
	return all
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

func pick[T any](g *generator, all []T) T { return all[g.IntN(len(all))] }

// request makes a request for an operation. Every third one has a mistake.
func (g *generator) request(op operation) request {
	r := request{path: op.path, method: op.method, header: map[string]string{}, valid: g.chance(2. / 3)}
	target, query := op.path, url.Values{}
	g.path = op.path
	g.kind = pick(g, []string{website, website, website, website, "link_id", "schedule_id"})
	params, _ := op.of["parameters"].([]any)
	for _, p := range params {
		g.param(&target, query, r.header, p)
	}
	g.subject(op, query)
	if strings.HasSuffix(op.path, "/definitions") && query.Has("name") && len(g.saved) > 0 && g.chance(0.9) {
		d := pick(g, g.saved)
		query.Set("kind", d.Kind)
		query.Set("name", d.Name)
	}
	if schema := at(op.of, "requestBody", "content", "application/json", "schema"); schema != nil {
		r.header["Content-Type"] = "application/json"
		r.body = g.body(schema, &r.valid)
	} else if !r.valid {
		g.breakQuery(query)
	}
	g.credentials(op, &r)
	if accept := pick(g, []string{"", "", "", "application/json", "application/problem+json",
		"text/csv, application/problem+json", "application/x-ndjson", "text/csv"}); accept != "" {
		r.header["Accept"] = accept
	}
	if r.target = target; len(query) > 0 {
		r.target += "?" + query.Encode()
	}
	return r
}

// good makes a request without a mistake, with a good key.
func (g *generator) good(op operation) request {
	for {
		if r := g.request(op); r.valid {
			r.header["X-Api-Key"] = g.world.key
			delete(r.header, "Accept")
			return r
		}
	}
}

// param adds a parameter to a request.
func (g *generator) param(target *string, query url.Values, header map[string]string, p any) {
	name, _ := at(p, "name").(string)
	schema := at(p, "schema")
	asJSON := at(schema, "contentSchema")
	if asJSON != nil {
		schema = asJSON
	}
	switch at(p, "in") {
	case "path":
		*target = strings.ReplaceAll(*target, "{"+name+"}", url.PathEscape(g.id(name)))
		return
	case "header":
		if name == "databuddy-client-id" && g.chance(0.1) {
			header[name] = sightlinetest.Website
		}
		return
	}
	if at(p, "required") != true && !g.chance(0.2) {
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
func (g *generator) id(name string) string {
	switch name {
	case "website_id", "websiteId", "clientId", "client_id":
		if g.path == "/v1/websites/{website_id}" {
			return pick(g, g.sites)
		}
		return sightlinetest.Website
	case "link_id", "linkId":
		return link
	case "schedule_id", "scheduleId":
		return monitor
	case "id":
		if g.path != "/public/v1/flags/{id}" {
			return pick(g, g.keys)
		}
		if len(g.flags) > 0 && g.chance(0.9) {
			return pick(g, g.flags)
		}
	case "file":
		return "0000000000000000.js"
	}
	return pick(g, []string{flagKey, flagKey, "x", "ü", "a b"})
}

// subject names exactly one subject, mostly a website.
func (g *generator) subject(op operation, query url.Values) {
	if strings.HasPrefix(op.path, "/ingest") {
		if g.chance(0.9) && op.path != "/ingest/link-visits" {
			query.Set("client_id", sightlinetest.Website)
			query.Del("website_id")
		}
		return
	}
	if strings.HasPrefix(op.path, "/ofrep") {
		query.Set("clientId", g.id("clientId"))
	}
	if !strings.HasPrefix(op.path, "/v1/query") && op.path != "/v1/export" ||
		strings.HasPrefix(op.path, "/v1/query/") && op.path != "/v1/query/compile" {
		return
	}
	for _, name := range []string{website, "link_id", "schedule_id"} {
		query.Del(name)
	}
	query.Set(g.kind, g.id(g.kind))
	for _, name := range []string{"sortBy", "groupBy", "filters", "after"} { // which the types would have to know
		query.Del(name)
	}
	if g.kind != website {
		query.Del("table")
	}
	if op.method == http.MethodGet && op.path == "/v1/query" && !query.Has("preset") &&
		!(query.Has("startDate") && query.Has("endDate")) {
		query.Del("startDate")
		query.Del("endDate")
		query.Set("preset", "last_7d")
	}
}

// website is the parameter that names a website.
const website = "website_id"

// about reports whether a query type, or the component with its parameter, is about the subject of the request.
func (g *generator) about(name string) bool {
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
func (g *generator) credentials(op operation, r *request) {
	security, _ := op.of["security"].([]any)
	switch n := g.IntN(20); {
	case len(security) == 0 || n == 0:
	case n == 1:
		r.header["X-Api-Key"] = "sl_wrong"
	default:
		r.header["X-Api-Key"] = g.world.key
	}
}

// body makes a body. An invalid one has a mistake.
func (g *generator) body(schema any, valid *bool) string {
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
func (g *generator) breakQuery(query url.Values) {
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
func (g *generator) spoil(v any) any {
	switch v := v.(type) {
	case object:
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
	return pick(g, []any{nil, -1.0, 1e300, true, "", "nonsense", strings.Repeat("x", 3000), []any{}, object{}, "\x00"})
}
