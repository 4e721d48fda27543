package query_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// telling is a store whose rows show the request and the version that they were computed for.
type telling struct {
	silent
	asked, version atomic.Uint64
	wait           chan struct{} // not nil: queries wait for it, or for their context
	ended          atomic.Int64  // queries whose context ended
}

func newTelling() *telling { return &telling{silent: silent{dialect.DuckDB()}} }

func (s *telling) Days(_ context.Context, _ store.Subject, from, to time.Time) (all []store.Day, _ error) {
	for ; from.Before(to); from = from.AddDate(0, 0, 1) {
		all = append(all, store.Day{Start: from, Version: s.version.Load()})
	}
	return all, nil
}

func (s *telling) Query(ctx context.Context, stmt store.Statement) (*store.Rows, error) {
	s.asked.Add(1)
	if s.wait != nil {
		select {
		case <-s.wait:
		case <-ctx.Done():
			s.ended.Add(1)
			return nil, ctx.Err()
		}
	}
	sum := fnv.New64a()
	_, _ = fmt.Fprint(sum, s.version.Load(), stmt.Label, stmt.SQL, stmt.Args)
	rng := rand.New(rand.NewPCG(sum.Sum64(), 0))
	rows := &store.Rows{Len: 1}
	for _, kind := range stmt.Kinds {
		c := store.Column{Kind: kind}
		switch kind {
		case dialect.Int:
			c.Ints = []int64{rng.Int64()}
		case dialect.Float:
			c.Floats = []float64{rng.Float64()}
		case dialect.Text:
			c.Texts = []string{fmt.Sprint(rng.Int64())}
		}
		rows.Columns = append(rows.Columns, c)
	}
	return rows, nil
}

