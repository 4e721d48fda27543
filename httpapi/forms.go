package httpapi

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/sightline-analytics/sightline/internal/csvtext"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/query"
)

// A form is a way to write an answer to a query.
type form struct {
	name   string // its media type
	header string // Content-Type; empty means JSON
	append func(r *query.Result, b []byte) []byte
	bom    *form // the same after a byte order mark; nil if the form has none
}

// jsonForm is the form of answers unless Accept asks for another one.
var jsonForm = &form{name: "application/json"}

// rowFormats are the forms that have the rows of one parameter alone.
var rowFormats = []*form{
	{"text/csv", csvType, (*query.Result).AppendCSV, &form{name: "text/csv;bom", header: csvType, append: csvAfterBOM}},
	{"application/x-ndjson", "application/x-ndjson", (*query.Result).AppendLines, nil},
}

const csvType = "text/csv; charset=utf-8; header=present"

func csvAfterBOM(r *query.Result, b []byte) []byte { return r.AppendCSV(append(b, csvtext.BOM...)) }

// rowForms returns the schemas of the forms in the document.
func rowForms() map[string]*openapi.Schema {
	return map[string]*openapi.Schema{
		"text/csv":             openapi.Text("The rows of the one parameter, after a row with the names of the columns. A text that a spreadsheet would run as a formula has an apostrophe before it."),
		"application/x-ndjson": openapi.Text("The rows of the one parameter, each as a line of JSON"),
	}
}

// formError says why a request cannot be answered in a form.
type formError struct {
	form *form
	why  string
}

func (e *formError) Error() string {
	return fmt.Sprintf("%s has the rows of one parameter, and the request %s: send Accept: application/json, or ask for one parameter", e.form.name, e.why)
}

func fillForm(err error, p *problem) {
	if f, ok := errors.AsType[*formError](err); ok {
		p.Message, p.details = f.Error(),
			[]mistake.FieldError{about("Accept", "must allow application/json, because the request "+f.why)}
	}
}

// formOf returns the form of the answer to q that the client prefers. If the preferred form does not suit q, it is JSON
// if the client takes it, and otherwise an error.
func formOf(h http.Header, q *question) (*form, error) {
	most, named := front.Accepts(h, jsonForm.name)
	best := jsonForm
	for _, f := range rowFormats {
		// A form that is named goes before JSON if only a pattern allows JSON.
		if w, own := front.Accepts(h, f.name); w > most || own && !named && w == most && w > 0 {
			best, most, named = f, w, own
		}
	}
	why := unsuited(q)
	switch {
	case best == jsonForm:
		return best, nil
	case why == "" && q.bom && best.bom != nil:
		return best.bom, nil
	case why == "":
		return best, nil
	}
	if plain, _ := front.Accepts(h, jsonForm.name); plain > 0 {
		return jsonForm, nil
	}
	return nil, &formError{best, why}
}

// unsuited says why rows alone are no answer to q; empty if they are.
func unsuited(q *question) string {
	if q.batch {
		return "is a batch"
	}
	req := &q.queries[0].Request
	if n := len(req.Parameters); n != 1 {
		return fmt.Sprintf("has %d", n)
	}
	totals := req.Totals
	if own := req.Parameters[0].Totals; own != nil {
		totals = own
	}
	if totals != nil && *totals {
		return "asks for totals"
	}
	return ""
}

// tagged returns what the entity tag of an answer in f has beside its data.
func (f *form) tagged() any {
	if f == jsonForm {
		return nil
	}
	return f.name
}

// keyed returns the key of an answer in f, of the key of its data.
func (f *form) keyed(key string) string {
	if f == jsonForm || key == "" {
		return key
	}
	return key + " " + f.name // no key has a blank
}

// encode appends resp to b.
func (f *form) encode(resp *query.Response, b []byte) []byte {
	if f == jsonForm {
		return append(resp.Encode(b), '\n')
	}
	return f.append(&resp.Data[0], b)
}

// failureOf returns the error of a parameter that failed.
func failureOf(r *query.Result) error {
	return query.Errors{{Code: r.Code, Field: "parameters[0]", Message: r.Error, Err: r.Cause}}
}

// problemBody is an error in the form of RFC 9457, with the fields of errors.
type problemBody struct {
	front.Problem
	errorBody
}

// problem returns body in the form of RFC 9457.
func (p problem) problem(body errorBody) problemBody {
	title := p.Message
	for _, known := range codes {
		if known.Code == p.Code {
			title = known.Message
		}
	}
	return problemBody{front.NewProblem(p.Code, title, p.Message, p.Status), body}
}

// problemSchema returns the schema of errors in this form with a status.
func problemSchema(status int, codes []string) *openapi.Schema {
	d := reflected()
	openapi.Of[problemBody](d)
	s := withCodes(d.Components["Problem"], codes)
	*s.Properties.Slot("status") = &openapi.Schema{Type: openapi.Types{"integer"}, Const: status}
	return s
}
