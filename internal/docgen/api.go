package docgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/track"
)

// TrackPrefix is the path under which the page of the API shows the routes of tracking.
const TrackPrefix = "/ingest"

// An Exchange sends a sample request, and returns the status and the body of its answer. Header has no
// credentials: withKey says that the request needs a key.
type Exchange func(method, target, body string, withKey bool) (status int, answer []byte, err error)

// API returns the page about all endpoints. Routes come from the tables of both handlers, the texts about parameters
// and bodies from openAPI, which is the OpenAPI document of the server, and answers from send. It also returns the
// samples, for the OpenAPI document. Its error names each route without an entry, each entry without a route, and each
// sample request that fails.
func API(openAPI []byte, send Exchange) ([]byte, map[string]openapi.Example, error) {
	p := &apiPage{send: send, examples: map[string]openapi.Example{}, left: slices.Sorted(maps.Keys(endpoints))}
	if err := json.Unmarshal(openAPI, &p.document); err != nil {
		return nil, nil, fmt.Errorf("docgen: the OpenAPI document: %w", err)
	}
	p.text(apiHead)
	p.text("\n## Queries, tokens and health\n")
	var flags []httpapi.Route
	for _, r := range httpapi.Routes() {
		if strings.HasPrefix(r.Path, "/public/") || strings.HasPrefix(r.Path, "/ofrep/") {
			flags = append(flags, r)
			continue
		}
		p.apiRoute(r)
	}
	p.text("\n## Feature flags\n\nThe client of a flag is a website or an organization. [flags.md](flags.md) explains flags.\n")
	for _, r := range flags {
		p.apiRoute(r)
	}
	p.text(formsText)
	p.text(trackHead)
	for _, r := range track.Routes() {
		p.trackRoute(r)
	}
	p.text("\n## Objects\n")
	for _, o := range objects {
		of := p.document.Components.Schemas[o.component]
		if of == nil {
			p.faults = append(p.faults, fmt.Errorf("docgen: the document has no component %s", o.component))
			continue
		}
		rows := p.document.fields(of, p.namesOf(o.of))
		p.check(o, rows)
		p.printf("\n### %s\n\n", o.name)
		if text := sentences(of.Description, o.text); text != "" {
			p.printf("%s\n\n", text)
		}
		p.fields("field", rows)
	}
	for _, name := range p.left {
		p.faults = append(p.faults, fmt.Errorf("docgen: endpoints has an entry for %s, which is not a route", name))
	}
	return p.Bytes(), p.examples, errors.Join(p.faults...)
}

// An endpoint has the hand-written parts of a route's section. The document has the others.
type endpoint struct {
	text    string // beside the texts of the route and of the document
	of      string // the component whose fields are parameters, too
	body    string // the name of an object, or a sentence
	target  string // of the sample request, with its query
	request string // its body
	keyless bool   // the sample is sent without a key
	errors  string // codes of errors beside the common ones
	skip    string // why no answer is shown
}

// A field is one member of an object, or one parameter of an address.
type field struct{ name, kind, text string }

// An object is a body, or a part of one.
type object struct {
	name, component string // the title on the page, and the name in the document
	text            string // beside the text of the document
	of              string // a component whose fields are the same, and are not repeated
	route, probe    string // a request whose FIELD is replaced by one field of a wrong type
}

type apiPage struct {
	page

	send     Exchange
	document document
	examples map[string]openapi.Example
	left     []string // endpoints for which no route was found yet
}

// callerOf describes the credentials that a route of the API needs.
func callerOf(r httpapi.Route) string {
	switch {
	case r.Access == httpapi.Public:
		return "none; a key is ignored"
	case r.Access == httpapi.ByKeyOrClient:
		return "optional: flags of an organization need a key of it; a website is named by its public id"
	case r.May.AnyOf == nil:
		return "any valid key or panel token"
	}
	text := "a key with " + scopesFor(r)
	if r.May.Everything {
		text += " that reaches everything of its owner"
	}
	for i, limit := range limits(r.May) {
		text += []string{", ", " and "}[min(i, 1)] + limit
	}
	if r.May.KeyOnly {
		text += "; panel tokens cannot call it"
	}
	if slices.Contains(r.Of, auth.KindKey) {
		text += ". It reaches keys of the same owner that grant no more than itself"
	}
	return text
}

