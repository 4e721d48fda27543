package track

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/internal/intake"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

// DefaultMaxBody is the default maximum size of a body in bytes.
const DefaultMaxBody = 1 << 20

// DefaultWindow is the default maximum age of events without a key.
const DefaultWindow = 7 * 24 * time.Hour

// Config configures [New].
type Config struct {
	Writer    store.Writer       // required
	Directory store.Directory    // required
	Auth      auth.Authenticator // required; for /track with a key, /link-visits, /uptime-checks
	// required; its auth.ConcurrencyLimiter is used if it is one; auth.Unlimited disables limits
	Limiter auth.Limiter
	Audit   auth.Sink // required; auth.Discard stores no audit trail
	Salts   Salts     // required; such as a meta.Store or FileSalts
	// Usage counts the events of websites with a quota, see [store.Rules.MonthlyEvents]. Required; NoQuotas ignores
	// quotas.
	Usage Usage
	// Memory bounds the bytes of requests and answers in memory. Give the same to all handlers of a process. Nil means
	// memory.Default.
	Memory *memory.Budget
	// Profiles stores the data of /identify. If it is nil, the route does not exist.
	Profiles Profiles
	// Proxies are the proxies that name the visitor's address in X-Forwarded-For. If it is empty, the visitor is the
	// peer, and no header is trusted.
	Proxies clientip.Proxies
	Now     func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means no log

	Options
}

// Options are what a Handler does with its parts. The zero value has the defaults.
type Options struct {
	// Geo finds locations by IP address. If it is nil, rows have no location.
	Geo Geo
	// CountryHeader is the name of a header with the visitor's country, such as CF-IPCountry. It is only used
	// in requests from Proxies, so it requires them. Empty means none.
	CountryHeader string
	// Window is the maximum age of events without a key. 0 means DefaultWindow. If it is negative, they may be as
	// old as events with a key.
	Window time.Duration
	// MaxBody is the maximum size of a body in bytes. 0 means DefaultMaxBody.
	MaxBody int64
	// Observe is called after every response, in the goroutine of the request. It may be nil. Package observe/prom
	// has an implementation for Prometheus.
	Observe func(context.Context, observe.Request)
}

// Geo finds the location of an IP address.
type Geo interface {
	// Locate returns the location of addr, or the zero Location if it is unknown.
	Locate(addr netip.Addr) Location
}

// A Location is the location of a sender. Unknown parts are empty.
type Location struct {
	Country string // ISO 3166-1 alpha-2
	Region  string // English name
	City    string // English name
}

// A Handler handles all requests to the tracking address. It is safe for concurrent use.
type Handler struct {
	http.Handler
	blocked *blockedCounter
}

// Close stores the remaining counts of blocked requests, until ctx ends. Call it after the last response and before
// closing the Writer. Without Close, only these counts are lost.
func (h *Handler) Close(ctx context.Context) error { return h.blocked.close(ctx) }

// New returns the handler for the tracking address. Its error joins all problems of cfg.
func New(cfg Config) (*Handler, error) {
	var faults []error
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Writer", cfg.Writer == nil},
		{"Directory", cfg.Directory == nil},
		{"Auth", cfg.Auth == nil},
		{"Limiter (auth.Unlimited disables limits)", cfg.Limiter == nil},
		{"Audit (auth.Discard disables the audit trail)", cfg.Audit == nil},
		{"Salts", cfg.Salts == nil},
		{"Usage (track.NoQuotas ignores the quotas of websites)", cfg.Usage == nil},
	} {
		if part.missing {
			faults = append(faults, fmt.Errorf("track: Config.%s is required", part.name))
		}
	}
	if cfg.CountryHeader != "" && len(cfg.Proxies) == 0 {
		faults = append(faults, errors.New("track: Config.Proxies is required with Config.CountryHeader"))
	}
	if cfg.MaxBody < 0 {
		faults = append(faults, fmt.Errorf("track: Config.MaxBody must not be negative: %d", cfg.MaxBody))
	}
	known, err := intake.NewAgents()
	if err := errors.Join(append(faults, err)...); err != nil {
		return nil, err
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
	if cfg.Window == 0 {
		cfg.Window = DefaultWindow
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	usage := newUsageCache(cfg.Usage)
	names, err := newNameCounter()
	if err != nil {
		return nil, err
	}
	if _, none := cfg.Usage.(noQuotas); none {
		usage.usage = nil
	}
	blocked := &blockedCounter{writer: cfg.Writer, now: cfg.Now, logger: cfg.Logger}
	routes, err := (&handler{cfg, known, locator{cfg.Geo, cfg.CountryHeader, cfg.Proxies}, blocked, usage,
		names}).serve()
	if err != nil {
		return nil, err
	}
	return &Handler{routes, blocked}, nil
}
