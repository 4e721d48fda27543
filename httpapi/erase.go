package httpapi

import (
	"context"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// eraseScopes returns the scopes that allow erasing of resources of any kind.
func eraseScopes(string) []auth.Scope { return []auth.Scope{auth.EraseData} }

// allowErase checks that the key may erase visitors of the website in the URL.
func (a *api) allowErase(ctx context.Context, r *front.Request, q *question) error {
	others := func() query.Errors {
		_, bad := readPerson(r)
		return bad
	}
	if err := a.findSubject(r, others); err != nil {
		return err
	}
	if r.Resource.Kind != string(store.KindWebsite) {
		r.Resource = auth.Resource{}
		return query.Errors{{Code: query.Invalid, Field: "website_id",
			Message: "is required, because visitors are of a website"}}
	}
	if err := a.allowResource(ctx, r, eraseScopes); err != nil {
		return err
	}
	if !r.Principal.MayErase() {
		return &denied{scope: auth.EraseData, field: "Authorization",
			why: "needs an API key without filters and without a list of query types, because it erases all rows of a visitor"}
	}
	return nil
}

// readPerson decodes the id in the path, and the parameters.
func readPerson(r *front.Request) (erasure.Person, query.Errors) {
	p := erasure.Person{Website: r.Resource.ID, Kind: erasure.Visitor, ID: r.Segment}
	values, _ := r.Query() // findSubject has checked it
	kind, bad := single(values, "kind")
	bad = append(bad, unknown(values, "website_id", "kind")...)
	switch kind {
	case "", string(erasure.Visitor):
	case string(erasure.Profile):
		p.Kind = erasure.Profile
	default:
		bad = append(bad, &query.Error{Code: query.Invalid, Field: "kind", Message: "must be " +
			mistake.Or(string(erasure.Visitor), string(erasure.Profile))})
	}
	if !plausible(p.ID) {
		bad = append(bad, &query.Error{Code: query.Invalid, Field: "id",
			Message: "must be the id of a visitor or a profile: at most 256 bytes without control characters"})
	}
	return p, bad
}

// readErase decodes the request.
func (a *api) readErase(_ context.Context, r *front.Request, q *question) error {
	var bad query.Errors
	if q.person, bad = readPerson(r); len(bad) > 0 {
		return bad
	}
	return nil
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
