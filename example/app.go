//go:build cgo

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/keycache"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/track"
	"github.com/sightline-analytics/sightline/track/geoip"
)

// owner is whose everything is in a standalone install.
const owner = "local"

// trackPrefix is where tracking is served beside the API.
const trackPrefix = "/ingest"

// An app is what the program stands on while it serves.
type app struct {
	settings settings
	log      *slog.Logger
	now      func() time.Time
	pepper   []byte
	events   analytics
	meta     *meta.Store
	trail    *trail
	shared   *shared     // nil without Redis
	geo      *geoip.File // nil without a file
}

// open opens the data folder. When it returns an error nothing stays open.
func open(ctx context.Context, s settings, log *slog.Logger, now func() time.Time) (_ *app, err error) {
	a := &app{settings: s, log: log, now: now}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	if err := makeFolder(s.data); err != nil {
		return nil, err
	}
	if s.geoip != "" {
		if a.geo, err = geoip.Open(s.geoip); err != nil {
			return nil, fmt.Errorf("--geoip: %w", err)
		}
	}
	// The analytics file comes first: without ClickHouse a folder has one server, and this
	// is what the second one finds taken.
	events, err := openAnalytics(ctx, s, log, now)
	if err != nil {
		return nil, err
	}
	a.events = events
	if a.pepper, err = pepper(s.data, s.pepperFile); err != nil {
		return nil, err
	}
	if a.shared, err = openShared(s.redis); err != nil {
		return nil, err
	}
	if a.meta, err = openMeta(ctx, s.data, s.meta, a.pepper, log, now); err != nil {
		return nil, err
	}
	if a.trail, err = a.openTrail(ctx); err != nil {
		return nil, fmt.Errorf("audit trail: %w", err)
	}
	return a, nil
}

// openMeta opens the relational store: that of a DSN or, without one, that of a folder.
func openMeta(ctx context.Context, dir, dsn string, pepper []byte, log *slog.Logger, now func() time.Time) (*meta.Store, error) {
	cfg := meta.Config{DSN: dsn, Pepper: pepper, Now: now, Logger: log}
	where := "--meta"
	if dsn == "" {
		where = filepath.Join(dir, metaFile)
		cfg.Path = where
	}
	m, err := meta.Open(ctx, cfg)
	if err != nil {
		return nil, explain(where, err)
	}
	if _, err := m.EnsureOwner(ctx, meta.Owner{ID: owner, Name: "This install"}); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// explain says what an operator can do about a file that could not be opened.
func explain(file string, err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return fmt.Errorf("%s is in use by another process; end that one, or choose another --data", file)
	case errors.Is(err, store.ErrNewerSchema):
		return fmt.Errorf("%s was written by a newer version of this program; nothing was changed", file)
	case errors.Is(err, store.ErrCorrupt):
		return fmt.Errorf("%s is damaged, or no file of this program; nothing was changed (%w)", file, err)
	case errors.Is(err, store.ErrFull):
		return fmt.Errorf("%s: the disk is full (%w)", file, err)
	default:
		return fmt.Errorf("%s: %w", file, err)
	}
}

func (a *app) close() error {
	var faults []error
	if a.events != nil {
		faults = append(faults, a.events.Close())
	}
	if a.trail != nil { // before what it writes to
		faults = append(faults, a.trail.close())
	}
	faults = append(faults, a.shared.end())
	if a.meta != nil {
		faults = append(faults, a.meta.Close())
	}
	if a.geo != nil {
		faults = append(faults, a.geo.Close())
	}
	return errors.Join(faults...)
}

// keys authenticates by what the records hold, which it remembers for less than a second,
// and notes when keys are used.
func (a *app) keys() (auth.Authenticator, error) {
	cache, err := keycache.New(keycache.Config{Store: a.meta, Now: a.now})
	if err != nil {
		return nil, err
	}
	a.meta.Notify(cache)
	if err := a.listen(cache); err != nil {
		return nil, err
	}
	return auth.Keys(auth.KeysConfig{Store: cache, Pepper: a.pepper, Now: a.now, Logger: a.log, Used: a.meta.KeyUsed})
}

// handlers are everything, as it is served on --addr, and tracking alone.
func (a *app) handlers() (all, tracking http.Handler, err error) {
	keys, err := a.keys()
	if err != nil {
		return nil, nil, err
	}
	limits, err := a.limiter()
	if err != nil {
		return nil, nil, err
	}
	directory, err := store.NewCachedDirectory(store.CachedDirectoryConfig{Directory: a.meta, Now: a.now})
	if err != nil {
		return nil, nil, err
	}
	api, err := a.api(keys, limits, directory)
	if err != nil {
		return nil, nil, err
	}
	tracking, err = a.tracking(keys, limits, directory)
	if err != nil {
		return nil, nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.Handle(trackPrefix+"/", http.StripPrefix(trackPrefix, tracking))
	mux.HandleFunc(trackPrefix, func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/", ""
		tracking.ServeHTTP(w, r)
	})
	return mux, tracking, nil
}

func (a *app) api(keys auth.Authenticator, limits auth.Limiter, directory store.Directory) (http.Handler, error) {
	engine, err := query.New(query.Config{Store: a.events, Now: a.now})
	if err != nil {
		return nil, err
	}
	probes := map[string]health.Probe{health.Analytics: a.events.Ping, health.Relational: a.meta.Ping}
	if a.shared != nil {
		probes[health.Cache] = a.shared.ping
	}
	return httpapi.New(httpapi.Config{
		Engine:    engine,
		Directory: directory,
		Auth:      keys,
		Limiter:   limits,
		Audit:     a.trail,
		Versions:  versions(a.events),
		Health: &health.Checker{
			Probes:  probes,
			Version: version(),
			Now:     a.now,
			Logger:  a.log,
		},
		Logger:      a.log,
		ClientIP:    a.settings.proxies.Addr,
		CORSOrigins: a.settings.origins,
		Now:         a.now,
	})
}

func (a *app) tracking(keys auth.Authenticator, limits auth.Limiter, directory store.Directory) (http.Handler, error) {
	cfg := track.Config{
		Writer:        a.events,
		Directory:     directory,
		Auth:          keys,
		Limiter:       limits,
		Audit:         a.trail,
		Salts:         a.meta,
		CountryHeader: a.settings.countryHeader,
		ClientIP:      a.settings.proxies.Addr,
		Now:           a.now,
		Logger:        a.log,
	}
	if a.geo != nil { // a nil *File in an interface would not be nil
		cfg.Geo = a.geo
	}
	return track.New(cfg)
}

// maintain does the stores' housekeeping every hour until ctx ends.
func (a *app) maintain(ctx context.Context) {
	hourly := time.NewTicker(time.Hour)
	defer hourly.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hourly.C:
		}
		for _, part := range []any{a.events, a.meta} {
			m, ok := part.(store.Maintainer)
			if !ok {
				continue
			}
			if err := m.Maintain(ctx); err != nil && ctx.Err() == nil {
				a.log.Error("housekeeping", "error", err)
			}
		}
	}
}
