package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A testCase is a question with its exact rows, and the rule that it tests.
type testCase struct {
	name    string
	rule    string
	of      store.Subject
	filters []query.Filter // mandatory filters of a key
	request string
	want    string // one row of JSON per line
}

func (c testCase) rows() []string {
	var rows []string
	for line := range strings.Lines(c.want) {
		if line = strings.TrimSpace(line); line != "" {
			rows = append(rows, line)
		}
	}
	return rows
}

// check asks the question and compares the rows as JSON.
func (c testCase) check(t *testing.T, s store.Store) {
	t.Helper()
	asked := fmt.Sprintf("%s\nasked of %s %q, filters of the key %v: %s", c.name, c.of.Kind, c.of.ID, c.filters,
		c.request)
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Error(err)
		return
	}
	requests, _, err := query.Decode([]byte(c.request), 1)
	if err == nil && len(requests[0].Errors) > 0 {
		err = requests[0].Errors
	}
	if err != nil {
		t.Errorf("%s\nis rejected: %v", asked, err)
		return
	}
	access := query.Access{Subject: c.of, Filters: c.filters}
	got := answerOf(t.Context(), engine, access, requests[0].Request)
	if got.fault != "" {
		t.Errorf("%s\nfails: %s\n%s", asked, got.fault, statementsOf(t.Context(), s, access, requests[0].Request))
	} else if diff := differingRow(c.rows(), got.texts); diff != "" {
		t.Errorf("%s\nThe rule: %s\n%s\n%s", asked, c.rule, diff,
			statementsOf(t.Context(), s, access, requests[0].Request))
	}
}

// statementsOf returns the SQL of the statements that answer a request, each with its arguments and its error. It is
// for the messages of tests that fail.
func statementsOf(ctx context.Context, s store.Store, a query.Access, req query.Request) string {
	said := &spoken{Store: s}
	engine, err := query.New(query.Config{Store: said, Now: func() time.Time { return now }})
	if err != nil {
		return err.Error()
	}
	_, _ = engine.Run(ctx, a, req) // the caller knows the result
	return strings.Join(said.texts, "\n")
}

// spoken is a store that records its statements. It has no optional interfaces, so the engine answers from rows.
type spoken struct {
	store.Store
	mu    sync.Mutex
	texts []string
}

func (s *spoken) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows, err := s.Store.Query(ctx, stmt)
	s.mu.Lock()
	defer s.mu.Unlock()
	text := "The statement: " + stmt.SQL
	for _, a := range stmt.Args {
		text += fmt.Sprintf("\n%s = %v", a.Name, a.Value)
	}
	if err != nil {
		text += "\nIts error: " + err.Error()
	}
	s.texts = append(s.texts, text)
	return rows, err
}

// everyType tests that every type answers all requests that it claims to support: without options, and grouped,
// filtered and sorted by each field and column, with request filters and with mandatory filters of a key. It
// tests one in sampleEvery of these requests.
func everyType(t *testing.T, s store.Store, sampleEvery int) {
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	nth := 0
	for _, info := range engine.Types() {
		t.Run(info.Name, func(t *testing.T) {
			id := map[store.SubjectKind]string{store.KindWebsite: "w1", store.KindLink: "l1",
				store.KindSchedule: "m1"}[info.Subject]
			of := store.Subject{Kind: info.Subject, ID: id}
			answers := func(req query.Request, filters ...query.Filter) {
				if nth++; sampleEvery > 1 && nth%sampleEvery != 0 {
					return
				}
				got := answerOf(t.Context(), engine, query.Access{Subject: of, Filters: filters}, req)
				if got.fault != "" {
					t.Errorf("%v\nmandatory filters %v\nfails: %s\n%s", question{of, now, req}, filters, got.fault,
						statementsOf(t.Context(), s, query.Access{Subject: of, Filters: filters}, req))
				}
			}
			for _, req := range ways(info) {
				answers(req)
			}
			var mandatory []query.Filter
			for _, field := range info.Filters {
				if field == "website" { // the resources of a key say which it reads
					continue
				}
				mandatory = append(mandatory, query.Filter{Field: field, Op: query.NotIn, Values: []string{"AQ", "BV"}})
			}
			answers(ways(info)[0], mandatory...)
		})
	}
}

// ways returns the requests that a type claims to answer.
func ways(info query.Info) []query.Request {
	plain := query.Request{Parameters: []query.Parameter{Example(info.Name)}, StartDate: "2026-03-10",
		EndDate: "2026-03-11", TimeZone: "America/New_York"}
	if info.RequiredFilter != "" {
		plain.Filters = []query.Filter{{Field: info.RequiredFilter, Op: query.Eq, Values: []string{"s1"}}}
	}
	all := []query.Request{plain}
	for _, field := range info.Groupable {
		by := plain
		by.GroupBy = []string{field}
		all = append(all, by)
	}
	for _, field := range info.Filters {
		by := plain
		by.Filters = append(slices.Clone(plain.Filters),
			query.Filter{Field: field, Op: query.NotIn, Values: []string{"", "BV"}})
		if slices.Contains(operators(field), query.Contains) {
			by.Filters = append(by.Filters, query.Filter{Field: field, Op: query.Contains, Values: []string{"a"}})
		}
		all = append(all, by)
	}
	for _, column := range info.Sortable {
		by := plain
		by.SortBy = column
		all = append(all, by)
	}
	return all
}

// longSession tests that a long session lists its first 200 events, and counts all of them.
func longSession(t *testing.T, h Harness) {
	const all, listed = 205, 200
	b := &store.Batch{}
	for i := range all {
		b.Events = append(b.Events,
			store.Event{Website: "w1", ID: fmt.Sprintf("e%03d", i), Kind: store.Pageview, Name: "screen_view",
				Time: at("10 10:00:00").Add(time.Duration(i) * time.Second), Identity: by("v", "s"), Path: "/"})
	}
	engine, err := query.New(query.Config{Store: h.filled(t, b), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	got := answerOf(t.Context(), engine, query.Access{Subject: ofSite}, query.Request{
		Parameters: []query.Parameter{{Name: "session_list"}}, StartDate: "2026-03-10", EndDate: "2026-03-10"})
	if got.fault != "" || len(got.rows) != 1 {
		t.Fatalf("%d sessions, want one; %s", len(got.rows), got.fault)
	}
	events, _ := got.rows[0]["events"].([]any)
	if n := got.rows[0]["total_events"]; n != float64(all) || len(events) != listed {
		t.Fatalf("%d of %v events are listed, want %d of %d", len(events), n, listed, all)
	}
	for i, want := range map[int]string{0: "e000", listed - 1: "e199"} {
		if id := events[i].(map[string]any)["event_id"]; id != want {
			t.Errorf("event %d is %v, want %s", i, id, want)
		}
	}
}
