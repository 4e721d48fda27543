package query

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// A Prepared is a request that was read and resolved at one instant of the engine's clock. It is
// immutable and safe for concurrent use, and may run more than once.
type Prepared struct {
	engine   *Engine
	subjects []store.Subject // one, or several websites
	owner    string
	caller   string
	access   string // its key
	id       string
	resolved *plan.Resolved
	meta     Meta

	key                        lazy[string]       // of Key
	dependencies, ofRemembered lazy[[]Dependency] // of all parameters, and of those whose answers can be remembered
}

// A lazy value is computed on first use. Callers that use it first at the same time compute it each.
type lazy[T any] struct{ value atomic.Pointer[T] }

func (l *lazy[T]) get(compute func() T) T {
	if known := l.value.Load(); known != nil {
		return *known
	}
	value := compute()
	l.value.Store(&value)
	return value
}

// Prepare resolves req. Its error is an Errors when the request as a whole is wrong, or a has no subject. It asks the
// store only for the first row, if a range is all_time; then the error may be an error of the store or of ctx.
// Statements are compiled when they are first needed.
func (e *Engine) Prepare(ctx context.Context, a Access, req Request) (*Prepared, error) {
	if mistakes := a.CheckSubject(); mistakes != nil {
		return nil, mistakes
	}
	now := e.now()
	var first time.Time
	if req.AllTime() {
		var err error
		if first, err = e.firstRow(ctx, a, now); err != nil {
			return nil, err
		}
	}
	access := a.AppendKey(make([]byte, 0, 512))
	text := appendMoment(keytext.Texts(access, a.Owner, a.Caller), now)
	key := string(req.AppendKey(keytext.Numbers(text, first.UnixMilli())))
	if p, ok := e.prepared.Get(key); ok && a.Zone == nil { // zones of a host's own may be called alike
		return p, nil
	}
	found, mistakes := plan.ResolveSince(e.types, a, req, now, e.zones, first)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	for i := range found.Parameters {
		if one := &found.Parameters[i]; one.Err == nil {
			one.Key = one.Plan.AppendKey(make([]byte, 0, 256))
		}
	}
	p := &Prepared{engine: e, subjects: a.Subjects(), owner: a.Owner, caller: a.Caller, access: string(access),
		id: req.ID, resolved: found, meta: finish.MetaOf(&req, found.Range, found.Grain)}
	for _, w := range a.Websites {
		p.meta.WebsiteIDs = append(p.meta.WebsiteIDs, w.ID)
	}
	if p.stands() && a.Zone == nil {
		e.prepared.Add(key, p, p.size()+int64(len(key)))
	}
	return p, nil
}

// Range is the request's own range; parameters may have others.
func (p *Prepared) Range() calendar.Range { return p.resolved.Range }

// A Dependency is the rows of a subject on some days. While its version does not change (see
// [store.Day]), answers that depend on it do not either.
type Dependency struct {
	Subject  store.Subject
	From, To time.Time // whole days of UTC; To is exclusive
}

// Dependencies are the days that the answers are computed from, by subject, in order and without overlap.
func (p *Prepared) Dependencies() []Dependency {
	return slices.Clone(p.dependencies.get(func() []Dependency { return p.dependenciesOf(func(*plan.Plan) bool { return true }) }))
}

// dependenciesOf returns the dependencies of the plans that count.
func (p *Prepared) dependenciesOf(counts func(*plan.Plan) bool) []Dependency {
	const length = 24 * time.Hour
	var all []Dependency
	for i := range p.resolved.Parameters {
		one := &p.resolved.Parameters[i]
		if one.Err != nil || !counts(one.Plan) {
			continue
		}
		for _, of := range append(one.Plan.Further(), one.Plan) {
			on := of.Depends()
			from := time.UnixMilli(on.From).UTC().Truncate(length)
			to := time.UnixMilli(on.To).UTC().Add(length - time.Nanosecond).Truncate(length)
			all = append(all, Dependency{From: from, To: to})
		}
	}
	slices.SortFunc(all, func(a, b Dependency) int { return a.From.Compare(b.From) })
	merged := all[:0]
	for _, d := range all {
		if n := len(merged); n > 0 && !d.From.After(merged[n-1].To) {
			if d.To.After(merged[n-1].To) {
				merged[n-1].To = d.To
			}
			continue
		}
		merged = append(merged, d)
	}
	var found []Dependency
	for _, subject := range p.subjects {
		for _, d := range merged {
			found = append(found, Dependency{subject, d.From, d.To})
		}
	}
	return found
}

// Key identifies the answers: requests with equal keys have equal answers while the versions of their
// Dependencies do not change. It is empty where the answer changes with the clock (types that count the
// time until now, outages in a range that has not ended, comparisons of a period that has not ended)
// and where names are shown, which change independently of rows. For other ranges that have not ended,
// a key changes whenever meta.until does. No statement is compiled for it.
func (p *Prepared) Key() string { return p.key.get(p.computeKey) }

