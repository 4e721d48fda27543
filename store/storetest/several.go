package storetest

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Several compares the engine's answers about several websites in a random run with the answers of package reference,
// byte by byte. Many questions group or filter by website. Every second question is also asked before the last rows of
// its dataset are written.
func Several(t *testing.T, h Harness, run RandomRun) {
	ask := func(t *testing.T, seed uint64, questions iter.Seq[reference.Question]) (*comparison, error) {
		got := h.runnerWith(t, seed, rows, everyOther(questions))
		return compareReference(t.Context(), got, dataOf(seed), questions, false)
	}
	run.run(t, severalQuestions, 0, ask).mustSpeak(t, false)
}

// severalQuestions returns n questions about websites of the dataset of a seed.
func severalQuestions(seed uint64, n int) (all []reference.Question) {
	rng, sites := rand.New(rand.NewPCG(seed, 11)), dataset.New(seed).Websites
	least := 4 * len(query.Builtin())
	for _, q := range mixedQuestions(seed, max(2*n, least)) {
		if q.Subject.Kind == store.KindWebsite {
			all = append(all, aboutSeveral(rng, q, sites))
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// aboutSeveral returns q about some of the websites, in any order.
func aboutSeveral(rng *rand.Rand, q reference.Question, sites []string) reference.Question {
	const field = "website"
	sites = slices.Clone(sites)
	rng.Shuffle(len(sites), func(i, j int) { sites[i], sites[j] = sites[j], sites[i] })
	q.Websites = sites[:1+rng.IntN(len(sites))]
	q.Subject.ID = ""
	switch n := rng.IntN(100); {
	case n < 10: // of one website, as its only one
		q.Subject.ID, q.Websites = q.Websites[0], nil
	case n < 75 && !slices.Contains(q.Websites, sites[0]):
		q.Websites = append(q.Websites, sites[0])
	}
	if rng.IntN(100) < 40 {
		if q.Metrics == nil && len(q.GroupBy) < 2 && q.Type != "session_events" { // which is refused for two reasons
			q.GroupBy = append(slices.Clip(q.GroupBy), field)
		} else if q.Metrics != nil && len(q.Dimensions) < 4 {
			q.Dimensions = slices.Insert(slices.Clone(q.Dimensions), rng.IntN(len(q.Dimensions)+1), field)
		}
	}
	if rng.IntN(100) < 25 {
		f := reference.Filter{Field: field, Op: []string{"eq", "ne", "in", "not_in"}[rng.IntN(4)],
			Values: []string{sites[rng.IntN(len(sites))]}}
		if f.Op == "in" || f.Op == "not_in" {
			f.Values = append(f.Values, "another")
		}
		if last := len(q.Filters) - 1; last >= 0 && q.Filters[last].Field != "" && rng.IntN(2) == 0 {
			either := reference.Filter{Or: []reference.Filter{q.Filters[last], f}}
			q.Filters = append(slices.Clone(q.Filters[:last]), either)
		} else {
			q.Filters = append(slices.Clip(q.Filters), f)
		}
	}
	return q
}
