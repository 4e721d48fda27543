package recall_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sightline-analytics/sightline/query/answer"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/origin"
	"github.com/sightline-analytics/sightline/query/internal/plan"
	"github.com/sightline-analytics/sightline/query/internal/recall"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// listed is a store that lists no days.
type listed struct {
	store.Store
	store.DayLister
}

// parameter returns a parameter with an id.
func parameter(t *testing.T, id string) *plan.Parameter {
	t.Helper()
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	found, mistakes := plan.Resolve(types, ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w"}},
		ask.Request{Parameters: []ask.Parameter{{Name: "countries", ID: id}}, StartDate: "2026-03-01",
			EndDate: "2026-03-02"}, time.Unix(1_780_000_000, 0), nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	return &found.Parameters[0]
}

// of returns the question with a name at a version of its days.
func of(name, version string) recall.Question {
	return recall.Question{Key: sha256.Sum256([]byte(name + " at " + version)), Of: sha256.Sum256([]byte(name))}
}

// texts computes an answer with one row, and counts that.
func texts(computed *atomic.Int64, text string) func(context.Context, *answer.Budget) answer.Result {
	return func(_ context.Context, budget *answer.Budget) answer.Result {
		computed.Add(1)
		column := answer.Cells{Output: &catalog.Output{Format: catalog.String},
			Column: store.Column{Kind: dialect.Text, Texts: []string{text}}}
		column.Name = "name"
		table := answer.NewTable(1, []answer.Cells{column})
		if err := budget.TakeFor(&table); err != nil {
			return answer.Result{Error: err.Message, Code: err.Code, Cause: err.Err}
		}
		return answer.Result{Success: true, Data: table, Meta: &answer.ResultMeta{}}
	}
}

func shown(r answer.Result) string { return r.ID + string(r.Data.AppendJSON(nil)) + r.Error }

// decided returns the decision about a question whose rows can be merged.
func decided(a *recall.Answers, q recall.Question) origin.Decision {
	known := a.Known(&q.Key, func(recall.Key) recall.Question { return q })
	return origin.Decide(origin.Facts{Answer: known, Ways: []origin.Way{{Kind: origin.Totals}}})
}

func room() *answer.Budget { return answer.NewBudget(1 << 20) }

// An answer is remembered under its key, with the id of each parameter that asks for it, and counts against their
// budgets.
func TestAnAnswerIsRemembered(t *testing.T) {
	a, first, second, q := recall.New(listed{}, 1<<20), parameter(t, "first"), parameter(t, "second"), of("q", "1")
	var computed atomic.Int64
	if _, ok := a.Recall(t.Context(), first, &q.Key, room()); ok {
		t.Error("an answer is remembered that nobody asked for")
	}
	if d := decided(a, q); d.Why != answer.FirstAsked {
		t.Errorf("why is %s", d.Why)
	}
	ctx, meter := store.WithMeter(t.Context())
	got, shared, err := a.Once(ctx, first, q, "caller", room(), texts(&computed, "one"))
	if want := `first[{"name":"one"}]`; shown(got) != want || shared || err != nil {
		t.Errorf("the answer is %s, shared %t, %v, want %s", shown(got), shared, err, want)
	}
	budget := room()
	got, ok := a.Recall(ctx, second, &q.Key, budget)
	if want := `second[{"name":"one"}]`; !ok || shown(got) != want || budget.Used() == 0 {
		t.Errorf("the remembered answer is %s, %t, and takes %d bytes, want %s", shown(got), ok, budget.Used(), want)
	}
	if meter.Rows() != 1 {
		t.Errorf("%d rows were counted, want that of the remembered answer: who computes counts the others",
			meter.Rows())
	}
	if got, ok := a.Recall(ctx, second, &q.Key, answer.NewBudget(3)); !ok || got.Success || got.Code != ask.TooLarge {
		t.Errorf("an answer of more than 3 bytes is %s", shown(got))
	}
	if known := a.Known(nil, nil); known != (origin.Answer{}) {
		t.Errorf("of an answer without a key is known %+v", known)
	}
	var off *recall.Answers
	if known := off.Known(&q.Key, nil); known != (origin.Answer{Off: true}) {
		t.Errorf("without a memory is known %+v", known)
	}
	if d := decided(a, q); d.Source != answer.Remembered || d.Why != "" {
		t.Errorf("the source of a remembered answer is %v", d)
	}
	later := of("q", "2")
	if _, ok := a.Recall(ctx, second, &later.Key, room()); ok || decided(a, later).Why != answer.DaysChanged {
		t.Errorf("an answer after a write is remembered %t, or not because of %s", ok, decided(a, later).Why)
	}
	a.Clear()
	if _, ok := a.Recall(ctx, second, &q.Key, room()); ok || decided(a, q).Why != answer.FirstAsked || a.Size() != 0 {
		t.Errorf("after Clear an answer is remembered %t, or not because of %s, in %d bytes", ok, decided(a, q).Why,
			a.Size())
	}
}

// Without a bound of at least 0 and versions, nothing is remembered.
func TestNothingIsRememberedWithoutVersions(t *testing.T) {
	if recall.New(struct{ store.Store }{}, 1<<20) != nil || recall.New(listed{}, -1) != nil ||
		recall.New(listed{}, 1) == nil {
		t.Error("New does not follow the store and the bound")
	}
}

// The oldest answers go when all together take more bytes than the bound.
func TestAnswersAreBoundedByBytes(t *testing.T) {
	const bound, each, many = 100_000, 10_000, 30
	a, p := recall.New(listed{}, bound), parameter(t, "")
	var computed atomic.Int64
	name := func(i int) recall.Question { return of(strings.Repeat("q", i+1), "1") }
	for i := range many {
		if _, _, err := a.Once(t.Context(), p, name(i), "", room(),
			texts(&computed, strings.Repeat("x", each))); err != nil {
			t.Fatal(err)
		}
		if size := a.Size(); size > bound || size < each {
			t.Fatalf("%d answers take %d bytes of %d", i+1, size, bound)
		}
	}
	known := func(i int) bool {
		q := name(i)
		_, ok := a.Recall(t.Context(), p, &q.Key, room())
		return ok
	}
	if !known(many-1) || known(0) || decided(a, name(0)).Why != answer.NoRoom {
		t.Errorf("the last answer is remembered %t, the first one %t, because of %s", known(many-1), known(0),
			decided(a, name(0)).Why)
	}
	large := of("large", "1")
	if _, _, err := a.Once(t.Context(), p, large, "", room(),
		texts(&computed, strings.Repeat("x", bound))); err != nil || !known(many-1) {
		t.Errorf("an answer larger than the bound pushes others out, %v", err)
	}
	if _, ok := a.Recall(t.Context(), p, &large.Key, room()); ok || decided(a, large).Why != answer.NoRoom {
		t.Errorf("an answer larger than the bound is remembered: %t", ok)
	}
}

// All who wait get the errors of answers that fail, and panics. The next question is computed again.
func TestAFailureIsNotRemembered(t *testing.T) {
	a, p, q := recall.New(listed{}, 1<<20), parameter(t, "mine"), of("q", "1")
	var computed atomic.Int64
	for name, compute := range map[string]func(context.Context, *answer.Budget) answer.Result{
		"failed": func(context.Context, *answer.Budget) answer.Result {
			return answer.Result{ID: "another", Error: "it failed", Code: ask.Internal}
		},
		"panicked": func(context.Context, *answer.Budget) answer.Result { panic("it failed") },
	} {
		got, _, err := a.Once(t.Context(), p, q, "", room(), compute)
		if err != nil || got.Success || got.ID != "mine" || got.Code != ask.Internal {
			t.Errorf("%s: the answer is %s %s, %v", name, got.Code, shown(got), err)
		}
		if name == "panicked" &&
			(got.Cause == nil || !strings.Contains(got.Cause.Error(), "it failed") ||
				!strings.Contains(got.Cause.Error(), "answers_test.go")) {
			t.Errorf("the cause of a panic is %v, want its text and stack", got.Cause)
		}
		if _, ok := a.Recall(t.Context(), p, &q.Key, room()); ok || a.Size() != 0 {
			t.Errorf("%s: a failure is remembered", name)
		}
	}
	if got, _, err := a.Once(t.Context(), p, q, "", room(), texts(&computed, "one")); err != nil || !got.Success ||
		computed.Load() != 1 {
		t.Errorf("after failures the answer is %s, %v", shown(got), err)
	}
}

// Equal questions of a caller share one answer. One whose context ends leaves, and the answer is computed while anybody
// waits.
func TestEqualQuestionsShareAnAnswer(t *testing.T) {
	for _, row := range []struct {
		name     string
		callers  [3]string
		leave    []int // callers, of whom the first began
		computed int64
		ended    bool // the context of the computation ended
	}{
		{"nobody leaves", [3]string{"a", "a", "a"}, nil, 1, false},
		{"who began leaves", [3]string{"a", "a", "a"}, []int{0}, 1, false},
		{"others leave", [3]string{"a", "a", "a"}, []int{1, 2}, 1, false},
		{"all leave", [3]string{"a", "a", "a"}, []int{0, 1, 2}, 1, true},
		{"another caller asks", [3]string{"a", "b", "a"}, nil, 2, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, q := recall.New(listed{}, 1<<20), of("q", "1")
				var computed, shared, answered, left atomic.Int64
				var ended atomic.Bool
				open := make(chan struct{})
				compute := func(ctx context.Context, budget *answer.Budget) answer.Result {
					select {
					case <-open:
					case <-ctx.Done():
						ended.Store(true)
					}
					return texts(&computed, "one")(ctx, budget)
				}
				var leave [3]context.CancelFunc
				for i, caller := range row.callers {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					leave[i] = cancel
					p := parameter(t, caller)
					go func() {
						switch r, both, err := a.Once(ctx, p, q, caller, room(), compute); {
						case errors.Is(err, context.Canceled):
							left.Add(1)
						case err == nil && shown(r) == caller+`[{"name":"one"}]`:
							answered.Add(1)
							if both {
								shared.Add(1)
							}
						}
					}()
					synctest.Wait()
				}
				for _, i := range row.leave {
					leave[i]()
				}
				synctest.Wait()
				if int(left.Load()) != len(row.leave) {
					t.Errorf("%d callers left before the answer, want %d", left.Load(), len(row.leave))
				}
				close(open)
				synctest.Wait()
				if computed.Load() != row.computed || ended.Load() != row.ended ||
					int(answered.Load()) != 3-len(row.leave) {
					t.Errorf("the answer was computed %d times, its context ended %t, and %d callers got it",
						computed.Load(), ended.Load(), answered.Load())
				}
				if row.leave == nil && shared.Load() != 3-row.computed {
					t.Errorf("%d answers are shared, want %d", shared.Load(), 3-row.computed)
				}
			})
		})
	}
}

