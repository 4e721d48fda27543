package httpapi

import (
	"context"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// tracing notes which request each of its queries belongs to.
type tracing struct {
	*cannedStore
	mu  sync.Mutex
	ids map[string]int
}

func (s *tracing) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	s.mu.Lock()
	s.ids[store.RequestID(ctx)]++
	s.mu.Unlock()
	return s.cannedStore.Query(ctx, stmt)
}

func TestStoreKnowsTheRequest(t *testing.T) {
	w := newWorld(t)
	traced := &tracing{cannedStore: w.store, ids: map[string]int{}}
	engine, err := query.New(query.Config{Store: traced})
	if err != nil {
		t.Fatal(err)
	}
	w.cfg.Engine = engine
	if w.handler, err = New(w.cfg); err != nil {
		t.Fatal(err)
	}
	body := `{"parameters":["pages","traffic"],"preset":"last_7d"}`
	got := w.send("POST", "/v1/query?website_id=site_a", "all", body, "X-Request-ID", "req-7")
	if got.Code != 200 || got.Header().Get("X-Request-ID") != "req-7" {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	if len(traced.ids) != 1 || traced.ids["req-7"] != 2 {
		t.Errorf("queries by request %v, want both in req-7", traced.ids)
	}
	if id := store.RequestID(t.Context()); id != "" {
		t.Errorf("a context of no request has the id %q", id)
	}
}
