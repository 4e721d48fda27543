package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/store"
)

// erasable is a store that removes one event of every person, and notes whom.
type erasable struct {
	cannedStore
	whom  []store.Person
	fault error
}

func (e *erasable) ErasePerson(_ context.Context, p store.Person) (map[string]int64, error) {
	e.whom = append(e.whom, p)
	return map[string]int64{"events": 1}, e.fault
}

func TestErase(t *testing.T) {
	events := &erasable{}
	eraser, err := erasure.New(erasure.Config{Events: events})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(cfg *Config) { cfg.Erase = eraser })
	w.keys["erase"] = &auth.Key{ID: "key_erase", Owner: "org_a", Scopes: []auth.Scope{auth.EraseData}, All: true}
	w.keys["narrow"] = &auth.Key{ID: "key_narrow", Owner: "org_a", Scopes: []auth.Scope{auth.EraseData}, All: true,
		Types: []string{"summary_metrics"}}
	for _, tt := range []struct {
		name, target, key string
		status            int
		want              string // a part of the response
	}{
		{"a visitor", "/v1/visitors/a%2Fb%20%C3%BC?website_id=site_a", "erase", 200,
			`{"success":true,"website_id":"site_a","kind":"visitor","id":"a/b ü","removed":{"events":1,"profiles":0}`},
		{"what could not be found", "/v1/visitors/v?website_id=site_a", "erase", 200,
			`"notice":"The id was looked for as it is. Hashes of earlier days cannot be computed`},
		{"a profile", "/v1/visitors/p1?website_id=site_a&kind=profile", "erase", 200,
			`"kind":"profile","id":"p1","removed":{"events":1,"profiles":0}`},
		{"another kind", "/v1/visitors/p1?website_id=site_a&kind=person", "erase", 400,
			`"message":"must be visitor or profile"`},
		{"another parameter", "/v1/visitors/p1?website_id=site_a&all=true", "erase", 400, `"field":"all"`},
		{"an id that is none", "/v1/visitors/a%00b?website_id=site_a", "erase", 400, `"field":"id"`},
		{"a link", "/v1/visitors/p1?link_id=link_a", "erase", 400,
			`"message":"is required, because visitors are of a website"`},
		{"no website", "/v1/visitors/p1", "erase", 400, `"code":"MISSING_PROJECT_ID"`},
		{"another owner's website", "/v1/visitors/p1?website_id=site_x", "erase", 403, `"field":"website_id"`},
		{"a key that reads", "/v1/visitors/p1?website_id=site_a", "all", 403, `needs a key with the scope erase:data`},
		{"a key with types", "/v1/visitors/p1?website_id=site_a", "narrow", 403,
			`without a list of query types, because it erases all rows of a visitor`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events.whom = nil
			rec := w.send(http.MethodDelete, tt.target, tt.key, "")
			if body := rec.Body.String(); rec.Code != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("status %d, %s\nwant %d, %s", rec.Code, body, tt.status, tt.want)
			}
			if (len(events.whom) > 0) != (tt.status == 200) {
				t.Errorf("erased: %+v", events.whom)
			}
		})
	}
	w.trail.take()
	w.send(http.MethodDelete, "/v1/visitors/p1?website_id=site_a&kind=profile", "erase", "")
	if diff := cmp.Diff([]store.Person{{Website: "site_a", ProfileIDs: []string{"p1"}}}, events.whom); diff != "" {
		t.Error(diff)
	}
	if e := w.trail.take(); len(e) != 1 || e[0].Route != "/v1/visitors/{id}" || e[0].Scope != auth.EraseData ||
		e[0].Resource.ID != "site_a" || e[0].Outcome != "allowed" {
		t.Errorf("audit: %+v", e)
	}
	events.fault = errors.Join(store.ErrUnavailable, errors.New("gone"))
	expect(t, w.send(http.MethodDelete, "/v1/visitors/p1?website_id=site_a", "erase", ""), 503, "SERVICE_UNAVAILABLE")
}