// The memory of an answer is claimed before it is encoded: for its rows, their JSON, and the JSON of each who asks for
// it. A refused claim fails the parameter, and nothing of it is remembered.
func TestMemoryIsClaimed(t *testing.T) {
	a, p := recall.New(listed{}, 1<<20), parameter(t, "mine")
	var computed atomic.Int64
	full := errors.New("memory is full")
	const size = 17 // of the answer in JSON, at most
	for _, row := range []struct {
		name    string
		q       recall.Question
		room    int64
		want    string
		claimed int64
	}{
		{"no room for the JSON of the rows", of("q", "1"), 2*size - 1,
			"mine[]Too many answers are in memory at the moment; try again later", size},
		{"room for rows and JSON alone", of("q", "1"), 3*size - 1,
			"mine[]Too many answers are in memory at the moment; try again later", 2 * size},
		{"remembered, with room for JSON", of("q", "1"), size, `mine[{"name":"one"}]`, size},
		{"room for all", of("r", "1"), 3 * size, `mine[{"name":"one"}]`, 3 * size},
	} {
		var claimed atomic.Int64
		budget := room().Claiming(func(bytes int64) error {
			if claimed.Add(bytes) > row.room {
				claimed.Add(-bytes)
				return full
			}
			return nil
		})
		got, known := a.Recall(t.Context(), p, &row.q.Key, budget)
		if !known {
			var err error
			if got, _, err = a.Once(t.Context(), p, row.q, "", budget, texts(&computed, "one")); err != nil {
				t.Fatal(err)
			}
		}
		if shown(got) != row.want || claimed.Load() != row.claimed ||
			!got.Success && (got.Code != ask.Unavailable || !errors.Is(got.Cause, full)) {
			t.Errorf("%s: %s %s with %d bytes, want %s with %d", row.name, shown(got), got.Code, claimed.Load(),
				row.want,
				row.claimed)
		}
	}
}

// A large answer is remembered as its rows: its JSON is made where it is sent.
func TestALargeAnswerHasOneCopy(t *testing.T) {
	const size = 3 << 20
	a, p, q := recall.New(listed{}, 1<<30), parameter(t, ""), of("q", "1")
	var computed atomic.Int64
	text := strings.Repeat("x", size)
	for range 2 {
		got, _, err := a.Once(t.Context(), p, q, "", answer.NewBudget(1<<30), texts(&computed, text))
		if err != nil || shown(got) != `[{"name":"`+text+`"}]` {
			t.Fatalf("the answer has %d bytes, %v", len(shown(got)), err)
		}
	}
	if held := a.Size(); held > size*3/2 {
		t.Errorf("a remembered answer with rows of %d bytes takes %d", size, held)
	}
}
