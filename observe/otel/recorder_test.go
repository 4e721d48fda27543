package otel_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

// A recorder holds what its providers recorded, in the order in which it began. It is for one goroutine.
type recorder struct {
	spans   []map[string]any
	numbers []string
}

// tracers is a provider whose tracers record spans.
type tracers struct {
	tracenoop.TracerProvider
	rec *recorder
}

func (p tracers) Tracer(string, ...trace.TracerOption) trace.Tracer { return tracer{rec: p.rec} }

type tracer struct {
	tracenoop.Tracer
	rec *recorder
}

func (t tracer) Start(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	cfg := trace.NewSpanStartConfig(opts...)
	known := map[string]any{"name": name, "kind": cfg.SpanKind().String()}
	if parent := trace.SpanContextFromContext(ctx); parent.IsValid() {
		known["parent"] = parent.SpanID().String()
	}
	t.rec.spans = append(t.rec.spans, known)
	var id trace.SpanID
	binary.BigEndian.PutUint64(id[:], uint64(len(t.rec.spans)))
	s := &span{known: known,
		context: trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: id})}
	s.SetAttributes(cfg.Attributes()...)
	return trace.ContextWithSpan(ctx, s), s
}

type span struct {
	tracenoop.Span
	known   map[string]any
	context trace.SpanContext
}

func (s *span) SpanContext() trace.SpanContext { return s.context }
func (s *span) SetName(name string)            { s.known["name"] = name }
func (s *span) End(...trace.SpanEndOption)     { s.known["ended"] = true }

func (s *span) SetStatus(code codes.Code, text string) {
	s.known["status"] = code.String() + " " + text
}

func (s *span) RecordError(err error, _ ...trace.EventOption) { s.known["error"] = err.Error() }

func (s *span) SetAttributes(all ...attribute.KeyValue) {
	for _, a := range all {
		s.known[string(a.Key)] = a.Value.AsInterface()
	}
}

// meters is a provider whose meters record numbers.
type meters struct {
	metricnoop.MeterProvider
	rec *recorder
}

func (p meters) Meter(string, ...metric.MeterOption) metric.Meter { return meter{rec: p.rec} }

type meter struct {
	metricnoop.Meter
	rec *recorder
}

func (m meter) Float64Histogram(name string, _ ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return histogram{name: name, rec: m.rec}, nil
}

func (m meter) Int64Counter(name string, _ ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return counter{name: name, rec: m.rec}, nil
}

type histogram struct {
	metricnoop.Float64Histogram
	name string
	rec  *recorder
}

func (h histogram) Record(_ context.Context, x float64, opts ...metric.RecordOption) {
	h.rec.add(metric.NewRecordConfig(opts).Attributes(), h.name, fmt.Sprint(x))
}

type counter struct {
	metricnoop.Int64Counter
	name string
	rec  *recorder
}

func (c counter) Add(_ context.Context, n int64, opts ...metric.AddOption) {
	c.rec.add(metric.NewAddConfig(opts).Attributes(), c.name, fmt.Sprint(n))
}

func (r *recorder) add(of attribute.Set, parts ...string) {
	parts = append(parts, of.Encoded(attribute.DefaultEncoder()))
	r.numbers = append(r.numbers, strings.Join(parts, " "))
}
