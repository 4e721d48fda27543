//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// TestTrace checks that every statement of an engine is traced: of answers, of the states that they are merged from, of
// seals, and those that compare seals with the rows.
func TestTrace(t *testing.T) {
	t.Parallel()
	s := open(t, Config{})
	mustWrite(t, s, batch("trace", 50))
	var mu sync.Mutex
	var labels []string
	e, err := query.New(query.Config{Store: s,
		Now: func() time.Time { return time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC) },
		EngineOptions: query.EngineOptions{ResultCache: -1,
			Trace: func(ctx context.Context, stmt store.Statement) (context.Context, func(int, error)) {
				return ctx, func(rows int, err error) {
					mu.Lock()
					defer mu.Unlock()
					labels = append(labels, fmt.Sprint(stmt.Label, " ", rows > 0, " ", err))
				}
			}}})
	if err != nil {
		t.Fatal(err)
	}
	took := func() []string {
		mu.Lock()
		defer mu.Unlock()
		taken := labels
		labels = nil
		return slices.Compact(taken)
	}
	expect := func(what string, want ...string) {
		t.Helper()
		if got := took(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	ask := func() {
		t.Helper()
		resp, err := e.Run(t.Context(), query.Access{Subject: site},
			query.Request{Parameters: []query.Parameter{{Name: "top_pages"}}, StartDate: "2026-03-01",
				EndDate: "2026-03-01"})
		if err != nil || !resp.Data[0].Success {
			t.Fatalf("Run: %+v, %v", resp, err)
		}
	}
	ask()
	expect("an answer", "top_pages true <nil>")
	ask()
	if err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := took(); len(got) == 0 || got[len(got)-1] != "top_pages true <nil>" {
		t.Errorf("an answer, and its states in the background: %q", got)
	}
	ask()
	expect("a merged answer")
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if err := e.Seal(t.Context(), site, day, day.AddDate(0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	expect("a seal", "seal false <nil>")
	if _, err := e.VerifySeals(t.Context(), site, day, day.AddDate(0, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if got := took(); len(got) == 0 {
		t.Error("the comparison of seals is not traced")
	}
}
