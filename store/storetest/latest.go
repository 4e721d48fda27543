package storetest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// For a page of the list of visitors, the engine first searches the latest rows. These tests compare pages with the
// whole list, on rows that are likely to reveal mistakes of that search. The list has more visitors than the search
// finds.

// busiestPath has one visitor, whose rows are the latest ones. They are more rows than the search for a page with
// one visitor reads. With a filter that excludes this path, the search finds every page.
const busiestPath = "/busiest"

// ofLatest is the website with latestEvents.
var ofLatest = website("latest")

// latestEvents returns events of visitors with the same end, and of visitors with activity long before their
// end. It also returns rows without a visitor or without an end.
func latestEvents() (events []store.Event) {
	begin := at("10 10:00:00")
	add := func(visitor string, kind store.EventKind, name string, minute int) {
		events = append(events, store.Event{Website: ofLatest.ID, ID: fmt.Sprintf("latest-%d", len(events)), Kind: kind,
			Name: name,
			Time: begin.Add(time.Duration(minute) * time.Minute), Identity: by(visitor, "of "+visitor), Path: "/"})
	}
	for minute, visitor := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		add(visitor, store.Pageview, "screen_view", minute)
	}
	for _, visitor := range []string{"c", "b", "a", "d"} {
		add(visitor, store.Pageview, "screen_view", 30)
	}
	add("e", store.Exit, "page_exit", 31)
	add("f", store.Click, "", 29)
	for minute := range 5 {
		add("only clicks", store.Click, "", 28+minute)
		add("j", store.Custom, "$hidden", 32+minute)
		add("", store.Pageview, "screen_view", 33+minute)
	}
	for second := range 100 {
		add("busiest", store.Pageview, "screen_view", 60)
		last := &events[len(events)-1]
		last.Time, last.Path = last.Time.Add(time.Duration(second)*time.Second), busiestPath
	}
	return events
}

// latestMistakes returns mistakes that are likely in the SQL that searches the latest rows.
func latestMistakes(d *dialect.Dialect) []Mutation {
	begin := d.Call(dialect.OnlyRow, "latest_from."+d.Ident("first"), "latest_from")
	return []Mutation{
		{Name: "visitors that end together with the last one are left out", SQL: Replaced(">= "+begin, "> "+begin)},
		{Name: "few visitors are enough",
			SQL: Rewritten(`\(`+regexp.QuoteMeta(d.Call(dialect.Count))+` >= \d+\)`, "(1 = 1)")},
		{Name: "visitors without activity count", SQL: Rewritten(`(FROM latest AS j\s+WHERE )\([^()]*\)`, "$1(1 = 1)")},
	}
}

// pagesOfLatest tests that pages of visitors equal parts of the whole list, and, if plants is set, that each mistake is
// noticed.
func pagesOfLatest(t *testing.T, s store.Store, plants bool) {
	if diff := differingPage(t.Context(), s); diff != "" {
		t.Error(diff)
	}
	if !plants {
		return
	}
	for _, m := range latestMistakes(s.Dialect()) {
		if diff := differingPage(t.Context(), mistaken{s, s.Dialect(), &m}); diff == "" {
			t.Errorf("%s: the test did not notice the mistake", m.Name)
		} else {
			t.Logf("the planted mistake %q was noticed, as it must be: %s", m.Name, diff)
		}
	}
}

// differingPage returns a page that differs from the whole list, or an empty string.
func differingPage(ctx context.Context, s store.Store) string {
	e, err := query.New(query.Config{Store: s, Now: func() time.Time { return now }})
	if err != nil {
		return err.Error()
	}
	const whole = 1000
	for _, filters := range [][]query.Filter{nil, {{Field: "path", Op: query.Ne, Values: []string{busiestPath}}}} {
		ask := func(limit, page int) answer {
			return answerOf(ctx, e, query.Access{Subject: ofLatest},
				query.Request{Parameters: []query.Parameter{{Name: "profiles"}},
					Options:   query.Options{Filters: filters, Limit: &limit, Page: page},
					StartDate: "2026-03-09", EndDate: "2026-03-10"})
		}
		all := ask(whole, 1)
		if all.fault != "" || len(all.rows) < 10 {
			return fmt.Sprintf("%d visitors %s", len(all.rows), all.fault)
		}
		for _, limit := range []int{2, 5} {
			for from := 0; from < len(all.rows); from += limit {
				got, to := ask(limit, from/limit+1), min(from+limit, len(all.rows))
				if got.fault != "" || !slices.Equal(got.texts, all.texts[from:to]) || got.more != (to < len(all.rows)) {
					return fmt.Sprintf("page %d of %d: %s%v, more %t; want %v", from/limit+1, limit, got.fault,
						visitors(got.rows), got.more, visitors(all.rows[from:to]))
				}
			}
		}
	}
	return ""
}

// visitors returns the visitor ids of rows.
func visitors(rows []map[string]any) (ids []any) {
	for _, row := range rows {
		ids = append(ids, row["visitor_id"])
	}
	return ids
}
