package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest/reference"
)

// At least a third of the answers of each type have data: a row with a number other than 0, or with an object.
func TestQuestionsHaveAnswers(t *testing.T) {
	testenv.WithoutRace(t)
	const datasets, each = 2, 6
	shown := map[string]int{}
	start, asked := time.Now(), 0
	for seed := range uint64(datasets) {
		w := New(seed)
		data := reference.NewData(w.Batch)
		rng := rand.New(rand.NewPCG(seed, 2))
		for _, kind := range reference.Types() {
			for range each {
				q := w.ask(rng, kind)
				asked++
				answer, err := data.Answer(q)
				if err != nil && !errors.Is(err, reference.ErrTooLong) && !errors.Is(err, reference.ErrNeedsSession) {
					t.Fatalf("seed %d, %v: %v", seed, q, err)
				}
				if err == nil && shows(t, answer) {
					shown[kind.Name]++
				}
			}
		}
	}
	t.Logf("%d questions in %v", asked, time.Since(start))
	for _, kind := range reference.Types() {
		t.Logf("%s: %d of %d have data", kind.Name, shown[kind.Name], datasets*each)
		if shown[kind.Name] < datasets*each/3 { // ranges of minutes have few rows
			t.Errorf("%s: only %d of %d answers have data", kind.Name, shown[kind.Name], datasets*each)
		}
	}
}

func shows(t *testing.T, answer []byte) bool {
	t.Helper()
	var rows []map[string]any
	if err := json.Unmarshal(answer, &rows); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return slices.ContainsFunc(rows, func(row map[string]any) bool {
		for _, v := range row {
			n, number := v.(float64)
			_, object := v.(map[string]any)
			if number && n != 0 || object {
				return true
			}
		}
		return false
	})
}

func TestQuestionsGoThroughAllTypes(t *testing.T) {
	w := New(3)
	rng := rand.New(rand.NewPCG(3, 2))
	asked := map[string]bool{}
	for range 900 {
		asked[w.Question(rng).Type] = true
	}
	if n := len(reference.Types()); len(asked) != n {
		t.Errorf("only %d of %d types occurred", len(asked), n)
	}
}

func answer(t *testing.T, d *reference.Data, q reference.Question) []map[string]any {
	t.Helper()
	got, err := d.Answer(q)
	if err != nil {
		t.Fatalf("%v: %v", q, err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(got, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// The numbers of a range are the sums of the numbers of its days or hours, except for visitors.
func TestBucketsAddUp(t *testing.T) {
	testenv.WithoutRace(t)
	types := reference.Types()
	summary := types[slices.IndexFunc(types, func(kind reference.Type) bool { return kind.Name == "summary" })]
	for seed := range uint64(len(eras)) {
		w := New(seed)
		data := reference.NewData(w.Batch)
		rng := rand.New(rand.NewPCG(seed, 3))
		for range 2 {
			q := w.ask(rng, summary)
			q.GroupBy, q.SortBy, q.Limit, q.Page = nil, "", 0, 1
			sums := map[string]float64{}
			for _, row := range answer(t, data, q) {
				for _, column := range []string{"pageviews", "sessions", "total_events"} {
					sums[column] += row[column].(float64)
				}
			}
			q.Type = "summary_metrics"
			total := answer(t, data, q)[0]
			for column, sum := range sums {
				if total[column] != sum {
					t.Errorf("seed %d, %v: %s add up to %v, want %v", seed, q, column, sum, total[column])
				}
			}
		}
	}
}

// All pages of three rows together are the whole answer.
func TestPagesConcatenate(t *testing.T) {
	testenv.WithoutRace(t)
	w := New(11)
	data := reference.NewData(w.Batch)
	rng := rand.New(rand.NewPCG(11, 3))
	const pages = 12
	for range 30 {
		q := w.Question(rng)
		q.Limit, q.Page = 10_000, 1
		whole, err := data.Answer(q)
		if err != nil {
			continue
		}
		var parts [][]byte
		for q.Limit, q.Page = 3, 1; ; q.Page++ {
			part, err := data.Answer(q)
			if err != nil {
				t.Fatal(err)
			}
			if string(part) == "[]" || q.Page > pages {
				break
			}
			parts = append(parts, bytes.Trim(part, "[]"))
		}
		joined := bytes.Join(parts, []byte(","))
		if !bytes.HasPrefix(whole[1:], joined) || q.Page <= pages && len(joined) != len(whole)-2 {
			t.Fatalf("%v: the pages together are\n%s\nwant\n%s", q, joined, whole)
		}
	}
}

// Rows of other websites do not change answers.
func TestNeighboursDoNotMatter(t *testing.T) {
	testenv.WithoutRace(t)
	w := New(5)
	data := reference.NewData(w.Batch)
	var own store.Batch
	for _, e := range w.Batch.Events {
		if e.Website == "site-1" {
			own.Events = append(own.Events, e)
		}
	}
	for _, e := range w.Batch.Errors {
		if e.Website == "site-1" {
			own.Errors = append(own.Errors, e)
		}
	}
	for _, v := range w.Batch.Vitals {
		if v.Website == "site-1" {
			own.Vitals = append(own.Vitals, v)
		}
	}
	for _, p := range w.Batch.Spans {
		if p.Website == "site-1" {
			own.Spans = append(own.Spans, p)
		}
	}
	for _, o := range w.Batch.Blocked {
		if o.Website == "site-1" {
			own.Blocked = append(own.Blocked, o)
		}
	}
	alone := reference.NewData(own)
	rng := rand.New(rand.NewPCG(5, 3))
	for range 200 {
		q := w.Question(rng)
		if q.Subject.Kind != store.KindWebsite {
			continue
		}
		q.Subject.ID = "site-1"
		a, err := data.Answer(q)
		b, other := alone.Answer(q)
		if !bytes.Equal(a, b) || (err == nil) != (other == nil) {
			t.Fatalf("%v: got\n%s %v\nalone\n%s %v", q, a, err, b, other)
		}
	}
}
