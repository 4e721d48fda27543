package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// everyDataset tests that every dataset answers choices of each of its metrics, and of each of its dimensions, or of
// one in six of them in a sample: others for each dataset, since datasets share most.
func everyDataset(t *testing.T, s store.Store, sample bool) {
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for nth, d := range engine.Datasets() {
		t.Run(d.Name, func(t *testing.T) {
			of := map[store.SubjectKind]store.Subject{store.KindWebsite: ofSite, store.KindLink: ofLink,
				store.KindSchedule: ofMonitor}[d.Subject]
			answers := func(p query.Parameter) {
				p.Dataset = d.Name
				req := query.Request{Parameters: []query.Parameter{p}, StartDate: "2026-03-10", EndDate: "2026-03-11",
					TimeZone: "America/New_York", Options: query.Options{Totals: new(true)}}
				if got := answerOf(t.Context(), engine, query.Access{Subject: of}, req); got.fault != "" ||
					len(got.totals) == 0 {
					t.Errorf("%v\nfails: %s; totals %v\n%s", question{of, now, req}, got.fault, got.totals,
						statementsOf(t.Context(), s, query.Access{Subject: of}, req))
				}
			}
			first := query.ChosenMetric{Name: d.Metrics[0].Name}
			var some []query.ChosenMetric
			for _, m := range d.Metrics {
				if m.Name != first.Name {
					some = append(some, query.ChosenMetric{Name: m.Name})
				}
			}
			for few := range slices.Chunk(some, 9) {
				few = append([]query.ChosenMetric{first}, few...)
				answers(query.Parameter{Metrics: few})
				answers(query.Parameter{Metrics: few, Dimensions: []string{"date", d.Dimensions[1].Name}})
				answers(query.Parameter{Metrics: few[:1], Dimensions: []string{d.Dimensions[len(d.Dimensions)-1].Name}})
			}
			for i, f := range d.Dimensions {
				if sample && (i+nth)%6 != 0 {
					continue
				}
				answers(query.Parameter{Metrics: []query.ChosenMetric{first, {Name: "percentage"}},
					Dimensions: []string{f.Name}})
			}
		})
	}
}

// choices tests exact answers to choices of metrics about orders whose property total is a number, a text or nothing.
func choices(t *testing.T, h Harness) {
	b := &store.Batch{}
	for i, properties := range []string{
		`{"total":12.5,"plan":"pro"}`, `{"total":" 0.00005 ","plan":""}`, `{"total":"free","plan":null}`,
		`{"plan":"pro"}`, ``,
		`{"total":-1e-1}`, `{"total":999999999.99995}`,
	} {
		b.Events = append(b.Events,
			store.Event{Website: "w1", ID: fmt.Sprint(i), Kind: store.Custom, Name: "order", Time: at("10 10:00:00"),
				Identity: by(fmt.Sprintf("v%d", i%2), ""), Properties: properties})
	}
	s := h.filled(t, b)
	for _, c := range []testCase{
		{name: "metrics of a property",
			rule: "Only decimals count; 0.00005 is rounded to 0.0001; distinct counts texts, also empty ones.",
			request: `{"parameters":[{"dataset":"events","metrics":[{"metric":"sum","property":"total","as":"Revenue"},{"metric":"avg","property":"total"},` +
				`{"metric":"min","property":"total"},{"metric":"max","property":"total"},{"metric":"median","property":"total"},{"metric":"p99","property":"total"},` +
				`{"metric":"count","property":"total"},{"metric":"distinct","property":"total"},{"metric":"distinct","property":"plan"},"total_events"]}],` + days + `}`,
			want: `{"Revenue":12.4001,"avg_total":4.1334,"min_total":-0.1,"max_total":12.5,"median_total":0.0001,"p99_total":12.25,"count_total":3,"distinct_total":5,"distinct_plan":2,"total_events":7}`},
		{name: "shares of sums and totals",
			rule: "Visitors are distinct over all rows; names that are empty stay; the share is of the first metric; totals see all pages.",
			request: `{"parameters":[{"dataset":"events","metrics":["percentage",{"metric":"sum","property":"total"},"unique_users"],"dimensions":["property:plan"],` +
				`"sortBy":"property:plan","limit":1,"totals":true}],` + days + `}`,
			want: `{"property:plan":"","percentage":-0.81,"sum_total":-0.0999,"unique_users":2}
			       {"percentage":100,"sum_total":12.4001,"unique_users":2}`},
		{name: "a property that nobody has", rule: "A sum of nothing is 0, an average null.",
			request: `{"parameters":[{"dataset":"events","metrics":[{"metric":"sum","property":"Total"},{"metric":"avg","property":"Total"}]}],` + days + `}`,
			want:    `{"sum_Total":0,"avg_Total":null}`},
		{name: "the date between dimensions",
			rule:    "Columns are in the order asked; every combination is filled; ordered by date, then by the first metric.",
			request: `{"parameters":[{"dataset":"events","metrics":["total_events"],"dimensions":["property:plan","date","event_name"]}],"startDate":"2026-03-10","endDate":"2026-03-11"}`,
			want: `{"property:plan":"","date":"2026-03-10","event_name":"order","total_events":5}
			       {"property:plan":"pro","date":"2026-03-10","event_name":"order","total_events":2}
			       {"property:plan":"","date":"2026-03-11","event_name":"order","total_events":0}
			       {"property:plan":"pro","date":"2026-03-11","event_name":"order","total_events":0}`},
	} {
		c.of = ofSite
		t.Run(c.name, func(t *testing.T) { c.check(t, s) })
	}
	t.Run("notes", func(t *testing.T) { notes(t, s) })
	t.Run("states", func(t *testing.T) { statesOfChoices(t, s) })
}