func keeping(t testing.TB, s store.Store, bytes int64) *query.Engine {
	t.Helper()
	e, err := query.New(query.Config{Store: s,
		Now:           func() time.Time { return time.Date(2026, 4, 2, 12, 0, 0, 0, time.UTC) },
		EngineOptions: query.EngineOptions{ResultCache: bytes}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Nobody gets what others were answered, and nobody what was true before a write. That also holds for a host that
// remembers responses under the keys of snapshots.
func TestKeptAnswersAreThoseThatWouldBeComputed(t *testing.T) {
	s := newTelling()
	kept, computed := keeping(t, s, 500_000), keeping(t, s, -1)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	responses := map[string]string{}
	var saved uint64
	for range 1500 {
		if rng.IntN(200) == 0 {
			s.version.Add(1)
		}
		a, req := someAccess(rng), someRequest(rng)
		ask := func(e *query.Engine) (string, uint64) {
			before := s.asked.Load()
			if e == kept && rng.IntN(2) == 0 {
				return reused(t, e, a, req, responses), s.asked.Load() - before
			}
			resp, err := e.Run(t.Context(), a, req)
			if err != nil {
				t.Fatal(err)
			}
			b, err := json.Marshal(resp)
			if err != nil {
				t.Fatal(err)
			}
			return string(b), s.asked.Load() - before
		}
		got, few := ask(kept)
		want, all := ask(computed)
		if got != want {
			t.Fatalf("%+v asks %+v (-computed +kept):\n%s", a, req, cmp.Diff(want, got))
		}
		saved += all - few
	}
	if saved < 250 {
		t.Errorf("answers saved %d statements", saved)
	}
}

// reused answers req as a host does that remembers responses.
func reused(t *testing.T, e *query.Engine, a query.Access, req query.Request, responses map[string]string) string {
	t.Helper()
	p, err := e.Prepare(t.Context(), a, req)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Snapshot()
	key, err := s.Key(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if known := responses[key]; known != "" {
		return known
	}
	resp, err := s.Run(t.Context(), query.NewBudget(e.MaxAnswer()))
	if err != nil {
		t.Fatal(err)
	}
	text := string(resp.Encode(nil))
	if key != "" {
		responses[key] = text
	}
	return text
}

func someAccess(rng *rand.Rand) query.Access {
	country := func(values ...string) []query.Filter {
		return []query.Filter{{Field: "country", Op: query.In, Values: values}}
	}
	return query.Access{
		Subject: store.Subject{Kind: store.KindWebsite, ID: pick(rng, "a", "b")},
		Caller:  pick(rng, "a", "b"),
		Zone:    pick(rng, nil, time.FixedZone("x", 3600)),
		Filters: pick(rng, nil, country("DE"), country("DE", "FR")),
		Types:   pick(rng, nil, []string{"pages", "countries"}),
	}
}

func someRequest(rng *rand.Rand) query.Request {
	req := query.Request{ID: pick(rng, "", "q"), Options: query.Options{Preset: pick(rng, "today", "yesterday")}}
	for range 1 + rng.IntN(2) {
		req.Parameters = append(req.Parameters, query.Parameter{
			Name: pick(rng, "pages", "countries", "active_stats"), ID: pick(rng, "", "p"),
			Options: query.Options{Compare: pick(rng, "", query.PreviousYear)}})
	}
	return req
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// A remembered answer counts against the size of an answer like a computed one.
func TestKeptAnswersTakeTheirSize(t *testing.T) {
	e := keeping(t, newTelling(), 0)
	p, err := e.Prepare(t.Context(), query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "x"}},
		query.Request{Parameters: names("pages", "pages"), Options: query.Options{Preset: "yesterday"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		bytes int64
		want  int // parameters that are answered
	}{{1000, 2}, {10, 0}, {300, 1}, {1000, 2}} {
		resp, err := p.RunWithin(t.Context(), query.NewBudget(row.bytes))
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		for _, r := range resp.Data {
			if r.Success {
				answered++
			} else if r.Code != query.TooLarge {
				t.Errorf("%d bytes: %s %s", row.bytes, r.Code, r.Error)
			}
		}
		if answered != row.want {
			t.Errorf("%d bytes have %d answers, not %d", row.bytes, answered, row.want)
		}
	}
}

// Callers that ask the same at the same time wait for one answer, until the last of them leaves.
func TestEqualQuestionsAreAnsweredOnce(t *testing.T) {
	for _, row := range []struct {
		why         string
		leave       []int // of three, who began first
		write       bool  // before the third asks
		asked, ends uint64
		answered    int
	}{
		{"nobody leaves", nil, false, 1, 0, 3},
		{"who began it leaves", []int{0}, false, 1, 0, 2},
		{"all leave", []int{0, 1, 2}, false, 1, 1, 0},
		{"one asks after a write", nil, true, 2, 0, 3},
		{"and those before it leave", []int{0, 1}, true, 2, 1, 1},
	} {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newTelling()
				s.wait = make(chan struct{})
				e := keeping(t, s, 0)
				var answered atomic.Int64
				var leave []context.CancelFunc
				ask := func(ctx context.Context, id string) {
					resp, err := e.Run(ctx, query.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "x"}},
						query.Request{Parameters: []query.Parameter{{Name: "pages", ID: id}},
							Options: query.Options{Preset: "yesterday"}})
					if err == nil && resp.Data[0].Success && resp.Data[0].ID == id {
						answered.Add(1)
					}
				}
				for i := range 3 {
					if i == 2 && row.write {
						s.version.Add(1)
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					leave = append(leave, cancel)
					go ask(ctx, fmt.Sprint(i))
					synctest.Wait()
				}
				for _, i := range row.leave {
					leave[i]()
				}
				synctest.Wait()
				close(s.wait)
				synctest.Wait()
				if s.asked.Load() != row.asked || uint64(s.ended.Load()) != row.ends ||
					int(answered.Load()) != row.answered {
					t.Errorf("%d statements, %d of them ended, %d answers", s.asked.Load(), s.ended.Load(),
						answered.Load())
				}
				if ask(t.Context(), "later"); int(answered.Load()) != row.answered+1 {
					t.Error("who asks later is not answered")
				}
			})
		})
	}
}
