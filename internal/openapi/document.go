// Package openapi has the parts of OpenAPI 3.1 documents, and makes a document of the tables of a handler:
//
//	describe := &openapi.Describer{}
//	doc := openapi.New(openapi.Info{Title: "Items", Version: "1"})
//	doc.Add("GET", "/v1/items", openapi.Operation{ID: "listItems", Tag: "Items", Answer: openapi.Of[itemsBody](describe)})
//	doc.Schemas(describe.Components)
//	js, err := doc.Encode()
//
// It knows neither routes nor query types: the handlers give it what they serve. See httpapi and track.
package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Document is an OpenAPI document.
type Document struct {
	OpenAPI    string              `json:"openapi"`
	Info       Info                `json:"info"`
	Servers    []Server            `json:"servers,omitempty"`
	Tags       []Tag               `json:"tags"`
	Paths      map[string]pathItem `json:"paths"`
	Components components          `json:"components"`

	twice []error // components that were added twice
}

// Info describes an API.
type Info struct {
	Title       string  `json:"title"`
	Version     string  `json:"version"`
	Summary     string  `json:"summary,omitempty"`
	Description string  `json:"description,omitempty"`
	License     License `json:"license"`
}

// A License is the license of an API.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"` // of SPDX
}

// A Server is an address of an API. A relative URL is relative to the address of the document.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// A Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// A pathItem has the operations of a path by method, in lower case.
type pathItem map[string]any

type components struct {
	SecuritySchemes map[string]any `json:"securitySchemes,omitempty"`
	Responses       map[string]any `json:"responses,omitempty"`
	Schemas         map[string]any `json:"schemas"`
}

// An Operation describes a route.
type Operation struct {
	ID      string // the name of its function in generated clients, such as listWebsites; required
	Tag     string // required
	Summary string // a short line without a period; required
	About   string // further sentences; may be empty
	Params  []Param
	Body    *Schema // nil: no body
	Answer  *Schema // of status 200; nil with Forms alone
	Forms   map[string]*Schema
	// Further are names of components with the answers of other statuses, by status.
	Further map[int]string
	// NotModified says that a matching If-None-Match is answered 304.
	NotModified bool
	Security    []Requirement // nil: no credentials
	Example     Example
}

// A Requirement names a scheme of security with scopes. One of an operation's requirements has to be met. The empty one
// is met by requests without credentials.
type Requirement map[string][]string

// A Param is a parameter of an address or a header.
type Param struct {
	Name     string  `json:"name"`
	In       string  `json:"in"` // query, path or header
	About    string  `json:"description,omitempty"`
	Required bool    `json:"required,omitempty"`
	Style    string  `json:"style,omitempty"`
	Explode  *bool   `json:"explode,omitempty"`
	Schema   *Schema `json:"schema,omitempty"`
}

// Query returns an optional parameter of the query of an address. The schema has its description.
func Query(name string, s *Schema) Param {
	return Param{Name: name, In: "query", About: s.Description, Schema: s.About("")}
}

// Joined returns an optional parameter of the query that has the items of an array, joined by commas.
func Joined(name string, list *Schema) Param {
	p := Query(name, list)
	p.Style, p.Explode = "form", new(bool)
	return p
}

// AsJSON returns an optional parameter of the query whose text is JSON. For generators of clients it is a string.
func AsJSON(name, about string, s *Schema) Param {
	return Param{Name: name, In: "query", About: about,
		Schema: &Schema{Type: Types{"string"}, ContentSchema: s}}
}

// Path returns a parameter of the path.
func Path(name string, s *Schema) Param {
	return Param{Name: name, In: "path", About: s.Description, Required: true, Schema: s.About("")}
}

// Header returns an optional header of requests.
func Header(name string, s *Schema) Param {
	return Param{Name: name, In: "header", About: s.Description, Schema: s.About("")}
}

// Must returns p as a parameter that is required.
func (p Param) Must() Param {
	p.Required = true
	return p
}

const (
	jsonType = "application/json"
	// ProblemType is the media type of errors of RFC 9457.
	ProblemType = "application/problem+json"
)

type media struct {
	Schema  *Schema         `json:"schema"`
	Example json.RawMessage `json:"example,omitempty"`
}

