//go:build cgo

package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/example/service"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/clientip"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/track"
)

// dataFlags say where an install keeps what it has.
type dataFlags struct {
	Data string `env:"SIGHTLINE_DATA" default:"./sightline-data" help:"Folder of the data; made when it is not there."`
	Meta dsn    `env:"SIGHTLINE_META" placeholder:"ADDRESS|@FILE" help:"PostgreSQL database for owners, websites, links, monitors, keys and audit, as postgres://name:password@host/database?search_path=schema; without it they lie in the data folder."`
}

// pepperFlags are for commands that make or check what the pepper protects.
type pepperFlags struct {
	PepperFile string `env:"SIGHTLINE_PEPPER_FILE" placeholder:"FILE" help:"File with the pepper of key digests, 16 bytes or more, and below it older ones that are still good, a line each; without it the pepper of the data folder, where serve makes one."`
}

// serve are the flags of service.Settings.
type serve struct {
	dataFlags
	pepperFlags

	Addr        string `default:"127.0.0.1:8080" help:"Host and port to serve on; port 0 picks a free one."`
	TrackAddr   string `placeholder:"HOST:PORT" help:"Host and port to serve tracking on as well, at /; it is always served under /ingest of --addr."`
	MetricsAddr string `placeholder:"HOST:PORT" help:"Host and port to serve metrics for Prometheus on, at /metrics, to whoever reaches it; a port alone, as :9090, is on 127.0.0.1. Without it there are none."`
	NewRecords  bool   `help:"Create an empty file of records when it is missing beside a file of events. Without this flag that is an error."`
	Demo        bool   `default:"true" negatable:"" help:"Have a demo website, link, monitor and key, with traffic up to now; --no-demo, or --demo=false, leaves an empty install empty."`
	DemoDays    int    `default:"90" help:"Days of the demo's traffic before today, when it is first made."`
	JSON        bool   `name:"json" help:"When ready, print one line of JSON with addresses, key and ids, and nothing else."`

	Clickhouse   dsn    `placeholder:"ADDRESS|@FILE" help:"ClickHouse, as clickhouse://name:password@host:9000/database, or http:// with port 8123; events lie there then instead of in the data folder, in tables that are made when they are missing."`
	Tables       tables `embed:"" prefix:"clickhouse-"`
	DuckdbMemory size   `placeholder:"SIZE" help:"Memory that the events of the data folder may take, as 512MiB, 1GiB without it; the process needs some 200 MiB beside it."`
	Redis        dsn    `env:"SIGHTLINE_REDIS" placeholder:"ADDRESS|@FILE" help:"Redis, as redis://name:password@host:6379/0, by which several processes share limits and tell each other of changed keys."`

	Geoip         string    `placeholder:"FILE" help:"MaxMind-format file that finds country and city of addresses."`
	CountryHeader string    `placeholder:"NAME" help:"Request header that a CDN sets to the country code; believed of --trusted-proxy alone."`
	TrustedProxy  []network `placeholder:"CIDR" help:"Network or address of a proxy whose X-Forwarded-For and --country-header are believed; may be repeated."`
	CorsOrigin    []origin  `placeholder:"ORIGIN" help:"Origin whose pages may read /v1, as https://panel.example; may be repeated."`

	TrackWindow window `default:"7d" help:"How old events may be that are sent without a key, as 30d; or off, which takes them like those with a key."`

	Limits      factor       `default:"1" help:"Factor by which all rate limits are multiplied; or off, which lifts the cap on requests at the same time too."`
	Limit       []classLimit `placeholder:"CLASS=REQUESTS" help:"Requests per minute for one class of routes, where the defaults are ${classes}; --limits multiplies it, and a key with a limit of its own keeps that; may be repeated."`
	AuditKeep   span         `default:"400d" placeholder:"TIME" help:"How long entries of the audit trail are kept, 400d without it; 0 keeps them for ever. Processes that share --meta should say the same."`
	AuditWarn   size         `default:"10GiB" placeholder:"SIZE" help:"Size of the audit trail from which on the log warns, as 10GiB, and again whenever it has grown as much."`
	LogFormat   string       `enum:"text,json" default:"text" help:"Format of the log on stderr: text or json."`
	LogLevel    string       `enum:"debug,info,warn,error" default:"info" help:"The least that is logged: debug, which has a line for every request, info, warn or error."`
	Derived     string       `enum:"on,off" default:"on" help:"Keep what is computed of the sessions of quiet days: on; or off, which computes every answer from rows alone."`
	ResultCache string       `enum:"on,off" default:"on" help:"Keep answers, and parts that others are merged from, in memory until what they were computed from changes: on; or off, which computes every answer."`
}

