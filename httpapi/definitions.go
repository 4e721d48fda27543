package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/body"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/listing"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/internal/saved"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

const definitionsPath = "/v1/websites/{website_id}/definitions"

// definitionRoutes returns the routes of saved definitions.
func (a *api) definitionRoutes() []*route {
	type steps = front.Steps[definitionQuestion]
	row := func(method, about string, may auth.Permission, body bool, s steps,
		describe func(*describer) described) *route {
		s.Allow = allowPath[definitionQuestion](a, "")
		return &route{Route: front.Route{Method: method, Path: definitionsPath, Class: auth.ClassOther, May: may,
			Steps: s},
			about: about, of: oneWebsite, body: body,
			stores: changes(method, "definitions"),
			off:    func(cfg *Config) bool { return cfg.Definitions == nil }, describe: describe}
	}
	return []*route{
		row(http.MethodGet, "List saved goals, funnels, segments, annotations, notices and reports", auth.ToRead(), false,
			steps{Read: a.readDefinitionPage, Answer: a.listDefinitions},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "listDefinitions", Tag: tagDefinitions,
					NotModified: true, Params: append([]openapi.Param{websiteParam()}, pageParams(listing.MaxLimit)...),
					About: "Every key that can read the website can list and use them. Annotations are only shown: queries do not use them. Notices and reports, which have secrets, are listed for keys that can save them.",
					Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
						openapi.Member("definitions", openapi.List("", openapi.Of[definitionRecord](d.reflect), 0, 0)),
						openapi.Member("next", nextPage())).Needs("success", "definitions", "next")}}
			}),
		row(http.MethodPost, "Save a goal, a funnel, a segment, an annotation, a notice or a report by its name",
			auth.ToManageDefinitions(), true, steps{Read: a.readDefinition, Answer: a.putDefinition},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "saveDefinition", Tag: tagDefinitions,
					Params: []openapi.Param{websiteParam()},
					About:  "A definition of the same kind and name is replaced. A website may have 200 goals, funnels and segments, 500 annotations, and 50 notices and reports, of at most 64 KiB each and 4 MiB together. Notices and reports need a key that also reads the website, without filters and without a list of query types; with `allWebsites` one that reaches everything of its owner.",
					Body:   openapi.Ref("NewDefinition"),
					Answer: openapi.Object("", openapi.Member("success", openapi.Truth("")),
						openapi.Member("definition", openapi.Of[definitionRecord](d.reflect)),
						openapi.Member("meta", openapi.Object("Only if there are notes",
							openapi.Member("notes", openapi.List("What can match nothing in the definition", openapi.Text(""), 1, 0))))).Needs("success", "definition")}, errors: []code{codeConflict}}
			}),
		row(http.MethodDelete, "Remove a saved goal, funnel, segment, annotation, notice or report", auth.ToManageDefinitions(), false,
			steps{Read: a.readDefinitionName, Answer: a.removeDefinition},
			func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "removeDefinition", Tag: tagDefinitions,
					Params: []openapi.Param{websiteParam(),
						openapi.Query("kind", openapi.OneOf("", store.DefinitionKinds()...)).Must(),
						openapi.Query("name", definitionName("")).Must()}, Answer: done()},
					errors: []code{codeNotFound}}
			}),
	}
}

// A definitionQuestion is a decoded request about one definition.
type definitionQuestion struct {
	definition store.Definition
	notes      []string // of [saved.Check]

	limit int               // of a page
	after *store.Definition // the last one of the page before; nil on the first page
}

// definitionRecord is a definition in responses.
type definitionRecord struct {
	Kind    store.DefinitionKind `json:"kind"`
	Name    string               `json:"name"`
	Body    json.RawMessage      `json:"body"`
	Created health.Time          `json:"createdAt"`
	Updated health.Time          `json:"updatedAt"`
}

func definitionRecordOf(d store.Definition) definitionRecord {
	return definitionRecord{d.Kind, d.Name, d.Body, health.Time{Time: d.Created}, health.Time{Time: d.Updated}}
}

// listDefinitions answers with a page of the definitions of a website.
func (a *api) listDefinitions(ctx context.Context, r *front.Request, q *definitionQuestion) (*front.Answer, error) {
	all, err := a.cfg.Definitions.Definitions(ctx, r.Resource.ID) // a website has a bounded number
	if err != nil {
		return nil, err
	}
	if !a.mayNotify(r, auth.ToManageNotices()) {
		all = slices.DeleteFunc(all, func(d store.Definition) bool { return d.Kind.Sends() })
	}
	if q.after != nil {
		all = slices.DeleteFunc(all, func(d store.Definition) bool {
			return store.CompareDefinitions(d, *q.after) <= 0
		})
	}
	body := savedBody{Success: true, Definitions: []definitionRecord{}}
	if len(all) > q.limit {
		all = all[:q.limit]
		body.Next = new(definitionPosition(all[q.limit-1]).String())
	}
	for _, d := range all {
		body.Definitions = append(body.Definitions, definitionRecordOf(d))
	}
	return tagged(body)
}

