package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/notice"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A round is the memory of evaluations. Only Evaluate uses it, one call at a time.
type round struct {
	running chan struct{} // nil: nobody evaluated yet
	turn    int           // of the lead in which states were read
	states  map[stateKey]notice.State
	looked  map[stateKey]string // the hour that was evaluated last, of what is evaluated by hours
	busy    map[string]habit    // of silent websites
}

type stateKey struct {
	store.NoticeKey
	about string
}

// A task is a notice or report of a website, to be evaluated now.
type task struct {
	*definition
	site   store.Website
	about  string // of the state
	period string // of [notice.Notice.Due]
}

func (t *task) key() stateKey { return stateKey{t.Key(), t.about} }

// An evaluation is one call of Evaluate.
type evaluation struct {
	*Service
	now      time.Time
	known    *definitions
	monitors map[string][]store.Monitor // by owner
	faults   []error
	stopped  bool // the server does not lead any more, or ctx ended
}

// most is the number of faults that the error of Evaluate has.
const mostFaults = 5

// Evaluate evaluates all notices and reports that are due, and stores the messages of those that have changed. [Run]
// calls it every minute. It does nothing while another server leads. A notice whose question fails stays as it is; the
// error joins the first failures.
func (s *Service) Evaluate(ctx context.Context) error {
	s.mu.Lock()
	if s.round.running == nil {
		s.round.running = make(chan struct{}, 1)
	}
	running := s.round.running
	s.mu.Unlock()
	select {
	case running <- struct{}{}:
		defer func() { <-running }()
	case <-ctx.Done():
		return ctx.Err()
	}
	leads, err := s.lead(ctx)
	if err != nil || !leads {
		return err
	}
	began := time.Now() //nolint:forbidigo // how long it takes
	e := &evaluation{Service: s, now: s.cfg.Now(), monitors: map[string][]store.Monitor{}}
	if e.known, err = s.definitions(ctx); err != nil {
		return err
	}
	if err := e.readStates(ctx); err != nil {
		return err
	}
	all, err := e.tasks(ctx)
	if err != nil {
		return err
	}
	e.numbers(ctx, all)
	for _, event := range []struct {
		of  notice.Event
		run func(context.Context, []*task)
	}{{notice.Silent, e.silence}, {notice.Monitor, e.checks}, {notice.Experiment, e.experiments},
		{notice.Backup, e.backups}, {notice.Quota, e.quotas}} {
		event.run(ctx, chosen(all, func(t *task) bool { return t.notice != nil && t.notice.Event == event.of }))
	}
	e.reports(ctx, chosen(all, func(t *task) bool { return t.report != nil }))
	s.counts.round(time.Since(began), len(all)) //nolint:forbidigo // likewise
	s.poke()
	return errors.Join(e.faults...)
}

func chosen(all []*task, is func(*task) bool) []*task {
	var some []*task
	for _, t := range all {
		if is(t) {
			some = append(some, t)
		}
	}
	return some
}

// fault notes a failure about some notices.
func (e *evaluation) fault(err error) {
	if len(e.faults) < mostFaults {
		e.faults = append(e.faults, err)
	}
}

// readStates reads the states when the server begins to lead. It drops states of removed notices.
func (e *evaluation) readStates(ctx context.Context) error {
	r := &e.round
	turn := e.turn()
	if r.states != nil && r.turn == turn {
		for key := range r.states {
			if e.known.of[key.NoticeKey] == nil {
				delete(r.states, key)
				delete(r.looked, key)
			}
		}
		return nil
	}
	all, err := e.cfg.Store.NoticeStates(ctx)
	if err != nil {
		return err
	}
	r.states, r.looked, r.busy, r.turn = map[stateKey]notice.State{}, map[stateKey]string{}, map[string]habit{}, turn
	for _, one := range all {
		var state notice.State
		if json.Unmarshal(one.State, &state) == nil && e.known.of[one.NoticeKey] != nil {
			r.states[stateKey{one.NoticeKey, one.About}] = state
		}
	}
	return nil
}

