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
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/program/service"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/track"
)

// dataFlags has the options for the places of data.
type dataFlags struct {
	Data string `env:"SIGHTLINE_DATA" default:"./sightline-data" help:"Data folder. serve, and commands that add something, create it if it does not exist."`
	Meta dsn    `env:"SIGHTLINE_META" placeholder:"ADDRESS|@FILE" help:"PostgreSQL database for owners, websites, links, monitors, keys and audit, such as postgres://name:password@host/database?search_path=schema. Default: a file in the data folder."`
}

// pepperFlags has the options of commands that create or check secrets.
type pepperFlags struct {
	PepperFile string `env:"SIGHTLINE_PEPPER_FILE" placeholder:"FILE" help:"File with the pepper for digests of keys: at least 16 bytes on the first line, and older peppers that are still valid on the next lines. Default: the pepper in the data folder, which serve creates."`
}

// serve has the options of service.Settings.
type serve struct {
	dataFlags
	pepperFlags

	Addr        string `default:"127.0.0.1:8080" help:"Host and port to serve on; port 0 chooses a free port."`
	TrackAddr   string `placeholder:"HOST:PORT" help:"Another host and port to serve tracking on, at /. Tracking is always served under /ingest of --addr."`
	MetricsAddr string `placeholder:"HOST:PORT" help:"Host and port to serve metrics for Prometheus on, at /metrics and without authentication (default: off). A port alone, such as :9090, is on 127.0.0.1."`
	NewRecords  bool   `help:"Begin with records that do not know the stored events: with an empty file, or an empty database of --meta. Without this option that is an error."`
	NewEvents   bool   `help:"Continue without events that were stored before, according to the records: with an empty or older file or database of events. Without this option that is an error."`
	NewPepper   bool   `help:"Give the records another pepper, because theirs is lost. All keys stop working until they are rotated, and the audit trail is deleted."`
	Demo        bool   `default:"true" negatable:"" help:"Create a demo website, link, monitor and key, with traffic up to now. --no-demo, or --demo=false, starts without demo data."`
	DemoDays    int    `default:"90" help:"Days of demo traffic before today, when the demo is created."`
	DemoEvery   span   `default:"15s" placeholder:"TIME" help:"Time between two writes of demo traffic while the server runs. Default: 15s. 0: no traffic after the start."`
	JSON        bool   `name:"json" help:"When ready, print one line of JSON with addresses, key and ids, and nothing else."`

	Clickhouse   dsn     `placeholder:"ADDRESS|@FILE" help:"ClickHouse for events, in place of the data folder, such as clickhouse://name:password@host:9000/database, or http:// with port 8123. Missing tables are created."`
	Tables       tables  `embed:"" prefix:"clickhouse-"`
	Memory       size    `placeholder:"SIZE" help:"Memory of the process, such as 1GiB, at least 256MiB. DuckDB has 60 % of it and everything else 40 %. Default: 2560MiB, and 1GiB with --clickhouse."`
	DuckdbMemory size    `placeholder:"SIZE" help:"Memory limit of DuckDB, such as 512MiB. While many large queries run, DuckDB takes up to half as much again. Default: 40 % of --memory. Without --memory the process then needs one and a half times this limit and 1GiB."`
	MinFreeDisk  reserve `placeholder:"SIZE" help:"Free space of the disk, such as 1GiB, below which the server refuses events and answers queries only. off: no limit. Default: 256MiB, or 5 % of the disk if that is less."`
	Redis        dsn     `env:"SIGHTLINE_REDIS" placeholder:"ADDRESS|@FILE" help:"Redis, such as redis://name:password@host:6379/0. Several processes share limits and notify each other of changed keys through it."`

	BackupTo    string `type:"path" placeholder:"DIR" help:"Folder for regular backups of the data folder; see docs/operations.md. Default: no backups."`
	BackupEvery span   `default:"24h" placeholder:"TIME" help:"Time between two backups, such as 6h or 1d. Default: 24h."`
	BackupKeep  int    `default:"7" placeholder:"NUMBER" help:"Number of complete backups in --backup-to to keep. Older ones are removed after a new one is complete. Default: 7. 0 means all."`

	Smtp          dsn    `env:"SIGHTLINE_SMTP" placeholder:"ADDRESS|@FILE" help:"Server for the mail of notices and reports: smtp://name:password@host:587 with STARTTLS, smtps://…:465 with TLS, or smtp+plain://host:25 without TLS and password. Default: no mail."`
	MailFrom      string `env:"SIGHTLINE_MAIL_FROM" placeholder:"ADDRESS" help:"Sender of this mail, such as 'Sightline <stats@shop.example>'. Required with --smtp."`
	PublicUrl     string `env:"SIGHTLINE_PUBLIC_URL" placeholder:"URL" help:"Address at which people reach this server, such as https://stats.example. Messages link to its panel, and mail has a link that ends it. Default: no links."`
	NotifyPrivate bool   `help:"Let webhooks of notices reach addresses that are not public, such as those of this machine and its network."`

	Geoip         string    `placeholder:"FILE" help:"File in MaxMind format (.mmdb) with the country and city of addresses, of MaxMind, DB-IP, IPinfo or IPLocate. It is read again when it changes."`
	CountryHeader string    `placeholder:"NAME" help:"Request header with the country code, set by a CDN; trusted only from --trusted-proxy."`
	TrustedProxy  []network `placeholder:"CIDR" help:"Network or address of a proxy whose X-Forwarded-For and --country-header are trusted; may be repeated."`
	CorsOrigin    []origin  `placeholder:"ORIGIN" help:"Origin whose pages may read /v1, such as https://panel.example; may be repeated."`
	Mcp           bool      `help:"Serve tools for assistants at /v1/mcp, by the Model Context Protocol. They need a key, like all requests. Default: off."`

	TrackWindow window `default:"7d" help:"Maximum age of events without a key, such as 30d. off: no limit, as with a key."`

	Limits      factor       `default:"1" help:"Factor for all rate limits. off: no rate limits and no concurrency limit."`
	Limit       []classLimit `placeholder:"CLASS=REQUESTS" help:"Requests per minute for one class of routes. Defaults: ${classes}. --limits multiplies it; keys with a --limit are not affected. May be repeated."`
	AuditKeep   span         `default:"400d" placeholder:"TIME" help:"How long to store entries of the audit trail. Default: 400d. 0 means for ever. Processes that share --meta should use the same value."`
	AuditWarn   size         `default:"10GiB" placeholder:"SIZE" help:"Size of the audit trail for a warning in the log. Default: 10GiB. The warning is repeated each time the trail has grown by this size."`
	Drain       span         `default:"30s" placeholder:"TIME" help:"How long open requests may take when the server stops. Default: 30s. Then it closes their connections."`
	LogFormat   string       `enum:"text,json" default:"text" help:"Format of the log on stderr: text or json."`
	LogLevel    string       `enum:"debug,info,warn,error" default:"info" help:"Lowest level to log: debug (a line for every request), info, warn or error."`
	Derived     string       `enum:"on,off" default:"on" help:"on: store results of days that no longer change. off: compute every answer from events."`
	ResultCache string       `enum:"on,off" default:"on" help:"on: remember answers, and parts of answers, in memory until their events change. off: compute every answer."`
}

