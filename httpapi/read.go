package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/mistake"
	"github.com/sightline-analytics/sightline/query"
)

// readBody reads queries from the body and the time zone from the URL.
func (a *api) readBody(ctx context.Context, r *front.Request, q *question) error {
	if err := checkMediaType(r.Header); err != nil {
		return err
	}
	body, err := r.ReadBody(a.cfg.MaxBody)
	if err != nil {
		return err
	}
	var bad query.Errors
	q.queries, q.batch, err = a.cfg.Engine.Decode(body, a.cfg.MaxBatch)
	if err != nil {
		var one *query.Error
		if !errors.As(err, &one) {
			return err
		}
		bad = append(bad, one)
	}
	if len(bad) == 0 {
		saved, err := a.resolveSaved(ctx, r, q)
		if err != nil {
			return err
		}
		for i := range saved {
			q.queries[i].Errors = append(q.queries[i].Errors, saved[i]...)
		}
	}
	values, _ := r.Query() // allowSubject has rejected malformed queries
	given := unknown(values, "website_id", websitesParam, "link_id", "schedule_id", "timezone", "timeZone", bomParam)
	zone, mistakes := a.zoneOf(values)
	given = append(given, mistakes...)
	q.bom, mistakes = bomOf(values)
	bad = append(bad, invalid(append(given, mistakes...))...)
	switch {
	case len(q.queries) == 1 && !q.batch:
		bad = append(bad, q.queries[0].Errors...)
	case len(bad) > 0: // otherwise a query's mistakes only fail that query
		bad = append(bad, ofBatch(q.queries)...)
	}
	if len(bad) > 0 {
		return bad
	}
	if zone != "" {
		for i := range q.queries {
			q.queries[i].Request.TimeZone = zone
		}
	}
	return a.findName(ctx, r, q)
}

// findName finds the name of a single website, if a query shows it.
func (a *api) findName(ctx context.Context, r *front.Request, q *question) error {
	shows := func(d query.Decoded) bool { return d.Request.ShowsWebsites() }
	if q.websites != nil || r.Resource.Kind != auth.KindWebsite || !slices.ContainsFunc(q.queries, shows) {
		return nil
	}
	site, err := a.website(ctx, r, r.Resource.ID)
	q.name = site.Name
	return err
}

// invalid turns mistakes of a URL into mistakes of a query.
func invalid(all mistake.List) (bad query.Errors) {
	for _, one := range all {
		bad = append(bad, &query.Error{Code: query.Invalid, Field: one.Field, Message: one.Message,
			Suggestion: one.Suggestion})
	}
	return bad
}

// ofBatch returns the mistakes of all queries of a batch. Their fields begin with the index of the query.
func ofBatch(queries []query.Decoded) (all query.Errors) {
	for i, one := range queries {
		for _, mistake := range one.Errors {
			placed := *mistake
			placed.Field = strings.TrimSuffix(fmt.Sprintf("[%d].%s", i, placed.Field), ".")
			all = append(all, &placed)
		}
	}
	return all
}

// zoneOf returns the time zone in a URL, under either of its names.
func (a *api) zoneOf(values url.Values) (zone string, bad mistake.List) {
	for _, name := range []string{"timeZone", "timezone"} {
		text, mistakes := single(values, name)
		if bad = append(bad, mistakes...); text == "" {
			continue
		}
		zone = text
		bad = append(bad, a.cfg.Engine.CheckZone(name, text).Mistakes()...)
	}
	return zone, bad
}

// parseAddress reads a query from the URL.
func (a *api) parseAddress(_ context.Context, r *front.Request, q *question) error {
	values, ok := r.Query()
	if !ok {
		return errMalformed
	}
	bom, mistakes := bomOf(values)
	values = maps.Clone(values)
	delete(values, bomParam)
	req, bad := a.cfg.Engine.ParseValues(values)
	if bad = append(bad, invalid(mistakes)...); len(bad) > 0 {
		return bad
	}
	q.bom = bom
	q.queries = []query.Decoded{{Request: req}}
	return nil
}

// bomParam is the parameter that puts a byte order mark before CSV.
const bomParam = "bom"

// bomOf reports whether a URL asks for a byte order mark.
func bomOf(values url.Values) (bool, mistake.List) {
	text, bad := single(values, bomParam)
	switch text {
	case "1", "true":
		return true, bad
	case "", "0", "false":
		return false, bad
	}
	return false, append(bad, mistake.FieldError{Field: bomParam, Message: "must be 1 or 0"})
}

// readQuestion reads queries from the body, or one query from the URL of a request without a body.
func (a *api) readQuestion(ctx context.Context, r *front.Request, q *question) error {
	if r.Method == http.MethodPost {
		return a.readBody(ctx, r, q)
	}
	return a.parseAddress(ctx, r, q)
}

// single returns the value of a parameter that may be given once.
func single(values url.Values, name string) (string, mistake.List) {
	all := values[name]
	if len(all) > 1 {
		return "", mistake.List{{Field: name,
			Message: fmt.Sprintf("must be given once, not %d times", len(all))}}
	}
	return values.Get(name), nil
}

// maxUnknown is the maximum number of reported mistakes in a URL, which bounds the response.
const maxUnknown = 100

// unknown returns mistakes for parameters that are not in known. Ignoring them could answer another question than
// intended.
func unknown(values url.Values, known ...string) mistake.List {
	var names []string
	for name := range values {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	var bad mistake.List
	for _, name := range names[:min(len(names), maxUnknown)] {
		message, suggestion := mistake.Choice("is not a parameter of this endpoint", name, known, nil)
		if len(known) == 0 {
			message += "; it has none"
		}
		bad = append(bad, mistake.FieldError{Field: name, Message: message, Suggestion: suggestion})
	}
	return bad
}