// statesOfChoices tests that choices and goals are merged from states, also from those of a type, but not if a session
// counts for several rows, nor goals by a field.
func statesOfChoices(t *testing.T, s store.Store) {
	if _, ok := s.(store.Deriver); !ok {
		t.Skip("not tested: the store is no store.Deriver")
	}
	engine, err := query.New(query.Config{Store: s, Now: func() time.Time { return at("20 00:00:00") },
		EngineOptions: query.EngineOptions{ResultCache: -1}})
	if err != nil {
		t.Fatal(err)
	}
	request := func(p query.Parameter) query.Request {
		return query.Request{StartDate: "2026-03-10", EndDate: "2026-03-10", Parameters: []query.Parameter{p}}
	}
	groupedGoals := Example("goals")
	groupedGoals.GroupBy = []string{"country"}
	for _, c := range []struct {
		asked, then query.Parameter
		want        query.Source
	}{
		{query.Parameter{Name: "custom_events"},
			query.Parameter{Dataset: "events",
				Metrics:    []query.ChosenMetric{{Name: "unique_users"}, {Name: "percentage"}},
				Dimensions: []string{"event_name"}}, query.Merged},
		{query.Parameter{Name: "custom_events_trends"},
			query.Parameter{Dataset: "events", Metrics: []query.ChosenMetric{{Name: "total_events"}},
				Dimensions: []string{"date"}}, query.Merged},
		{query.Parameter{Dataset: "events", Metrics: []query.ChosenMetric{{Name: "sum", Property: "total"}},
			Dimensions: []string{"property:plan"}},
			query.Parameter{Dataset: "events",
				Metrics:    []query.ChosenMetric{{Name: "sum", Property: "total", As: "x"}, {Name: "percentage"}},
				Dimensions: []string{"property:plan"}}, query.Merged},
		{Example("goals"), Example("goals"), query.Merged},
		{Example("goals_trends"), Example("goals_trends"), query.Merged},
		{Example("goals"), groupedGoals, query.Statement},
		{query.Parameter{Metrics: []query.ChosenMetric{{Name: "bounce_rate"}}, Dimensions: []string{"path"}},
			query.Parameter{Metrics: []query.ChosenMetric{{Name: "bounce_rate"}}, Dimensions: []string{"path"}},
			query.Statement},
	} {
		for range 2 {
			if got := answerOf(t.Context(), engine, query.Access{Subject: ofSite}, request(c.asked)); got.fault != "" {
				t.Fatal(got.fault)
			}
		}
		if err := engine.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		all, err := engine.Explain(t.Context(), query.Access{Subject: ofSite}, request(c.then))
		if err != nil || all[0].Source != c.want {
			t.Errorf("%+v after %+v: %v, source %s because of %s, want %s", c.then, c.asked, err, all[0].Source,
				all[0].Why, c.want)
		}
	}
}

// notes tests that an answer names the properties that no row has, also when it is remembered.
func notes(t *testing.T, s store.Store) {
	engine, err := query.New(query.Config{Store: s})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(filters ...query.Filter) []string {
		t.Helper()
		resp, err := engine.Run(t.Context(), query.Access{Subject: ofSite},
			query.Request{StartDate: "2026-03-10", EndDate: "2026-03-10", Options: query.Options{Filters: filters},
				Parameters: []query.Parameter{{Dataset: "events",
					Metrics: []query.ChosenMetric{{Name: "max", Property: "total"}, {Name: "sum", Property: "Total"},
						{Name: "sum", Property: "plan"}}}}})
		if err != nil || !resp.Data[0].Success {
			t.Fatal(resp, err)
		}
		return resp.Data[0].Meta.Notes
	}
	for range 2 {
		if got := ask(); len(got) != 1 || !strings.Contains(got[0], `"Total"`) {
			t.Errorf("the notes are %q, want one about Total", got)
		}
	}
	none := query.Filter{Field: "property:total", Op: query.NotExists}
	if got := ask(none); len(got) != 2 ||
		!slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, `"total"`) }) {
		t.Errorf("where no row has a total, the notes are %q, want one about total and one about Total", got)
	}
}
