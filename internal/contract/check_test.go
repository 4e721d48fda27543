package contract

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"mime"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sightline-analytics/sightline/internal/contract/generate"
)

type (
	document = generate.Object
	object   = generate.Object
	request  = generate.Request
)

// A checker compares answers with a document.
type checker struct {
	doc     document
	schemas *jsonschema.Compiler
	known   map[string]*jsonschema.Schema
}

func newChecker(doc document) (*checker, error) {
	closed, _ := closeObjects(doc).(object)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("document.json", closed); err != nil {
		return nil, err
	}
	return &checker{closed, c, map[string]*jsonschema.Schema{}}, nil
}

// closeObjects returns a copy of v in which objects with properties have no others, unless their schema says which.
func closeObjects(v any) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = closeObjects(v[i])
		}
		return all
	case object:
		all := make(object, len(v)+1)
		for name, child := range v {
			all[name] = closeObjects(child)
		}
		_, properties := v["properties"].(object)
		if _, said := v["additionalProperties"]; properties && !said && v["type"] == "object" {
			all["additionalProperties"] = false
		}
		return all
	}
	return v
}

// An exchange is a request with its answer.
type exchange struct {
	request
	status int
	form   string // Content-Type
	answer string
}

func exchanged(r request, rec *httptest.ResponseRecorder) exchange {
	return exchange{r, rec.Code, rec.Header().Get("Content-Type"), rec.Body.String()}
}

// check returns an error if the answer of x is not in the document.
func (c *checker) check(x exchange) error {
	pointer := []string{"paths", x.Path, strings.ToLower(x.Method), "responses", strconv.Itoa(x.status)}
	response, ok := generate.At(c.doc, pointer...).(object)
	if !ok {
		return fmt.Errorf("the document has no status %d for this route: %s", x.status, x.answer)
	}
	if ref, ok := response["$ref"].(string); ok {
		pointer = strings.Split(strings.TrimPrefix(ref, "#/"), "/")
		response, _ = generate.At(c.doc, pointer...).(object)
	}
	content, _ := response["content"].(object)
	if len(content) == 0 {
		return nil
	}
	form, ok := formOf(content, x.form)
	if !ok {
		return fmt.Errorf("the document has no content type %q for status %d", x.form, x.status)
	}
	if form != "application/json" && form != "application/problem+json" {
		return checkRows(form, x.answer)
	}
	schema, err := c.compile(append(pointer, "content", form, "schema"))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(x.answer))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("status %d: %.3000s\n%.3000s", x.status, err.Error(), x.answer)
	}
	return nil
}

// formOf returns the media type of content that fits a Content-Type.
func formOf(content object, sent string) (string, bool) {
	if _, ok := content[sent]; ok {
		return sent, true
	}
	short, _, err := mime.ParseMediaType(sent)
	_, ok := content[short]
	return short, err == nil && ok
}

// checkRows checks that all rows have the same number of cells, or are JSON.
func checkRows(form, answer string) error {
	switch {
	case strings.HasPrefix(form, "text/csv"):
		_, err := csv.NewReader(strings.NewReader(answer)).ReadAll()
		return err
	case form == "application/x-ndjson":
		for line := range strings.Lines(answer) {
			if !json.Valid([]byte(line)) {
				return fmt.Errorf("the line is not JSON: %s", line)
			}
		}
	}
	return nil
}

func (c *checker) compile(pointer []string) (*jsonschema.Schema, error) {
	escaped := make([]string, len(pointer))
	for i, name := range pointer {
		escaped[i] = strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", " ", "%20").Replace(name)
	}
	place := "document.json#/" + strings.Join(escaped, "/")
	if known := c.known[place]; known != nil {
		return known, nil
	}
	s, err := c.schemas.Compile(place)
	if err == nil {
		c.known[place] = s
	}
	return s, err
}