// Validate returns mistakes that would otherwise be found only after the data is open.
func (s *serve) Validate() error {
	var faults []error
	if s.Addr == "" {
		faults = append(faults, errors.New("--addr is empty"))
	}
	if s.Data == "" {
		faults = append(faults, errors.New("--data is empty"))
	}
	for _, a := range []struct{ flag, addr string }{{"--addr", s.Addr}, {"--track-addr", s.TrackAddr},
		{"--metrics-addr", s.MetricsAddr}} {
		if _, err := net.ResolveTCPAddr("tcp", a.addr); a.addr != "" && err != nil {
			faults = append(faults, fmt.Errorf("%s %q is not a host:port to listen on: %w", a.flag, a.addr, err))
		}
	}
	if (s.Smtp == "") != (s.MailFrom == "") {
		faults = append(faults, errors.New("use --smtp and --mail-from together"))
	}
	if s.CountryHeader != "" && len(s.TrustedProxy) == 0 {
		faults = append(faults, errors.New("--country-header needs --trusted-proxy, the proxy that sets the header"))
	}
	if s.Limits == 0 && len(s.Limit) > 0 {
		faults = append(faults, errors.New("use either --limit or --limits off"))
	}
	if s.Memory != 0 && (s.Memory < service.MinMemory || s.DuckdbMemory > s.Memory/2) {
		faults = append(faults, errors.New("--memory must be at least 256MiB, and at least twice --duckdb-memory"))
	}
	if s.AuditKeep != 0 && s.AuditKeep < span(oneDay) {
		faults = append(faults, errors.New("--audit-keep must be 0 or at least 1d"))
	}
	if s.BackupTo != "" && s.Clickhouse != "" {
		faults = append(faults, errors.New("--backup-to is for events in the data folder; docs/operations.md shows how to back up ClickHouse"))
	}
	if s.BackupEvery < span(time.Minute) || s.BackupKeep < 0 {
		faults = append(faults, errors.New("--backup-every must be at least 1m, and --backup-keep must not be negative"))
	}
	if s.DemoDays < 1 || s.DemoDays > 3650 {
		faults = append(faults, errors.New("--demo-days must be between 1 and 3650"))
	}
	if s.DemoEvery != 0 && s.DemoEvery < span(time.Second) {
		faults = append(faults, errors.New("--demo-every must be 0 or at least 1s"))
	}
	return errors.Join(faults...)
}

