package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// subjects are the query parameters that name the subject of a query.
var subjects = []struct {
	param string
	kind  store.SubjectKind
	word  string // in messages
}{
	{"website_id", store.KindWebsite, "website"},
	{"link_id", store.KindLink, "link"},
	{"schedule_id", store.KindSchedule, "monitor"},
}

// allowRoute is the step Allow of routes about no single resource.
func allowRoute[Q any](_ context.Context, r *front.Request, _ *Q) error {
	return permit(r, r.Route.May, "")
}

// allowPath is the step Allow of routes about the website in the path. why is as in suit.
func allowPath[Q any](a *api, why string) func(context.Context, *front.Request, *Q) error {
	return func(ctx context.Context, r *front.Request, _ *Q) error {
		r.Resource = auth.Resource{Kind: auth.KindWebsite, ID: r.Segment}
		return a.permitOn(ctx, r, r.Route.May, why)
	}
}

// allowSubject checks that the key may read the one website, link or monitor in the URL, or several websites.
func (a *api) allowSubject(ctx context.Context, r *front.Request, q *question) error {
	return a.permitSubject(ctx, r, q, r.Route.May)
}

// permitSubject checks that the caller has need for the one website, link or monitor in the URL of a query, or for each
// of several websites.
func (a *api) permitSubject(ctx context.Context, r *front.Request, q *question, need auth.Permission) error {
	values, ok := r.Query()
	switch {
	case !ok:
		return errMalformed
	case asksSeveral(values):
		return a.permitWebsites(ctx, r, q, values, need)
	}
	if err := a.findSubject(r, func() error { return a.readQuestion(ctx, r, q) }); err != nil {
		return err
	}
	return a.permitOn(ctx, r, need, "")
}

// findSubject sets r.Resource to the one website, link or monitor in the URL. If there is not exactly one, the error
// also has the other mistakes of the request.
func (a *api) findSubject(r *front.Request, others func() error) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	var params []string // parameters that name a subject
	for _, s := range subjects {
		for _, id := range values[s.param] {
			if id != "" {
				params = append(params, s.param)
				r.Resource = auth.Resource{Kind: string(s.kind), ID: id}
			}
		}
	}
	switch len(params) {
	case 0:
		return &subjectError{values: values, others: others()}
	case 1:
		return nil
	}
	r.Resource = auth.Resource{}
	var several mistake.List
	sent := strings.Join(slices.Compact(slices.Clone(params)), " and ")
	if sent == params[0] {
		sent = fmt.Sprintf("%d times %s", len(params), sent)
	}
	for _, param := range params[:min(len(params), maxUnknown)] {
		several.Add(param, "send exactly one of website_id, link_id and schedule_id; this request has "+sent)
	}
	return append(several, mistake.In(others())...)
}

// A subjectError says that a URL names no subject. It wraps errNoSubject.
type subjectError struct {
	values url.Values
	others error // the other mistakes of the request; may be nil
}

func (*subjectError) Error() string { return errNoSubject.Error() }
func (*subjectError) Unwrap() error { return errNoSubject }

// Mistakes says which parameters the URL has, and then the other mistakes.
func (e *subjectError) Mistakes() []mistake.FieldError {
	names := slices.Sorted(maps.Keys(e.values))
	message := "is required, or link_id or schedule_id; the address has no parameters"
	if len(names) > 0 {
		message = "is required, or link_id or schedule_id; the address has " + shortened(strings.Join(names, ", "))
	}
	return append(mistake.One("website_id", message), mistake.In(e.others)...)
}

// allowCompile checks that the key may read the subject and see its SQL statements. A caller who cannot read it at all
// gets the answer of other queries.
func (a *api) allowCompile(ctx context.Context, r *front.Request, q *question) error {
	if err := a.permitSubject(ctx, r, q, auth.ToRead()); err != nil {
		return err
	}
	r.Scope, _ = r.Route.May.ScopeOn(r.Key(), r.Resource)
	for _, of := range q.resources(r) {
		if !r.Principal.Allows(r.Route.May, of) {
			return &denied{scope: r.Scope, field: "Authorization",
				why: "needs an API key with the scope read:data and without filters, and not a panel token"}
		}
	}
	return nil
}

// permit checks that the caller has need, for a request about no single resource.
func permit(r *front.Request, need auth.Permission, why string) error {
	var ok bool
	if r.Scope, ok = need.Scope(r.Key()); !ok {
		return lacks(r.Scope)
	}
	return suit(r, need, why)
}

// suit checks that no limit of the caller rules need out. why says what the key must be, for a caller who has the
// scope. If it is empty, the error says that the caller lacks the scope.
func suit(r *front.Request, need auth.Permission, why string) error {
	switch {
	case r.Principal.Suits(need):
		return nil
	case why == "":
		return lacks(r.Scope)
	}
	return &denied{scope: r.Scope, field: "Authorization", why: why}
}

