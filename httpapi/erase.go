package httpapi

import (
	"context"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/internal/openapi"
	"github.com/sightline-analytics/sightline/store"
)

// eraseRoutes returns the route that erases a visitor.
func (a *api) eraseRoutes() []*route {
	type steps = front.Steps[question]
	return []*route{
		{Route: front.Route{Method: http.MethodDelete, Path: "/v1/visitors/{id}", Class: auth.ClassExport,
			May:   auth.ToErase(),
			Steps: steps{Allow: a.allowErase, Read: a.readErase, Answer: a.answerErase}},
			about: "Erase one visitor of a website", of: oneWebsite, stores: nothing,
			off: func(cfg *Config) bool { return cfg.Erase == nil },
			describe: func(d *describer) described {
				return described{Operation: openapi.Operation{ID: "eraseVisitor", Tag: tagExports,
					Answer: openapi.Of[erasedBody](d.reflect),
					About: "Removes the rows of the visitor from every table, and its profile. All answers are without it from then on. " +
						"`removed` counts rows by table, and profiles. `linked` has the ids of the other kind in the removed rows, at most 100: erase them too if they are the same person. " +
						"`notice` says what could not be looked for: hashes of ids of visitors on earlier days. An id without rows is not an error.",
					Params: []openapi.Param{openapi.Path("id", openapi.Text("The id of the visitor or the profile")),
						openapi.Query("website_id", openapi.Text("The website")).Must(),
						openapi.Query("kind",
							openapi.OneOf("The kind of id in the path: `visitor` (default), an id as the browser has it or as exports show it; or `profile`, a `profileId`", "visitor", "profile"))}}}
			}},
	}
}

// allowErase checks that the key may erase visitors of the website in the URL.
func (a *api) allowErase(ctx context.Context, r *front.Request, q *question) error {
	others := func() error {
		_, bad := readPerson(r)
		return bad.Err()
	}
	if err := a.findSubject(r, others); err != nil {
		return err
	}
	if r.Resource.Kind != string(store.KindWebsite) {
		r.Resource = auth.Resource{}
		return mistake.List{{Field: "website_id",
			Message: "is required, because visitors are of a website"}}
	}
	return a.permitOn(ctx, r, r.Route.May, allRows+"it erases all rows of a visitor")
}

// readPerson decodes the id in the path, and the parameters.
func readPerson(r *front.Request) (erasure.Person, mistake.List) {
	p := erasure.Person{Website: r.Resource.ID, Kind: erasure.Visitor, ID: r.Segment}
	values, _ := r.Query() // findSubject has checked it
	kind, bad := single(values, "kind")
	bad = append(bad, unknown(values, "website_id", "kind")...)
	switch kind {
	case "", string(erasure.Visitor):
	case string(erasure.Profile):
		p.Kind = erasure.Profile
	default:
		bad = append(bad, mistake.FieldError{Field: "kind", Message: "must be " +
			mistake.Or(string(erasure.Visitor), string(erasure.Profile))})
	}
	if !plausible(p.ID) {
		bad = append(bad, mistake.FieldError{Field: "id",
			Message: "must be the id of a visitor or a profile: at most 256 bytes without control characters"})
	}
	return p, bad
}

// readErase decodes the request.
func (a *api) readErase(_ context.Context, r *front.Request, q *question) error {
	person, bad := readPerson(r)
	q.person = person
	return bad.Err()
}

// erasedBody is the response after erasing.
type erasedBody struct {
	Success bool `json:"success"`
	*erasure.Report
}

// answerErase erases the visitor, and says what was removed.
func (a *api) answerErase(ctx context.Context, _ *front.Request, q *question) (*front.Answer, error) {
	report, err := a.cfg.Erase.Erase(ctx, q.person)
	if err != nil {
		return nil, err
	}
	return encode(erasedBody{true, report})
}
