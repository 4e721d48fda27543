package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/exporter/parquet"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/mcp"
	"github.com/sightline-analytics/sightline/panel"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/track"
)

// trackPrefix is the path of tracking on the address of the API.
const trackPrefix = "/ingest"

// toolsPath is the path of the tools for assistants on the address of the API.
const toolsPath = "/v1/mcp"

// openService opens the service, over the open stores.
func (a *app) openService() (err error) {
	limits, err := a.limiter()
	if err != nil {
		return err
	}
	cfg := sightline.Config{
		Events:  a.events,
		Records: a.records,
		Pepper:  a.pepper,
		Limiter: limits,
		Proxies: a.settings.Proxies,
		Version: Version(),
		Now:     a.now,
		Logger:  a.log,

		TrackingPath: trackPrefix,

		Query: query.Config{NoDerived: a.settings.NoDerived},
		API:   httpapi.Config{CORSOrigins: a.settings.Origins, Observe: a.metrics.observer("api"), ExportFormats: []exporter.Format{parquet.Format()}},
		Track: track.Config{
			CountryHeader: a.settings.CountryHeader,
			Window:        a.settings.TrackWindow,
			Observe:       a.metrics.observer("track"),
		},
		Trail: audit.Config{Retention: a.settings.AuditKeep, WarnSize: a.settings.AuditWarn, OnHead: a.heads.Keep},
	}
	if a.settings.NoResultCache {
		cfg.Query.ResultCache, cfg.Query.MaxPartials = -1, -1
	}
	if a.geo != nil { // a nil *File in an interface would not be nil
		cfg.Track.Geo = a.geo
	}
	if a.redis != nil { // processes notify each other of changed keys and flags
		cfg.Probes = map[string]health.Probe{health.Cache: func(ctx context.Context) error { return a.redis.Ping(ctx).Err() }}
		cfg.Bus = a.bus
	}
	if a.settings.BackupTo != "" && a.backups != nil {
		cfg.Warnings = map[string]health.Probe{"backup": a.backups.Probe}
	}
	a.service, err = sightline.New(cfg)
	if errors.Is(err, audit.ErrTampered) {
		return fmt.Errorf("audit trail: %w; if --pepper-file is right, run audit verify", err)
	}
	if err != nil {
		return err
	}
	a.onClose(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, flushTimeout)
		defer cancel()
		return a.service.Close(ctx)
	})
	return nil
}

// handlers returns the handler of --addr, with all routes, and the handler of tracking alone.
func (a *app) handlers() (all, tracking http.Handler, err error) {
	api, tracking := a.metrics.counted("api", a.service.API()), a.metrics.counted("track", a.service.Tracking())
	mux := http.NewServeMux()
	if err := panel.Mount(mux, panel.Config{}); err != nil {
		return nil, nil, err
	}
	mux.Handle("/", api)
	if a.settings.MCP {
		tools, err := mcp.New(mcp.Config{API: api, Version: Version()})
		if err != nil {
			return nil, nil, err
		}
		mux.Handle(toolsPath, tools)
	}
	mux.Handle(trackPrefix+"/", http.StripPrefix(trackPrefix, tracking))
	mux.HandleFunc(trackPrefix, func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/", ""
		tracking.ServeHTTP(w, r)
	})
	return mux, tracking, nil
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
