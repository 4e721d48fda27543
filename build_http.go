package sightline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track"
)

// openAPI sets the handler of the API.
func (b *builder) openAPI(parts *shared, f *flags.Service) {
	checker := b.openHealth(parts.writes)
	b.openNotices(parts)
	cfg := httpapi.Config{Engine: b.engine, Directory: parts.directory, Auth: parts.auth, Limiter: parts.limiter,
		Audit: parts.audit, Memory: b.cfg.Memory, Flags: f, Export: b.cfg.Events, Erase: b.eraser(),
		Health: checker, Notices: b.notices, Proxies: b.cfg.Proxies, Now: b.cfg.Now, Logger: b.cfg.Logger,
		Options: b.cfg.API}
	setAbility(&cfg.ExportProfiles, b.cfg.Profiles)
	setAbility(&cfg.ExportProfiles, b.cfg.Records)
	setAbility(&cfg.Minter, parts.auth)
	setAbility(&cfg.Definitions, b.cfg.Directory)
	setAbility(&cfg.Definitions, b.cfg.Records)
	setAbility(&cfg.Websites, first[any](b.cfg.Directory, b.cfg.Records))
	setAbility(&cfg.Keys, first[any](b.cfg.Keys, b.cfg.Records))
	setAbility(&cfg.Trail, b.cfg.Audit)
	if records, ok := b.cfg.Records.(AuditKeeper); ok && b.cfg.Audit == nil {
		cfg.Trail = records.Audit()
	}
	setAbility(&cfg.Subjects, first[any](b.cfg.Directory, b.cfg.Records))
	if cfg.TagKey == nil && !b.cfg.Pepper.IsZero() {
		var err error
		cfg.TagKey, err = b.cfg.Pepper.Key("sightline etag")
		b.fault(err)
	}
	if b.cfg.TrackingPath != "" && parts.writes != nil {
		cfg.Documents = append(slices.Clone(cfg.Documents), b.trackingDocument())
		script := track.Tracker()
		setDefault(&cfg.Tracker,
			&httpapi.Tracker{Address: b.cfg.TrackingPath, Script: "/tracker.js", Pinned: script.Path,
				Integrity: script.Integrity})
	}
	api, err := httpapi.New(cfg)
	b.fault(err)
	b.api = api
}

// openNotices sets what evaluates and delivers notices, if the records keep them.
func (b *builder) openNotices(parts *shared) {
	records, ok := any(b.cfg.Records).(store.NoticeStore)
	if !ok || b.engine == nil {
		return
	}
	cfg := notify.Config{Store: records, Engine: b.engine, Directory: parts.directory, Health: b.health, Now: b.cfg.Now,
		Logger: b.cfg.Logger, Options: b.cfg.Notify}
	setAbility(&cfg.Subjects, first[any](b.cfg.Directory, b.cfg.Records))
	cfg.Usage = b.cfg.Usage
	if cfg.Usage == nil {
		counted, err := newUsage(first[store.Store](b.cfg.Events, missing{}), b.cfg.Now)
		if !b.fault(err) {
			cfg.Usage = counted
		}
	}
	if !b.cfg.Pepper.IsZero() {
		key, err := b.cfg.Pepper.Key("sightline end of mail")
		b.fault(err)
		cfg.EndKey = key
	}
	notices, err := notify.New(cfg)
	if !b.fault(err) {
		b.notices = notices
	}
}

// eraser returns what erases visitors, or nil if the store of events cannot do that.
func (b *builder) eraser() *erasure.Eraser {
	if _, ok := b.cfg.Events.(store.PersonEraser); !ok {
		return nil
	}
	cfg := erasure.Config{Events: b.cfg.Events, Pepper: b.cfg.Pepper, Now: b.cfg.Now}
	if b.engine != nil {
		cfg.Persons = b.engine
	}
	if b.cfg.Records != nil {
		cfg.Salts = b.cfg.Records
	}
	if b.cfg.Salts != nil {
		cfg.Salts = b.cfg.Salts
	}
	setAbility(&cfg.Profiles, b.cfg.Profiles)
	setAbility(&cfg.Profiles, b.cfg.Records)
	setAbility(&cfg.Erased, b.cfg.Records)
	e, err := erasure.New(cfg)
	b.fault(err)
	return e
}

