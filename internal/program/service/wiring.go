package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
	"github.com/sightline-analytics/sightline/exporter"
	"github.com/sightline-analytics/sightline/exporter/parquet"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/httpapi/zstd"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/notify/mail"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/track"
)

// openService opens the service, over the open stores.
func (a *app) openService() (err error) {
	limits, err := a.limiter()
	if err != nil {
		return err
	}
	division := a.settings.divide()
	budget, err := division.budget()
	if err != nil {
		return err
	}
	cfg := sightline.Config{
		Memory:  budget,
		Events:  a.events,
		Records: a.records,
		Pepper:  a.pepper,
		Limiter: limits,
		Proxies: a.settings.Proxies,
		Version: Version(),
		Now:     a.now,
		Logger:  a.log,

		TrackingPath: trackPrefix,

		Query: query.EngineOptions{NoDerived: a.settings.NoDerived},
		API: httpapi.Options{CORSOrigins: a.settings.Origins, Observe: a.metrics.observer("api"),
			ExportFormats: []exporter.Format{parquet.Format()}, Encoders: []httpapi.Encoder{zstd.New()}},
		Track: track.Options{
			CountryHeader: a.settings.CountryHeader,
			Window:        a.settings.TrackWindow,
			Observe:       a.metrics.observer("track"),
		},
		Trail: audit.Options{Retention: a.settings.AuditKeep, WarnSize: a.settings.AuditWarn, OnHead: a.heads.Keep},
	}
	division.bound(&cfg.Query)
	if a.settings.NoResultCache {
		cfg.Query.ResultCache, cfg.Query.MaxPartials = -1, -1
	}
	if cfg.Notify, err = a.notifying(); err != nil {
		return err
	}
	if a.geo != nil { // a nil *File in an interface would not be nil
		cfg.Track.Geo = a.geo
	}
	cfg.Warnings = map[string]health.Probe{}
	if a.redis != nil { // processes notify each other of changed keys and flags
		// Without Redis each process has its own limits and answers, so a balancer must not drop them all.
		cfg.Warnings[health.Cache] = func(ctx context.Context) error { return a.redis.Ping(ctx).Err() }
		cfg.Bus = a.bus
	}
	if a.settings.BackupTo != "" && a.backups != nil {
		cfg.Warnings["backup"] = a.backups.Probe
	}
	a.service, err = sightline.New(cfg)
	if errors.Is(err, audit.ErrTampered) {
		return fmt.Errorf("audit trail: %w; run audit verify", err)
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

// panelPath is the path of the panel.
const panelPath = "/panel/"

// notifying returns the options of notices.
func (a *app) notifying() (notify.Options, error) {
	s := &a.settings
	o := notify.Options{Private: s.NotifyPrivate, URL: strings.TrimSuffix(s.PublicURL, "/")}
	if o.URL != "" {
		o.Panel = o.URL + panelPath
	}
	if s.SMTP == "" {
		return o, nil
	}
	mailer, err := mail.New(mail.Config{Server: s.SMTP, From: s.MailFrom})
	if err != nil {
		return o, fmt.Errorf("--smtp, --mail-from: %w", err)
	}
	o.Mail = mailer
	return o, nil
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
