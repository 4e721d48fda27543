package query

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sync"
	"time"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/query/internal/keep"
	"github.com/sightline-analytics/sightline/query/internal/keytext"
	"github.com/sightline-analytics/sightline/query/internal/merge"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/store"
)

// A Snapshot is a prepared request at the versions of its rows. It reads the days of the request, with their versions
// and seals, when it first needs them, and only once, so its key and its answers agree about them. Take a new one for
// every call. It is safe for concurrent use.
//
// A host that remembers responses stores each one under its key:
//
//	s := prepared.Snapshot()
//	key, err := s.Key(ctx)
//	if known, ok := responses[key]; ok && key != "" {
//		s.Reused(ctx)
//		return known
//	}
//	resp, err := s.Run(ctx, query.NewBudget(engine.MaxAnswer()))
type Snapshot struct {
	p *Prepared

	mu   sync.Mutex
	read bool // the store was asked
	listed
}

// listed is what a store lists of the days of a request.
type listed struct {
	days     []*days.Snapshot // of each website; nil if the store has none, or failed
	versions []uint64         // of the rows of each of Prepared.rememberable; nil if the store has none, or failed
	err      error            // of the store
}

// Snapshot returns p at the versions that its rows have when the Snapshot first needs them.
func (p *Prepared) Snapshot() *Snapshot { return &Snapshot{p: p} }

