package query

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/internal/lru"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/keep"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/recall"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
)

// Config says what an Engine answers from, and how.
type Config struct {
	Store store.Store      // required
	Now   func() time.Time // nil means time.Now
	// Names gives profiles their display names; nil: they have none.
	Names Names
	// Logger gets a line at level info with the optional interfaces that Store has and lacks (see [store.Abilities]), a
	// line at level debug for each answer, with its source and the reason for it, and panics of work in the background.
	// Nil: nothing is logged.
	Logger *slog.Logger

	EngineOptions
}

// EngineOptions say how an Engine answers. The zero value has the defaults.
type EngineOptions struct {
	Types    *Registry     // nil means the built-in types
	Timeout  time.Duration // per parameter; 0 means 30 s
	Parallel int           // parameters of one request that run at once; 0 means 4
	// MaxAnswer is the largest size of an answer, in bytes of JSON: a parameter that would exceed it
	// fails alone. 0 means DefaultMaxAnswer.
	MaxAnswer int64
	// NoDerived computes answers from rows alone: it uses neither seals of the store nor partials.
	NoDerived bool
	// MaxPartials is about how many bytes of memory partials take. If the partials of an answer do not fit beside
	// others that are asked for as often, a statement gives the answer. It needs a Store that is a [store.Deriver]. One
	// that is a [store.StateKeeper] also stores partials that a [Sealer] computes, for the next start. 0 means
	// DefaultMaxPartials; negative: no answer is merged.
	MaxPartials int64
	// StoreFrom is the number of pageviews a day from which a website is large: a [Sealer] stores the partials of large
	// websites only. The first answer about a smaller one is computed from rows as fast as its partials would be
	// loaded. If the first of Types that can be merged does not count pageviews, the rows that it counts decide. Types
	// appended to [Builtin] change nothing. 0 means DefaultStoreFrom; negative: the partials of all websites are
	// stored.
	StoreFrom int64
	// ResultCache is about how many bytes of memory remembered answers to parameters take. An answer is valid until its
	// rows change. It needs a Store that is a [store.DayLister]. 0 means DefaultResultCache; negative: no answer is
	// remembered. The handler of package httpapi also remembers whole responses, in further memory.
	ResultCache int64
	// Trace is called around each statement that the engine and its sealer run, and around the seal of days: see
	// [store.Tracer]. Nil: nothing is traced. Package observe/otel has one for OpenTelemetry.
	Trace func(ctx context.Context, s store.Statement) (context.Context, func(rows int, err error))
}

// Names gives the display names of profiles, of which events have only the id.
type Names interface {
	// ProfileNames returns the names of those profiles of a website that have one, by id. ids differ
	// from each other, and are at most MaxLimit.
	ProfileNames(ctx context.Context, website string, ids []string) (map[string]string, error)
}

// An Engine answers requests from one store. It is safe for concurrent use.
type Engine struct {
	store      store.Store
	types      *Registry
	now        func() time.Time
	timeout    time.Duration
	parallel   int
	most       int64  // bytes of an answer
	slots      *slots // of the store
	names      Names  // may be nil
	plain      bool
	merger     *merge.Merger
	keeper     *keep.Keeper
	prints     func(*catalog.BoundType) string // fingerprints
	statements *compile.Memo
	prepared   *lru.Cache[string, *Prepared]
	firsts     *lru.Cache[string, time.Time] // rows
	zones      *ask.Zones
	answers    *recall.Answers // may be nil
	rebuilt    atomic.Int64    // how often all answers were forgotten
	log        *slog.Logger
	trace      store.Tracer
	counts     counts
}

// DefaultStoreFrom is the number of pageviews a day from which the partials of a website are stored, unless Config sets
// another one.
const DefaultStoreFrom = 10_000

// DefaultMaxPartials is about how many bytes of memory partials take when Config says nothing.
const DefaultMaxPartials = 256 << 20

