package prom_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sightline-analytics/sightline/observe/prom"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// empty is a store without rows, which can seal days.
type empty struct{ store.Deriver }

func (empty) Dialect() *dialect.Dialect  { return dialect.DuckDB() }
func (empty) Ping(context.Context) error { return nil }

func (empty) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := &store.Rows{}
	for _, kind := range stmt.Kinds {
		rows.Columns = append(rows.Columns, store.Column{Kind: kind})
	}
	return rows, nil
}

func TestEngine(t *testing.T) {
	e, err := query.New(query.Config{Store: empty{}, EngineOptions: query.EngineOptions{ResultCache: -1}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := e.Run(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindLink, ID: "x"}},
			query.Request{Parameters: []query.Parameter{{Name: "link_total_clicks"}},
				Options: query.Options{Preset: "yesterday"}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, sealer := range []*query.Sealer{nil, query.NewSealer(e)} {
		registry := prometheus.NewPedanticRegistry()
		if err := registry.Register(prom.Engine(e, sealer)); err != nil {
			t.Fatal(err)
		}
		rec := httptest.NewRecorder()
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(rec,
			httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		all := strings.Split(rec.Body.String(), "\n")
		wants(t, all, `sightline_answers_total{reason="not_mergeable",source="statement"} 2`,
			`sightline_answers_bytes 0`, `sightline_states_bytes 0`)
		if sealer == nil {
			if strings.Contains(rec.Body.String(), "sightline_seal") {
				t.Errorf("metrics of no sealer: %s", rec.Body)
			}
			continue
		}
		wants(t, all, `sightline_seal_days_due 0`, `sightline_seal_oldest_due_timestamp_seconds 0`,
			`sightline_states_days_due 0`)
	}
}