// tasks returns what can be evaluated now: each notice once for each of its websites.
func (e *evaluation) tasks(ctx context.Context) (all []*task, err error) {
	owners := map[string][]store.Website{}
	keys := make([]store.NoticeKey, 0, len(e.known.of))
	for key := range e.known.of {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b store.NoticeKey) int {
		return cmp.Or(strings.Compare(a.Website, b.Website), strings.Compare(string(a.Kind), string(b.Kind)),
			strings.Compare(a.Name, b.Name))
	})
	for _, key := range keys {
		d := e.known.of[key]
		sites, ok := owners[d.Owner]
		if !ok {
			if sites, err = e.cfg.Directory.Websites(ctx, d.Owner); err != nil {
				return nil, err
			}
			owners[d.Owner] = sites
		}
		isOfAll := d.notice != nil && d.notice.AllWebsites || d.report != nil && d.report.AllWebsites
		for _, site := range sites {
			if site.ID != d.Website && !isOfAll {
				continue
			}
			t := &task{definition: d, site: site, about: site.ID}
			if e.isDue(t) {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// spread is the number of minutes over which what is evaluated every hour is spread.
const spread = 8

// isDue reports whether t is to be evaluated now, and sets its period.
func (e *evaluation) isDue(t *task) bool {
	if t.report != nil {
		t.period = t.report.Due(e.now)
		return true
	}
	switch t.notice.Event {
	case notice.Experiment, notice.Quota:
		t.period = e.now.UTC().Format("2006-01-02T15")
		return e.isTurn(t, 0)
	case "":
	default:
		return true
	}
	t.period = t.notice.Due(e.now)
	if t.notice.ByHour() {
		over, err := time.Parse(time.RFC3339, t.period)
		return err == nil && e.isTurn(t, e.now.Sub(over.Add(time.Hour)))
	}
	return t.period == "" || e.state(t).Period != t.period
}

// isTurn reports whether t, which is evaluated once an hour, has its turn. since is the time since the hour was over.
func (e *evaluation) isTurn(t *task, since time.Duration) bool {
	if e.round.looked[t.key()] == t.period {
		return false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.site.ID)) // never fails
	return since == 0 || since >= time.Duration(2+h.Sum32()%spread)*time.Minute
}

// state returns the state of t. The state of another rule does not count.
func (e *evaluation) state(t *task) notice.State {
	if state := e.round.states[t.key()]; state.Rule == t.rule {
		return state
	}
	return notice.State{Rule: t.rule}
}

// decide takes the verdict about t, and stores what has changed. facts are for the sentence; they are complete but for
// what the state knows.
func (e *evaluation) decide(ctx context.Context, t *task, v notice.Verdict, facts notice.Facts) {
	if e.stopped {
		return
	}
	before := e.state(t)
	after, change := before.Step(v, e.now, t.notice.QuietFor())
	if hourly := t.notice.ByHour() || t.notice.Event != ""; !hourly {
		after.Period = t.period
	}
	e.round.looked[t.key()] = t.period
	if after == before && (change == notice.None) {
		return
	}
	var told []store.Delivery
	if change == notice.Begins || change == notice.Ends && t.notice.TellsEnds() {
		facts.Website, facts.Ends, facts.Began, facts.Now, facts.Period = t.site.Name, change == notice.Ends,
			before.Began, e.now, t.period
		m := Message{Type: Began, Website: t.site.ID, Site: t.site.Name, About: facts.About, Value: facts.Reading.Value,
			Text: t.notice.Sentence(&facts)}
		if facts.Ends {
			m.Type = Ended
		}
		var err error
		if told, err = e.messages(t.definition, e.known.ended, m); err != nil {
			e.fault(err)
			return
		}
	}
	e.store(ctx, t, after, told)
}

// store stores a state with its messages, both or none.
func (e *evaluation) store(ctx context.Context, t *task, state notice.State, told []store.Delivery) {
	js, err := json.Marshal(state)
	if err == nil {
		err = e.cfg.Store.RecordNotices(ctx, e.holder, []store.NoticeState{{NoticeKey: t.Key(), About: t.about,
			State: js}}, told)
	}
	if err != nil {
		// it may be stored or not: the states are read again
		e.stopped = true
		e.resign()
		e.fault(err)
		return
	}
	e.round.states[t.key()] = state
	if len(told) > 0 {
		e.counts.add(func(s *Stats) { s.Told++ })
	}
}

// run asks the engine about one subject, and returns the answers. A parameter that failed is an error.
func (e *evaluation) run(ctx context.Context, a query.Access, req query.Request) (*query.Response, error) {
	a.Owner, a.Caller = "", caller
	answer, err := e.cfg.Engine.Run(ctx, a, req)
	if err != nil {
		return nil, err
	}
	for i := range answer.Data {
		if one := &answer.Data[i]; !one.Success {
			return answer, errors.Join(errors.New(one.Error), one.Cause)
		}
	}
	return answer, nil
}

// caller is who asks, where turns of queries are divided.
const caller = "notices"