// Run serves until ctx ends. A hangup never ends the server: programs that rotate files send it.
func (s *serve) Run(ctx context.Context, e environment, p *kong.Kong) error {
	settings := s.settings()
	settings.Program = runner(os.Args[0])
	settings.Misspelled = misspelled(os.Environ(), p.Model.Leaves(false))
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	settings.Hangups = hangups
	settings.Supervisor = os.Getenv("NOTIFY_SOCKET")
	return service.Serve(ctx, settings, e.out, e.errs, e.now)
}

func (s *serve) settings() service.Settings {
	limits := map[auth.Class]int{}
	for _, l := range s.Limit {
		limits[l.class] = l.requests
	}
	return service.Settings{
		Addr: s.Addr, TrackAddr: s.TrackAddr, MetricsAddr: s.MetricsAddr,
		Data: s.Data, Meta: string(s.Meta), Redis: string(s.Redis), PepperFile: s.PepperFile, NewRecords: s.NewRecords,
		NewEvents: s.NewEvents, NewPepper: s.NewPepper,
		ClickHouse:    s.Tables.options(s.Clickhouse),
		Memory:        int64(s.Memory),
		DuckDBMemory:  int64(s.DuckdbMemory),
		BackupTo:      s.BackupTo,
		BackupEvery:   time.Duration(s.BackupEvery),
		BackupKeep:    s.BackupKeep,
		MinFree:       int64(s.MinFreeDisk),
		Drain:         time.Duration(s.Drain),
		GeoIP:         s.Geoip,
		CountryHeader: s.CountryHeader,
		Proxies: clientip.Proxies(mapped(s.TrustedProxy,
			func(n network) netip.Prefix { return netip.Prefix(n) })),
		Origins:       mapped(s.CorsOrigin, func(o origin) string { return string(o) }),
		MCP:           s.Mcp,
		TrackWindow:   time.Duration(s.TrackWindow),
		LimitFactor:   float64(s.Limits),
		Limits:        limits,
		NoDerived:     s.Derived == "off",
		NoResultCache: s.ResultCache == "off",
		AuditKeep:     time.Duration(s.AuditKeep),
		AuditWarn:     int64(s.AuditWarn),
		Demo:          s.Demo,
		DemoDays:      s.DemoDays,
		DemoEvery:     time.Duration(s.DemoEvery),
		SMTP:          string(s.Smtp),
		MailFrom:      s.MailFrom,
		PublicURL:     s.PublicUrl,
		NotifyPrivate: s.NotifyPrivate,
		JSON:          s.JSON,
		LogJSON:       s.LogFormat == "json",
		LogLevel:      logLevels[s.LogLevel],
	}
}

var logLevels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
	"error": slog.LevelError}

// tables has the options for the tables in ClickHouse.
type tables struct {
	Cluster   string `env:"SIGHTLINE_CLICKHOUSE_CLUSTER" placeholder:"NAME" help:"Cluster of the ClickHouse servers. New tables are Replicated, with Distributed tables for queries."`
	Retention days   `env:"SIGHTLINE_CLICKHOUSE_RETENTION" placeholder:"DAYS" help:"How long ClickHouse stores rows, in whole days such as 400d; applies when tables are created or updated. Default: for ever."`
}

func (t *tables) options(address dsn) clickhouse.Config {
	return clickhouse.Config{DSN: string(address), Cluster: t.Cluster, Retention: time.Duration(t.Retention)}
}

// routeClasses returns the classes of all routes of the program, sorted.
func routeClasses() []auth.Class {
	all := map[auth.Class]bool{}
	for _, r := range httpapi.Routes() {
		all[r.Class], all[cmp.Or(r.Anonymous, r.Class)] = true, true
	}
	for _, r := range track.Routes() {
		all[r.Class], all[cmp.Or(r.Anonymous, r.Class)] = true, true
	}
	return slices.Sorted(maps.Keys(all))
}

// classDefaults lists the default limits of routeClasses.
func classDefaults() string {
	limits := ratelimit.Defaults()
	return joined(mapped(routeClasses(), func(c auth.Class) string { return fmt.Sprintf("%s=%d", c, limits[c]) }))
}
