package storetest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// elsewhere is a website that is not in any dataset.
const elsewhere = "another-website"

// A savedAsking asks questions over HTTP by a key with mandatory filters, with their goals, funnels and filters saved
// by name. Every name is also saved for the website elsewhere, where it means something else.
type savedAsking struct {
	rng       *rand.Rand
	all, some *engineRunner
	shelf     *savedShelf
	// the key; a key without filters; the key with a planted mistake; the rows that the key may see
	keyed, whole, mistaken, cut http.Handler
	found                       *savedFound
}

// A savedFound counts answers to questions that use saved definitions: all that have data, those that differ without
// the filters of the key, and those that differ with the definitions of another website.
type savedFound struct{ spoke, cut, foreign atomic.Int64 }

// report fails the test if a planted mistake shows in too few answers.
func (f *savedFound) report(t *testing.T) {
	t.Helper()
	spoke, cut, foreign := f.spoke.Load(), f.cut.Load(), f.foreign.Load()
	t.Logf("%d answers to saved definitions with data, %d differ without the filters of the key, %d with definitions of another website", spoke, cut, foreign)
	if cut < spoke/5 || foreign < spoke/2 {
		t.Errorf("of %d answers to saved definitions, %d differ without the filters of the key and %d with definitions of another website", spoke, cut, foreign)
	}
}

// A savedShelf has the definitions of each website.
type savedShelf struct {
	store.DefinitionStore // nil: no test changes definitions

	of map[string][]store.Definition
}

// Definitions implements [store.DefinitionStore].
func (s *savedShelf) Definitions(_ context.Context, website string) ([]store.Definition, error) {
	return s.of[website], nil
}

// A foreignShelf is a planted mistake: each website has the definitions of the website elsewhere.
type foreignShelf struct{ *savedShelf }

func (s foreignShelf) Definitions(ctx context.Context, _ string) ([]store.Definition, error) {
	return s.savedShelf.Definitions(ctx, elsewhere)
}

