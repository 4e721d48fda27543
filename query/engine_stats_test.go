package query_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// daily is a store whose days of 2026 have versions, and no rows.
type daily struct {
	silent
	version, first atomic.Uint64 // of all days, and of the first of March
	states         func() error  // the error of a statement that computes states
}

func (s *daily) Days(_ context.Context, _ store.Subject, from, to time.Time) (found []store.Day, _ error) {
	for at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == 2026; at = at.AddDate(0, 0, 1) {
		if at.Before(from) || !at.Before(to) {
			continue
		}
		day := store.Day{Start: at, Version: s.version.Load()}
		if at.Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
			day.Version += s.first.Load()
		}
		found = append(found, day)
	}
	return found, nil
}

func (s *daily) Websites(context.Context) (map[store.Subject]uint64, error) { return nil, nil }

func (s *daily) Seal(context.Context, store.Derivation) error { return nil }

// stateBytes is the limit of statements that compute states; no answer has it here.
const stateBytes = 1 << 28

func (s *daily) Query(_ context.Context, stmt store.Statement) (*store.Rows, error) {
	rows := &store.Rows{}
	for _, kind := range stmt.Kinds {
		rows.Columns = append(rows.Columns, store.Column{Kind: kind})
	}
	if stmt.MaxBytes == stateBytes && s.states != nil {
		return rows, s.states()
	}
	return rows, nil
}

// TestOrigins checks that Explain names the source of the next answer and the reason for it, that Explain itself does
// not count as a question, and that the counters and the log agree with it.
func TestOrigins(t *testing.T) {
	const noAnswers, noStates = -1, -1
	pages, others := question("pages", 5), question("pages", 7)
	today := query.Request{Parameters: []query.Parameter{{Name: "pages",
		Options: query.Options{Compare: query.PreviousPeriod}}},
		Options: query.Options{Preset: "today"}}
	ask := func(all ...query.Request) (steps []step) {
		for _, req := range all {
			steps = append(steps, func(t *testing.T, e *query.Engine, _ *daily) { run(t, e, req) })
		}
		return steps
	}
	wait := func(t *testing.T, e *query.Engine, _ *daily) {
		t.Helper()
		if err := e.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	write := func(_ *testing.T, _ *query.Engine, s *daily) { s.version.Add(1) }
	writeOne := func(_ *testing.T, _ *query.Engine, s *daily) { s.first.Add(1) }
	for _, row := range []struct {
		name   string
		cfg    query.Config
		states func() error
		before []step
		req    query.Request
		want   query.Origin
	}{
		{"states are off", query.Config{EngineOptions: query.EngineOptions{MaxPartials: noStates}},
			nil, nil, pages,
			query.Origin{Source: query.Statement, Why: query.Off}},
		{"a list", query.Config{}, nil, nil, question("session_list", 5),
			query.Origin{Source: query.Statement, Why: query.NotMergeable}},
		{"a new question", query.Config{}, nil, nil, pages,
			query.Origin{Source: query.Statement, Why: query.FirstAsked}},
		{"a new question about the same rows", query.Config{EngineOptions: query.EngineOptions{ResultCache: noAnswers}},
			nil, ask(pages), others,
			query.Origin{Source: query.Statement, Why: query.NotStored}},
		{"states are too large", query.Config{}, func() error { return store.ErrTooLarge },
			append(ask(pages, others), wait), question("pages", 6),
			query.Origin{Source: query.Statement, Why: query.StatesTooLarge}},
		{"states have no room", query.Config{EngineOptions: query.EngineOptions{MaxPartials: 8}},
			nil, append(ask(pages, others), wait),
			question("pages", 6), query.Origin{Source: query.Statement, Why: query.NoRoom}},
		{"all days changed", query.Config{}, nil, append(ask(pages, others), wait, write), pages,
			query.Origin{Source: query.Statement, Why: query.DaysChanged}},
		{"an answer is remembered", query.Config{}, nil, ask(pages), pages, query.Origin{Source: query.Remembered}},
		{"no answer is remembered", query.Config{EngineOptions: query.EngineOptions{ResultCache: noAnswers}},
			nil, append(ask(pages, pages), wait), pages,
			query.Origin{Source: query.Merged, Why: query.Off}},
		{"an answer that is not remembered", query.Config{}, nil, append(ask(today, today), wait), today,
			query.Origin{Source: query.Merged, Why: query.NotRememberable}},
		{"another limit", query.Config{}, nil, append(ask(pages, others), wait), question("pages", 6),
			query.Origin{Source: query.Merged, Why: query.FirstAsked}},
		{"one day changed", query.Config{}, nil, append(ask(pages, others), wait, writeOne), pages,
			query.Origin{Source: query.Merged, Why: query.DaysChanged}},
		{"answers have no room", query.Config{EngineOptions: query.EngineOptions{ResultCache: 1}},
			nil, append(ask(pages, others), wait), pages,
			query.Origin{Source: query.Merged, Why: query.NoRoom}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, log := &daily{silent: silent{dialect.DuckDB()}, states: row.states}, &bytes.Buffer{}
			s.version.Store(1)
			e := logged(t, s, row.cfg, log)
			for _, do := range row.before {
				do(t, e, s)
			}
			for range 3 {
				if got := origin(t, e, row.req); got != row.want {
					t.Errorf("Explain names %v, want %v", got, row.want)
				}
			}
			before := e.Stats()
			run(t, e, row.req)
			if n := answers(e.Stats(), row.want) - answers(before, row.want); n != 1 {
				t.Errorf("the counters of %v grew by %d: %v, and before %v", row.want, n, e.Stats().Answers,
					before.Answers)
			}
			if row.want.Source == query.Merged && before.StateBytes == 0 || row.want.Source == query.Remembered &&
				before.AnswerBytes == 0 {
				t.Errorf("the memory of what the answer is from is %+v", before)
			}
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			var last struct{ Level, Type, Source, Reason string }
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
				t.Fatal(err)
			}
			if last.Level != "DEBUG" || last.Type != row.req.Parameters[0].Name ||
				last.Source != string(row.want.Source) || last.Reason != string(row.want.Why) {
				t.Errorf("the log says %+v", last)
			}
		})
	}
}

