package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/memory"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// A wideStore has long texts in its rows.
type wideStore struct{ *cannedStore }

func (s wideStore) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	rows, err := s.cannedStore.Query(ctx, stmt)
	if err != nil {
		return nil, err
	}
	for _, c := range rows.Columns {
		for i := range c.Texts {
			c.Texts[i] += strings.Repeat("x", 50_000)
		}
	}
	return rows, nil
}

// TestAnswersInTheMakingAreInTheBudget checks that rows count as soon as they are read, for their owner: a query whose
// rows do not fit gets 429 if its owner holds bytes, and 503 if others do. A query with small rows is answered.
func TestAnswersInTheMakingAreInTheBudget(t *testing.T) {
	const answers = 8_000_000 // the rows and the JSON of pages take 2.4 MB
	budget, err := memory.New(memory.Config{Answers: answers})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(cfg *Config) { cfg.Memory = budget })
	engine, err := query.New(query.Config{Store: wideStore{w.store}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	w.cfg.Engine = engine
	if w.handler, err = New(w.cfg); err != nil {
		t.Fatal(err)
	}
	small := strings.ReplaceAll(oneQuery, "pages", "summary_metrics")
	wide := strings.ReplaceAll(small, "summary_metrics", "pages")
	for _, row := range []struct {
		name   string
		beside memory.Caller
		holds  int64
		body   string
		status int
	}{
		{"alone", memory.Caller{Owner: "org_b"}, 0, wide, http.StatusOK},
		{"beside another key of the owner", memory.Caller{Owner: "org_a", Key: "x"}, 3_000_000, wide, 429},
		{"beside the same key", memory.Caller{Owner: "org_a", Key: "key_all"}, 1_000_000, wide, 429},
		{"beside another owner with less", memory.Caller{Owner: "org_b", Key: "x"}, 3_000_000, wide, http.StatusOK},
		{"beside another owner with much", memory.Caller{Owner: "org_b", Key: "x"}, 6_000_000, wide, 503},
		{"small rows", memory.Caller{Owner: "org_a", Key: "key_all"}, 7_900_000, small, http.StatusOK},
		{"a batch", memory.Caller{Owner: "org_a", Key: "x"}, 3_000_000, "[" + small + "," + wide + "]", http.StatusOK},
	} {
		held := budget.Answer(row.beside)
		if err := held.Grow(row.holds); err != nil {
			t.Fatal(err)
		}
		rec := w.send("POST", "/v1/query?website_id=site_a", "all", row.body)
		if rec.Code != row.status || (rec.Header().Get("Retry-After") != "") != (row.status != http.StatusOK) {
			t.Errorf("%s: %d %.300s %v", row.name, rec.Code, rec.Body, rec.Header())
		}
		if row.name == "a batch" && !strings.Contains(rec.Body.String(), "RATE_LIMITED") {
			t.Errorf("%s: %.500s", row.name, rec.Body)
		}
		held.End()
		left := budget.Answer(memory.Caller{Owner: "all"})
		if err := left.Grow(answers); err != nil {
			t.Errorf("%s: bytes are left afterwards: %v", row.name, err)
		}
		left.End()
	}
}

// TestTheEngineKnowsTheOwner checks by which names queries wait for each other.
func TestTheEngineKnowsTheOwner(t *testing.T) {
	key := &auth.Key{ID: "key_1", Owner: "org_a"}
	for _, token := range []string{"", "token"} {
		got := access(&front.Request{Principal: &auth.Principal{Key: key, Token: token}}, &question{})
		if got.Owner != "org_a" || got.Caller != "key_1" {
			t.Errorf("the engine sees the owner %q and the caller %q", got.Owner, got.Caller)
		}
	}
}