func (p *Prepared) computeKey() string {
	b, err := json.Marshal(p.meta)
	if err != nil {
		return ""
	}
	b = keytext.Texts(b, p.access, p.id)
	for i := range p.resolved.Parameters {
		one := &p.resolved.Parameters[i]
		b = keytext.Texts(b, one.Name, one.ID)
		switch {
		case one.Err != nil:
			b = keytext.Texts(b, string(one.Err.Code), one.Err.Message)
		case !p.engine.remembers(one.Plan):
			return ""
		default:
			until, from := one.Plan.Progress()
			b = keytext.Texts(append(b, one.Key...), p.engine.prints(one.Plan.Type), until.String(), from)
		}
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// remembers reports whether an answer to p stays valid while the versions of its dependencies do not change.
func (e *Engine) remembers(p *plan.Plan) bool {
	return !p.ByClock() && (e.names == nil || !p.Type.ShowsNames())
}

// Explained shows the statement of one parameter, and the source that would answer it now.
type Explained struct {
	Parameter string
	ID        string
	Source    Source // the first source that can give the answer
	Why       Reason // why the source before it cannot; empty for Remembered
	Plan      string // what it was resolved to, for people
	SQL       string // returns codes, such as those of countries, for the names that the engine looks up by them
	Args      []dialect.Arg
	Notes     []string // what can match nothing in it
	Err       *Error   // instead of the above
	// Other is the statement for the period that the parameter is compared with. It reads only rows with the keys of
	// the first answer, which are bound in place of the empty lists among Args. It is nil without a comparison.
	Other *Explained
	// Totals is the statement for the numbers over all rows; nil if there are none.
	Totals *Explained
}

// Explain returns one entry per parameter: the statement of its answer, and which source would answer. Run runs the
// statement only if the source is Statement. Explain does not count as a question. With a [store.Deriver] the statement
// changes as days are sealed. If the store fails to list them or ctx ends, Explain shows a statement over rows alone.
func (p *Prepared) Explain(ctx context.Context) []Explained {
	s := p.Snapshot()
	at := s.basis(ctx)
	sealed := func(of *plan.Plan) days.Sealed {
		return p.engine.merger.Sealed(of, s.question(ctx, of, nil).Snapshot)
	}
	found := make([]Explained, len(p.resolved.Parameters))
	for i := range p.resolved.Parameters {
		one := &p.resolved.Parameters[i]
		if found[i] = (Explained{Parameter: one.Name, ID: one.ID, Err: one.Err}); one.Err != nil {
			continue
		}
		asked := one
		if w := one.Plan.Why; w != nil { // of its plans, the one that the others have to explain
			asked = &plan.Parameter{Plan: w.Whole, Key: w.Whole.AppendKey(nil)}
		}
		own, beside, err := p.engine.statements.Statements(asked, sealed)
		if err != nil {
			found[i].Err = plan.Broken("%w", err)
			continue
		}
		found[i].explain(asked.Plan, own)
		found[i].Notes = one.Plan.Notes()
		known := p.engine.known(one, p.engine.answerKey(one, at), at)
		source := func(of *plan.Plan) (Source, Reason) {
			d := p.engine.merger.Decide(ctx, s.question(ctx, of, nil), known)
			return d.Source, d.Why
		}
		found[i].Source, found[i].Why = source(asked.Plan)
		if beside != nil {
			other := asked.Plan.Other.Plan
			found[i].Other = &Explained{Parameter: one.Name, ID: one.ID}
			found[i].Other.explain(other, beside)
			found[i].Other.Source, found[i].Other.Why = source(other)
		}
		if of := one.Plan.Totals; of != nil {
			totals, _, err := p.engine.statements.Statements(&plan.Parameter{Plan: of, Key: of.AppendKey(nil)}, sealed)
			if found[i].Totals = (&Explained{Parameter: one.Name, ID: one.ID}); err != nil {
				found[i].Totals.Err = plan.Broken("%w", err)
			} else {
				found[i].Totals.explain(of, totals)
				found[i].Totals.Source, found[i].Totals.Why = source(of)
			}
		}
	}
	return found
}

func (x *Explained) explain(p *plan.Plan, c *compile.Compiled) {
	statement := c.Of(p, nil)
	x.Plan, x.SQL, x.Args = p.String(), statement.SQL, statement.Args
}

// Run answers the request. Its error is the context's when ctx ended, and the store's when the store
// answered no parameter. Any other failure is in the result of its parameter.
func (p *Prepared) Run(ctx context.Context) (*Response, error) {
	return p.RunWithin(ctx, NewBudget(p.engine.most))
}

// MaxAnswer is the largest size of an answer of e, in bytes of JSON.
func (e *Engine) MaxAnswer() int64 { return e.most }

// RunWithin is Run with the size of the answer counted against budget, which other requests may share.
func (p *Prepared) RunWithin(ctx context.Context, budget *Budget) (*Response, error) {
	return p.Snapshot().Run(ctx, budget)
}
