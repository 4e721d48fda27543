//go:build cgo

package service

import (
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/clientip"
	"github.com/sightline-analytics/sightline/store/clickhouse"
)

// Settings say what is served, and how.
type Settings struct {
	Addr      string // host:port of everything; port 0 picks a free one
	TrackAddr string // host:port of tracking alone; empty: none
	// MetricsAddr is host:port of metrics for Prometheus; without a host, that of loopback; empty: none.
	MetricsAddr string

	Data         string            // the data folder
	Meta         string            // DSN of PostgreSQL; empty: SQLite in the data folder
	ClickHouse   clickhouse.Config // without a DSN events lie in the data folder
	DuckDBMemory int64             // as duckdb.Config.MemoryLimit, where events lie in the data folder
	Redis        string            // address; empty: nothing is shared with other processes
	PepperFile   string            // empty: that of the data folder
	NewRecords   bool              // create an empty file of records even beside events

	GeoIP         string           // MaxMind-format file; empty: none
	CountryHeader string           // of Proxies; empty: none
	Proxies       clientip.Proxies // whose headers are believed
	TrackWindow   time.Duration    // as track.Config.Window
	Origins       []string         // whose pages may read /v1

	LimitFactor float64            // all rate limits are multiplied by it; 0: there are no limits
	Limits      map[auth.Class]int // requests per minute, before LimitFactor; the others are the defaults
	AuditKeep   time.Duration      // of entries of the audit trail; 0: for ever
	AuditWarn   int64              // bytes of the audit trail from which on the log warns; 0: never

	NoDerived     bool // answers are computed from rows alone: nothing is kept of quiet days
	NoResultCache bool // every answer is computed: none is kept in memory

	Demo     bool // have a demo website, link, monitor and key, with traffic up to now
	DemoDays int  // of traffic before today when it is first made; 0: 90
	JSON     bool // when ready, write one line of JSON

	LogJSON  bool       // lines of the log are JSON; else text
	LogLevel slog.Level // the least that is logged; debug has a line for every request
}
