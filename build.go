package sightline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/directorycache"
	"github.com/sightline-analytics/sightline/internal/keycache"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// openTimeout bounds the look at the audit trail in New.
const openTimeout = 10 * time.Second

// check removes nil pointers from c, and returns the required parts that are missing.
func (c *Config) check() (faults []error) {
	c.Events, c.Records, c.Keys, c.Auth, c.Directory = given(c.Events), given(c.Records), given(c.Keys), given(c.Auth),
		given(c.Directory)
	c.Flags, c.Limiter, c.Audit, c.Bus = given(c.Flags), given(c.Limiter), given(c.Audit), given(c.Bus)
	c.Salts, c.Profiles, c.Names, c.Usage = given(c.Salts), given(c.Profiles), given(c.Names), given(c.Usage)
	c.Track.Geo = given(c.Track.Geo)
	if c.Events == nil {
		faults = append(faults, errors.New("sightline: Config.Events is required"))
	}
	if c.Records == nil {
		for _, part := range []struct {
			name    string
			missing bool
		}{
			{"Directory", c.Directory == nil},
			{"Keys or Config.Auth", c.Keys == nil && c.Auth == nil},
			{"Salts", c.Salts == nil},
		} {
			if part.missing {
				faults = append(faults, fmt.Errorf("sightline: Config.Records is required, or Config.%s", part.name))
			}
		}
	}
	keeper, _ := any(c.Records).(PepperKeeper)
	if keeper != nil && c.Pepper.IsZero() {
		c.Pepper = keeper.Pepper()
	}
	_, trail := any(c.Records).(AuditKeeper)
	if c.Audit == nil && !trail {
		faults = append(faults, errors.New("sightline: Config.Audit is required, because Config.Records stores no audit trail (auth.Discard disables the audit trail)"))
	}
	if c.Pepper.IsZero() && (c.Auth == nil || c.Audit == nil && trail) {
		faults = append(faults, errors.New("sightline: Config.Pepper is required"))
	}
	return faults
}

// A builder connects the parts of a service and collects all faults.
type builder struct {
	Service
	faults []error
}

// build returns the service of cfg, or all faults.
func build(cfg Config) (*Service, error) {
	b := &builder{faults: cfg.check()}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Memory == nil {
		cfg.Memory = memory.Default()
	}
	b.cfg = cfg
	parts := shared{audit: b.openAudit(), limiter: b.openLimiter(), directory: b.openDirectory(),
		writes: b.openWrites()}
	b.directory = parts.directory
	b.openKeys(&parts)
	b.openEngine()
	b.openAPI(&parts, b.openFlags())
	b.openTracking(&parts)
	if err := errors.Join(b.faults...); err != nil {
		return nil, errors.Join(err, b.Close(context.Background()))
	}
	return &b.Service, nil
}

// shared has the parts that both handlers use.
type shared struct {
	auth      auth.Authenticator
	limiter   auth.Limiter
	audit     auth.Sink
	directory store.Directory
	writes    *writes // nil if no rows can be stored
}

// fault adds err to the faults, and reports whether it is one.
func (b *builder) fault(err error) bool {
	if err != nil {
		b.faults = append(b.faults, err)
	}
	return err != nil
}

// onClose registers closer for Close, which runs closers in reverse order.
func (b *builder) onClose(closer func(context.Context) error) { b.closers = append(b.closers, closer) }

func (b *builder) openAudit() auth.Sink {
	keeper, ok := any(b.cfg.Records).(AuditKeeper)
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	checker, checks := any(b.cfg.Records).(PepperChecker)
	if checks && b.cfg.Keys == nil && b.fault(checker.CheckPepper(ctx, b.cfg.Pepper)) {
		return auth.Discard // the audit trail would look changed
	}
	if b.cfg.Audit != nil {
		return b.cfg.Audit
	}
	if !ok || b.cfg.Pepper.IsZero() {
		return auth.Discard // check has reported the fault
	}
	trail, err := audit.New(ctx, audit.Config{Log: keeper.Audit(), Pepper: b.cfg.Pepper, Now: b.cfg.Now,
		Logger: b.cfg.Logger, Options: b.cfg.Trail})
	if b.fault(err) {
		return auth.Discard
	}
	b.onClose(trail.Close)
	return trail
}

func (b *builder) openLimiter() auth.Limiter {
	if b.cfg.Limiter != nil {
		return b.cfg.Limiter
	}
	limiter, err := ratelimit.New(ratelimit.Config{Now: b.cfg.Now})
	if b.fault(err) {
		return auth.Unlimited
	}
	return limiter
}

func (b *builder) openDirectory() store.Directory {
	cache, err := directorycache.New(directorycache.Config{Directory: first[store.Directory](b.cfg.Directory,
		b.cfg.Records, missing{}), Now: b.cfg.Now})
	if b.fault(err) {
		return missing{}
	}
	return cache
}

// openKeys sets the Authenticator of the handlers.
func (b *builder) openKeys(to *shared) {
	to.auth = b.cfg.Auth
	if to.auth != nil {
		return
	}
	to.auth = missing{}
	if b.cfg.Pepper.IsZero() {
		return // check has reported the fault
	}
	keys := first[auth.KeyStore](b.cfg.Keys, b.cfg.Records, missing{})
	cache, err := keycache.New(keycache.Config{Store: keys, Now: b.cfg.Now})
	if b.fault(err) {
		return
	}
	b.connect(cache)
	cfg := auth.Config{Store: cache, Pepper: b.cfg.Pepper, Prefix: b.cfg.Prefix, Now: b.cfg.Now, Logger: b.cfg.Logger}
	if uses, ok := keys.(KeyUseRecorder); ok {
		cfg.Used = uses.KeyUsed
	}
	callers, err := auth.New(cfg)
	if !b.fault(err) {
		to.auth = callers
	}
}

func (b *builder) openEngine() {
	cfg := query.Config{Store: first[store.Store](b.cfg.Events, missing{}), Names: b.cfg.Names, Now: b.cfg.Now,
		Logger: b.cfg.Logger, EngineOptions: b.cfg.Query}
	setAbility(&cfg.Names, b.cfg.Records)
	engine, err := query.New(cfg)
	if b.fault(err) {
		engine, err = query.New(query.Config{Store: missing{}})
		b.fault(err)
	} else {
		b.onClose(engine.Close)
		b.sealer = query.NewSealer(engine)
	}
	if b.sealer != nil {
		b.sealer.Progress = b.sealing
	}
	b.engine = engine
}

// connect makes changed keys reach their cache and the other processes.
func (b *builder) connect(keys auth.Invalidator) {
	notifier, _ := first[any](b.cfg.Keys, b.cfg.Records).(KeyNotifier)
	if notifier != nil {
		notifier.Notify(keys)
	}
	if b.cfg.Bus == nil {
		return
	}
	b.cfg.Bus.NotifyKeys(keys)
	if notifier != nil {
		notifier.Notify(b.cfg.Bus)
	}
}

// openFlags returns the flags, or nil without a store of flags.
func (b *builder) openFlags() *flags.Service {
	records := b.cfg.Flags
	if keeper, ok := any(b.cfg.Records).(FlagKeeper); ok && records == nil {
		records = keeper.Flags()
	}
	if records == nil {
		return nil
	}
	service, err := flags.New(flags.Config{Store: records, Bus: b.cfg.Bus, Now: b.cfg.Now, Logger: b.cfg.Logger})
	if b.fault(err) {
		return nil
	}
	b.onClose(service.Close)
	return service
}
