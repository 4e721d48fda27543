package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/jsontext"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// An engineRunner asks an engine over a store, in JSON like an HTTP client. It answers one question at a time.
type engineRunner struct {
	store  store.Store
	cfg    query.Config
	engine *query.Engine
	now    *atomic.Pointer[time.Time]            // the clock of the current question, which background work reads too
	part   func(*query.Response) ([]byte, error) // the part of a response to compare
	asked  int
	second *query.Engine // uses the same store and its partials, like an engine after a restart; may be nil
	again  int           // one in this many questions is asked again; 0 means none
}

// newEngineRunner returns a runner with the engine of cfg, its own clock and no cached answers.
func newEngineRunner(t *testing.T, cfg query.Config, part func(*query.Response) ([]byte, error)) *engineRunner {
	t.Helper()
	r := &engineRunner{store: cfg.Store, part: part, cfg: cfg, now: &atomic.Pointer[time.Time]{}}
	r.now.Store(&time.Time{})
	if _, derives := cfg.Store.(store.Deriver); derives && !cfg.NoDerived {
		r.again = 1
	}
	r.cfg.Now, r.cfg.ResultCache = func() time.Time { return *r.now.Load() }, -1
	r.engine = r.start(t)
	return r
}

func (r *engineRunner) start(t *testing.T) *query.Engine {
	t.Helper()
	e, err := query.New(r.cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// restart simulates a restart, if the store can store partials: from now on, outcome also asks a second engine, which
// has no partials in memory.
func (r *engineRunner) restart(t *testing.T) {
	t.Helper()
	if _, keeps := r.cfg.Store.(store.StateKeeper); keeps && r.again > 0 {
		r.second = r.start(t)
	}
}

// warm asks questions and ignores the answers, so that the engine stores states for them.
func (r *engineRunner) warm(t *testing.T, questions iter.Seq[reference.Question]) {
	t.Helper()
	for q := range questions {
		r.outcome(t.Context(), q)
	}
}

// outcome returns the outcome of q. If the engine stores partials, outcome asks q three times, because the engine
// computes partials after the second answer and merges them for the third. It asks q five times if the range is a
// month or longer, because the engine then also rolls up the days. Different answers are an error.
func (r *engineRunner) outcome(ctx context.Context, q reference.Question) outcome {
	first := r.once(ctx, q)
	if r.asked++; first.json == nil || r.again == 0 || r.asked%r.again != 0 {
		return first
	}
	last := first
	for range timesAgain(q) {
		if last = r.once(ctx, q); !bytes.Equal(first.json, last.json) {
			return outcome{text: fmt.Sprintf("the engine answers differently when asked again: %s",
				firstDifference(first.show(), last.show()))}
		}
		if err := r.engine.Wait(ctx); err != nil {
			return outcome{text: err.Error()}
		}
	}
	if r.choosesRows(q) {
		if after := r.afterAll(ctx, q); !bytes.Equal(after.json, last.json) {
			return outcome{text: fmt.Sprintf("the engine answers differently after the same question without filters: %s", firstDifference(last.show(), after.show()))}
		}
	}
	if r.second == nil {
		return last
	}
	another := *r // with the clock of r
	another.engine = r.second
	if after := another.once(ctx, q); !bytes.Equal(after.json, last.json) {
		return outcome{text: fmt.Sprintf("the engine answers differently after a restart: %s",
			firstDifference(last.show(), after.show()))}
	}
	return last
}

// choosesRows reports whether q has a filter on a field that is a column of its rows.
func (r *engineRunner) choosesRows(q reference.Question) bool {
	for _, info := range r.engine.Types() {
		if info.Name == q.Type {
			return slices.ContainsFunc(q.Filters, func(f reference.Filter) bool {
				return slices.ContainsFunc(info.Output,
					func(c query.OutputField) bool { return strings.HasPrefix(c.Name, f.Field) })
			})
		}
	}
	return false
}

// afterAll asks q without filters until its partials are in memory, and returns the outcome of q after that.
func (r *engineRunner) afterAll(ctx context.Context, q reference.Question) outcome {
	all := q
	all.Filters = nil
	for range 2 {
		r.once(ctx, all)
	}
	_ = r.engine.Wait(ctx) // if it fails, the next question fails with the same error
	return r.once(ctx, q)
}

func timesAgain(q reference.Question) int {
	from, fromErr := time.Parse(time.DateOnly, q.StartDate)
	to, toErr := time.Parse(time.DateOnly, q.EndDate)
	if fromErr == nil && toErr == nil && to.Sub(from) >= 27*24*time.Hour {
		return 4
	}
	return 2
}

func (r *engineRunner) once(ctx context.Context, q reference.Question) outcome {
	resp, err := r.ask(ctx, q)
	if err != nil {
		return outcome{text: err.Error()}
	}
	result := resp.Data[0]
	if !result.Success {
		return outcome{refused: result.Code, text: withCause(result)}
	}
	if err := readsBack(resp); err != nil {
		return outcome{text: err.Error()}
	}
	answer, err := r.part(resp)
	if err != nil {
		return outcome{text: err.Error()}
	}
	return outcome{json: answer, speaks: says(result.Data.AppendJSON(nil))}
}

// readsBack fails unless the JSON of a response is read as a response with the same JSON.
func readsBack(resp *query.Response) error {
	text, err := json.Marshal(resp)
	if err != nil {
		return err
	}
	var read query.Response
	if err := json.Unmarshal(text, &read); err != nil {
		return fmt.Errorf("the response is not read back: %w", err)
	}
	again, err := json.Marshal(read)
	if err != nil {
		return fmt.Errorf("the response that was read back: %w", err)
	}
	if !bytes.Equal(again, text) {
		return fmt.Errorf("the response is read back differently: %s", firstDifference(string(text), string(again)))
	}
	return nil
}

// rows returns the rows of a response to one parameter, and its other data.
func rows(r *query.Response) ([]byte, error) {
	b := append(r.Data[0].Data.AppendJSON(nil), '\n')
	if previous := r.Data[0].Previous; previous != nil {
		b = previous.AppendJSON(b)
	}
	b = append(b, '\n')
	if changes := r.Data[0].Changes; changes != nil {
		b = changes.AppendJSON(b)
	}
	b = append(b, '\n')
	if totals := r.Data[0].Totals; totals != nil {
		b = totals.AppendJSON(b)
	}
	return b, nil
}

// whole returns a whole response. It fails if a row is not valid JSON.
func whole(r *query.Response) ([]byte, error) {
	return jsontext.AppendLine(nil, r)
}

func withCause(r query.Result) string {
	if r.Cause == nil {
		return r.Error
	}
	return fmt.Sprintf("%s: %v", r.Error, r.Cause)
}

func (r *engineRunner) ask(ctx context.Context, q reference.Question) (*query.Response, error) {
	r.now.Store(&q.Now)
	return r.askNow(ctx, q)
}

// askNow asks q with the clock of the previous question. It is safe for concurrent use.
func (r *engineRunner) askNow(ctx context.Context, q reference.Question) (*query.Response, error) {
	body, err := json.Marshal(requestFor(q))
	if err != nil {
		return nil, err
	}
	requests, _, err := query.Decode(body, 1)
	if err != nil {
		return nil, err
	}
	if len(requests[0].Errors) > 0 {
		return nil, requests[0].Errors
	}
	access := query.Access{Subject: q.Subject, Filters: queryFilters(q.Mandatory)}
	if q.Websites != nil {
		access.Subject = store.Subject{}
	}
	for _, id := range q.Websites {
		access.Websites = append(access.Websites, query.Website{ID: id, Name: reference.SiteName(id)})
	}
	p, err := r.engine.Prepare(ctx, access, requests[0].Request)
	if err != nil {
		return nil, err
	}
	if c, ok := r.store.(*clipped); ok {
		c.days = p.Dependencies()
	}
	return p.Run(ctx)
}

// clipped is a store that does not read rows before the first or after the last of days. It answers one statement
// at a time.
type clipped struct {
	store.Store
	days []query.Dependency
}

// Query runs stmt with all instants in its arguments limited to days.
func (c *clipped) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	from, to := c.days[0].From.UnixMilli(), c.days[len(c.days)-1].To.UnixMilli()
	stmt.Args = slices.Clone(stmt.Args)
	for i, arg := range stmt.Args {
		// Small numbers are durations, not instants.
		if at, ok := arg.Value.(int64); ok && at > 1e11 {
			stmt.Args[i].Value = min(max(at, from), to)
		}
	}
	return c.Store.Query(ctx, stmt)
}

func requestFor(q reference.Question) query.Request {
	req := query.Request{
		Parameters: []query.Parameter{{Name: q.Type}}, StartDate: q.StartDate, EndDate: q.EndDate,
		TimeZone: q.Zone,
		Options: query.Options{Preset: q.Preset, Granularity: q.Grain, WeekStart: q.WeekStart,
			Filters: queryFilters(q.Filters), GroupBy: q.GroupBy, SortBy: q.SortBy, SortOrder: q.SortOrder,
			Page: q.Page, Compare: query.Compare(q.Compare)},
	}
	if q.Limit > 0 {
		req.Limit = &q.Limit
	}
	if q.Totals {
		req.Totals = &q.Totals
	}
	if q.Complete {
		req.Complete = &q.Complete
	}
	giveParts(&req.Parameters[0], q)
	giveOwn(&req, q.Own)
	return req
}

// giveOwn moves the named options to the parameter of req, and gives req other options that would change the
// answer.
func giveOwn(req *query.Request, own []string) {
	p, another := &req.Parameters[0], 1
	for _, name := range own {
		switch name {
		case "dates":
			p.StartDate, p.EndDate, p.Preset = req.StartDate, req.EndDate, req.Preset
			req.StartDate, req.EndDate, req.Preset = "2001-01-01", "2001-01-02", ""
			if p.Preset == "" {
				req.Preset = "yesterday"
			}
			if req.Granularity == "minute" {
				req.StartDate, req.EndDate = "2001-01-01T00:00", "2001-01-01T06:00"
				req.Preset = strings.ReplaceAll(req.Preset, "yesterday", "last_60m")
			}
			p.Complete, req.Complete = req.Complete, nil
		case "limit":
			if req.Limit != nil {
				p.Limit, req.Limit = req.Limit, &another
			}
		case "page":
			p.Page, req.Page = max(req.Page, 1), 7
		case "filters":
			p.Filters, req.Filters = append([]query.Filter{}, req.Filters...),
				[]query.Filter{{Field: "nothing", Op: query.Eq, Values: []string{"x"}}}
		case "groupBy":
			p.GroupBy, req.GroupBy = append([]string{}, req.GroupBy...), []string{"nothing"}
		case "granularity":
			if req.Granularity != "" {
				p.Granularity, req.Granularity = req.Granularity, "daily"
			}
			if req.WeekStart != "" {
				p.WeekStart, req.WeekStart = req.WeekStart,
					map[string]string{"sunday": "monday", "monday": "sunday"}[req.WeekStart]
			}
		case "sortBy":
			if req.SortBy != "" {
				p.SortBy, req.SortBy = req.SortBy, "nothing"
			}
		case "sortOrder":
			if req.SortOrder != "" {
				p.SortOrder, req.SortOrder = req.SortOrder,
					map[string]string{"asc": "desc", "desc": "asc"}[req.SortOrder]
			}
		case "compare":
			if p.Compare, req.Compare = req.Compare, ""; p.Compare == query.PreviousPeriod {
				req.Compare = query.PreviousYear
			}
			if req.Totals != nil {
				p.Totals, req.Totals = req.Totals, new(false)
			}
		}
	}
}

func queryFilters(filters []reference.Filter) (list []query.Filter) {
	for _, f := range filters {
		one := query.Filter{Field: f.Field, Op: query.Op(f.Op), Values: f.Values, And: queryFilters(f.And),
			Or: queryFilters(f.Or)}
		if f.Not != nil {
			one.Not = &queryFilters([]reference.Filter{*f.Not})[0]
		}
		if f.Did != nil {
			one.Did = &query.Did{Action: *queryAction(&f.Did.Action), In: f.Did.In}
		}
		list = append(list, one)
	}
	return list
}
