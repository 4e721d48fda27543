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
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

// DefaultMaxBody is the largest body in bytes when Config sets none.
const DefaultMaxBody = 1 << 20

// DefaultWindow is how old events without a key may be when Config says nothing.
const DefaultWindow = 7 * 24 * time.Hour

// Config is what [New] needs.
type Config struct {
	Writer    store.Writer       // required
	Directory store.Directory    // required
	Auth      auth.Authenticator // required; for /track with a key, /link-visits, /uptime-checks
	Limiter   auth.Limiter       // required; also asked as an auth.ConcurrencyLimiter when it is one; auth.Unlimited sets none
	Audit     auth.Sink          // required; auth.Discard keeps none
	Salts     Salts              // required

	// Profiles stores what /identify receives; nil means that there is no such route.
	Profiles Profiles
	// Geo finds locations by IP address; nil means that rows have none.
	Geo Geo
	// CountryHeader names a header with the visitor's country, such as CF-IPCountry, which is used for
	// requests that are Trusted. Empty: no header is used.
	CountryHeader string
	// Trusted reports whether a request came from a proxy whose headers can be trusted. It is required
	// with CountryHeader.
	Trusted func(*http.Request) bool
	// ClientIP finds the visitor's address. Nil means the peer's; no header is trusted.
	ClientIP func(*http.Request) netip.Addr

	// Window is how old events may be that are sent without a key. 0 means DefaultWindow; when
	// it is negative, they may be as old as those with a key.
	Window time.Duration

	// Usage counts the events of websites that have a quota, see [store.Rules.MonthlyEvents]; nil means
	// that quotas are ignored.
	Usage Usage

	// Observe is called for every request after it was answered, in the goroutine of the request. Nil
	// means none. Package observe/prom has one for Prometheus.
	Observe func(context.Context, observe.Request)

	Now     func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means silent
	MaxBody int64            // in bytes; 0 means DefaultMaxBody
}

// Salts are the secrets that visitor ids are hashed with.
type Salts interface {
	// Salt returns the salt of the UTC day that begins at day: always the same in all
	// processes while the day lasts, and unknown to anybody after it is destroyed.
	Salt(ctx context.Context, day time.Time) ([]byte, error)
}

// Geo finds the location of an IP address.
type Geo interface {
	// Locate returns the location of addr; the zero Location when it is not known.
	Locate(addr netip.Addr) Location
}

// A Location is where a sender is. Unknown parts are empty.
type Location struct {
	Country string // ISO 3166-1 alpha-2
	Region  string // English name
	City    string // English name
}

// A Handler is the handler of the tracking address. It is safe for concurrent use.
type Handler struct {
	http.Handler
	blocked *blockedCounter
}

// Close stores the counts of turned-away traffic that were not stored yet, until ctx ends. Call it
// after the last request was answered and before the Writer is closed; without it, only those counts
// are lost.
func (h *Handler) Close(ctx context.Context) error { return h.blocked.close(ctx) }

// New returns the handler of the tracking address. Its error joins all problems of cfg.
func New(cfg Config) (*Handler, error) {
	var faults []error
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Writer", cfg.Writer == nil},
		{"Directory", cfg.Directory == nil},
		{"Auth", cfg.Auth == nil},
		{"Limiter (auth.Unlimited is none)", cfg.Limiter == nil},
		{"Audit (auth.Discard is none)", cfg.Audit == nil},
		{"Salts", cfg.Salts == nil},
	} {
		if part.missing {
			faults = append(faults, fmt.Errorf("track: Config.%s is missing", part.name))
		}
	}
	if cfg.CountryHeader != "" && cfg.Trusted == nil {
		faults = append(faults, errors.New("track: Config.Trusted is missing: whose CountryHeader is believed?"))
	}
	if cfg.MaxBody < 0 {
		faults = append(faults, fmt.Errorf("track: Config.MaxBody is %d", cfg.MaxBody))
	}
	known, err := newUserAgents()
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
	blocked := &blockedCounter{writer: cfg.Writer, now: cfg.Now, logger: cfg.Logger}
	routes, err := (&handler{cfg, known, blocked, &usageCache{usage: cfg.Usage}}).serve()
	if err != nil {
		return nil, err
	}
	return &Handler{routes, blocked}, nil
}