// permitOn checks that the caller has need for r.Resource, which is a website, a link or a monitor.
func (a *api) permitOn(ctx context.Context, r *front.Request, need auth.Permission, why string) error {
	// without an owner, so this is the scope that the key would need
	r.Scope, _ = need.ScopeOn(r.Key(), r.Resource)
	kind := r.Resource.Kind
	reached := func() (ok bool, err error) {
		r.Resource.Owner, err = a.cfg.Directory.Owner(ctx, subject(r))
		r.Scope, ok = need.ScopeOn(r.Key(), r.Resource)
		return ok, err
	}
	if err := reach(r, r.Resource.ID, reached, func() error { return a.unreached(r, kind, need) }); err != nil {
		return err
	}
	return suit(r, need, why)
}

// reach checks that the caller reaches the resource with an id. reached looks it up, and reports whether the key
// reaches it. Unknown resources, resources of other owners and resources that the key does not reach get the same
// answer after the same look-up: the error of unreached.
func reach(r *front.Request, id string, reached func() (bool, error), unreached func() error) error {
	if !plausible(id) {
		r.Resource.ID = ""
		return unreached()
	}
	ok, err := reached()
	switch {
	case errors.Is(err, store.ErrNotFound) || errors.Is(err, auth.ErrNotFound):
		return unreached()
	case err != nil:
		return err
	case !ok:
		return unreached()
	}
	return nil
}

// unreached returns the error for a resource that the key does not reach. It does not depend on whether the id exists.
func (a *api) unreached(r *front.Request, kind string, need auth.Permission) error {
	if !slices.ContainsFunc(need.AnyOf(kind), r.Key().Has) {
		return lacks(r.Scope)
	}
	for _, s := range subjects {
		if string(s.kind) != kind {
			continue
		}
		d := &denied{scope: r.Scope, field: s.param,
			why: fmt.Sprintf("is not the id of a %s that the key reaches", s.word)}
		_, lists := auth.ToList(kind).Scope(r.Key())
		if lists && (s.kind == store.KindWebsite || a.cfg.Subjects != nil) {
			d.why += fmt.Sprintf("; GET /v1/query/%ss lists them", s.word)
		}
		return d
	}
	return &denied{scope: r.Scope}
}

// plausible reports whether id can be an id. Other ids are never looked up, since a database may fail on
// them.
func plausible(id string) bool {
	if len(id) > 256 || !utf8.ValidString(id) {
		return false
	}
	for _, c := range id {
		if unicode.IsControl(c) {
			return false
		}
	}
	return true
}

// access returns the access of r's key for the engine, to what q is about.
func access(r *front.Request, q *question) query.Access {
	key := r.Principal.Key
	found := query.Access{Filters: queryFilters(key.Filters), Types: key.Types, Owner: key.Owner, Caller: key.ID,
		Name: q.name}
	if found.Websites = q.websites; found.Websites == nil {
		found.Subject = subject(r)
	}
	return found
}

// queryFilters converts the filters of a key for the engine.
func queryFilters(filters []auth.Filter) (all []query.Filter) {
	for _, f := range filters {
		one := query.Filter{Field: f.Field, Op: query.Op(f.Op), Values: f.Values, And: queryFilters(f.And),
			Or: queryFilters(f.Or)}
		if f.Not != nil {
			one.Not = &queryFilters([]auth.Filter{*f.Not})[0]
		}
		if d := f.Did; d != nil {
			one.Did = &query.Did{In: d.In,
				Action: query.Action{Event: queryText(d.Event), Page: queryText(d.Page), Click: queryText(d.Click),
					Filters: queryFilters(d.Filters)}}
		}
		all = append(all, one)
	}
	return all
}

// queryText converts a test of a text for the engine.
func queryText(t *auth.Text) *query.Text {
	if t == nil {
		return nil
	}
	return &query.Text{Op: query.Op(t.Op), Values: t.Values}
}

// allRows is the beginning of why a key must be unlimited.
const allRows = "needs an API key without filters and without a list of query types, because "

// denied is an auth.ErrForbidden with the scope that the key would need, and a message about a field. It must not
// depend on whether the value of the field exists.
type denied struct {
	scope      auth.Scope
	field, why string
}

// lacks returns the error for a key without scope.
func lacks(scope auth.Scope) *denied {
	return &denied{scope: scope, field: "Authorization", why: "needs a key with the scope " + string(scope)}
}

func (d *denied) Error() string { return auth.ErrForbidden.Error() + ": " + string(d.scope) }
func (d *denied) Unwrap() error { return auth.ErrForbidden }