// definitionPosition returns the place of d in a list.
func definitionPosition(d store.Definition) listing.Position {
	return listing.Position{At: d.Created, ID: string(d.Kind) + ":" + d.Name}
}

// readDefinitionPage decodes the URL.
func (a *api) readDefinitionPage(_ context.Context, r *front.Request, q *definitionQuestion) error {
	page, err := readPage(r, listing.DefaultLimit)
	if q.limit = page.Limit; err == nil && page.After != (listing.Position{}) {
		kind, name, _ := strings.Cut(page.After.ID, ":")
		q.after = &store.Definition{Kind: store.DefinitionKind(kind), Name: name, Created: page.After.At}
	}
	return err
}

// savedBody is a page of definitions in responses.
type savedBody struct {
	Success     bool               `json:"success"`
	Definitions []definitionRecord `json:"definitions"`
	Next        *string            `json:"next"` // null on the last page
}

// definitionFields are the fields of a definition in bodies.
var definitionFields = body.Of(
	body.Member("kind", func(d *store.Definition) *store.DefinitionKind { return &d.Kind }).Called("type"),
	body.Member("name", func(d *store.Definition) *string { return &d.Name }),
	body.Member("body", func(d *store.Definition) *json.RawMessage { return &d.Body }).Called("definition"),
)

// readDefinition reads a definition from the body, and checks it: a query can use it, if its kind is for queries.
func (a *api) readDefinition(ctx context.Context, r *front.Request, q *definitionQuestion) error {
	patch, bad, err := readFields(a, r, definitionFields)
	if err != nil {
		return err
	}
	q.definition = patch.New()
	d := &q.definition
	if err := a.permitSending(r, d); err != nil {
		return err
	}
	notes, more, err := saved.Check(ctx, a.cfg.Engine, r.Resource.ID, d)
	if err != nil {
		return err
	}
	if bad.AddNew(more.Mistakes()...); len(bad) > 0 {
		return bad
	}
	q.notes = notes
	return nil
}

func (a *api) putDefinition(ctx context.Context, r *front.Request, q *definitionQuestion) (*front.Answer, error) {
	if err := a.completeNotice(ctx, r, &q.definition); err != nil {
		return nil, err
	}
	d, err := a.cfg.Definitions.PutDefinition(ctx, r.Resource.ID, q.definition)
	if err != nil {
		return nil, err
	}
	return front.JSON(struct {
		Success    bool             `json:"success"`
		Definition definitionRecord `json:"definition"`
		Meta       *savedMeta       `json:"meta,omitempty"`
	}{true, definitionRecordOf(d), savedMetaOf(q.notes)})
}

// savedMeta is about a saved definition.
type savedMeta struct {
	Notes []string `json:"notes"` // what can match nothing in it
}

// savedMetaOf returns nil if there are no notes.
func savedMetaOf(notes []string) *savedMeta {
	if len(notes) == 0 {
		return nil
	}
	return &savedMeta{notes}
}

// readDefinitionName reads the kind and the name of a definition from the URL.
func (a *api) readDefinitionName(_ context.Context, r *front.Request, q *definitionQuestion) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	bad := unknown(values, "kind", "name")
	for _, part := range []struct {
		name string
		into *string
	}{{"kind", (*string)(&q.definition.Kind)}, {"name", &q.definition.Name}} {
		text, wrong := single(values, part.name)
		if *part.into = text; text == "" && len(wrong) == 0 {
			wrong = mistake.List{{Field: part.name, Message: mistake.Required}}
		}
		bad = append(bad, wrong...)
	}
	if kind := q.definition.Kind; kind != "" && !slices.Contains(store.DefinitionKinds(), kind) {
		bad = append(bad, mistake.FieldError{Field: "kind",
			Message: mistake.OneOf(kind, store.DefinitionKinds()...)})
	}
	if err := bad.Err(); err != nil {
		return err
	}
	return a.permitSending(r, &q.definition)
}

func (a *api) removeDefinition(ctx context.Context, r *front.Request, q *definitionQuestion) (*front.Answer, error) {
	if err := a.cfg.Definitions.RemoveDefinition(ctx, r.Resource.ID, q.definition.Kind, q.definition.Name); err != nil {
		return nil, err
	}
	return front.JSON(struct {
		Success bool `json:"success"`
	}{true})
}

// resolveSaved replaces the names of saved definitions in the queries of q. It returns the mistakes of each query in
// bad, which is nil if no query uses such names.
func (a *api) resolveSaved(ctx context.Context, r *front.Request, q *question) (bad []query.Errors, err error) {
	if q.websites != nil { // the engine refuses such names
		return nil, nil
	}
	if !slices.ContainsFunc(q.queries, func(d query.Decoded) bool { return d.Request.UsesSaved() }) {
		return nil, nil
	}
	reqs := make([]*query.Request, len(q.queries))
	for i := range q.queries {
		reqs[i] = &q.queries[i].Request
	}
	return saved.Resolve(ctx, a.cfg.Engine, a.cfg.Definitions, subject(r), reqs...)
}
