package query

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Config is what an Engine works with.
type Config struct {
	Store    store.Store      // required
	Types    *Registry        // nil means the built-in types
	Now      func() time.Time // nil means time.Now
	Timeout  time.Duration    // per parameter; 0 means 30 s
	Parallel int              // parameters of one request that run at once; 0 means 4
	Logger   *slog.Logger     // nil means silent
}

// An Engine answers requests from one store. It is immutable and safe for concurrent use.
type Engine struct {
	cfg Config
}

// Access is what one caller may ask: whose data, in which zone, always filtered how,
// and which types.
type Access struct {
	Subject store.Subject
	Owner   string
	Zone    *time.Location // when the request names none; nil means UTC
	Filters []Filter       // mandatory: they cut the data before anything else
	Types   []string       // nil means all
}

// Explained is what one parameter would run.
type Explained struct {
	Parameter string
	ID        string
	Plan      string // the resolved plan, for people
	SQL       string
	Args      []dialect.Arg
	Err       *Error // instead of the above
}

// New checks cfg and returns an engine, or all that is wrong with cfg.
func New(cfg Config) (*Engine, error) {
	if cfg.Store == nil {
		return nil, errors.New("query: Config.Store is required")
	}
	return &Engine{cfg: cfg}, nil
}

// Run answers req. Its error is an Errors when the request as a whole is wrong, the
// context's error when ctx ended, and otherwise wraps store.ErrUnavailable or the
// store's error when no parameter could be answered. A failure of one parameter is in
// that parameter's result.
func (e *Engine) Run(ctx context.Context, a Access, req Request) (*Response, error) {
	return nil, errors.New("query: not built yet")
}

// Explain resolves and compiles req, and runs nothing. Its error is an Errors.
func (e *Engine) Explain(a Access, req Request) ([]Explained, error) {
	return nil, errors.New("query: not built yet")
}

// Info is what callers may know of a type.
type Info struct {
	Name         string
	Of           store.SubjectKind
	Filters      []string
	Groupable    []string
	Sortable     []string
	DefaultLimit int  // 100; series 10 000
	Customizable bool // filters are allowed
	Title        string
	About        string
	Category     string
	Tags         []string
	Chart        string
	Granularity  []string // hourly and daily for a series, else empty
	DefaultOrder string   // "visitors desc, path asc"
	Output       []OutputField
}

// OutputField describes one column of a type's rows.
type OutputField struct {
	Name  string
	Type  Format
	Label string
	Unit  string
	About string
}

// Types lists the types in the order of the catalogue.
func (e *Engine) Types() []Info { return nil }

// Registry is a set of checked types.
type Registry struct {
	types  []*definition
	byName map[string]*definition
}