// Key identifies the answers: snapshots with equal keys have equal answers. It differs after a row of one of the
// request's days changes, and after [Engine.RebuildSeals]. It is empty if the store is not a [store.DayLister], if no
// parameter can be answered, and where [Prepared.Key] is empty. The error is the error of the store. The answers may
// still be computed.
func (s *Snapshot) Key(ctx context.Context) (string, error) {
	request := s.p.Key()
	if request == "" {
		return "", nil
	}
	versions, err := s.rowVersions(ctx)
	if err != nil || len(versions) == 0 {
		return "", err
	}
	b := append(make([]byte, 0, 256), request...)
	b = keytext.Numbers(b, s.p.engine.rebuilt.Load())
	for _, version := range versions {
		b = keytext.Numbers(b, int64(version))
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// Run answers the request from rows that are at least as new as the versions of s: see [Prepared.RunWithin]. Rows that
// are stored or removed while it runs may count in a part of an answer. An answer of a later Snapshot never depends on
// that.
func (s *Snapshot) Run(ctx context.Context, budget *Budget) (*Response, error) {
	p, at := s.p, s.basis(ctx)
	resp := &Response{Success: true, QueryID: p.id, Data: make([]Result, len(p.resolved.Parameters)), Meta: p.meta}
	resp.Meta.Parameters = slices.Clone(p.meta.Parameters)
	for _, of := range p.subjects {
		p.engine.keeper.NoteAsked(of)
	}
	var running sync.WaitGroup
	free := make(chan struct{}, p.engine.parallel)
	for i := range p.resolved.Parameters {
		one := &p.resolved.Parameters[i]
		key := p.engine.answerKey(one, at)
		facts, remembered := p.engine.known(one, key, at), false
		if resp.Data[i], remembered = s.recall(ctx, one, key, &facts, budget); remembered {
			continue
		}
		free <- struct{}{}
		if i == len(p.resolved.Parameters)-1 { // it needs no goroutine of its own
			resp.Data[i] = s.answerOnce(ctx, one, key, at, facts, budget)
			break
		}
		running.Go(func() {
			defer func() { <-free }()
			resp.Data[i] = s.answerOnce(ctx, one, key, at, facts, budget)
		})
	}
	running.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := unanswered(resp.Data); err != nil {
		return nil, err
	}
	return resp, nil
}

// Reused notes that a host answered the request with a response that it remembered under the Key of s. The counters and
// the log of the engine then show an answer to each parameter from the source Remembered.
func (s *Snapshot) Reused(ctx context.Context) {
	for i := range s.p.resolved.Parameters {
		s.p.engine.note(ctx, &s.p.resolved.Parameters[i], Origin{Source: Remembered})
	}
}

// rowVersions returns the version of the rows of each of p.rememberable. It is nil if the store has no versions.
func (s *Snapshot) rowVersions(ctx context.Context) ([]uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readOnce(ctx)
	return s.versions, s.err
}

// question returns the question of p with the days that decide about its answer. It has none where no answer uses
// stored results, and where the store fails: then statements read rows alone.
func (s *Snapshot) question(ctx context.Context, p *plan.Plan, among [][]string) merge.Question {
	q := merge.Question{Plan: p, Among: among, Expired: s.expired(ctx, p)}
	if s.p.deriver() == nil {
		return q
	}
	if q.Snapshots = s.daysOf(ctx); len(q.Snapshots) > 0 && p.Websites == nil {
		q.Snapshot = q.Snapshots[0]
	}
	return q
}

// expired returns the end of the last day that p counts and whose rows were removed because of their age, of any
// website, or zero if there is none.
func (s *Snapshot) expired(ctx context.Context, p *plan.Plan) (end time.Time) {
	for _, known := range s.daysOf(ctx) {
		if !known.Covers(p.Counted()) {
			continue
		}
		if last := known.LastExpired(p.Counted()); last.After(end) {
			end = last
		}
	}
	return end
}

// expiredMeanwhile reports whether rows that p counts were removed because of their age since s read the days, so that
// an answer may lack rows without saying so. Then s has the days as they are now.
func (s *Snapshot) expiredMeanwhile(ctx context.Context, p *plan.Plan) bool {
	known, w := s.daysOf(ctx), p.Counted()
	covers := func(all []*days.Snapshot) bool {
		return len(all) > 0 && !slices.ContainsFunc(all, func(of *days.Snapshot) bool { return !of.Covers(w) })
	}
	if _, expires := s.p.engine.store.(store.Expirer); !expires || !covers(known) ||
		w.From >= keep.ExpiresBefore(s.p.engine.now()).UnixMilli() {
		return false
	}
	now := s.list(ctx)
	same := func(a, b *days.Snapshot) bool { return a.SameExpired(b, w) }
	if now.days == nil || slices.EqualFunc(now.days, known, same) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.days = now.days
	return true
}

// daysOf returns the days of each website. It returns nil if no answer depends on them, and if the store fails.
func (s *Snapshot) daysOf(ctx context.Context) []*days.Snapshot {
	_, expires := s.p.engine.store.(store.Expirer)
	if !expires && s.p.deriver() == nil || s.p.kind() != store.KindWebsite || s.p.counted().Empty() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readOnce(ctx)
	return s.days
}

// readOnce asks the store for the days of the request, unless it was asked before. The caller holds s.mu.
func (s *Snapshot) readOnce(ctx context.Context) {
	if !s.read {
		s.read = true
		s.listed = s.list(ctx)
	}
}

// list asks the store for the days of the request.
func (s *Snapshot) list(ctx context.Context) (all listed) {
	p, span := s.p, s.p.span()
	d, lists := p.engine.store.(store.DayLister)
	if !lists || span.Empty() {
		return all
	}
	defer p.engine.metered(ctx)()
	// Others may wait for an answer that this request computes, so the days do not depend on the end of the request.
	inTime, cancel := p.engine.inTime(context.WithoutCancel(ctx))
	defer cancel()
	from, to := span.Times()
	needed := p.rememberable()
	for _, subject := range p.subjects {
		found, err := d.Days(inTime, subject, from, to)
		if err != nil {
			return listed{err: err}
		}
		for ; len(needed) > 0 && needed[0].Subject == subject; needed = needed[1:] {
			all.versions = append(all.versions, store.VersionOf(within(found, needed[0])))
		}
		if subject.Kind == store.KindWebsite {
			all.days = append(all.days, days.New(d, found, span))
		}
	}
	return all
}

// within returns those of some days, which are in order, that a dependency has.
func within(all []store.Day, of Dependency) []store.Day {
	at := func(end time.Time) int {
		i, _ := slices.BinarySearchFunc(all, end,
			func(one store.Day, end time.Time) int { return one.Start.Compare(end) })
		return i
	}
	return all[at(of.From):at(of.To)]
}

// span returns the days that decide the answers of p: those of its dependencies and, of websites, those around the
// time that is counted. It is empty if no answer depends on any.
func (p *Prepared) span() (all calendar.Interval) {
	for _, d := range p.rememberable() {
		all = all.Hull(calendar.Interval{From: d.From.UnixMilli(), To: d.To.UnixMilli()})
	}
	if w := p.counted(); p.kind() == store.KindWebsite && !w.Empty() {
		all = all.Hull(w.Widen(merge.DaysBeside*calendar.Day, merge.DaysBeside*calendar.Day).WholeDays())
	}
	return all
}

// basis returns the versions as a part of the keys of answers. It is nil if no answer is remembered.
func (s *Snapshot) basis(ctx context.Context) *basis {
	p := s.p
	if p.engine.answers == nil || len(p.rememberable()) == 0 {
		return nil
	}
	versions, err := s.rowVersions(ctx)
	if err != nil || len(versions) == 0 {
		return nil // the answers are computed
	}
	b := &basis{all: keytext.Texts(nil, p.access), days: keytext.Texts(nil, p.access)}
	for i, d := range p.rememberable() {
		b.all = keytext.Numbers(b.all, d.From.Unix(), d.To.Unix(), int64(versions[i]))
		b.days = keytext.Numbers(b.days, d.From.Unix(), d.To.Unix())
	}
	return b
}

// rememberable returns the dependencies of the parameters whose answers can be remembered.
func (p *Prepared) rememberable() []Dependency {
	return p.ofRemembered.get(func() []Dependency { return p.dependenciesOf(p.engine.remembers) })
}

// deriver returns the store if the answers of p may use its stored results, or nil.
func (p *Prepared) deriver() store.Deriver {
	if p.engine.plain || p.kind() != store.KindWebsite {
		return nil
	}
	d, _ := p.engine.store.(store.Deriver)
	return d
}

// kind returns the kind of the subjects.
func (p *Prepared) kind() store.SubjectKind { return p.subjects[0].Kind }

// counted returns the time that the answers of p count.
func (p *Prepared) counted() (w calendar.Interval) {
	for i := range p.resolved.Parameters {
		if one := p.resolved.Parameters[i].Plan; one != nil {
			w = w.Hull(one.Counted())
			if one.Other != nil {
				w = w.Hull(one.Other.Plan.Counted())
			}
		}
	}
	return w
}
