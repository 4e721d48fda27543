package httpapi

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// TestObserve checks the reports to the host. The store takes a second per query, and one for the versions of rows.
func TestObserve(t *testing.T) {
	var mu sync.Mutex
	at := now
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return at
	}
	slow := func() {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
	}
	canned := &cannedStore{onQuery: slow}
	var told []observe.Request
	w := newWorld(t, func(cfg *Config) {
		cfg.Observe = func(_ context.Context, r observe.Request) { told = append(told, r) }
		cfg.Now = clock
		var err error
		if cfg.Engine, err = query.New(query.Config{Store: struct {
			*cannedStore
			slowVersions
		}{canned, slow}, Now: clock, EngineOptions: query.EngineOptions{Parallel: 1, ResultCache: -1}}); err != nil {
			t.Fatal(err)
		}
	})
	const days = `"startDate":"2026-03-01","endDate":"2026-03-02"`
	w.send("POST", "/v1/query?website_id=site_a", "all", `{"parameters":["pages","traffic"],`+days+`}`)
	w.send("GET", "/v1/query?website_id=site_a&parameters=pages&startDate=2026-03-01&endDate=2026-03-02", "all", "")
	canned.fail(errors.New("broken"))
	w.send("POST", "/v1/query?website_id=site_a", "all", `{"parameters":["pages"],`+days+`}`)
	want := []observe.Request{
		{Route: "POST /v1/query", Class: auth.ClassQuery, Status: 200, Duration: 2 * time.Second, Rows: 14,
			Store: 2 * time.Second},
		{Route: "GET /v1/query", Class: auth.ClassQuery, Status: 200, Duration: 2 * time.Second, Rows: 12,
			Store: 2 * time.Second},
		{Route: "POST /v1/query", Class: auth.ClassQuery, Status: 500, Code: "INTERNAL_SERVER_ERROR",
			Duration: time.Second, Store: time.Second},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

// slowVersions calls itself before it lists a day.
type slowVersions func()

func (s slowVersions) Days(context.Context, store.Subject, time.Time, time.Time) ([]store.Day, error) {
	s()
	return []store.Day{{Version: 1}}, nil
}
