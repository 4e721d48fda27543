//go:build cgo

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
)

// A service is a store with an engine and a server on loopback.
type service struct {
	store  *duckdb.Store
	engine *query.Engine
	server *httptest.Server
	client *http.Client
	secret string
}

// patience is a timeout longer than the slowest query.
const patience = 10 * time.Minute

// newService opens the file with memory limits. It checks keys and limits like the example, but the limits are never
// reached.
func newService(ctx context.Context, file string, bound memory, clients int) (*service, error) {
	s, err := duckdb.Open(ctx, duckdb.Config{Path: file, MemoryLimit: bound.store})
	if err != nil {
		return nil, err
	}
	now := func() time.Time { return end }
	engine, engineErr := query.New(query.Config{Store: s, Now: now,
		EngineOptions: query.EngineOptions{Timeout: patience, ResultCache: -1, MaxPartials: bound.partials}})
	pepper, pepperErr := auth.NewPepper([]byte("a pepper of the benchmark's own, and long enough"))
	records, recordsErr := auth.NewMemory(auth.MemoryConfig{Pepper: pepper})
	if err := errors.Join(engineErr, pepperErr, recordsErr); err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	_, secret, createErr := records.CreateKey(ctx,
		auth.Key{ID: "key", Owner: "acme", Scopes: []auth.Scope{auth.ReadData}, All: true})
	keys, keysErr := auth.New(auth.Config{Store: records, Pepper: pepper})
	directory := &store.MemoryDirectory{}
	var faults []error
	for i := range websites {
		faults = append(faults, directory.AddWebsite(store.Website{ID: websiteID(i), Owner: "acme",
			Domain: websiteID(i) + ".example"}))
	}
	handler, handlerErr := httpapi.New(httpapi.Config{Engine: engine, Directory: directory, Auth: keys,
		Limiter: auth.Unlimited, Audit: auth.Discard,
		Now: now, Options: httpapi.Options{Timeout: patience}})
	if err := errors.Join(append(faults, createErr, keysErr, handlerErr)...); err != nil {
		return nil, errors.Join(err, s.Close(context.Background()))
	}
	return &service{s, engine, httptest.NewServer(handler),
		&http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}, secret.Reveal()}, nil
}

func (s *service) close() error {
	s.client.CloseIdleConnections()
	s.server.Close()
	return s.store.Close(context.Background())
}

// A way is a way to run a query.
type way struct {
	name string
	ask  func(context.Context) error
}

// These are the ways.
const (
	overHTTP  = "http"
	byEngine  = "engine"
	bySQL     = "sql"   // hand-written SQL
	countRows = "count" // SELECT count(*) over the website's rows
)

// ways returns the ways to run q about a subject.
func (s *service) ways(tb testing.TB, q question, of subject) []way {
	tb.Helper()
	body, request := q.request(tb, of)
	found := []way{
		{overHTTP, func(ctx context.Context) error { return s.post(ctx, of.id(), body) }},
		{byEngine, func(ctx context.Context) error {
			_, err := s.run(ctx, request, of)
			return err
		}},
	}
	if q.sql != "" {
		statement := q.statement(of)
		found = append(found, way{bySQL, func(ctx context.Context) error {
			_, err := s.store.Query(ctx, statement)
			return err
		}})
	}
	if of.Website == "small" {
		statement := count(of)
		found = append(found, way{countRows, func(ctx context.Context) error {
			_, err := s.store.Query(ctx, statement)
			return err
		}})
	}
	return found
}

// warmed returns the ways after running each once, so that partials are computed.
func (s *service) warmed(b *testing.B, q question, of subject) []way {
	b.Helper()
	ways := s.ways(b, q, of)
	for _, w := range ways {
		if err := w.ask(b.Context()); err != nil {
			b.Logf("%s by %s: %v", q.name, w.name, err)
		}
	}
	if err := s.engine.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	return ways
}

// request returns q about a subject, as bytes and as a query.Request.
func (q question) request(tb testing.TB, of subject) ([]byte, query.Request) {
	tb.Helper()
	filters := []any{}
	if value, ok := map[string]string{"country": onlyCountry, "path": onlyPath()}[q.only]; ok {
		filters = append(filters, map[string]string{"field": q.only, "op": "eq", "value": value})
	}
	var parameters any = q.types
	if q.parameter != "" {
		parameters = []json.RawMessage{json.RawMessage(q.parameter)}
	}
	body, err := json.Marshal(map[string]any{"parameters": parameters, "timeZone": zoneName, "filters": filters,
		"startDate": of.from().Format(time.DateOnly), "endDate": end.AddDate(0, 0, -1).Format(time.DateOnly)})
	if err != nil {
		tb.Fatal(err)
	}
	decoded, _, err := query.Decode(body, 0)
	if err != nil || decoded[0].Errors != nil {
		tb.Fatal(err, decoded)
	}
	return body, decoded[0].Request
}

// run runs a query in the engine. It returns an error if a parameter fails.
func (s *service) run(ctx context.Context, request query.Request, of subject) (*query.Response, error) {
	answer, err := s.engine.Run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: of.id()}},
		request)
	if err != nil {
		return nil, err
	}
	for _, r := range answer.Data {
		if !r.Success {
			err = errors.Join(err, fmt.Errorf("%s: %s: %w", r.Parameter, r.Error, r.Cause))
		}
	}
	return answer, err
}

// post sends a query over HTTP. It returns an error if a parameter fails.
func (s *service) post(ctx context.Context, website string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+"/v1/query?website_id="+website,
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Api-Key", s.secret)
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(answer.Body)
	if err := errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK || bytes.Contains(text, []byte(`"success":false`)) {
		return fmt.Errorf("%s: %.300s", answer.Status, text)
	}
	return nil
}
