// Package otel makes OpenTelemetry spans and metrics of requests, statements and seals:
//
//	watch, err := otel.New(otel.Config{Tracers: tracers, Meters: meters}) // providers of the host
//	service, err := sightline.New(sightline.Config{                      // and the required fields
//		Query: query.EngineOptions{Trace: watch.Statement},
//		API:   httpapi.Options{Observe: watch.Observe("api")},
//		Track: track.Options{Observe: watch.Observe("track")},
//	})
//	mux.Handle("/", watch.Handler("api", service.API()))
//
// It uses the API of OpenTelemetry alone, so the host chooses the SDK and the exporters. It is a separate package so
// that other hosts do not link OpenTelemetry.
//
// A request has a span of kind server, named after its route. Its statements and the statements of a sealer have spans
// of kind client, named "sightline" and the label, such as "sightline pages". Seals are named "sightline seal". Spans
// hold no value of a caller: the SQL has placeholders in place of values.
package otel

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

// Config says where spans and metrics go.
type Config struct {
	Tracers trace.TracerProvider // nil: no spans
	Meters  metric.MeterProvider // nil: no metrics
	// Propagator reads the trace that a request belongs to from its headers, such as propagation.TraceContext{}. Nil:
	// each request begins a trace, unless middleware of the host put a span into its context.
	Propagator propagation.TextMapPropagator
	// System names the database in spans, as in duckdb or clickhouse. Empty: the spans do not say it.
	System string
	Now    func() time.Time // nil: time.Now
}

// A Watch makes spans and metrics. [New] creates it. It is safe for concurrent use.
//
// Its metrics are:
//
//	sightline.request.duration     s            requests by handler, route, class of limits, HTTP status and error code
//	sightline.request.rows         {row}        rows in responses, or rows that requests stored
//	sightline.statement.duration   s            statements and seals by label
//	sightline.statement.rows       {row}        rows that statements returned
//	sightline.statement.failures   {statement}  statements and seals that failed
type Watch struct {
	tracer     trace.Tracer // nil: no spans
	propagator propagation.TextMapPropagator
	system     string
	now        func() time.Time
	metrics    bool

	requestTime, statementTime           metric.Float64Histogram
	requestRows, statementRows, failures metric.Int64Counter
}

// scope names the instrumentation.
const scope = "github.com/sightline-analytics/sightline/observe/otel"

// New returns a Watch. Its error joins the errors of the meter provider.
func New(cfg Config) (*Watch, error) {
	w := &Watch{propagator: cfg.Propagator, system: cfg.System, now: cfg.Now, metrics: cfg.Meters != nil}
	if w.now == nil {
		w.now = time.Now
	}
	if cfg.Tracers != nil {
		w.tracer = cfg.Tracers.Tracer(scope)
	}
	if cfg.Meters == nil {
		return w, nil
	}
	meter := cfg.Meters.Meter(scope)
	var faults [5]error
	w.requestTime, faults[0] = meter.Float64Histogram("sightline.request.duration", metric.WithUnit("s"),
		metric.WithDescription("Time until the response was written."))
	w.requestRows, faults[1] = meter.Int64Counter("sightline.request.rows", metric.WithUnit("{row}"),
		metric.WithDescription("Rows in responses, or rows that requests stored."))
	w.statementTime, faults[2] = meter.Float64Histogram("sightline.statement.duration", metric.WithUnit("s"),
		metric.WithDescription("Time of statements and seals."))
	w.statementRows, faults[3] = meter.Int64Counter("sightline.statement.rows", metric.WithUnit("{row}"),
		metric.WithDescription("Rows that statements returned."))
	w.failures, faults[4] = meter.Int64Counter("sightline.statement.failures", metric.WithUnit("{statement}"),
		metric.WithDescription("Statements and seals that failed."))
	if err := errors.Join(faults[:]...); err != nil {
		return nil, err
	}
	return w, nil
}

// Statement is a function for Options.Trace of package query: a span for each statement and each seal.
func (w *Watch) Statement(ctx context.Context, s store.Statement) (context.Context, func(rows int, err error)) {
	label, began := attribute.String("sightline.label", s.Label), w.now()
	span := trace.SpanFromContext(context.Background()) // records nothing
	if w.tracer != nil {
		known := []attribute.KeyValue{label, attribute.String("db.query.text", s.SQL)}
		if w.system != "" {
			known = append(known, attribute.String("db.system.name", w.system))
		}
		ctx, span = w.tracer.Start(ctx, "sightline "+s.Label, trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(known...))
	}
	return ctx, func(rows int, err error) {
		span.SetAttributes(attribute.Int("db.response.returned_rows", rows))
		if err != nil {
			span.RecordError(err)
			span.SetStatus(codes.Error, "the statement failed")
		}
		span.End()
		if !w.metrics {
			return
		}
		of := metric.WithAttributes(label)
		ctx := context.WithoutCancel(ctx)
		w.statementTime.Record(ctx, w.now().Sub(began).Seconds(), of)
		w.statementRows.Add(ctx, int64(rows), of)
		if err != nil {
			w.failures.Add(ctx, 1, of)
		}
	}
}

// Handler returns h with a span around each request. handler is the value of the attribute sightline.handler. The span
// gets its route and its status from [Watch.Observe], which the host gives to the handler as Options.Observe.
func (w *Watch) Handler(handler string, h http.Handler) http.Handler {
	if w.tracer == nil {
		return h
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if w.propagator != nil {
			ctx = w.propagator.Extract(ctx, propagation.HeaderCarrier(r.Header))
		}
		ctx, span := w.tracer.Start(ctx, "sightline request", trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("sightline.handler", handler)))
		defer span.End()
		h.ServeHTTP(rw, r.WithContext(context.WithValue(ctx, spanKey{}, span)))
	})
}

// spanKey is the key of the span of a request in its context. The span that is current when the request is observed may
// be one of the host's own.
type spanKey struct{}

// Observe returns a function for Options.Observe of a handler. handler is the value of the attribute sightline.handler.
func (w *Watch) Observe(handler string) func(context.Context, observe.Request) {
	return func(ctx context.Context, r observe.Request) {
		route := r.Route
		if route == "" {
			route = "none"
		}
		if span, ok := ctx.Value(spanKey{}).(trace.Span); ok {
			w.describe(span, route, r)
		}
		if !w.metrics {
			return
		}
		ctx = context.WithoutCancel(ctx)
		of := []attribute.KeyValue{attribute.String("sightline.handler", handler),
			attribute.String("http.route", route)}
		w.requestRows.Add(ctx, int64(r.Rows), metric.WithAttributes(of...))
		of = append(of, attribute.String("sightline.class", string(r.Class)),
			attribute.Int("http.response.status_code", r.Status))
		if r.Code != "" {
			of = append(of, attribute.String("error.type", r.Code))
		}
		w.requestTime.Record(ctx, r.Duration.Seconds(), metric.WithAttributes(of...))
	}
}

// describe gives the span of a request what is known when it is answered.
func (w *Watch) describe(span trace.Span, route string, r observe.Request) {
	span.SetName(route)
	method, path, _ := strings.Cut(route, " ")
	if path == "" {
		method, path = "", route
	}
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", path),
		attribute.Int("http.response.status_code", r.Status), attribute.String("sightline.class", string(r.Class)),
		attribute.Int("sightline.rows", r.Rows), attribute.Float64("sightline.store.seconds", r.Store.Seconds()))
	if r.Code != "" {
		span.SetAttributes(attribute.String("error.type", r.Code))
	}
	if r.Status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, r.Code)
	}
}