// asking returns a savedAsking by a key with these filters. all has all rows, and some those that the key may see.
func (f *savedFound) asking(t *testing.T, rng *rand.Rand, all, some *engineRunner,
	key []reference.Filter) *savedAsking {
	t.Helper()
	s := &savedAsking{rng: rng, all: all, some: some, shelf: &savedShelf{}, found: f}
	handler := func(r *engineRunner, filters []query.Filter, shelf store.DefinitionStore) http.Handler {
		h, err := httpapi.New(httpapi.Config{Engine: r.engine, Directory: everything{}, Auth: keyWith(filters),
			Definitions: shelf,
			Limiter:     auth.Unlimited, Audit: auth.Discard, Now: func() time.Time { return *r.now.Load() }})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	filters := queryFilters(key)
	s.keyed, s.whole = handler(all, filters, s.shelf), handler(all, nil, s.shelf)
	s.mistaken, s.cut = handler(all, filters, foreignShelf{s.shelf}), handler(some, nil, nil)
	return s
}

// compare asks q in both ways, and notes a difference in found. It does nothing if q has nothing to save.
func (s *savedAsking) compare(t *testing.T, q reference.Question, found *comparison) {
	t.Helper()
	plain, named := requestFor(q), requestFor(q)
	all := s.save(&named)
	if len(all) == 0 {
		return
	}
	var foreign []store.Definition
	for _, d := range all {
		foreign = append(foreign, store.Definition{Kind: d.Kind, Name: d.Name, Body: []byte(meaningElse[d.Kind])})
	}
	s.all.now.Store(&q.Now)
	s.some.now.Store(&q.Now)
	s.shelf.of = map[string][]store.Definition{q.Subject.ID: all, elsewhere: foreign}
	want, got := s.ask(t, s.cut, q, plain), s.ask(t, s.keyed, q, named)
	if !same(want, got) {
		found.note(q, outcome{json: want.text},
			outcome{json: fmt.Appendf(nil, "%s\nto %s with %s", got.text, jsonOf(t, named), jsonOf(t, all))})
	}
	if want.speaks {
		s.found.spoke.Add(1)
		if !same(got, s.ask(t, s.whole, q, named)) {
			s.found.cut.Add(1)
		}
		if !same(got, s.ask(t, s.mistaken, q, named)) {
			s.found.foreign.Add(1)
		}
	}
	delete(s.shelf.of, q.Subject.ID)
	unknown := s.ask(t, s.keyed, q, named)
	s.shelf.of = nil
	if none := s.ask(t, s.keyed, q, named); unknown.status != http.StatusBadRequest || !same(unknown, none) {
		found.note(q, outcome{json: none.text},
			outcome{json: fmt.Appendf(nil, "%s, although only another website has the definitions", unknown.text)})
	}
}

// meaningElse are bodies of definitions with another meaning than those of any question.
var meaningElse = map[store.DefinitionKind]string{
	store.GoalDefinition:    `{"event":"an event of another website"}`,
	store.FunnelDefinition:  `{"steps":[{"page":"/a-page-of-another-website"},{"page":"/another"}]}`,
	store.SegmentDefinition: `{"filters":[{"field":"country","op":"eq","value":"ZZ"}]}`,
}

// save replaces goals, the steps of a funnel and some filters of req by names, and returns what they mean.
func (s *savedAsking) save(req *query.Request) (all []store.Definition) {
	p := &req.Parameters[0]
	add := func(kind store.DefinitionKind, name string, body any) {
		js, err := json.Marshal(body)
		if err == nil {
			all = append(all, store.Definition{Kind: kind, Name: name, Body: js})
		}
	}
	segments := func(filters []query.Filter) []query.Filter {
		named := slices.Clone(filters)
		for i, f := range filters {
			// A segment is one more level, and groups have at most five. session_events needs its filter by session_id
			// in the request.
			if levels(f) > 3 || f.Field == "session_id" || s.rng.IntN(3) == 0 {
				continue
			}
			means := []query.Filter{f}
			if f.And != nil {
				means = f.And
			}
			named[i] = query.Filter{Segment: fmt.Sprintf("segment %d", len(all))}
			add(store.SegmentDefinition, named[i].Segment, map[string]any{"filters": means})
		}
		return named
	}
	req.Filters, p.Filters = segments(req.Filters), segments(p.Filters)
	if len(p.Goals) > 0 {
		own := s.rng.IntN(len(p.Goals))
		names := []string{}
		for _, g := range p.Goals[own:] {
			names = append(names, g.Name)
			add(store.GoalDefinition, g.Name, query.Goal{Action: g.Action, Value: g.Value})
		}
		if p.Goals, p.Saved = slices.Clone(p.Goals[:own]), names; s.rng.IntN(2) == 0 {
			p.Saved = []string{} // all of them
		}
	}
	if len(p.Steps) > 0 {
		add(store.FunnelDefinition, "funnel",
			map[string]any{"steps": p.Steps, "window": cmp.Or(p.Window, "7d"), "within": cmp.Or(p.Within, "visitor")})
		p.Steps, p.Saved = nil, []string{"funnel"}
	}
	return all
}

// levels returns the number of levels of groups in f.
func levels(f query.Filter) (deepest int) {
	for _, part := range f.Parts() {
		deepest = max(deepest, levels(part))
	}
	return deepest + 1
}

// A savedAnswer is a response to a question.
type savedAnswer struct {
	status int
	text   []byte // the results, or the mistakes, without the id of the request
	code   query.Code
	speaks bool
}

// same reports whether two answers are equal, or fail for the same reason: the places of mistakes differ where a name
// stands for a group.
func same(a, b savedAnswer) bool {
	return a.status == b.status && a.code == b.code &&
		(a.code != "" && a.status == http.StatusOK || bytes.Equal(a.text, b.text))
}

func (s *savedAsking) ask(t *testing.T, h http.Handler, q reference.Question, req query.Request) savedAnswer {
	t.Helper()
	target := "/v1/query?" + url.Values{"website_id": {q.Subject.ID}}.Encode()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, bytes.NewReader(jsonOf(t, req)))
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	var body struct {
		Data    json.RawMessage `json:"data"`
		Details json.RawMessage `json:"details"`
		Code    query.Code      `json:"code"`
	}
	var results []struct {
		Code query.Code      `json:"code"`
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	if rec.Code != http.StatusOK {
		return savedAnswer{status: rec.Code, text: body.Details, code: body.Code}
	}
	if err := json.Unmarshal(body.Data, &results); err != nil || len(results) != 1 {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	return savedAnswer{rec.Code, body.Data, results[0].Code, says(results[0].Data)}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	js, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