// limits returns what a key must be without.
func limits(need auth.Permission) (all []string) {
	if need.Unfiltered {
		all = append(all, "without mandatory filters")
	}
	if need.AllTypes {
		all = append(all, "without a list of query types")
	}
	return all
}

// kindWords are the words for kinds of resources that a key may be for.
var kindWords = map[string]string{auth.KindWebsite: "website", auth.KindLink: "link", auth.KindSchedule: "monitor",
	auth.KindOrganization: "organization"}

// scopesFor returns the scopes that a route accepts, with the resources that it is about.
func scopesFor(r httpapi.Route) string {
	var scopes, words []string
	for _, kind := range r.Of {
		if word := kindWords[kind]; word != "" {
			scopes, words = append(scopes, scopesOf(r.May, kind)), append(words, word)
		}
	}
	switch {
	case len(words) == 0:
		return scopesOf(r.May, "")
	case len(slices.Compact(slices.Clone(scopes))) == 1:
		return scopes[0] + " for the " + mistake.Or(words...)
	}
	for i := range scopes {
		scopes[i] += " for the " + words[i]
	}
	return strings.Join(scopes, ", ")
}

// scopesOf returns the scopes for a kind as text.
func scopesOf(need auth.Permission, kind string) string {
	var all []string
	for _, scope := range need.AnyOf(kind) {
		all = append(all, "`"+string(scope)+"`")
	}
	return mistake.Or(all...)
}

// senders describes the credentials that routes of tracking need.
var senders = map[track.Access]string{
	track.ByWebsite:      "none; the request names a website by its public id",
	track.ByKeyOrWebsite: "optional: a key with `track:events`, or the public id of a website",
	track.ByKey:          "a key with `track:events` for the link or monitor",
	track.Open:           "none; a key is ignored",
}

func (p *apiPage) apiRoute(r httpapi.Route) {
	p.endpoint(r.Method, "", r.Path, r.About+".", callerOf(r), classOf(r.Class, r.Anonymous))
}

func (p *apiPage) trackRoute(r track.Route) {
	about := ""
	switch {
	case r.Items > 1 && r.List:
		about = fmt.Sprintf("The body is an array of at most %d items.", r.Items)
	case r.Items > 1:
		about = fmt.Sprintf("The body is one item or an array of at most %d.", r.Items)
	case r.Items == 1:
		about = "The body is one item."
	}
	p.endpoint(r.Method, TrackPrefix, r.Path, about, senders[r.Access], classOf(r.Class, r.Anonymous))
}

// classOf describes the limit classes of a route: for callers with a key, and without one.
func classOf(class, anonymous auth.Class) string {
	if anonymous == "" {
		return fmt.Sprintf("`%s`", class)
	}
	return fmt.Sprintf("`%s`, without a key `%s`", class, anonymous)
}

