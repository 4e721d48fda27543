package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// keyWith authenticates every request as a key with these filters.
type keyWith []query.Filter

func (f keyWith) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	return &auth.Principal{Key: &auth.Key{ID: "key", Owner: "owner", All: true, Scopes: []auth.Scope{auth.ReadData},
		Filters: keyFilters(f)}}, nil
}

// keyFilters returns filters in the form of keys.
func keyFilters(filters []query.Filter) (list []auth.Filter) {
	text := func(t *query.Text) *auth.Text {
		if t == nil {
			return nil
		}
		return &auth.Text{Op: string(t.Op), Values: t.Values}
	}
	for _, f := range filters {
		one := auth.Filter{Field: f.Field, Op: string(f.Op), Values: f.Values, And: keyFilters(f.And),
			Or: keyFilters(f.Or)}
		if f.Not != nil {
			one.Not = &keyFilters([]query.Filter{*f.Not})[0]
		}
		if d := f.Did; d != nil {
			one.Did = &auth.Did{Event: text(d.Event), Page: text(d.Page), Click: text(d.Click),
				Filters: keyFilters(d.Filters), In: d.In}
		}
		list = append(list, one)
	}
	return list
}

// compareHTTP compares both ways over HTTP: a query as an address, a batch and an overview.
func (p *proof) compareHTTP(t *testing.T, c *client, some store.Store, filters []query.Filter) {
	t.Helper()
	q := c.question(query.Info{Subject: store.KindWebsite})
	q.req.Preset = ""
	now := q.now.AddDate(0, 0, 5) // the range is in the past, so its answers do not change
	want, err1 := c.handlerOver(some, nil, now)
	got, err2 := c.handlerOver(p.all, filters, now)
	whole, err3 := c.handlerOver(p.all, nil, now)
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"summary", "sessions", "entry_pages", "custom_events", "errors"} // the overview has more types
	days := url.Values{"startDate": {q.req.StartDate}, "endDate": {q.req.EndDate},
		"timezone": {q.req.TimeZone}}.Encode()
	for _, target := range []string{
		"/v1/query?" + subjectOf(q.of) + "&parameters=" + strings.Join(names, ",") + "&" + days,
		"/v1/websites/" + url.PathEscape(q.of.ID) + "/analytics?compare=previous_period&" + days,
	} {
		p.compareAddress(t, target, want, got, whole)
	}
	p.compareBatch(t, q, names, want, got)
}

// compareAddress compares the answers of one address, and their entity tags: a tag is valid for the key that
// got it, but not for a key that sees more or fewer rows.
func (p *proof) compareAddress(t *testing.T, target string, want, got, whole http.Handler) {
	t.Helper()
	ask := func(h http.Handler, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		return rec
	}
	a, b := ask(want, ""), ask(got, "")
	sameParts(t, target, a.Body.Bytes(), b.Body.Bytes())
	mine, theirs := b.Header().Get("ETag"), ask(whole, "").Header().Get("ETag")
	if mine == "" { // the store has no versions, or a part failed
		return
	}
	if mine == theirs {
		t.Errorf("%s: the tag equals the tag of a key without filters", target)
	}
	if rec := ask(got, mine); rec.Code != http.StatusNotModified {
		t.Errorf("%s: status for its own tag: %d", target, rec.Code)
	}
	if rec := ask(got, theirs); theirs != "" && rec.Code != http.StatusOK {
		t.Errorf("%s: status for the tag of a key without filters: %d", target, rec.Code)
	}
}

func (p *proof) compareBatch(t *testing.T, q question, names []string, want, got http.Handler) {
	t.Helper()
	var batch []query.Request
	for _, name := range names {
		batch = append(batch, q.with(func(r *query.Request) { r.Parameters = []query.Parameter{{Name: name}} }).req)
	}
	body, err := json.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	var both [2][]byte
	for i, h := range []http.Handler{want, got} {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/query?"+subjectOf(q.of),
			bytes.NewReader(body)))
		both[i] = rec.Body.Bytes()
	}
	sameParts(t, "a batch of "+strings.Join(names, ", "), both[0], both[1])
}

// sameParts compares two answers, unless a type rejects the filters.
func sameParts(t *testing.T, what string, want, got []byte) {
	t.Helper()
	if bytes.Contains(got, []byte("must filter")) {
		return // compared per type in compare
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s: %s", what, firstDifference(string(want), string(got)))
	}
}

// handlerOver returns the HTTP handler over s for a key with these filters.
func (c *client) handlerOver(s store.Store, filters []query.Filter, now time.Time) (http.Handler, error) {
	engine, err := c.engineOver(s, now)
	if err != nil {
		return nil, err
	}
	return httpapi.New(httpapi.Config{Engine: engine, Directory: everything{}, Auth: keyWith(filters),
		Limiter: auth.Unlimited, Audit: auth.Discard, Now: func() time.Time { return now }})
}
