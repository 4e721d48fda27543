package memory_test

import (
	"context"
	"fmt"

	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/internal/state"
	"github.com/sightline-analytics/sightline/query/internal/state/memory"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Two days have the visitors 7 and 9, and 9 and 11: merged, there are three.
func Example() {
	const day = 24 * 60 * 60 * 1000
	days := []calendar.Interval{{From: 0, To: day}, {From: day, To: 2 * day}}
	visitors := state.Aggregate{Name: "visitors of pageviews", Kind: state.Set, Members: "visitor_hash"}
	ints := func(v ...int64) store.Column { return store.Column{Kind: dialect.Int, Ints: v} }

	cache := memory.NewCache(1 << 20)
	site := cache.Of(store.Subject{Kind: store.KindWebsite, ID: "shop"})
	if err := site.Lock(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	// A statement gave a row per day and visitor: the day, the visitor, and how many rows that are.
	_, err := site.Add(&state.Computed{
		Stretches: days, Versions: []uint64{1, 1}, Cell: 0, Width: day,
		Aggregates: []state.Aggregate{visitors}, Columns: []int{1}, Count: 2,
		Rows: &store.Rows{Len: 4, Columns: []store.Column{ints(0, 0, 1, 1), ints(7, 9, 9, 11), ints(1, 2, 1, 5)}},
	})
	site.Unlock()

	found, missing := site.Find(visitors, days, []uint64{1, 1})
	var sources []state.Source
	for _, p := range found {
		sources = append(sources, state.Source{Partial: p})
	}
	members := site.Members(state.Set, visitors.Members)
	fmt.Println(cache.Count(0, members, sources), "visitors;", len(missing), "days missing;", err)

	_, missing = site.Find(visitors, days, []uint64{1, 2}) // rows came on the second day
	fmt.Println("missing:", missing)
	// Output:
	// 3 visitors; 0 days missing; <nil>
	// missing: [1]
}