// A step happens before the question of a test.
type step func(*testing.T, *query.Engine, *daily)

// question asks for a type about the first 20 days of March.
func question(of string, limit int) query.Request {
	return query.Request{Parameters: []query.Parameter{{Name: of,
		Options: query.Options{Limit: &limit}}}, StartDate: "2026-03-01",
		EndDate: "2026-03-20"}
}

func logged(t *testing.T, s store.Store, cfg query.Config, log *bytes.Buffer) *query.Engine {
	t.Helper()
	cfg.Store, cfg.Now = s, func() time.Time { return time.Date(2026, 4, 2, 12, 0, 0, 0, time.UTC) }
	cfg.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e, err := query.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

var website = query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "x"}}

func run(t *testing.T, e *query.Engine, req query.Request) {
	t.Helper()
	resp, err := e.Run(t.Context(), website, req)
	if err != nil || !resp.Data[0].Success {
		t.Fatalf("%v, %+v", err, resp)
	}
}

func origin(t *testing.T, e *query.Engine, req query.Request) query.Origin {
	t.Helper()
	found, err := e.Explain(t.Context(), website, req)
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found)
	}
	return query.Origin{Source: found[0].Source, Why: found[0].Why}
}

// answers returns the number of answers of one origin.
func answers(s query.Stats, of query.Origin) uint64 {
	for _, n := range s.Answers {
		if n.Origin == of {
			return n.Answers
		}
	}
	return 0
}

// A response that a host remembered counts once for each parameter.
func TestReusedResponsesAreCounted(t *testing.T) {
	s := &daily{silent: silent{dialect.DuckDB()}}
	e := logged(t, s, query.Config{}, &bytes.Buffer{})
	p, err := e.Prepare(t.Context(), website,
		query.Request{Parameters: names("pages", "countries"), StartDate: "2026-03-01", EndDate: "2026-03-20"})
	if err != nil {
		t.Fatal(err)
	}
	p.Snapshot().Reused(t.Context())
	if n := answers(e.Stats(), query.Origin{Source: query.Remembered}); n != 2 {
		t.Errorf("%d remembered answers, want 2: %v", n, e.Stats().Answers)
	}
}

// A panic in the background is logged with its stack, and a statement gives the answers.
func TestBackgroundPanicsAreLogged(t *testing.T) {
	s, log := &daily{silent: silent{dialect.DuckDB()}, states: func() error { panic("the store is broken") }},
		&bytes.Buffer{}
	s.version.Store(1)
	e := logged(t, s, query.Config{EngineOptions: query.EngineOptions{ResultCache: -1}}, log)
	for range 2 {
		run(t, e, question("pages", 5))
	}
	if err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); strings.Count(text, "the store is broken") != 1 ||
		!strings.Contains(text, `"level":"ERROR"`) || !strings.Contains(text, "engine_stats_test.go") {
		t.Errorf("the log has not the panic with its stack once: %s", text)
	}
	run(t, e, question("pages", 5))
}

// States that turn out to be too large while they are computed for an answer are the reason of this answer, which
// Explain cannot know.
func TestStatesThatAreFoundTooLarge(t *testing.T) {
	s := &daily{silent: silent{dialect.DuckDB()}}
	s.version.Store(1)
	e := logged(t, s, query.Config{EngineOptions: query.EngineOptions{ResultCache: -1}}, &bytes.Buffer{})
	for range 2 {
		run(t, e, question("pages", 5))
	}
	if err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.first.Add(1)
	s.states = func() error { return store.ErrTooLarge }
	if got, want := origin(t, e, question("pages", 5)),
		(query.Origin{Source: query.Merged, Why: query.Off}); got != want {
		t.Errorf("Explain names %v, want %v", got, want)
	}
	run(t, e, question("pages", 5))
	if n := answers(e.Stats(), query.Origin{Source: query.Statement, Why: query.StatesTooLarge}); n != 1 {
		t.Errorf("%d statements because of too large states, want 1: %v", n, e.Stats().Answers)
	}
}
