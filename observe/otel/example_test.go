package otel_test

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/observe/otel"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A host gives the providers of its SDK, and gets an engine and a handler that are traced. api makes the handler with
// these.
func Example() {
	_ = func(tracers trace.TracerProvider, meters metric.MeterProvider, data store.Store,
		api func(*query.Engine, func(context.Context, observe.Request)) (http.Handler, error)) (http.Handler, error) {
		watch, err := otel.New(otel.Config{Tracers: tracers, Meters: meters, Propagator: propagation.TraceContext{},
			System: "duckdb"})
		if err != nil {
			return nil, err
		}
		engine, engineErr := query.New(query.Config{Store: data,
			EngineOptions: query.EngineOptions{Trace: watch.Statement}})
		handler, apiErr := api(engine, watch.Observe("api"))
		if err := errors.Join(engineErr, apiErr); err != nil {
			return nil, err
		}
		return watch.Handler("api", handler), nil
	}
}
