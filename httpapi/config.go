package httpapi

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/clientip"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// The defaults of Config.
const (
	DefaultMaxBody  = 1 << 20            // bytes
	DefaultMaxBatch = query.DefaultBatch // queries
)

// Config is what a handler works with.
type Config struct {
	Engine    *query.Engine      // required
	Directory store.Directory    // required
	Auth      auth.Authenticator // required
	Limiter   auth.Limiter       // required; also asked as an auth.ConcurrencyLimiter when it is one; auth.Unlimited says "none" out loud
	Audit     auth.Sink          // required; auth.Discard says "none" out loud

	// Versions knows when data changed, so that GET answers about whole past days can
	// be answered 304. nil: these answers carry no ETag.
	Versions store.Versioner
	// Health answers GET /health. nil: the route is not mounted.
	Health *health.Checker
	// Logger gets the causes of answers of 500 and above. nil means silent.
	Logger *slog.Logger
	// ClientIP finds the client's address for limits and audit. nil means the peer's
	// address: no header is trusted by default.
	ClientIP func(*http.Request) netip.Addr
	// MaxBody is the largest request body in bytes. 0 means DefaultMaxBody.
	MaxBody int64
	// MaxBatch is the most queries of one batch. 0 means DefaultMaxBatch.
	MaxBatch int
	// CORSOrigins are the browser origins that may read answers, as in
	// "https://app.example.com". None by default; there is no wildcard.
	CORSOrigins []string
	// NoCompile leaves out POST /v1/query/compile.
	NoCompile bool
	// Now is the clock of audit, limits and conditional answers; let it be the
	// engine's. nil means time.Now.
	Now func() time.Time
	// NewRequestID names a request that came without a clean X-Request-ID. nil means
	// req_ and 26 random characters.
	NewRequestID func() string
}

// New checks cfg and returns a handler, or all that is wrong with cfg. The handler is
// safe for concurrent use and starts nothing of its own.
func New(cfg Config) (http.Handler, error) {
	origins, err := parseOrigins(cfg.CORSOrigins)
	if err := errors.Join(cfg.check(), err); err != nil {
		return nil, err
	}
	a := &api{cfg: cfg.withDefaults(), origins: origins, router: newRouter(&cfg)}
	a.concurrency, _ = a.cfg.Limiter.(auth.ConcurrencyLimiter)
	if a.types, err = newTypeAnswers(cfg.Engine.Types()); err != nil {
		return nil, err
	}
	return a, nil
}

func (cfg *Config) check() error {
	var faults []error
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Engine", cfg.Engine == nil},
		{"Directory", cfg.Directory == nil},
		{"Auth", cfg.Auth == nil},
		{"Limiter", cfg.Limiter == nil},
		{"Audit", cfg.Audit == nil},
	} {
		if part.missing {
			faults = append(faults, fmt.Errorf("httpapi: Config.%s is required", part.name))
		}
	}
	if cfg.MaxBody < 0 {
		faults = append(faults, fmt.Errorf("httpapi: Config.MaxBody is negative: %d", cfg.MaxBody))
	}
	if cfg.MaxBatch < 0 {
		faults = append(faults, fmt.Errorf("httpapi: Config.MaxBatch is negative: %d", cfg.MaxBatch))
	}
	return errors.Join(faults...)
}

func (cfg Config) withDefaults() Config {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.ClientIP == nil {
		cfg.ClientIP = clientip.Proxies(nil).Addr
	}
	if cfg.MaxBody == 0 {
		cfg.MaxBody = DefaultMaxBody
	}
	if cfg.MaxBatch == 0 {
		cfg.MaxBatch = DefaultMaxBatch
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.NewRequestID == nil {
		cfg.NewRequestID = func() string { return "req_" + rand.Text() }
	}
	return cfg
}
