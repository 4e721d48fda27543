package prom_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/observe/prom"
)

// A host registers one Collector, and passes its Observe to each handler:
//
//	service, err := sightline.New(sightline.Config{
//		Events: events, Records: records,
//		API:   httpapi.Options{Observe: collector.Observe("api")},
//		Track: track.Options{Observe: collector.Observe("track")},
//	})
//	mux.Handle("/", collector.InFlight("api", service.API()))
func Example() {
	collector, registry := prom.New(), prometheus.NewRegistry()
	if err := registry.Register(collector); err != nil {
		fmt.Println(err)
		return
	}
	metrics := promhttp.HandlerFor(registry, promhttp.HandlerOpts{}) // on its own address

	report := collector.Observe("api") // called by a handler
	report(context.Background(),
		observe.Request{Route: "POST /v1/query", Class: auth.ClassQuery, Status: http.StatusOK, Rows: 12})

	rec := httptest.NewRecorder()
	metrics.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	families, err := registry.Gather()
	fmt.Println(rec.Code, err)
	for _, f := range families {
		fmt.Println(f.GetName())
	}
	// Output:
	// 200 <nil>
	// sightline_request_duration_seconds
	// sightline_requests_total
	// sightline_rows_total
}
