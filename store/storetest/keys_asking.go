package storetest

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// perKey is the number of questions about a website that are asked by one key.
const perKey = 40

// KeysAsking tests in a random run that a key with mandatory groups of filters gets the answers that a key without
// filters gets from a store that has only the rows that the first key may see. It asks what [Reference] asks beside
// types, of websites. SIGHTLINE_SHAPE, such as funnel, restricts it to one shape. It fails unless a fifth of the
// answers with data differ from those without the filters. Half of the answers need not have data, as in other random
// runs: many questions have a key in common, which may see little.
//
// It also asks each question over HTTP with its goals, its funnel and some of its filters saved by name. The answer
// must be the same. Names that only another website has must be unknown. It plants two mistakes there, which some of
// the answers must show: the filters of the key are dropped, and the definitions of another website are used.
func KeysAsking(t *testing.T, h Harness, run RandomRun) {
	only := os.Getenv("SIGHTLINE_SHAPE")
	draw := func(seed uint64, n int) []reference.Question {
		ofWebsites := func(yield func(reference.Question) bool) {
			for q := range asking(seed, only) {
				if q.Mandatory = nil; q.Subject.Kind == store.KindWebsite && !yield(q) {
					return
				}
			}
		}
		return slices.Collect(firstOf(ofWebsites, n))
	}
	var matter mattering
	run.run(t, draw, 0, func(t *testing.T, seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
		return matter.compareKeys(t, h, seed, questions)
	})
	spoke, cut := matter.spoke.Load(), matter.cut.Load()
	t.Logf("%d answers with data, %d differ without the filters of the key", spoke, cut)
	if cut < spoke/5 {
		t.Errorf("only %d of %d answers with data differ without the filters of the key", cut, spoke)
	}
	matter.saved.report(t)
}

// A mattering counts answers to keys: all that have data, and those that differ without the filters of the key.
type mattering struct {
	spoke, cut atomic.Int64
	saved      savedFound
}

// compareKeys asks the questions by keys with random mandatory groups.
func (m *mattering) compareKeys(t *testing.T, h Harness, seed uint64,
	questions iter.Seq[reference.Question]) (*comparison, error) {
	t.Helper()
	w := dataset.New(seed)
	rng, data := rand.New(rand.NewPCG(seed, 8)), reference.NewData(w.Batch)
	all := h.runnerWith(t, seed, rows, firstOf(questions, 0))
	found := &comparison{answers: map[string]int{}, nonEmpty: map[string]int{}}
	for chunk := range slices.Chunk(slices.Collect(questions), perKey) {
		key, left := mandatoryFor(&w, data, rng)
		some := newEngineRunner(t, query.Config{Store: h.filled(t, &left),
			EngineOptions: query.EngineOptions{NoDerived: true}}, rows)
		named := m.saved.asking(t, rng, all, some, key)
		for _, q := range chunk {
			asked := q
			asked.Mandatory = key
			if lacks := lackingField(q, key); lacks != "" {
				found.asked++
				found.refused++
				begins := lacks[:min(len(lacks), 40)] // messages cut long names
				if got := all.once(t.Context(), asked); got.refused != query.Forbidden ||
					!strings.Contains(got.text, begins) {
					found.note(asked, outcome{refused: query.Forbidden, text: lacks}, got)
				}
				continue
			}
			want := func(ctx context.Context, _ reference.Question) outcome { return some.once(ctx, q) }
			got := func(ctx context.Context, _ reference.Question) outcome {
				a := all.outcome(ctx, asked)
				if a.speaks {
					m.spoke.Add(1)
					if !bytes.Equal(a.json, all.once(ctx, q).json) {
						m.cut.Add(1)
					}
				}
				return a
			}
			one, err := compare(t.Context(), slices.Values([]reference.Question{asked}), want, got, sameRefusal, false)
			if err != nil {
				return nil, err
			}
			found.add(one)
			named.compare(t, q, found)
		}
	}
	return found, nil
}

// mandatoryFor returns the filters of a key, and the rows that they leave of w: of some random filters those that leave
// nearest to half of the rows.
func mandatoryFor(w *dataset.Dataset, data *reference.Data, rng *rand.Rand) (key []reference.Filter, left store.Batch) {
	all, least := rowsOf(&w.Batch, store.KindWebsite), -1
	for range 8 {
		tried := w.Key(rng)
		seen := data.Visible(&w.Batch, tried)
		off := max(2*rowsOf(&seen, store.KindWebsite)-all, all-2*rowsOf(&seen, store.KindWebsite))
		if least < 0 || off < least {
			key, left, least = tried, seen, off
		}
		if off < all/2 {
			break
		}
	}
	return key, left
}

// lackingField returns what q lacks for a key, as the engine names it: a field of rows, or sessions. It returns an
// empty string if the key may ask q.
func lackingField(q reference.Question, key []reference.Filter) string {
	allows := allowedBy(q)
	for _, f := range key {
		for _, name := range leafFields(f) {
			switch {
			case allows(name):
			case name == didField:
				return "no sessions"
			default:
				return name
			}
		}
	}
	return ""
}

// didField stands for filters on what else people did, as in [reference.Type.Allows].
const didField = "did"

// leafFields returns the fields of the leaves of f.
func leafFields(f reference.Filter) (fields []string) {
	if f.Did != nil {
		return []string{didField}
	}
	if f.Field != "" {
		return []string{f.Field}
	}
	parts := slices.Concat(f.And, f.Or)
	if f.Not != nil {
		parts = append(parts, *f.Not)
	}
	for _, part := range parts {
		fields = append(fields, leafFields(part)...)
	}
	return fields
}

// allowedBy reports whether keys that filter by a field may ask q. Goals, funnels, retention and paths are made of
// events, which have all fields of the keys.
func allowedBy(q reference.Question) func(field string) bool {
	if q.Metrics != nil {
		d, _ := reference.DatasetOf(cmp.Or(q.Dataset, "pageviews"))
		return func(field string) bool {
			byEvent := strings.HasPrefix(field, query.PropertyPrefix) || field == "event_name"
			return slices.Contains(d.Filters, field) || d.Events && byEvent || field == didField && d.Name != "blocked"
		}
	}
	for _, kind := range reference.Types() {
		if kind.Name == q.Type {
			return kind.Allows
		}
	}
	return func(string) bool { return true }
}
