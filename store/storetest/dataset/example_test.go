package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sightline-analytics/sightline/store/storetest/dataset"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// Package reference answers a random question from the dataset's rows.
func Example() {
	w := dataset.New(7)
	q := w.Question(rand.New(rand.NewPCG(7, 1)))
	q.Now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	_, err := reference.NewData(w.Batch).Answer(q)
	again := dataset.New(7)
	fmt.Println(len(w.Batch.Events) > 0, err, len(again.Batch.Events) == len(w.Batch.Events))
	// Output: true <nil> true
}