// An Example is a request to a route and its answer. Each part may be nil.
type Example struct {
	Body   json.RawMessage `json:"body,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

type requestBody struct {
	Required bool             `json:"required"`
	Content  map[string]media `json:"content"`
}

type response struct {
	Description string            `json:"description"`
	Headers     map[string]header `json:"headers,omitempty"`
	Content     map[string]media  `json:"content,omitempty"`
}

type header struct {
	Description string  `json:"description"`
	Schema      *Schema `json:"schema"`
}

type entry struct {
	OperationID string         `json:"operationId"`
	Tags        []string       `json:"tags"`
	Summary     string         `json:"summary"`
	Description string         `json:"description,omitempty"`
	Security    []Requirement  `json:"security"`
	Parameters  []Param        `json:"parameters,omitempty"`
	Body        *requestBody   `json:"requestBody,omitempty"`
	Responses   map[string]any `json:"responses"`
}

// New returns a document without operations.
func New(info Info) *Document {
	return &Document{OpenAPI: "3.1.0", Info: info, Paths: map[string]pathItem{}, Components: components{
		SecuritySchemes: map[string]any{}, Responses: map[string]any{}, Schemas: map[string]any{},
	}}
}

// Add adds an operation.
func (d *Document) Add(method, path string, op Operation) {
	e := entry{OperationID: op.ID, Tags: []string{op.Tag}, Summary: op.Summary, Description: op.About,
		Security: op.Security, Parameters: op.Params, Responses: map[string]any{}}
	if e.Security == nil {
		e.Security = []Requirement{}
	}
	if op.Body != nil {
		e.Body = &requestBody{true, map[string]media{jsonType: {op.Body, op.Example.Body}}}
	}
	ok := response{Description: "The answer",
		Headers: map[string]header{"X-Request-ID": {"The id of the request, also in the log", Text("")}},
		Content: map[string]media{}}
	if op.Answer != nil {
		ok.Content[jsonType] = media{op.Answer, op.Example.Answer}
	}
	for name, s := range op.Forms {
		ok.Content[name] = media{Schema: s}
	}
	if op.NotModified {
		ok.Headers["ETag"] = header{"The version of the answer, for If-None-Match", Text("")}
		e.Responses["304"] = response{Description: "The answer has not changed since the one whose ETag is in If-None-Match"}
	}
	e.Responses["200"] = ok
	for status, name := range op.Further {
		e.Responses[strconv.Itoa(status)] = map[string]string{"$ref": "#/components/responses/" + name}
	}
	if d.Paths[path] == nil {
		d.Paths[path] = pathItem{}
	}
	d.Paths[path][strings.ToLower(method)] = e
}

// AddResponse adds a component: the answer of a status other than 200, with its schema by media type.
func (d *Document) AddResponse(name, about string, retry bool, forms map[string]*Schema) {
	r := response{Description: about, Content: map[string]media{}}
	for form, s := range forms {
		r.Content[form] = media{Schema: s}
	}
	if retry {
		r.Headers = map[string]header{"Retry-After": {"After how many seconds the request may succeed",
			Whole("", 1, 0)}}
	}
	d.Components.Responses[name] = r
}

// AddScheme adds a scheme of security.
func (d *Document) AddScheme(name string, scheme map[string]string) {
	d.Components.SecuritySchemes[name] = scheme
}

// Schemas adds components. Encode returns an error if one has the name of another.
func (d *Document) Schemas(all map[string]*Schema) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		if was, ok := d.Components.Schemas[name]; ok && !reflect.DeepEqual(was, s) {
			d.twice = append(d.twice, fmt.Errorf("openapi: two schemas are called %s", name))
		}
		d.Components.Schemas[name] = s
	}
}

// Merge adds the tags, paths and components of js, an OpenAPI document in JSON. What both documents have is a mistake,
// unless it is equal.
func (d *Document) Merge(js []byte) error {
	var other struct {
		Tags       []Tag                                 `json:"tags"`
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(js, &other); err != nil {
		return fmt.Errorf("not an OpenAPI document: %w", err)
	}
	for _, tag := range other.Tags {
		if !slices.ContainsFunc(d.Tags, func(known Tag) bool { return known.Name == tag.Name }) {
			d.Tags = append(d.Tags, tag)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(other.Paths)) {
		if d.Paths[path] == nil {
			d.Paths[path] = pathItem{}
		}
		if err := add(d.Paths[path], other.Paths[path], "path "+path); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		name string
		to   map[string]any
	}{{"securitySchemes", d.Components.SecuritySchemes}, {"responses", d.Components.Responses},
		{"schemas", d.Components.Schemas}} {
		if err := add(part.to, other.Components[part.name], "component of "+part.name); err != nil {
			return err
		}
	}
	return nil
}

// add adds all to known.
func add(known map[string]any, all map[string]json.RawMessage, what string) error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was, ok := known[name]; ok {
			js, err := json.Marshal(was)
			if err != nil {
				return err
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, all[name]); err != nil {
				return err
			}
			if !bytes.Equal(js, compact.Bytes()) {
				return fmt.Errorf("the %s has %s twice", what, name)
			}
		}
		known[name] = all[name]
	}
	return nil
}

// Encode returns d as JSON, without components that nothing refers to.
func (d *Document) Encode() ([]byte, error) {
	for name, s := range mixed() {
		d.Components.Schemas[name] = s // a merged document may have it
	}
	if err := errors.Join(d.twice...); err != nil {
		return nil, err
	}
	if err := d.prune(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(d.Tags, func(a, b Tag) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
