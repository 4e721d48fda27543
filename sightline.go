package sightline

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/health"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// Errors of [Service.Run].
var (
	// ErrClosed: the service was closed.
	ErrClosed = errors.New("sightline: the service is closed")
	// ErrRunning: another call of Run has not returned yet.
	ErrRunning = errors.New("sightline: the service is running already")
)

// A Service is the query API, tracking and their background work. It is safe for concurrent use.
type Service struct {
	cfg      Config // with defaults
	api      http.Handler
	tracking http.Handler
	engine   *query.Engine
	// directory knows how long websites keep their rows.
	directory store.Directory
	sealer    *query.Sealer
	health    *health.Checker
	notices   *notify.Service               // nil if the records keep no notices
	closers   []func(context.Context) error // in the order of opening

	mu      sync.Mutex
	stop    context.CancelFunc // ends Run; nil while it does not run
	stopped chan struct{}      // closed when Run has returned; nil while it does not run
	closed  bool
	closing sync.Once
	err     error // of Close
}

// New returns a service. Its error joins all faults of cfg. New checks that Config.Pepper belongs to Records, if
// they are a [PepperChecker], and reads the heads of the audit trail, for at most ten seconds. It reads no other data.
func New(cfg Config) (*Service, error) {
	s, err := build(cfg)
	if err != nil {
		return nil, err
	}
	s.cfg.reportAbilities(s.cfg.Logger)
	if s.cfg.Proxies.TrustAll() {
		s.cfg.Logger.Warn("all addresses are trusted proxies, so every client can name an address of its choice")
	}
	return s, nil
}

// API returns the handler of the query API. Mount it with http.StripPrefix.
func (s *Service) API() http.Handler { return s.api }

// Tracking returns the handler for events. Mount it with http.StripPrefix. It answers 404 if Config.Events cannot store
// rows.
func (s *Service) Tracking() http.Handler { return s.tracking }

// Engine returns the engine of the API, for queries without HTTP. It checks no keys: see query.Access.
func (s *Service) Engine() *query.Engine { return s.engine }

// Sealer returns the sealer that Run runs, for metrics. It is nil if the store of events is not a store.Deriver, and
// with Config.Query.NoDerived.
func (s *Service) Sealer() *query.Sealer { return s.sealer }

// Health returns the checker of GET /health, for metrics.
func (s *Service) Health() *health.Checker { return s.health }

// Notices returns what evaluates and delivers notices and reports, for metrics. It is nil if Config.Records are no
// [store.NoticeStore].
func (s *Service) Notices() *notify.Service { return s.notices }

// Run does the background work: it precomputes the results of finished days, removes the rows of days that are older
// than their website keeps them ([store.Rules]), sends notices and reports, and maintains the stores. It returns nil
// when ctx ends or Close is called, after the work has ended. Without Run, queries get slower as events accumulate. The
// error is ErrRunning or ErrClosed. Failures of the work are logged, and the work is tried again.
func (s *Service) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return ErrClosed
	case s.stop != nil:
		s.mu.Unlock()
		return ErrRunning
	}
	stopped := make(chan struct{})
	s.stop, s.stopped = cancel, stopped
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.stop, s.stopped = nil, nil
		s.mu.Unlock()
		close(stopped)
	}()
	var work sync.WaitGroup
	for _, t := range s.tasks() {
		work.Go(func() {
			t.run(ctx, func(err error) {
				s.cfg.Logger.Error("background work failed; it is tried again", "work", t.name, "error", err)
			})
		})
	}
	<-ctx.Done()
	work.Wait()
	return nil
}

// Close ends Run and waits for it, stores the last counts of blocked requests, ends the work of the engine and of
// flags, and writes the last entries of the audit trail. Call it after the last response and before closing the stores.
// Close returns when this is done, or soon after ctx ends. Further calls return the same error.
func (s *Service) Close(ctx context.Context) error {
	s.closing.Do(func() { s.err = errors.Join(s.end(ctx), s.closeParts(ctx)) })
	return s.err
}

// end ends Run and waits for it.
func (s *Service) end(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	stop, stopped := s.stop, s.stopped
	s.mu.Unlock()
	if stop == nil {
		return nil
	}
	stop()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) closeParts(ctx context.Context) error {
	var faults []error
	for _, closer := range slices.Backward(s.closers) {
		faults = append(faults, closer(ctx))
	}
	return errors.Join(faults...)
}

// sealing logs how many days are left to seal. Usually these are days that still receive events, so it logs them
// at debug level. It uses info level if one of them is old.
func (s *Service) sealing(left query.Backlog) {
	level := slog.LevelDebug
	if left.Days > 0 && s.cfg.Now().Sub(left.Oldest) > backlogAge {
		level = slog.LevelInfo
	}
	s.cfg.Logger.Log(context.Background(), level, "sealing days", "days", left.Days, "oldest",
		left.Oldest.Format(time.DateOnly), "states", left.States)
}
