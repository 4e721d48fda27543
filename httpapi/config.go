package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/clientip"
	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/notify"
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

// Config configures New.
type Config struct {
	Engine    *query.Engine      // required
	Directory store.Directory    // required
	Auth      auth.Authenticator // required
	// required; its auth.ConcurrencyLimiter is used if it is one; auth.Unlimited disables limits
	Limiter auth.Limiter
	Audit   auth.Sink // required; auth.Discard stores no audit trail
	// Memory bounds the bytes of requests and answers in memory. Give the same to all handlers of a process. Nil means
	// memory.Default.
	Memory *memory.Budget

	// Subjects lists links and monitors. If it is nil, GET /v1/query/links and /v1/query/monitors do not exist.
	Subjects store.SubjectLister
	// Websites changes websites. If it is nil, the routes below /v1/websites that list and change websites do not
	// exist.
	Websites store.WebsiteManager
	// Minter makes panel tokens for keys that Auth accepts; *auth.Keys is a Minter. If it is nil, POST /v1/tokens does
	// not exist.
	Minter auth.Minter
	// Definitions keeps saved goals, funnels, segments, annotations, notices and reports. If it is nil, their routes do
	// not exist, and queries cannot use them.
	Definitions store.DefinitionStore
	// Notices delivers notices and reports. If it is nil, the routes below /v1/websites/{website_id}/notices and
	// /v1/notices do not exist.
	Notices *notify.Service
	// Keys changes API keys. If it is nil, the routes of keys do not exist.
	Keys auth.KeyManager
	// Trail finds entries of the audit trail. If it is nil, GET /v1/audit does not exist.
	Trail audit.Finder
	// Flags serves feature flags. If it is nil, their routes do not exist. The caller closes it.
	Flags *flags.Service
	// Export is the store whose rows GET /v1/export exports. If it is nil, the route does not exist.
	Export store.Store
	// ExportProfiles has the profiles whose names an export can have. If it is nil, exports have no profiles.
	ExportProfiles exporter.Profiles
	// Erase erases visitors for DELETE /v1/visitors/{id}. If it is nil, the route does not exist.
	Erase *erasure.Eraser
	// Health answers GET /health. If it is nil, the route does not exist.
	Health *health.Checker
	// Logger logs the causes of responses with a status of 500 and above, and at debug level every request. nil means
	// no log.
	Logger *slog.Logger
	// Proxies are the proxies that name the client's address in X-Forwarded-For, for limits and the audit trail. If it
	// is empty, the client is the peer, and no header is trusted.
	Proxies clientip.Proxies
	// Now is the clock for the audit trail, limits and conditional requests. It should be the engine's clock. nil means
	// time.Now.
	Now func() time.Time

	Options
}

// Options are the settings of a Handler, without its parts. The zero value has the defaults.
type Options struct {
	// Tracker says where the script for pages is. If it is nil, GET /v1/tracker does not exist.
	Tracker *Tracker
	// ExportFormats are formats of exports beside NDJSON and CSV, such as that of package exporter/parquet.
	ExportFormats []exporter.Format
	// Encoders compress answers, besides gzip, which needs none. Clients that accept several get the first of them.
	// Package httpapi/zstd has one.
	Encoders []Encoder
	// Documents are OpenAPI documents of other handlers of the host, such as that of track.Handler.Document, whose
	// paths GET /v1/openapi.json has, too.
	Documents []json.RawMessage
	// Observe is called after every response, in the goroutine of the request. It may be nil. Package observe/prom has
	// an implementation for Prometheus.
	Observe func(context.Context, observe.Request)
	// ResponseCache is about how many bytes of memory remembered responses to whole queries take, with their compressed
	// forms. A response is valid as long as the answers of the engine. 0 means as many bytes as Engine has for answers
	// to parameters, by default query.DefaultResultCache, and none if it remembers no answers. Negative: no response is
	// remembered.
	ResponseCache int64
	// MaxBody is the maximum size of a request body in bytes. 0 means DefaultMaxBody.
	MaxBody int64
	// MaxBatch is the maximum number of queries in a batch. 0 means DefaultMaxBatch.
	MaxBatch int
	// Timeout is the time after which a request is answered 504. It should be below the server's WriteTimeout, which
	// closes the connection. While a large response is written, a deadline that moves with the client's progress
	// replaces WriteTimeout. 0 means DefaultTimeout.
	Timeout time.Duration
	// CORSOrigins are the browser origins that may read responses, such as "https://app.example.com". There are none
	// by default, and wildcards are not supported. Flags can be evaluated from any
	// origin.
	CORSOrigins []string
	// TagKey is a secret that keeps the ETag of answers from telling how much other owners store. Processes with the
	// same TagKey give the same ETag to the same data. Nil means a random one for this handler. It may have any length.
	TagKey []byte
	// NoCompile disables POST /v1/query/compile.
	NoCompile bool
	// NewRequestID returns the id of a request without a valid X-Request-ID. nil means req_ and 26 random
	// characters.
	NewRequestID func() string
}

