// Package saved keeps goals, funnels, segments, annotations, notices and reports by name. Requests can use the first
// three:
//
//	{"name": "goals", "saved": true}                          all saved goals of the website
//	{"name": "goals_trends", "saved": ["Signup", "Order"]}
//	{"name": "funnel", "saved": "Checkout"}
//	{"filters": [{"segment": "mobile-de"}]}                   wherever a filter may stand, also in goals and steps
//
// An annotation says what happened at a time, such as {"at": "2026-11-27", "text": "Version 2.1"}. Requests cannot use
// it. What notices and reports mean, package notice knows.
//
// A definition belongs to one website. It holds no data: whoever uses it needs a key for the website, and sees only the
// rows that the key may see.
package saved

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/store"
)

// Bounds of a definition.
const (
	MaxName = 100      // characters of a name
	MaxBody = 16 << 10 // bytes of a body
	MaxText = 200      // characters of the text of an annotation
)

// fields lists the members of the body of each kind: of [ask.Goal] without the name, of [ask.Funnel], filters, and of
// [Annotation]. The members in required must be there.
var fields = map[store.DefinitionKind]struct{ names, required []string }{
	store.GoalDefinition:       {[]string{"event", "page", "click", "filters", "value"}, nil},
	store.FunnelDefinition:     {[]string{"steps", "window", "within", "order", "exclude"}, []string{"steps"}},
	store.SegmentDefinition:    {[]string{"filters"}, []string{"filters"}},
	store.AnnotationDefinition: {[]string{"at", "text"}, []string{"at", "text"}},
	store.NoticeDefinition:     {}, // package notice knows them
	store.ReportDefinition:     {},
}

// Request returns a request that has the whole meaning of d, if requests can use its kind; otherwise it returns a
// mistake. All mistakes in
// the form of d are in bad, by their places in a definition, such as body.steps[0].event. See [Check] for the others.
func Request(d *store.Definition) (req ask.Request, bad ask.Errors) {
	if bad = check(d); len(bad) > 0 {
		return ask.Request{}, bad
	}
	if d.Kind == store.AnnotationDefinition || d.Kind.Sends() {
		return ask.Request{}, ask.Errors{{Code: ask.Invalid, Field: "kind", Message: "cannot be part of a request"}}
	}
	if err := json.Unmarshal(wrapped(d), &req); err != nil {
		wrong, ok := errors.AsType[ask.Errors](err)
		if !ok {
			wrong = ask.Errors{{Code: ask.Invalid, Message: err.Error()}}
		}
		return ask.Request{}, placed(d, wrong)
	}
	if req.UsesSaved() {
		return ask.Request{}, ask.Errors{{Code: ask.Invalid, Field: "body", Message: "cannot use other definitions"}}
	}
	return req, nil
}

// Check returns all mistakes in d, also those that only the catalog of engine knows, such as names of fields. d may be
// stored for website if there are none. Then notes has a sentence for each value in d that can match nothing. err is an
// error of engine.
func Check(ctx context.Context, engine *query.Engine, website string, d *store.Definition) (notes []string,
	bad ask.Errors, err error) {
	if d.Kind == store.AnnotationDefinition {
		return nil, checkAnnotation(d), nil
	}
	if d.Kind.Sends() {
		return checkSending(ctx, engine, website, d)
	}
	req, bad := Request(d)
	if bad != nil {
		return nil, bad, nil
	}
	explained, err := engine.Explain(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: website}},
		req)
	if wrong, ok := errors.AsType[ask.Errors](err); ok {
		return nil, placed(d, wrong), nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, one := range explained {
		notes = append(notes, one.Notes...)
		if one.Err != nil {
			bad = append(bad, one.Err)
		}
	}
	return notes, placed(d, bad), nil
}

// check returns the mistakes in the kind and the name of d, and in the names of the members of its body.
func check(d *store.Definition) (bad ask.Errors) {
	add := func(field, message string) {
		bad = append(bad, &ask.Error{Code: ask.Invalid, Field: field, Message: message})
	}
	known, ok := fields[d.Kind]
	if !ok {
		add("kind", mistake.OneOf(d.Kind, store.DefinitionKinds()...))
	}
	if wrong := checkText(d.Name, MaxName); wrong != "" {
		add("name", wrong)
	}
	switch body := bytes.TrimSpace(d.Body); {
	case len(body) == 0:
		add("body", mistake.Required)
	case len(body) > MaxBody:
		add("body", fmt.Sprintf("may have at most %d bytes, not %d", MaxBody, len(body)))
	case body[0] != '{' || !json.Valid(body):
		add("body", "must be an object")
	case ok && known.names != nil:
		var members map[string]json.RawMessage
		_ = json.Unmarshal(body, &members) // it is a valid object
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !slices.Contains(known.names, name) {
				message, suggestion := mistake.Unknown(name, known.names, nil)
				bad = append(bad, &ask.Error{Code: ask.Invalid, Field: "body." + name, Message: message,
					Suggestion: suggestion})
			}
		}
		for _, name := range known.required {
			if _, given := members[name]; !given {
				add("body."+name, mistake.Required)
			}
		}
	}
	return bad
}