// endpoint writes the section of a route.
func (p *apiPage) endpoint(method, prefix, path, about, caller, class string) {
	name := method + " " + prefix + path
	e, known := endpoints[name]
	if !known {
		p.faults = append(p.faults, fmt.Errorf("docgen: add an entry for the route %s to endpoints", name))
		return
	}
	p.left = slices.DeleteFunc(p.left, func(left string) bool { return left == name })
	op := p.document.Paths[prefix+path][strings.ToLower(method)]
	p.printf("\n### %s\n\n%s\n\n", name, sentences(about, op.Description, e.text))
	p.printf("- Key: %s.\n- Limit class: %s.\n", caller, class)
	if e.errors != "" {
		p.printf("- Errors beside the common ones: %s.\n", e.errors)
	}
	if e.body != "" {
		p.printf("- Body: %s.\n", e.body)
	}
	omit := p.namesOf(e.of)
	if prefix == TrackPrefix {
		omit = append(omit, trackParams...)
	}
	if rows := p.document.parameters(op, omit); len(rows) > 0 {
		p.text("\n")
		p.fields("parameter", rows)
	}
	if body := op.RequestBody.Content["application/json"].Schema; e.body == "" && body != nil &&
		len(body.Properties) > 0 {
		p.text("\n")
		p.fields("field of the body", p.document.fields(body, nil))
	}
	if e.target != "" {
		p.sample(method, prefix, name, e)
	}
}

// trackParams are parameters that the head of the part about tracking explains for all its routes.
var trackParams = []string{"client_id", "website_id", "sent_at"}

// namesOf returns the names of the fields of a component; none for an empty name.
func (p *apiPage) namesOf(component string) (names []string) {
	if component == "" {
		return nil
	}
	for _, row := range p.document.fields(&schema{Ref: "#/components/schemas/" + component}, nil) {
		names = append(names, strings.Split(row.name, ", ")...)
	}
	return names
}

// sentences joins texts that are not empty. Each ends with a full stop.
func sentences(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, strings.TrimSuffix(text, ".")+".")
		}
	}
	return strings.Join(all, " ")
}

func (p *apiPage) fields(title string, fields []field) {
	p.printf("| %s | type | |\n|---|---|---|\n", title)
	for _, f := range fields {
		p.printf("| `%s` | %s | %s |\n", strings.ReplaceAll(f.name, ", ", "`, `"), f.kind, f.text)
	}
}

// check sends a value of a wrong type in each field of o. An answer that does not name the field shows that the
// server does not read it.
func (p *apiPage) check(o object, rows []field) {
	method, target, _ := strings.Cut(o.route, " ")
	for _, f := range rows {
		for name := range strings.SplitSeq(f.name, ", ") {
			body := strings.ReplaceAll(o.probe, "FIELD", fmt.Sprintf("%q: [[1]]", name))
			_, answer, err := p.send(method, target, body, true)
			if err == nil && (!bytes.Contains(answer, []byte(name)) ||
				bytes.Contains(answer, []byte("unknown field"))) {
				err = fmt.Errorf("the server does not read it: %s", answer)
			}
			if err != nil {
				p.faults = append(p.faults, fmt.Errorf("docgen: %s: field %s of %s: %w", o.route, name, o.name, err))
			}
		}
	}
}

// sample writes a request and its answer.
func (p *apiPage) sample(method, prefix, name string, e endpoint) {
	status, answer, err := p.send(method, prefix+e.target, e.request, !e.keyless)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", status, answer)
	}
	if err != nil {
		p.faults = append(p.faults, fmt.Errorf("docgen: %s: %w", name, err))
		return
	}
	p.printf("\n```http\n%s %s\n", method, prefix+e.target)
	if e.request != "" {
		p.printf("\n%s\n", e.request)
	}
	p.text("```\n")
	p.example(name, e, answer)
	if e.skip != "" {
		p.printf("\n%s\n", e.skip)
		return
	}
	if !json.Valid(answer) {
		p.faults = append(p.faults, fmt.Errorf("docgen: %s: the answer is not JSON", name))
		return
	}
	p.printf("\n```json\n%s\n```\n", layout(shorten(answer)))
}

// example adds a sample to the examples, if its answer is JSON.
func (p *apiPage) example(name string, e endpoint, answer []byte) {
	var x openapi.Example
	if e.request != "" {
		x.Body = json.RawMessage(e.request)
	}
	if json.Valid(answer) && e.skip == "" {
		x.Answer = shorten(answer)
	}
	if x.Body != nil || x.Answer != nil {
		p.examples[name] = x
	}
}