// An Encoder compresses answers.
type Encoder struct {
	// Name is the content coding in the headers Accept-Encoding and Content-Encoding, such as zstd. It becomes a part
	// of the entity tags of compressed answers.
	Name string
	// Encode returns body compressed. It must be safe for concurrent use, and must neither change nor keep body.
	Encode func(body []byte) []byte
}

// A Handler is the API over HTTP. It is safe for concurrent use and does no background work.
type Handler struct{ front *front.Front }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.front.ServeHTTP(w, r) }

// New returns the handler of an API. Its error joins all problems of cfg.
func New(cfg Config) (*Handler, error) {
	origins, err := front.ParseOrigins(cfg.CORSOrigins)
	if err != nil {
		err = fmt.Errorf("httpapi: Config.CORSOrigins: %w", err)
	}
	if err := errors.Join(cfg.check(), err); err != nil {
		return nil, err
	}
	types, err := newTypeAnswers(cfg.Engine.Types(), cfg.Engine.Datasets())
	if err != nil {
		return nil, err
	}
	kept := lru.New[string, *response](cmp.Or(cfg.ResponseCache, cfg.Engine.ResultCache()))
	a := &api{cfg: cfg.withDefaults(), types: types, addresses: newAddresses(), responses: &responses{known: kept},
		exports: newExports()}
	a.document = sync.OnceValues(a.documentAnswer) // most processes are never asked for it
	a.plain = sync.OnceValues(a.plainAnswer)
	cors := &front.CORS{
		Origins: origins,
		Methods: "GET, POST, PATCH, DELETE",
		Expose:  "ETag, X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, RateLimit, RateLimit-Policy",
		MaxAge:  2 * time.Hour, // longer than browsers cache a preflight
	}
	open := *cors
	open.Any, open.Origins = true, nil
	var encoders []front.Encoder
	for _, e := range cfg.Encoders {
		encoders = append(encoders, front.Encoder(e))
	}
	return &Handler{front.New(front.Config{
		Auth: cfg.Auth, Limiter: cfg.Limiter, Audit: cfg.Audit, Memory: cfg.Memory, Refuse: refuse, CORS: cors,
		TrimSlash: true, Encoders: encoders,
		Timeout: a.cfg.Timeout,
		Logger:  cfg.Logger, Proxies: cfg.Proxies, Now: cfg.Now, NewRequestID: cfg.NewRequestID, Observe: cfg.Observe,
	}, a.mounted(cors, &open))}, nil
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
		faults = append(faults, fmt.Errorf("httpapi: Config.MaxBody must not be negative: %d", cfg.MaxBody))
	}
	if cfg.MaxBatch < 0 {
		faults = append(faults, fmt.Errorf("httpapi: Config.MaxBatch must not be negative: %d", cfg.MaxBatch))
	}
	if cfg.Timeout < 0 {
		faults = append(faults, fmt.Errorf("httpapi: Config.Timeout must not be negative: %s", cfg.Timeout))
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
	if cfg.TagKey == nil {
		cfg.TagKey = make([]byte, sha256.Size)
		_, _ = rand.Read(cfg.TagKey) // never fails
	}
	return cfg
}
