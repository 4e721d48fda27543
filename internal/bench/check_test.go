//go:build cgo

package bench

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

var few = traffic{Pageviews: 20_000, Days: 7}

// events returns all events of t.
func (t traffic) events(size int) (all []store.Event) {
	for batch := range t.batches(size) {
		all = append(all, batch.Events...)
	}
	return all
}

// The results of two runs can be compared only if the rows are the same. The report describes the shape of the rows.
func TestTraffic(t *testing.T) {
	all := few.events(100)
	if again := few.events(1_000); !reflect.DeepEqual(all, again) {
		t.Errorf("a second run generates other rows: %s", cmp.Diff(all, again))
	}
	ids, sessions, websitesOf, views := map[string]bool{}, map[string]bool{}, map[string]float64{}, 0.0
	for i, e := range all {
		if ids[e.ID] || i > 0 && e.Time.Before(all[i-1].Time) || e.Time.Before(end.AddDate(0, 0, -few.Days)) ||
			!e.Time.Before(end) {
			t.Fatalf("event %d has an invalid id or time: %+v", i, e)
		}
		ids[e.ID], sessions[e.SessionID] = true, true
		websitesOf[e.Website]++
		if e.Kind == store.Pageview {
			views++
		}
	}
	n := float64(len(all))
	for _, row := range []struct {
		what           string
		got, low, high float64
	}{
		{"pageviews", views, 19_000, 21_000},
		{"pageviews of a session", views / float64(len(sessions)), 2.1, 2.3},
		{"events for each pageview", n / views, 1.8, 2},
		{"the big website", websitesOf[websiteID(0)] / n, 0.5, 0.56},
		{"the small website", websitesOf[websiteID(websites-1)] / n, 0.006, 0.014},
		{"websites", float64(len(websitesOf)), websites, websites},
	} {
		if row.got < row.low || row.got > row.high {
			t.Errorf("%s: %.3f, want %v to %v", row.what, row.got, row.low, row.high)
		}
	}
}

// SQL by hand must give the same answers.
func TestSQLByHandAnswersAsTheEngine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.duckdb")
	if _, err := fill(t.Context(), file, few, 1_000); err != nil {
		t.Fatal(err)
	}
	s, err := newService(t.Context(), file, memory{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	for _, q := range slices.Concat(plain(), filtered(), asked()) {
		if q.sql == "" {
			continue
		}
		t.Run(q.name, func(t *testing.T) {
			of := subject{"big", few.Days}
			_, request := q.request(t, of)
			answer, err := s.run(t.Context(), request, of)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := s.store.Query(t.Context(), q.statement(of))
			if err != nil {
				t.Fatal(err)
			}
			table := answer.Data[0].Data
			if rows.Len == 0 || rows.Len != table.Len() {
				t.Fatalf("%d rows by hand, %d by the engine", rows.Len, table.Len())
			}
			for i, column := range strings.Fields(q.columns) {
				name := column[2:]
				for row := range rows.Len {
					if name == "_" {
						break
					}
					if got, want := value(rows.Columns[i], row), table.Value(row, name); !near(got, want) {
						t.Fatalf("%s of row %d: %v by hand, %v by the engine", name, row, got, want)
					}
				}
			}
		})
	}
}

func value(c store.Column, row int) any {
	if c.Valid != nil && !c.Valid[row] {
		return nil
	}
	switch c.Kind {
	case dialect.Int:
		return c.Ints[row]
	case dialect.Float:
		return c.Floats[row]
	}
	return c.Texts[row]
}

// near reports whether values are equal except for rounding.
func near(a, b any) bool {
	x, xok := a.(float64)
	y, yok := b.(float64)
	if xok && yok {
		return math.Abs(x-y) < 0.006
	}
	return a == b
}

func TestResultsAreComparedAndAddUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	at := cell{warm, "big", 90, "pages", overHTTP}
	var before *result
	for _, took := range []time.Duration{40, 10, 20} {
		r, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		r.add(at, took*time.Millisecond, nil)
		if err := r.write(file); err != nil {
			t.Fatal(err)
		}
		before = r
	}
	after := &result{}
	after.add(at, 4*time.Millisecond, nil)
	after.add(cell{Question: "new"}, time.Millisecond, nil)
	if p50, p99 := before.figure(at).quantile(0.5), before.figure(at).quantile(0.99); p50 != 20 || p99 != 40 {
		t.Errorf("p50 %v, p99 %v; want 20 and 40", p50, p99)
	}
	got := compare(before, after)
	for _, want := range []string{"20.00\t4.00\t5.00\twarm/big/90d/pages/http\n",
		"5.00\tmean of 1: warm/big/90d/http\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestCompare shows the ratios of two results; make bench-against runs it.
func TestCompare(t *testing.T) {
	files := strings.Fields(os.Getenv("SIGHTLINE_BENCH_COMPARE"))
	if len(files) != 2 {
		t.Skip("SIGHTLINE_BENCH_COMPARE names two results, the earlier one first; make bench-against sets it")
	}
	before, beforeErr := read(files[0])
	after, afterErr := read(files[1])
	if beforeErr != nil || afterErr != nil {
		t.Fatal(beforeErr, afterErr)
	}
	t.Logf("\n%s", compare(before, after))
}
