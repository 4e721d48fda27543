package service

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"regexp"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/program/backup"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/observe/prom"
	"github.com/sightline-analytics/sightline/store/embedded"
	"github.com/sightline-analytics/sightline/track"
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
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "sightline_build_info",
		Help: "1, with the version of the program and of Go as labels."}, []string{"version", "go"})
	build.WithLabelValues(Version(), runtime.Version()).Set(1)
	m.all.MustRegister(m.requests, build, size,
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(processor)),
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

// gauge adds a metric with the value that read returns, or NaN if it returns an error.
func (m *metrics) gauge(name, help string, read func() (float64, error)) {
	m.all.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		value, err := read()
		if err != nil {
			return math.NaN()
		}
		return value
	}))
}

// watchBackups adds the state of regular backups. s is nil if the events are not in the data folder.
func (m *metrics) watchBackups(s *backup.Schedule) {
	if s == nil {
		return
	}
	m.gauge("sightline_backup_newest_timestamp_seconds",
		"Moment of the newest regular backup; 0 if there is none.", func() (float64, error) {
			if at := s.Status().Newest; !at.IsZero() {
				return float64(at.Unix()), nil
			}
			return 0, nil
		})
	m.gauge("sightline_backup_failing",
		"1 if the last attempt at a regular backup failed or the newest is too old, and 0 otherwise.",
		func() (float64, error) {
			failing := s.To != "" && s.Probe(context.Background()) != nil
			return map[bool]float64{true: 1}[failing], nil
		})
}

// watchDisk adds the free space of the disk of the data folder, and the limit below which the server refuses events.
func (m *metrics) watchDisk(folder string, minFree int64) {
	m.gauge("sightline_disk_free_bytes", "Free space of the disk of the data folder; NaN if it is not known.",
		func() (float64, error) {
			free, _, err := embedded.FreeSpace(folder, minFree)
			return float64(free), err
		})
	m.gauge("sightline_disk_limit_bytes", "Free space below which the server refuses events; NaN if it is not known.",
		func() (float64, error) {
			_, limit, err := embedded.FreeSpace(folder, minFree)
			return float64(limit), err
		})
}

// watch adds the metrics of a service: of its engine and sealer, the health of its parts, and errors that have not
// happened yet.
func (m *metrics) watch(s *sightline.Service) {
	if m == nil {
		return
	}
	m.all.MustRegister(prom.Engine(s.Engine(), s.Sealer()), partHealth{s.Health()})
	if s.Notices() != nil {
		m.all.MustRegister(prom.Notices(s.Notices()))
	}
	api, tracking := httpapi.Codes(), track.Codes()
	for _, c := range api {
		m.requests.Expect("api", "", c.Code)
	}
	for _, c := range tracking {
		m.requests.Expect("track", "", c.Code)
	}
	// Alerts are about the faults of the server. They must see the first one of a route too.
	for _, r := range httpapi.Routes() {
		for _, c := range api {
			if c.Status >= http.StatusInternalServerError {
				m.requests.Expect("api", r.Method+" "+r.Path, c.Code)
			}
		}
	}
	for _, r := range track.Routes() {
		for _, c := range tracking {
			if c.Status >= http.StatusInternalServerError {
				m.requests.Expect("track", r.Method+" "+r.Path, c.Code)
			}
		}
	}
}

// partHealth has the metric of the parts that GET /health reports.
type partHealth struct{ checker *health.Checker }

// healthy describes the metric. Its labels are the roles of package health, and further parts while they fail.
func healthy() *prometheus.Desc {
	return prometheus.NewDesc("sightline_healthy",
		"1 if a part of the service works, and 0 if it does not; of parts other than the stores only if they do not work.",
		[]string{"part"}, nil)
}

// Describe implements prometheus.Collector.
func (partHealth) Describe(to chan<- *prometheus.Desc) { to <- healthy() }

// Collect implements prometheus.Collector.
func (p partHealth) Collect(to chan<- prometheus.Metric) {
	r := p.checker.Check(context.Background()) // it has a time limit of its own
	parts := map[string]bool{health.Analytics: r.ClickHouse, health.Relational: r.Database, health.Cache: r.Redis}
	maps.Copy(parts, r.Checks)
	for name, works := range parts {
		value := 0.0
		if works {
			value = 1
		}
		to <- prometheus.MustNewConstMetric(healthy(), prometheus.GaugeValue, value, name)
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
