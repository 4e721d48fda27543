//go:build cgo

package service

import (
	"context"
	"errors"
	"net/http"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/keycache"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/directorycache"
	"github.com/sightline-analytics/sightline/track"
)

// trackPrefix is the path of tracking on the address of the API.
const trackPrefix = "/ingest"

// handlers returns the handler of --addr, with all routes, and the handler of tracking alone.
func (a *app) handlers() (all, tracking http.Handler, err error) {
	keys, err := a.keys()
	if err != nil {
		return nil, nil, err
	}
	limits, err := a.limiter()
	if err != nil {
		return nil, nil, err
	}
	directory, err := directorycache.New(directorycache.Config{Directory: a.records, Now: a.now})
	if err != nil {
		return nil, nil, err
	}
	if a.settings.Proxies.TrustAll() {
		a.log.Warn("all addresses are trusted proxies, so every client can name an address of its choice (--trusted-proxy)")
	}
	api, err := a.api(keys, limits, directory)
	if err != nil {
		return nil, nil, err
	}
	tracking, err = a.tracking(keys, limits, directory)
	if err != nil {
		return nil, nil, err
	}
	api, tracking = a.metrics.counted("api", api), a.metrics.counted("track", tracking)
	mux := http.NewServeMux()
	if err := addDashboard(mux); err != nil {
		return nil, nil, err
	}
	mux.Handle("/", api)
	mux.Handle(trackPrefix+"/", http.StripPrefix(trackPrefix, tracking))
	mux.HandleFunc(trackPrefix, func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/", ""
		tracking.ServeHTTP(w, r)
	})
	return mux, tracking, nil
}

// keys authenticates with the keys of the records. It caches keys for less than a second and records their last use.
func (a *app) keys() (*auth.Keys, error) {
	cache, err := keycache.New(keycache.Config{Store: a.records, Now: a.now})
	if err != nil {
		return nil, err
	}
	a.records.Notify(cache)
	if a.bus != nil { // processes notify each other of changed keys
		a.records.Notify(a.bus)
		a.bus.NotifyKeys(cache)
	}
	return auth.New(auth.Config{Store: cache, Pepper: a.pepper, Now: a.now, Logger: a.log, Used: a.records.KeyUsed})
}

// limiter returns one limiter for all addresses, so that a key has the same limits on each.
func (a *app) limiter() (auth.Limiter, error) {
	if a.settings.LimitFactor == 0 {
		return auth.Unlimited, nil
	}
	local, err := ratelimit.New(ratelimit.Config{Limits: a.settings.Limits, Factor: a.settings.LimitFactor, Now: a.now})
	if err != nil || a.redis == nil {
		return local, err
	}
	all, err := redislimit.New(redislimit.Config{Client: a.redis, Local: local, Now: a.now, Logger: a.log})
	if err != nil {
		return nil, err
	}
	a.onClose(all.Close)
	return all, nil
}

func (a *app) api(keys *auth.Keys, limits auth.Limiter, directory store.Directory) (http.Handler, error) {
	cfg := query.Config{Store: a.events, Names: a.records, Now: a.now, NoDerived: a.settings.NoDerived, Logger: a.log}
	if a.settings.NoResultCache {
		cfg.ResultCache, cfg.MaxPartials = -1, -1
	}
	engine, err := query.New(cfg)
	if err != nil {
		return nil, err
	}
	a.onClose(engine.Close)
	a.engine, a.sealer = engine, query.NewSealer(engine)
	if a.sealer != nil {
		a.sealer.Progress = a.sealing
	}
	flags, err := a.flags()
	if err != nil {
		return nil, err
	}
	versions, _ := a.events.(store.DayLister) // nil if the store does not know when its rows changed
	return httpapi.New(httpapi.Config{
		Engine:      engine,
		Directory:   directory,
		Subjects:    a.records,
		Auth:        keys,
		Minter:      keys,
		Limiter:     limits,
		Audit:       a.audit,
		Flags:       flags,
		Versions:    versions,
		Health:      a.health(),
		Logger:      a.log,
		Proxies:     a.settings.Proxies,
		CORSOrigins: a.settings.Origins,
		Observe:     a.metrics.observer("api"),
		Now:         a.now,
	})
}

func (a *app) health() *health.Checker {
	probes := map[string]health.Probe{health.Analytics: a.analytics, health.Relational: a.records.Ping}
	if a.redis != nil {
		probes[health.Cache] = func(ctx context.Context) error { return a.redis.Ping(ctx).Err() }
	}
	return health.New(health.Config{Probes: probes, Version: Version(), Now: a.now, Logger: a.log})
}

// analytics is the health probe of the store of events.
func (a *app) analytics(ctx context.Context) error {
	return errors.Join(a.events.Ping(ctx), a.writes.probe(ctx))
}

func (a *app) tracking(keys auth.Authenticator, limits auth.Limiter, directory store.Directory) (http.Handler, error) {
	cfg := track.Config{
		Writer:        a.writes,
		Directory:     directory,
		Auth:          keys,
		Limiter:       limits,
		Audit:         a.audit,
		Salts:         a.records,
		Profiles:      a.records,
		Proxies:       a.settings.Proxies,
		CountryHeader: a.settings.CountryHeader,
		Window:        a.settings.TrackWindow,
		Observe:       a.metrics.observer("track"),
		Now:           a.now,
		Logger:        a.log,
	}
	counted, err := newUsage(a.events, a.now)
	if err != nil {
		return nil, err
	}
	cfg.Usage = counted
	if a.geo != nil { // a nil *File in an interface would not be nil
		cfg.Geo = a.geo
	}
	h, err := track.New(cfg)
	if err != nil {
		return nil, err
	}
	a.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		return h.Close(ctx)
	})
	return h, nil
}