// Validate finds mistakes that would otherwise show only after the data is open.
func (s *serve) Validate() error {
	var faults []error
	if s.Addr == "" {
		faults = append(faults, errors.New("--addr is empty"))
	}
	if s.Data == "" {
		faults = append(faults, errors.New("--data is empty"))
	}
	for _, a := range []struct{ flag, addr string }{{"--addr", s.Addr}, {"--track-addr", s.TrackAddr}, {"--metrics-addr", s.MetricsAddr}} {
		if _, err := net.ResolveTCPAddr("tcp", a.addr); a.addr != "" && err != nil {
			faults = append(faults, fmt.Errorf("%s %q is no host:port to listen on: %w", a.flag, a.addr, err))
		}
	}
	if s.CountryHeader != "" && len(s.TrustedProxy) == 0 {
		faults = append(faults, errors.New("--country-header needs --trusted-proxy, the proxy that sets it"))
	}
	if s.Limits == 0 && len(s.Limit) > 0 {
		faults = append(faults, errors.New("say either --limit or --limits off"))
	}
	if s.AuditKeep != 0 && s.AuditKeep < span(oneDay) {
		faults = append(faults, errors.New("--audit-keep is shorter than 1d"))
	}
	if s.DemoDays < 1 || s.DemoDays > 3650 {
		faults = append(faults, errors.New("--demo-days is not between 1 and 3650"))
	}
	return errors.Join(faults...)
}

// Run serves until ctx ends.
func (s *serve) Run(ctx context.Context, e environment) error {
	return service.Serve(ctx, s.settings(), e.out, e.errs, e.now)
}

func (s *serve) settings() service.Settings {
	limits := map[auth.Class]int{}
	for _, l := range s.Limit {
		limits[l.class] = l.requests
	}
	return service.Settings{
		Addr: s.Addr, TrackAddr: s.TrackAddr, MetricsAddr: s.MetricsAddr,
		Data: s.Data, Meta: string(s.Meta), Redis: string(s.Redis), PepperFile: s.PepperFile, NewRecords: s.NewRecords,
		ClickHouse:    s.Tables.options(s.Clickhouse),
		DuckDBMemory:  int64(s.DuckdbMemory),
		GeoIP:         s.Geoip,
		CountryHeader: s.CountryHeader,
		Proxies:       clientip.Proxies(mapped(s.TrustedProxy, func(n network) netip.Prefix { return netip.Prefix(n) })),
		Origins:       mapped(s.CorsOrigin, func(o origin) string { return string(o) }),
		TrackWindow:   time.Duration(s.TrackWindow),
		LimitFactor:   float64(s.Limits),
		Limits:        limits,
		NoDerived:     s.Derived == "off",
		NoResultCache: s.ResultCache == "off",
		AuditKeep:     time.Duration(s.AuditKeep),
		AuditWarn:     int64(s.AuditWarn),
		Demo:          s.Demo,
		DemoDays:      s.DemoDays,
		JSON:          s.JSON,
		LogJSON:       s.LogFormat == "json",
		LogLevel:      logLevels[s.LogLevel],
	}
}

var logLevels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// tables are the flags that change the tables that ClickHouse gets.
type tables struct {
	Cluster   string `env:"SIGHTLINE_CLICKHOUSE_CLUSTER" placeholder:"NAME" help:"Cluster of the ClickHouse servers; tables that are made are Replicated, with Distributed ones in front."`
	Retention days   `env:"SIGHTLINE_CLICKHOUSE_RETENTION" placeholder:"DAYS" help:"How long ClickHouse keeps rows of tables that are made or brought up to date, in whole days, as 400d; without it for ever."`
}

func (t *tables) options(address dsn) clickhouse.Config {
	return clickhouse.Config{DSN: string(address), Cluster: t.Cluster, Retention: time.Duration(t.Retention)}
}

// routeClasses are the classes of the routes that the program serves, in order.
func routeClasses() []auth.Class {
	all := map[auth.Class]bool{}
	for _, r := range httpapi.Routes() {
		all[r.Class] = true
	}
	for _, r := range track.Routes() {
		all[r.Class], all[cmp.Or(r.Anonymous, r.Class)] = true, true
	}
	return slices.Sorted(maps.Keys(all))
}

// classDefaults tells the default limits of routeClasses.
func classDefaults() string {
	limits := ratelimit.Defaults()
	return joined(mapped(routeClasses(), func(c auth.Class) string { return fmt.Sprintf("%s=%d", c, limits[c]) }))
}
