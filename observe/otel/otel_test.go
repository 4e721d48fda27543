package otel_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/observe/otel"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// oneStore answers each statement with one row, or with an error.
type oneStore struct{ err error }

func (oneStore) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (oneStore) Ping(context.Context) error { return nil }

func (s oneStore) Query(context.Context, store.Statement) (*store.Rows, error) {
	return &store.Rows{Len: 1, Columns: []store.Column{{Kind: dialect.Int, Ints: []int64{7}}}}, s.err
}

func TestSpansOfRequestsAndStatements(t *testing.T) {
	rec := &recorder{}
	watch, err := otel.New(otel.Config{Tracers: tracers{rec: rec}, Propagator: propagation.TraceContext{},
		System: "duckdb"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why    string
		fault  error
		status int
	}{{"an answer", nil, 200}, {"a failure", store.ErrUnavailable, 503}} {
		t.Run(row.why, func(t *testing.T) {
			rec.spans = nil
			engine, err := query.New(query.Config{Store: oneStore{row.fault},
				EngineOptions: query.EngineOptions{Trace: watch.Statement}})
			if err != nil {
				t.Fatal(err)
			}
			observed := watch.Observe("api")
			handler := watch.Handler("api", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				resp, err := engine.Run(r.Context(),
					query.Access{Subject: store.Subject{Kind: store.KindLink, ID: "secret-link"}},
					query.Request{Parameters: []query.Parameter{{Name: "link_total_clicks"}}, StartDate: "2026-03-01",
						EndDate: "2026-03-02"})
				if failed := err != nil || !resp.Data[0].Success; failed != (row.fault != nil) {
					t.Errorf("Run: %+v, %v", resp, err)
				}
				w.WriteHeader(row.status)
				code := map[bool]string{true: "SERVICE_UNAVAILABLE"}[row.fault != nil]
				observed(r.Context(), observe.Request{Route: "POST /v1/query", Class: "query", Status: row.status,
					Code: code, Rows: 1, Store: time.Second})
			}))
			req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/query", nil)
			req.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			handler.ServeHTTP(httptest.NewRecorder(), req)

			request := map[string]any{"name": "POST /v1/query", "parent": "b7ad6b7169203331", "kind": "server",
				"ended": true, "sightline.handler": "api",
				"http.request.method": "POST", "http.route": "/v1/query",
				"http.response.status_code": int64(row.status), "sightline.class": "query",
				"sightline.rows": int64(1), "sightline.store.seconds": 1.0}
			statement := map[string]any{"name": "sightline link_total_clicks", "parent": "0000000000000001",
				"kind": "client", "ended": true,
				"sightline.label": "link_total_clicks", "db.system.name": "duckdb",
				"db.response.returned_rows": int64(1)}
			if row.fault != nil {
				request["error.type"], request["status"] = "SERVICE_UNAVAILABLE", "Error SERVICE_UNAVAILABLE"
				statement["status"], statement["error"],
					statement["db.response.returned_rows"] = "Error the statement failed", row.fault.Error(), int64(0)
			}
			for _, s := range rec.spans {
				if text, _ := s["db.query.text"].(string); (text != "") != (s["kind"] == "client") {
					t.Errorf("the text of the statement of %v is %q", s["name"], text)
				}
				delete(s, "db.query.text")
			}
			if diff := cmp.Diff([]map[string]any{request, statement}, rec.spans); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	rec := &recorder{}
	at := time.Unix(0, 0)
	watch, err := otel.New(otel.Config{Meters: meters{rec: rec}, Now: func() time.Time {
		at = at.Add(time.Second / 4)
		return at
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, end := watch.Statement(t.Context(), store.Statement{Label: "pages"})
	end(3, nil)
	_, end = watch.Statement(t.Context(), store.Statement{Label: store.SealLabel})
	end(0, errors.New("broken"))
	watch.Observe("api")(t.Context(),
		observe.Request{Route: "GET /health", Class: "public", Status: 200, Duration: 2 * time.Second, Rows: 5})
	want := []string{
		"sightline.statement.duration 0.25 sightline.label=pages", "sightline.statement.rows 3 sightline.label=pages",
		"sightline.statement.duration 0.25 sightline.label=seal", "sightline.statement.rows 0 sightline.label=seal",
		"sightline.statement.failures 1 sightline.label=seal",
		"sightline.request.rows 5 http.route=GET /health,sightline.handler=api",
		"sightline.request.duration 2 http.response.status_code=200,http.route=GET /health,sightline.class=public,sightline.handler=api",
	}
	if diff := cmp.Diff(want, rec.numbers); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

func TestNothingIsRecordedWithoutProviders(t *testing.T) {
	watch, err := otel.New(otel.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := watch.Statement(t.Context(), store.Statement{Label: "pages"})
	end(1, errors.New("broken"))
	watch.Observe("api")(ctx, observe.Request{})
	if ctx != t.Context() {
		t.Error("the context changed")
	}
}
