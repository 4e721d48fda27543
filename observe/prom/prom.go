// Package prom makes Prometheus metrics of the reports that handlers send to Options.Observe, and of an engine:
//
//	collector := prom.New()
//	registry.MustRegister(collector, prom.Engine(engine, sealer))
//	service, err := sightline.New(sightline.Config{ // and the required fields
//		API:   httpapi.Options{Observe: collector.Observe("api")},
//		Track: track.Options{Observe: collector.Observe("track")},
//	})
//	mux.Handle("/", collector.InFlight("api", api))
//	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
//
// It is a separate package so that other hosts do not link the Prometheus library.
package prom

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sightline-analytics/sightline/observe"
)

// noRoute is the label of requests without a route.
const noRoute = "none"

// MaxCodes is the maximum number of error codes with their own series; later codes are counted as "other". The handlers
// have fewer codes, but a host may add its own.
const MaxCodes = 100

// A Collector counts requests. [New] creates it, and the host registers it. Its metrics all have the label
// handler:
//
//	sightline_requests_in_flight                             requests in progress
//	sightline_requests_total{route,class,status}             requests by route, class of limits and HTTP status
//	sightline_errors_total{route,code}                       errors by code
//	sightline_rows_total{route}                              rows in responses, or rows sent to be stored
//	sightline_request_duration_seconds{route}                a histogram
//	sightline_store_duration_seconds{route}                  a histogram of requests that used a store
//
// The route is "none" for requests without a route.
type Collector struct {
	inFlight               *prometheus.GaugeVec
	requests, errors, rows *prometheus.CounterVec
	duration, store        *prometheus.HistogramVec

	mu    sync.Mutex
	codes map[string]bool // codes with their own series
}

// New returns a Collector.
func New() *Collector {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "sightline_" + name, Help: help},
			append([]string{"handler"}, labels...))
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "sightline_" + name, Help: help,
			Buckets: buckets}, []string{"handler", "route"})
	}
	return &Collector{
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "sightline_requests_in_flight",
			Help: "Requests in progress."}, []string{"handler"}),
		requests: counter("requests_total", "Answered requests.", "route", "class", "status"),
		errors:   counter("errors_total", "Errors by code.", "route", "code"),
		rows:     counter("rows_total", "Rows in responses, or rows sent to be stored.", "route"),
		duration: histogram("request_duration_seconds", "Time until the response was written."),
		store: histogram("store_duration_seconds",
			"Time spent in the store of events per request; times of concurrent queries are added."),
		codes: map[string]bool{},
	}
}

func (c *Collector) parts() []prometheus.Collector {
	return []prometheus.Collector{c.inFlight, c.requests, c.errors, c.rows, c.duration, c.store}
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, part := range c.parts() {
		part.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	for _, part := range c.parts() {
		part.Collect(to)
	}
}

// Observe returns a function for Options.Observe of a handler; handler is the value of the label.
func (c *Collector) Observe(handler string) func(context.Context, observe.Request) {
	return func(_ context.Context, r observe.Request) {
		route := cmp.Or(r.Route, noRoute)
		c.requests.WithLabelValues(handler, route, string(r.Class), strconv.Itoa(r.Status)).Inc()
		if r.Code != "" {
			c.errors.WithLabelValues(handler, route, c.code(r.Code)).Inc()
		}
		c.rows.WithLabelValues(handler, route).Add(float64(r.Rows))
		c.duration.WithLabelValues(handler, route).Observe(r.Duration.Seconds())
		if r.Store > 0 {
			c.store.WithLabelValues(handler, route).Observe(r.Store.Seconds())
		}
	}
}

// Expect adds the series of an error that has not happened yet, with the value 0, so that alerts can compare with it.
// An empty route stands for requests without one. Do it before the handler runs.
func (c *Collector) Expect(handler, route, code string) {
	c.errors.WithLabelValues(handler, cmp.Or(route, noRoute), c.code(code))
}

// InFlight returns h wrapped to count its requests in progress; handler is the value of the label.
func (c *Collector) InFlight(handler string, h http.Handler) http.Handler {
	gauge := c.inFlight.WithLabelValues(handler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		gauge.Inc()
		defer gauge.Dec()
		h.ServeHTTP(w, r)
	})
}

// code returns code, or "other" if there are too many codes.
func (c *Collector) code(code string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.codes[code] {
		if len(c.codes) >= MaxCodes {
			return "other"
		}
		c.codes[code] = true
	}
	return code
}