// checkText returns what is wrong with a text that people read, or "".
func checkText(text string, most int) string {
	switch {
	case text == "":
		return mistake.Required
	case !utf8.ValidString(text):
		return mistake.NotUTF8
	case utf8.RuneCountInString(text) > most:
		return mistake.Long(most)
	case strings.ContainsFunc(text, unicode.IsControl):
		return mistake.Control
	case strings.TrimSpace(text) != text:
		return "must not begin or end with a blank"
	}
	return ""
}

// wrapped returns a request with the body of d in its place.
func wrapped(d *store.Definition) []byte {
	body := bytes.TrimSpace(d.Body)
	name, _ := json.Marshal(d.Name)
	members := bytes.TrimSpace(body[1 : len(body)-1])
	comma := ","
	if len(members) == 0 {
		comma = ""
	}
	switch d.Kind {
	case store.GoalDefinition:
		return fmt.Appendf(nil, `{"preset":"today","parameters":[{"name":"goals","goals":[{"name":%s%s%s}]}]}`, name,
			comma, members)
	case store.FunnelDefinition:
		return fmt.Appendf(nil, `{"preset":"today","parameters":[{"name":"funnel"%s%s}]}`, comma, members)
	}
	return fmt.Appendf(nil, `{"preset":"today","parameters":[{"metrics":["pageviews"]%s%s}]}`, comma, members)
}

// placed returns wrong, mistakes of the request of d, with their places in d.
func placed(d *store.Definition, wrong ask.Errors) (bad ask.Errors) {
	place := "parameters[0]"
	if d.Kind == store.GoalDefinition {
		place = "parameters[0].goals[0]"
	}
	for _, e := range wrong {
		one := *e
		one.Field = "body"
		if rest, ok := strings.CutPrefix(e.Field, place); ok && rest != "" {
			one.Field = "body" + rest
		}
		// a place in the request
		one.Message = strings.TrimPrefix(one.Message, strings.TrimPrefix(e.Field, "parameters[0].")+": ")
		one.Message = strings.TrimPrefix(one.Message, "goals[0] ")
		bad = append(bad, &one)
	}
	return bad
}

// Library returns what all mean, for [ask.Request.Resolve]. It leaves out what cannot be read, which a newer version
// may have stored. taking returns the query types that take a part of a parameter: see [query.Engine.TypesTaking].
func Library(taking func(part string) []string, all []store.Definition) *ask.Library {
	l := &ask.Library{OfGoals: taking("goals"), OfSteps: taking("steps"), Funnels: map[string]ask.Funnel{},
		Segments: map[string][]ask.Filter{}}
	for _, d := range all {
		req, bad := Request(&d)
		if bad != nil {
			continue
		}
		p := &req.Parameters[0]
		switch d.Kind {
		case store.GoalDefinition:
			l.Goals = append(l.Goals, p.Goals...)
		case store.FunnelDefinition:
			l.Funnels[d.Name] = ask.Funnel{Steps: p.Steps, Window: p.Window, Within: p.Within}
		case store.SegmentDefinition:
			l.Segments[d.Name] = p.Filters
		}
	}
	return l
}

// Resolve replaces the names of saved definitions in reqs by what they mean for s and the types of engine. It asks
// definitions, which may be nil, only if there are such names. mistakes has the mistakes of each request; err is an
// error of definitions.
func Resolve(ctx context.Context, engine *query.Engine, definitions store.DefinitionStore, s store.Subject,
	reqs ...*ask.Request) (mistakes []ask.Errors, err error) {
	mistakes = make([]ask.Errors, len(reqs))
	var library *ask.Library
	for i, req := range reqs {
		if definitions == nil || s.Kind != store.KindWebsite || !req.UsesSaved() {
			continue // the engine refuses names that are left
		}
		if library == nil {
			all, err := definitions.Definitions(ctx, s.ID)
			if err != nil {
				return nil, err
			}
			library = Library(engine.TypesTaking, all)
		}
		resolved, bad := req.Resolve(library)
		if mistakes[i] = bad; bad == nil {
			*req = resolved
		}
	}
	return mistakes, nil
}