// trackingDocument returns the OpenAPI document of tracking.
func (b *builder) trackingDocument() json.RawMessage {
	cfg := track.Config{Profiles: b.cfg.Profiles, Options: b.cfg.Track}
	setAbility(&cfg.Profiles, b.cfg.Records)
	js, err := track.Document(cfg, b.cfg.TrackingPath)
	b.fault(err)
	return js
}

// openTracking sets the handler for events.
func (b *builder) openTracking(parts *shared) {
	b.tracking = http.NotFoundHandler()
	if parts.writes == nil && b.cfg.Events != nil {
		return
	}
	cfg := track.Config{Writer: missing{}, Directory: parts.directory, Auth: parts.auth, Limiter: parts.limiter,
		Audit: parts.audit, Salts: b.cfg.Salts, Usage: b.cfg.Usage, Memory: b.cfg.Memory, Profiles: b.cfg.Profiles,
		Proxies: b.cfg.Proxies, Now: b.cfg.Now, Logger: b.cfg.Logger, Options: b.cfg.Track}
	if parts.writes != nil {
		cfg.Writer = parts.writes
	}
	setAbility(&cfg.Salts, b.cfg.Records)
	setDefault[track.Salts](&cfg.Salts, missing{}) // check has reported the fault
	setAbility(&cfg.Profiles, b.cfg.Records)
	if cfg.Usage == nil {
		counted, err := newUsage(first[store.Store](b.cfg.Events, missing{}), b.cfg.Now)
		if !b.fault(err) {
			cfg.Usage = counted
		}
	}
	h, err := track.New(cfg)
	if b.fault(err) {
		return
	}
	b.onClose(h.Close)
	b.tracking = h
}

// openWrites returns the store of events as the writer of tracking, or nil if it cannot store rows.
func (b *builder) openWrites() *writes {
	writer, ok := b.cfg.Events.(store.Writer)
	if !ok {
		return nil
	}
	return &writes{Writer: writer, now: b.cfg.Now}
}

// diskProbe is the name in the answer of GET /health while the store of events refuses rows for want of space.
const diskProbe = "disk"

// openHealth opens the probes of the stores and of the host.
func (b *builder) openHealth(w *writes) *health.Checker {
	probes := maps.Clone(b.cfg.Probes)
	if probes == nil {
		probes = map[string]health.Probe{}
	}
	if events := b.cfg.Events; events != nil {
		probes[health.Analytics] = func(ctx context.Context) error {
			return errors.Join(events.Ping(ctx),
				w.probe(ctx))
		}
	}
	if disk, ok := b.cfg.Events.(store.SpaceChecker); ok {
		probes[diskProbe] = func(context.Context) error { return disk.CheckSpace() }
	}
	if b.cfg.Records != nil {
		probes[health.Relational] = b.cfg.Records.Ping
	}
	b.health = health.New(health.Config{Probes: probes, Warnings: b.cfg.Warnings, Version: b.cfg.Version,
		Now: b.cfg.Now, Logger: b.cfg.Logger})
	return b.health
}

// setDefault sets a field that is nil.
func setDefault[T comparable](field *T, value T) { *field = first(*field, value) }

// setAbility sets a field that is nil to part, if part has the field's interface.
func setAbility[T comparable](field *T, part any) {
	if able, ok := part.(T); ok {
		setDefault(field, able)
	}
}

// first returns the first part that is not nil. Comparing a part with nil does not panic, whatever its type is.
func first[T comparable](parts ...T) T { return cmp.Or(parts...) }
