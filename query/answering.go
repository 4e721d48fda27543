package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/compile"
	"github.com/sightline-analytics/sightline/query/internal/finish"
	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// An answering computes the answer to one parameter.
type answering struct {
	engine    *Engine
	snapshot  *Snapshot
	parameter *plan.Parameter
	budget    *Budget

	facts origin.Facts // what is known of the remembered answer

	took time.Duration // of the store's time
	from Origin        // a statement, if a statement gave any of the rows
	// the end of the last day of the answer whose rows were removed because of their age; zero: there is none
	ended  time.Time
	lost   time.Time        // the same of the days for which the answer counts only the rows that are left
	then   *finish.Answered // the rows of the other period, if they were needed to order those of the answer; or nil
	result Result
}

// answer computes the answer to p, which is not remembered.
func (s *Snapshot) answer(ctx context.Context, p *plan.Parameter, budget *Budget, facts origin.Facts) Result {
	if p.Err != nil {
		return finish.Failure(p, p.Err)
	}
	e, q := s.p.engine, newQuestion(p.Plan, s.p.owner, s.p.caller)
	if err := e.slots.acquire(ctx, q); err != nil {
		return finish.Failure(p, storeFailure(err))
	}
	a := &answering{engine: e, snapshot: s, parameter: p, budget: budget, facts: facts}
	defer func() { e.slots.release(q, a.took) }()
	ctx, cancel := e.inTime(ctx)
	defer cancel()
	if mistake := a.run(ctx); mistake != nil {
		return finish.Failure(p, mistake)
	}
	e.note(ctx, p, a.from)
	return a.result
}

// run fills the result.
func (a *answering) run(ctx context.Context) *Error {
	p := a.parameter.Plan
	found, mistake := a.rowsShown(ctx, p)
	if mistake != nil {
		return mistake
	}
	a.result.Parameter, a.result.ID, a.result.Success = a.parameter.Name, a.parameter.ID, true
	a.result.Meta = finish.ResultMeta(p, found.Len(), found.More)
	for _, add := range []func(context.Context, *finish.Answered) *Error{a.compare, a.totals, a.notes, a.identity} {
		if mistake := add(ctx, found); mistake != nil {
			return mistake
		}
	}
	if !a.ended.IsZero() {
		a.result.Meta.ExpiredBefore = &answer.Instant{Time: a.ended}
	}
	if !a.lost.IsZero() {
		a.result.Meta.Notes = append(slices.Clip(a.result.Meta.Notes), finish.RemovedNote(a.lost))
	}
	a.result.Data = finish.Shown(p, &found.Table)
	if mistake := a.budget.TakeFor(&a.result.Data); mistake != nil {
		return mistake
	}
	store.MeterOf(ctx).Add(found.Len(), 0)
	return nil
}

// rowsShown returns the rows of the answer to p.
func (a *answering) rowsShown(ctx context.Context, p *plan.Plan) (*finish.Answered, *Error) {
	if p.Why != nil {
		return a.why(ctx, p)
	}
	found, mistake := a.table(ctx, p, a.parameter.Key, nil)
	if mistake == nil && p.Difference != nil {
		return a.byDifference(ctx, found)
	}
	return found, mistake
}

// byDifference returns the page of the rows of both periods, of which found has those of the answer's own.
func (a *answering) byDifference(ctx context.Context, found *finish.Answered) (*finish.Answered, *Error) {
	other := a.parameter.Plan.Other.Plan
	then, mistake := a.table(ctx, other, other.AppendKey(nil), nil)
	if mistake != nil {
		return nil, mistake
	}
	a.then = then
	return finish.ByDifference(a.parameter.Plan, found, then), nil
}

// compare adds the rows of the other period that belong to the rows found, and the changes.
func (a *answering) compare(ctx context.Context, found *finish.Answered) *Error {
	p := a.parameter.Plan
	if p.Other == nil || p.Why != nil {
		return nil
	}
	then := a.then
	if then == nil {
		then = &finish.Answered{}
	}
	if found.Len() > 0 && a.then == nil {
		var mistake *Error
		other := p.Other.Plan
		if then, mistake = a.table(ctx, other, other.AppendKey(nil), finish.KeysOf(p, found)); mistake != nil {
			return mistake
		}
	}
	previous, changed := finish.Beside(p, found, then)
	previous = finish.Shown(p, &previous)
	changed = changed.In(p.Range.Zone)
	a.result.Previous, a.result.Changes = &previous, &changed
	return cmp.Or(a.budget.TakeFor(&previous), a.budget.TakeFor(&changed))
}

// totals adds the numbers over all rows.
func (a *answering) totals(ctx context.Context, _ *finish.Answered) *Error {
	p := a.parameter.Plan.Totals
	if p == nil {
		return nil
	}
	all, mistake := a.table(ctx, p, p.AppendKey(nil), nil)
	if mistake != nil {
		return mistake
	}
	a.result.Totals = &answer.Single{Table: finish.Shown(p, &all.Table)}
	return a.budget.TakeFor(&a.result.Totals.Table)
}