// New checks cfg and returns an engine, or all that is wrong with cfg.
func New(cfg Config) (*Engine, error) {
	e := &Engine{zones: ask.NewZones(), store: cfg.Store, types: cfg.Types, now: cfg.Now, timeout: cfg.Timeout,
		parallel: cfg.Parallel, most: cmp.Or(cfg.MaxAnswer, DefaultMaxAnswer), names: cfg.Names, plain: cfg.NoDerived,
		log: cfg.Logger, trace: cfg.Trace}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	var faults []error
	if cfg.Store == nil {
		faults = append(faults, errors.New("query: Config.Store is required"))
	} else if err := cfg.Store.Dialect().Check(); err != nil {
		faults = append(faults, err)
	}
	if cfg.Timeout < 0 || cfg.Parallel < 0 || cfg.MaxAnswer < 0 {
		faults = append(faults, errors.New("query: Config.Timeout, Config.Parallel and Config.MaxAnswer are not negative"))
	}
	if e.types == nil {
		types, err := NewRegistry(Builtin()...)
		faults = append(faults, err)
		e.types = types
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	e.firsts = lru.New[string, time.Time](firstBytes)
	e.slots, e.statements, e.prepared = newSlots(e.store), compile.NewMemo(e.store.Dialect()),
		lru.New[string, *Prepared](preparedBytes)
	e.answers = recall.New(e.store, cmp.Or(cfg.ResultCache, DefaultResultCache))
	e.prints = compile.Fingerprints(e.types, e.store.Dialect(), e.log)
	most := cmp.Or(cfg.MaxPartials, DefaultMaxPartials)
	if e.now == nil {
		e.now = time.Now
	}
	var partials, batch *memory.Cache
	var keeper store.StateKeeper
	if _, derives := e.store.(store.Deriver); derives && most > 0 && !cfg.NoDerived {
		partials = memory.NewCache(most - most/keep.BatchShare)
		batch = memory.NewCache(most / keep.BatchShare)
		keeper, _ = e.store.(store.StateKeeper)
	}
	e.merger = merge.New(e.store, e.types, partials, keeper, store.NewPace(e.store, e.now, nil), e.log)
	e.merger.Trace = e.trace
	e.keeper = keep.New(keep.Config{Store: e.store, Merger: e.merger, Batch: batch, Now: e.now,
		StoreFrom: cmp.Or(cfg.StoreFrom, DefaultStoreFrom), Forget: e.forgetAnswers, Log: e.log, Trace: e.trace})
	if e.timeout == 0 {
		e.timeout = 30 * time.Second
	}
	if e.parallel == 0 {
		e.parallel = 4
	}
	has, lacks := store.Abilities(e.store)
	e.log.Info("query: optional interfaces of the store", "has", has, "lacks", lacks)
	return e, nil
}

// Run answers req, as Prepare and Prepared.Run do.
func (e *Engine) Run(ctx context.Context, a Access, req Request) (*Response, error) {
	p, err := e.Prepare(ctx, a, req)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx)
}

// Explain returns what req would run, and runs no statement; see [Prepared.Explain]. Its error is one of Prepare.
func (e *Engine) Explain(ctx context.Context, a Access, req Request) ([]Explained, error) {
	p, err := e.Prepare(ctx, a, req)
	if err != nil {
		return nil, err
	}
	return p.Explain(ctx), nil
}

// inTime is ctx with an end after e.timeout. Where it ends by then anyway it is ctx itself: to wait for another end
// takes longer than much else of a request.
func (e *Engine) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= e.timeout {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, e.timeout)
}

// metered returns a function that counts the time since this call as time of the store, and returns it.
func (e *Engine) metered(ctx context.Context) func() time.Duration {
	began := e.now()
	return func() time.Duration {
		passed := e.now().Sub(began)
		store.MeterOf(ctx).Add(0, passed)
		return passed
	}
}
