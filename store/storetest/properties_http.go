package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// batchIsQueries asks three questions of one type, first one by one, then in a batch.
func batchIsQueries(c *client, info query.Info) []string {
	q := c.question(info)
	requests := []query.Request{q.req}
	for _, field := range c.filterFields(info, 2) {
		f := query.Filter{Field: field, Op: query.Ne, Values: []string{c.value(field)}}
		requests = append(requests, q.where(f).req)
	}
	requests = append(requests, q.with(func(r *query.Request) { r.Parameters[0].Name = "no_such_type" }).req)
	var single []json.RawMessage
	for i := range requests {
		requests[i].ID = strconv.Itoa(i)
		text, err := c.postJSON(q, requests[i])
		if err != nil {
			return []string{fmt.Sprintf("%v: %v", q, err)}
		}
		single = append(single, bytes.TrimSpace(text))
	}
	text, err := c.postJSON(q, requests)
	if err != nil {
		return []string{fmt.Sprintf("%v: %v", q, err)}
	}
	var batch struct {
		Success bool              `json:"success"`
		Batch   bool              `json:"batch"`
		Results []json.RawMessage `json:"results"`
	}
	if err := json.Unmarshal(text, &batch); err != nil || !batch.Success || !batch.Batch ||
		len(batch.Results) != len(single) {
		return []string{fmt.Sprintf("%v: %v in %s", q, err, text)}
	}
	for i, want := range single {
		if got := batch.Results[i]; !bytes.Equal(want, got) {
			return []string{fmt.Sprintf("query %d of %v: %s", i, q, firstDifference(string(want), string(got)))}
		}
	}
	return nil
}

func getIsPost(c *client, info query.Info) (found []string) {
	q := c.question(info)
	for i := range 2 {
		if i > 0 {
			for _, field := range c.filterFields(info, 1) {
				q = q.where(query.Filter{Field: field, Op: query.Eq, Values: []string{c.value(field)}})
			}
			q.req.Granularity = shortest(info)
		}
		want, err := c.postJSON(q, q.req)
		if err != nil {
			return append(found, fmt.Sprintf("%v: %v", q, err))
		}
		got, err := c.get(q, addressOf(q.req))
		if err != nil {
			return append(found, fmt.Sprintf("%v: %v", q, err))
		}
		if !bytes.Equal(want, got) {
			found = append(found, fmt.Sprintf("%v: %s", q, firstDifference(string(want), string(got))))
		}
	}
	return found
}

// addressOf returns req as the parameters of an address.
func addressOf(req query.Request) string {
	var fields map[string]json.RawMessage
	text, err := json.Marshal(req)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		return err.Error()
	}
	values := url.Values{}
	for name, js := range fields {
		var one string
		var several []string
		switch {
		case json.Unmarshal(js, &one) == nil:
			values.Set(name, one)
		case json.Unmarshal(js, &several) == nil:
			values.Set(name, strings.Join(several, ","))
		default:
			values.Set(name, string(js))
		}
	}
	return values.Encode()
}

func (c *client) postJSON(q question, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return c.post(q, text)
}

func (c *client) postHTTP(q question, body []byte) ([]byte, error) {
	return c.serve(q, httptest.NewRequestWithContext(c.t.Context(), http.MethodPost, "/v1/query?"+subjectOf(q.of),
		bytes.NewReader(body)))
}

func (c *client) getHTTP(q question, values string) ([]byte, error) {
	return c.serve(q, httptest.NewRequestWithContext(c.t.Context(), http.MethodGet, "/v1/query?"+subjectOf(q.of)+"&"+
		values, nil))
}

func subjectOf(s store.Subject) string {
	name := map[store.SubjectKind]string{store.KindWebsite: "website_id", store.KindLink: "link_id",
		store.KindSchedule: "schedule_id"}[s.Kind]
	return name + "=" + url.QueryEscape(s.ID)
}

// serve sends r to the HTTP handler, as a caller who may read everything.
func (c *client) serve(q question, r *http.Request) ([]byte, error) {
	engine, err := c.engine(q.now)
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.New(httpapi.Config{Engine: engine, Directory: everything{}, Auth: everything{},
		Limiter: auth.Unlimited, Audit: auth.Discard})
	if err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.Bytes(), nil
}

// everything is a directory in which every id exists, and an authenticator that accepts everybody.
type everything struct{}

func (everything) Websites(context.Context, string) ([]store.Website, error) { return nil, nil }

func (everything) Website(_ context.Context, id string) (store.Website, error) {
	return store.Website{ID: id, Owner: "owner"}, nil
}

func (everything) Owner(context.Context, store.Subject) (string, error) { return "owner", nil }

func (everything) Authenticate(context.Context, *http.Request) (*auth.Principal, error) {
	return &auth.Principal{Key: &auth.Key{ID: "key", Owner: "owner", All: true, Scopes: []auth.Scope{auth.ReadData}}},
		nil
}

// backwards reverses the results of batches.
func backwards(right func(question, []byte) ([]byte, error)) func(question, []byte) ([]byte, error) {
	return func(q question, body []byte) ([]byte, error) {
		text, err := right(q, body)
		var batch map[string]json.RawMessage
		var results []json.RawMessage
		if err != nil || json.Unmarshal(text, &batch) != nil || json.Unmarshal(batch["results"], &results) != nil {
			return text, err
		}
		slices.Reverse(results)
		if batch["results"], err = json.Marshal(results); err != nil {
			return nil, err
		}
		return json.Marshal(batch)
	}
}

// withoutFilters removes the filters from addresses.
func withoutFilters(right func(question, string) ([]byte, error)) func(question, string) ([]byte, error) {
	return func(q question, address string) ([]byte, error) {
		values, err := url.ParseQuery(address)
		if err != nil {
			return nil, err
		}
		values.Del("filters")
		return right(q, values.Encode())
	}
}
