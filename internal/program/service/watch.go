package service

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/observe/prom"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/track/geoip"
)

// logger returns a logger to w with the format and level of s.
func (s *Settings) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// scrapeTimeout bounds the time that a scrape waits for the records.
const scrapeTimeout = 5 * time.Second

// metrics collects the metrics of --metrics-addr. A nil *metrics collects nothing.
type metrics struct {
	requests *prom.Collector
	all      *prometheus.Registry
	now      func() time.Time
}

// newMetrics returns the metrics of requests, the audit trail, the Go runtime and the process.
func newMetrics(trail audit.Sizer, now func() time.Time) *metrics {
	size := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "sightline_audit_bytes",
		Help: "Size of all entries of the audit trail; NaN if it cannot be read."}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
		defer cancel()
		n, err := trail.Size(ctx)
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	})
	processor := collectors.GoRuntimeMetricsRule{Matcher: regexp.MustCompile("^/cpu/classes/(total|idle|gc/total):")}
	m := &metrics{requests: prom.New(), all: prometheus.NewRegistry(), now: now}
	m.all.MustRegister(m.requests, size, collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(processor)),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// watchGeo adds the age of a GeoIP file, which may be nil.
func (m *metrics) watchGeo(file *geoip.File, now func() time.Time) {
	if file == nil {
		return
	}
	m.all.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "sightline_geoip_age_seconds", Help: "Time since the content of the GeoIP file was built.",
	}, func() float64 { return now().Sub(file.Built()).Seconds() }))
}

// watch adds the metrics of an engine and its sealer.
func (m *metrics) watch(e *query.Engine, s *query.Sealer) {
	if m != nil {
		m.all.MustRegister(prom.Engine(e, s))
	}
}

// observer returns the Options.Observe of the handler with a name.
func (m *metrics) observer(name string) func(context.Context, observe.Request) {
	if m == nil {
		return nil
	}
	return m.requests.Observe(name)
}

// counted wraps h to count its requests in flight.
func (m *metrics) counted(name string, h http.Handler) http.Handler {
	if m == nil || h == nil {
		return h
	}
	return m.requests.InFlight(name, h)
}

// watched wraps a handler without a table of routes to count its requests by route, status and duration.
func (m *metrics) watched(name, route string, h http.Handler) http.Handler {
	if m == nil {
		return h
	}
	tell := m.observer(name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, answer := m.now(), &answered{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			tell(r.Context(), observe.Request{Route: route, Status: answer.status, Duration: m.now().Sub(began)})
		}()
		h.ServeHTTP(answer, r)
	})
}

// answered is a response that notes its status.
type answered struct {
	http.ResponseWriter

	status int
}

func (a *answered) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// handler answers scrapes.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.all, promhttp.HandlerOpts{})
}
