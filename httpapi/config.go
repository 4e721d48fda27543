package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// The defaults of Config.
const (
	DefaultMaxBody  = 1 << 20            // bytes
	DefaultMaxBatch = query.DefaultBatch // queries
	DefaultTimeout  = 30 * time.Second   // of a request
)

// Config is what New needs.
type Config struct {
	Engine    *query.Engine      // required
	Directory store.Directory    // required
	Auth      auth.Authenticator // required
	Limiter   auth.Limiter       // required; also asked as an auth.ConcurrencyLimiter when it is one; auth.Unlimited sets none
	Audit     auth.Sink          // required; auth.Discard keeps none

	// Subjects lists links and monitors. nil: GET /v1/query/links and /v1/query/monitors are not mounted.
	Subjects store.SubjectLister
	// Minter makes panel tokens for the keys that Auth accepts; *auth.Keys is one. nil: POST /v1/tokens
	// is not mounted.
	Minter auth.Minter
	// Flags serves feature flags. nil: their routes are not mounted.
	Flags *Flags
	// Versions gives the version of data, so that repeated GETs can be answered 304: about past days
	// until their rows change, about others for a minute at most. nil: answers have no ETag.
	Versions store.Versioner
	// Health answers GET /health. nil: the route is not mounted.
	Health *health.Checker
	// Logger gets the causes of answers of 500 and above, and at debug a line for every request. nil
	// means silent.
	Logger *slog.Logger
	// Observe is called for every request after it was answered, in the goroutine of the request. nil
	// means none. Package observe/prom has one for Prometheus.
	Observe func(context.Context, observe.Request)
	// ClientIP finds the client's address for limits and audit. nil means the peer's
	// address: no header is trusted by default.
	ClientIP func(*http.Request) netip.Addr
	// MaxBody is the largest request body in bytes. 0 means DefaultMaxBody.
	MaxBody int64
	// MaxBatch is the most queries of one batch. 0 means DefaultMaxBatch.
	MaxBatch int
	// Timeout is how long a request may take before it is answered 504. It should be below the server's
	// WriteTimeout, which closes the connection. Once a large answer is being written, a deadline that moves
	// with the client's progress replaces WriteTimeout. 0 means DefaultTimeout.
	Timeout time.Duration
	// CORSOrigins are the browser origins that may read answers, as in
	// "https://app.example.com". None by default; there is no wildcard. Pages of any origin may
	// evaluate flags.
	CORSOrigins []string
	// NoCompile leaves out POST /v1/query/compile.
	NoCompile bool
	// Now is the clock of audit, limits and conditional answers; it should be the engine's. nil means
	// time.Now.
	Now func() time.Time
	// NewRequestID makes the id of a request without a valid X-Request-ID. nil means req_ and 26 random
	// characters.
	NewRequestID func() string
}

// New checks cfg and returns a handler, or all that is wrong with cfg. The handler is safe for
// concurrent use and starts no background work.
func New(cfg Config) (http.Handler, error) {
	origins, err := front.ParseOrigins(cfg.CORSOrigins)
	if err != nil {
		err = fmt.Errorf("httpapi: Config.CORSOrigins: %w", err)
	}
	if err := errors.Join(cfg.check(), cfg.Flags.check(), err); err != nil {
		return nil, err
	}
	types, err1 := newTypeAnswers(cfg.Engine.Types())
	known, err2 := newAddresses()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	a := &api{cfg.withDefaults(), types, known}
	cors := &front.CORS{
		Origins: origins,
		Methods: "GET, POST, PATCH, DELETE",
		Headers: "Content-Type, x-api-key, Authorization, If-None-Match, If-Match",
		Expose:  "ETag, X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, RateLimit, RateLimit-Policy",
		MaxAge:  2 * time.Hour, // browsers keep a preflight no longer anyway
	}
	open := *cors
	open.Any, open.Origins = true, nil
	open.Headers += ", X-Client-Id, databuddy-client-id"
	return front.New(front.Config{
		Auth: cfg.Auth, Limiter: cfg.Limiter, Audit: cfg.Audit, Refuse: refuse, CORS: cors, TrimSlash: true, Timeout: a.cfg.Timeout,
		Logger: cfg.Logger, ClientIP: cfg.ClientIP, Now: cfg.Now, NewRequestID: cfg.NewRequestID, Observe: cfg.Observe,
	}, a.mounted(cors, &open)), nil
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
	if cfg.Timeout < 0 {
		faults = append(faults, fmt.Errorf("httpapi: Config.Timeout is negative: %s", cfg.Timeout))
	}
	return errors.Join(faults...)
}

func (cfg Config) withDefaults() Config {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.MaxBody = cmp.Or(cfg.MaxBody, DefaultMaxBody)
	cfg.MaxBatch = cmp.Or(cfg.MaxBatch, DefaultMaxBatch)
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	return cfg
}