// notes adds which properties no row has. It asks only if the rows found show nothing of a property.
func (a *answering) notes(ctx context.Context, found *finish.Answered) *Error {
	p := a.parameter.Plan
	if p.Properties == nil || !finish.LacksProperty(p, &found.Table) {
		return nil
	}
	counts, mistake := a.table(ctx, p.Properties, p.Properties.AppendKey(nil), nil)
	if mistake != nil {
		return mistake
	}
	a.result.Meta.Notes = append(a.result.Meta.Notes, finish.PropertyNotes(p, &counts.Table)...)
	return nil
}

// identity adds whether most visitors have other ids on each day.
func (a *answering) identity(ctx context.Context, _ *finish.Answered) *Error {
	e, p := a.engine, a.parameter.Plan
	if !p.Type.TellsIdentity {
		return nil
	}
	passed := e.metered(ctx)
	rows, err := e.trace.Query(ctx, e.store, compile.DailyIDs(p, e.store.Dialect()))
	a.took += passed()
	switch {
	case err != nil:
		return storeFailure(err)
	case rows.Len != 1 || len(rows.Columns) != 2:
		return plan.Broken("the store returned %d rows and %d columns for the ids of visitors, not 1 and 2", rows.Len,
			len(rows.Columns))
	}
	if daily, seen := rows.Columns[0].Ints[0], rows.Columns[1].Ints[0]; 2*daily > seen {
		a.result.Meta.Identity = answer.DailyIdentity
	}
	return nil
}

// table answers p, which has that key. With among, it has only rows with these keys.
func (a *answering) table(ctx context.Context, p *plan.Plan, key []byte, among [][]string) (*finish.Answered, *Error) {
	var rows *store.Rows
	var err error
	for again := true; again && err == nil; again = err == nil && a.snapshot.expiredMeanwhile(ctx, p) {
		rows, err = a.rows(ctx, p, key, among)
	}
	if errors.Is(err, store.ErrTooLarge) {
		return nil, a.budget.TooLarge(err)
	}
	if err != nil {
		return nil, storeFailure(err)
	}
	found, mistake := finish.Finish(p, rows)
	if mistake == nil {
		mistake = a.profileNames(ctx, p, found)
	}
	return found, mistake
}

// rows returns the rows of the answer to p: see table.
func (a *answering) rows(ctx context.Context, p *plan.Plan, key []byte, among [][]string) (rows *store.Rows,
	err error) {
	e := a.engine
	q := a.snapshot.question(ctx, p, among)
	passed := e.metered(ctx)
	defer func() { a.took += passed() }()
	if q.Expired.After(a.ended) {
		a.ended = q.Expired
	}
	merged, err := e.merger.Rows(ctx, q, a.facts)
	if merged.Lost.After(a.lost) {
		a.lost = merged.Lost
	}
	if d := merged.Decision; d.Source == Statement || a.from.Source == "" {
		a.from = d.Origin
	}
	if merged.Rows != nil || err != nil {
		return merged.Rows, err
	}
	compiled := e.statements.Statement(p, key, e.merger.Sealed(p, q.Snapshot))
	statement := compiled.Of(p, among)
	statement.MaxBytes = a.budget.Max()
	if rows, err = e.trace.Query(ctx, e.store, statement); err != nil {
		return nil, err
	}
	compiled.Show(rows)
	return rows, nil
}

// rowsBySubject returns the rows of an answer to p by the id of their website.
func rowsBySubject(p *plan.Plan, found *finish.Answered) map[string][]int {
	all, of := map[string][]int{}, found.Column(catalog.Website.Name)
	for row := range found.Len() {
		id := p.Subject.ID
		if p.Websites != nil && of != nil {
			id = of.Text(row)
		}
		all[id] = append(all[id], row)
	}
	return all
}

// namesOf writes the names of profiles of a website, which some rows have, into texts. ids has those of all rows.
func (a *answering) namesOf(ctx context.Context, website string, rows []int, ids, texts []string) *Error {
	var known []string
	for _, row := range rows {
		if ids[row] != "" {
			known = append(known, ids[row])
		}
	}
	slices.Sort(known)
	if known = slices.Compact(known); len(known) == 0 {
		return nil
	}
	names, err := a.engine.names.ProfileNames(ctx, website, known)
	if err != nil {
		return &Error{Code: Unavailable, Message: "The names of profiles are unavailable; try again later", Err: err}
	}
	for _, row := range rows {
		texts[row] = names[ids[row]]
	}
	return nil
}

// profileNames fills the columns of found that show names of profiles.
func (a *answering) profileNames(ctx context.Context, p *plan.Plan, found *finish.Answered) *Error {
	for i, m := range p.Type.OutputMetrics {
		if m.NameOf == "" || a.engine.names == nil || found.Len() == 0 {
			continue
		}
		of := slices.IndexFunc(p.Type.OutputMetrics,
			func(other *catalog.BoundMetric) bool { return other.Name == m.NameOf })
		ids := found.ColumnAt(len(p.Group) + of).Texts[:found.Len()]
		texts := make([]string, found.Len())
		for website, rows := range rowsBySubject(p, found) {
			if mistake := a.namesOf(ctx, website, rows, ids, texts); mistake != nil {
				return mistake
			}
		}
		found.ColumnAt(len(p.Group) + i).Column = store.Column{Kind: dialect.Text, Texts: texts}
	}
	return nil
}
