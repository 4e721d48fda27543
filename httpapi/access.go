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
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// subjects are the query parameters that name what is asked about.
var subjects = []struct {
	param string
	kind  store.SubjectKind
	word  string // for people
}{
	{"website_id", store.KindWebsite, "website"},
	{"link_id", store.KindLink, "link"},
	{"schedule_id", store.KindSchedule, "monitor"},
}

// allowSubject lets the key ask about the one website, link or monitor that the address names.
func (a *api) allowSubject(ctx context.Context, r *front.Request, q *question) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	var params []string // that name a subject
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
		missing := noSubject(values)
		if more := a.mistakes(ctx, r, q); len(more) > 0 {
			return errors.Join(missing, more)
		}
		return missing
	case 1:
		return a.allowResource(ctx, r)
	}
	r.Resource = auth.Resource{}
	var several query.Errors
	sent := strings.Join(slices.Compact(slices.Clone(params)), " and ")
	if sent == params[0] {
		sent = fmt.Sprintf("%d times %s", len(params), sent)
	}
	for _, param := range params[:min(len(params), maxUnknown)] {
		several = append(several, &query.Error{Code: query.Invalid, Field: param,
			Message: "send exactly one of website_id, link_id and schedule_id; this request has " + sent})
	}
	return append(several, a.mistakes(ctx, r, q)...)
}

// noSubject says that the address names nothing to ask about, and what it names.
func noSubject(values url.Values) error {
	names := slices.Sorted(maps.Keys(values))
	message := "is required, or link_id or schedule_id; the address has no parameters"
	if len(names) > 0 {
		message = "is required, or link_id or schedule_id; the address has " + shortened(strings.Join(names, ", "))
	}
	return &query.Error{Field: "website_id", Message: message, Err: errNoSubject}
}

// allowPath lets the key ask about the website in the path.
func (a *api) allowPath(ctx context.Context, r *front.Request, _ *question) error {
	r.Resource = auth.Resource{Kind: string(store.KindWebsite), ID: r.Segment}
	return a.allowResource(ctx, r)
}

// allowCompile lets those see the statements of a subject that may read it and see statements.
func (a *api) allowCompile(ctx context.Context, r *front.Request, q *question) error {
	if err := a.allowSubject(ctx, r, q); err != nil {
		return err
	}
	r.Scope = auth.ReadData
	if !r.Principal.MayExplain() {
		return &denied{scope: auth.ReadData, field: "Authorization", why: "needs an API key with the scope read:data and without filters, and not a panel token"}
	}
	return nil
}

// allowList lets the key list subjects of a kind; which ones, the answer decides.
func allowList(kind string) func(context.Context, *front.Request, *question) error {
	return func(_ context.Context, r *front.Request, _ *question) error {
		for _, r.Scope = range auth.ReadScopes(kind) {
			if r.Principal.Key.Has(r.Scope) {
				return nil
			}
		}
		return lacks(r.Scope)
	}
}

// allowResource lets the key read r.Resource. A resource that does not exist and one of
// somebody else are refused alike, after the same look-up.
func (a *api) allowResource(ctx context.Context, r *front.Request) error {
	r.Scope, _ = r.Principal.Key.ReadScope(r.Resource) // nobody's yet, so the one that is needed
	if !plausible(r.Resource.ID) {
		kind := r.Resource.Kind
		r.Resource.ID = ""
		return a.unreached(r, kind)
	}
	owner, err := a.cfg.Directory.Owner(ctx, subject(r))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	r.Resource.Owner = owner
	var ok bool
	if r.Scope, ok = r.Principal.Key.ReadScope(r.Resource); !ok || err != nil {
		return a.unreached(r, r.Resource.Kind)
	}
	return nil
}

// unreached refuses a resource of a kind. It says nothing that depends on the id: what exists is nobody's business.
func (a *api) unreached(r *front.Request, kind string) error {
	if !slices.ContainsFunc(auth.ReadScopes(kind), r.Principal.Key.Has) {
		return lacks(r.Scope)
	}
	for _, s := range subjects {
		if string(s.kind) != kind {
			continue
		}
		d := &denied{scope: r.Scope, field: s.param, why: fmt.Sprintf("is not the id of a %s that the key reaches", s.word)}
		if s.kind == store.KindWebsite || a.cfg.Subjects != nil {
			d.why += fmt.Sprintf("; GET /v1/query/%ss lists them", s.word)
		}
		return d
	}
	return &denied{scope: r.Scope}
}

// plausible reports whether id could be an id at all. What could not is never looked
// up: a database may choke on it.
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

// access is what the key of r may ask of the engine.
func access(r *front.Request) query.Access {
	key := r.Principal.Key
	return query.Access{Subject: subject(r), Filters: queryFilters(key.Filters), Types: key.Types, Caller: key.ID}
}

// queryFilters are filters of a key as the engine takes them.
func queryFilters(filters []auth.Filter) (all []query.Filter) {
	for _, f := range filters {
		all = append(all, query.Filter{Field: f.Field, Op: query.Op(f.Op), Values: f.Values})
	}
	return all
}
