package service

import (
	"log/slog"
	"os"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// Settings configure the server.
type Settings struct {
	Addr      string // host:port of API and tracking; port 0 chooses a free port
	TrackAddr string // another host:port for tracking; empty: none
	// MetricsAddr is the host:port of metrics for Prometheus. Without a host it is on loopback; empty means no metrics.
	MetricsAddr string

	Data         string            // the data folder
	Meta         string            // DSN of PostgreSQL; empty: SQLite in the data folder
	ClickHouse   clickhouse.Config // without a DSN, events are in the data folder
	Memory       int64             // memory of the process, at least MinMemory; 0: 1 GiB beside DuckDB
	DuckDBMemory int64             // duckdb.Config.MemoryLimit of the file of events; 0: two fifths of Memory, or 1 GiB
	MinFree      int64             // embedded.Config.MinFree
	Redis        string            // address; empty: nothing is shared with other processes
	PepperFile   string            // empty: the pepper of the data folder
	NewRecords   bool              // begin with records that do not know the events
	NewEvents    bool              // continue without events that the records say were stored
	NewPepper    bool              // give the records another pepper in place of a lost one

	BackupTo    string        // folder of regular backups; empty: none
	BackupEvery time.Duration // time between two backups
	BackupKeep  int           // number of backups to keep in the folder; 0: all

	GeoIP         string           // MaxMind-format file; empty: none
	Hangups       <-chan os.Signal // makes the server read the GeoIP file again; nil: none
	CountryHeader string           // header from Proxies with the country; empty: none
	Proxies       clientip.Proxies // proxies with trusted headers
	TrackWindow   time.Duration    // as track.Options.Window
	Origins       []string         // origins of pages that may read /v1
	MCP           bool             // serve the tools of package mcp at /v1/mcp

	SMTP          string // as mail.Config.Server; empty: no mail
	MailFrom      string // as mail.Config.From
	PublicURL     string // where people reach the server; empty: messages have no links
	NotifyPrivate bool   // as notify.Options.Private

	LimitFactor float64            // factor for all rate limits; 0: no limits
	Limits      map[auth.Class]int // requests per minute before LimitFactor; other classes have defaults
	AuditKeep   time.Duration      // how long to store audit entries; 0: for ever
	AuditWarn   int64              // size of the audit trail in bytes for a warning; 0: never

	NoDerived     bool // compute every answer from rows; store no results of finished days
	NoResultCache bool // compute every answer; remember none in memory

	// Supervisor is the address of the socket on which a supervisor such as systemd waits for the state of the server,
	// as NOTIFY_SOCKET names it; empty: nobody waits.
	Supervisor string

	Drain time.Duration // how long requests in progress may take when the program stops; 0: drainTimeout

	Demo     bool // create a demo website, link, monitor and key, with traffic up to now
	DemoDays int  // days of traffic before today when the demo is created; 0: 90
	// DemoEvery is the time between two writes of demo traffic while the server runs; 0: none after the start.
	DemoEvery time.Duration
	JSON      bool // when ready, write one line of JSON

	// Program is the command that runs this program, for the commands that it prints; empty: sightline.
	Program string
	// Misspelled maps variables of the environment that no option reads to the variable that was probably meant.
	Misspelled map[string]string

	LogJSON  bool       // log JSON instead of text; then the text of the start is left out, too
	LogLevel slog.Level // lowest level to log; debug has a line for every request
}
