package dataset

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// shapeOf returns what kind of question Asking made.
func shapeOf(q reference.Question) string {
	switch {
	case q.Metrics != nil:
		return "choice of " + q.Dataset
	case slices.ContainsFunc(reference.BehaviourTypes(), func(t reference.Type) bool { return t.Name == q.Type }):
		return q.Type
	}
	return "type"
}

// At least a third of the answers of each shape have data, less two standard deviations, and no question is refused.
func TestAskingHasAnswers(t *testing.T) {
	testenv.WithoutRace(t)
	const datasets, each = 3, 250
	asked, shown, failed := map[string]int{}, map[string]int{}, 0
	start := time.Now()
	for seed := range uint64(datasets) {
		w := New(seed)
		data := reference.NewData(w.Batch)
		rng := rand.New(rand.NewPCG(seed, 6))
		for range each {
			q := w.Asking(rng)
			answer, err := data.Answer(q)
			switch {
			case errors.Is(err, reference.ErrTooLong), errors.Is(err, reference.ErrNeedsSession):
				failed++
				continue
			case err != nil:
				t.Fatalf("seed %d, %v: %v", seed, q, err)
			}
			asked[shapeOf(q)]++
			if shows(t, answer) {
				shown[shapeOf(q)]++
			}
		}
	}
	t.Logf("%d questions in %v, %d too long or without a session", datasets*each, time.Since(start), failed)
	for shape, n := range asked {
		t.Logf("%s: %d of %d have data", shape, shown[shape], n)
		if float64(shown[shape]) < float64(n)/3-math.Sqrt(float64(n)) {
			t.Errorf("%s: only %d of %d answers have data", shape, shown[shape], n)
		}
	}
	if len(asked) < 1+12+5 {
		t.Errorf("only %d shapes occur", len(asked))
	}
}
