//go:build cgo

package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/store/storetest"
)

// A run is one measurement.
type run struct {
	*result
	file    string
	runs    int // minimum number of times to send each query
	clients int
	memory  memory
}

// A memory has the memory limits of the store and of partials in bytes; 0: the defaults.
type memory struct{ store, partials int64 }

// BenchmarkAnswers measures the response times of the service: see the package comment.
func BenchmarkAnswers(b *testing.B) {
	r := newRun(b)
	subjects := []subject{}
	for _, website := range []string{"big", "small"} {
		for _, days := range []int{1, 7, 30, 90, 365} {
			if days <= r.Traffic.Days {
				subjects = append(subjects, subject{website, days})
			}
		}
	}
	r.stage(b, cold, subjects, plain(), func(b *testing.B, q question, of subject) { r.firstOf(b, cold, q, of) })
	s := r.open(b)
	if err := r.describe(b.Context(), s.store); err != nil {
		b.Fatal(err)
	}
	r.stage(b, warm, subjects, append(plain(), filtered()...),
		func(b *testing.B, q question, of subject) { r.warm(b, s, q, of) })
	r.stage(b, clients, subjects, plain(), func(b *testing.B, q question, of subject) { r.atOnce(b, s, q, of) })
	r.stage(b, loaded, subjects, plain(), r.loaded)
	r.stage(b, clickHouse, subjects, plain(), r.onClickHouse(b))
	r.ingest(b)
	r.save(b)
}

// open opens the file until the benchmark ends.
func (r *run) open(b *testing.B) *service {
	b.Helper()
	s, err := newService(b.Context(), r.file, r.memory, r.clients)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

// newRun reads the settings from the environment, and generates the rows.
func newRun(b *testing.B) *run {
	b.Helper()
	dir := cmp.Or(os.Getenv("SIGHTLINE_BENCH_DIR"), b.TempDir())
	number := func(name string, otherwise int) int { return storetest.Number(b, "SIGHTLINE_BENCH_"+name, otherwise) }
	of := traffic{number("PAGEVIEWS", 1_000_000), number("DAYS", 90)}
	r := &run{&result{Memory: map[string]int64{}},
		filepath.Join(dir, fmt.Sprintf("%d-in-%d.duckdb", of.Pageviews, of.Days)), number("RUNS", 5),
		number("CLIENTS", 8), memory{int64(number("MEMORY", 1024)) << 20, int64(number("PARTIALS", 0)) << 20}}
	if file := os.Getenv("SIGHTLINE_BENCH_JSON"); file != "" {
		var err error
		if r.result, err = read(file); err != nil {
			b.Fatal(err)
		}
		if r.Traffic != of && r.Figures != nil {
			b.Fatalf("%s is of other rows: %+v", file, r.Traffic)
		}
	}
	r.Traffic, r.Commit, r.Note = of, os.Getenv("SIGHTLINE_BENCH_COMMIT"), os.Getenv("SIGHTLINE_BENCH_NOTE")
	r.Date = time.Now().UTC().Format(time.DateOnly)
	done := r.file + ".json"
	if text, err := os.ReadFile(done); err == nil {
		if err := json.Unmarshal(text, &r.Load); err != nil {
			b.Fatal(err)
		}
		return r
	}
	r.Memory["load"] = peakMemory(b, func() {
		var err error
		if r.Load, err = fill(b.Context(), r.file, of, number("BATCH", 5_000)); err != nil {
			b.Fatal(err)
		}
	})
	text, err := json.Marshal(r.Load)
	if err := errors.Join(err, os.WriteFile(done, text, 0o600)); err != nil {
		b.Fatal(err)
	}
	return r
}

// stage measures queries about subjects that -bench selects.
func (r *run) stage(b *testing.B, name string, subjects []subject, questions []question,
	measure func(*testing.B, question, subject)) {
	b.Helper()
	asked := false
	most := peakMemory(b, func() {
		b.Run(name, func(b *testing.B) {
			for _, of := range subjects {
				b.Run(of.String(), func(b *testing.B) {
					for _, q := range questions {
						b.Run(q.name, func(b *testing.B) {
							asked = true
							measure(b, q, of)
						})
					}
				})
			}
		})
	})
	if asked {
		r.Memory[name] = max(r.Memory[name], most)
	}
}

// firstOf measures the first answer of a store that was just opened, over HTTP.
func (r *run) firstOf(b *testing.B, stage string, q question, of subject) {
	for b.Loop() {
		s, err := newService(b.Context(), r.file, r.memory, r.clients)
		if err != nil {
			b.Fatal(err)
		}
		r.ask(b, stage, q, of, s.ways(b, q, of)[:1])
		if err := s.close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(r.figure(cell{stage, of.Website, of.Days, q.name, overHTTP}).quantile(0.5), "p50-ms")
	b.ReportMetric(0, "ns/op")
}

// warm measures all ways in turns, so that other work of the machine affects them equally.
func (r *run) warm(b *testing.B, s *service, q question, of subject) {
	ways := s.warmed(b, q, of)
	r.repeat(b, 1, func() { r.ask(b, warm, q, of, ways) })
	for _, w := range ways {
		b.ReportMetric(r.figure(cell{warm, of.Website, of.Days, q.name, w.name}).quantile(0.5), w.name+"-p50-ms")
	}
}

// atOnce measures all clients at once over HTTP.
func (r *run) atOnce(b *testing.B, s *service, q question, of subject) {
	ask := s.warmed(b, q, of)[0].ask
	var mu sync.Mutex
	r.repeat(b, r.clients, func() {
		var asking sync.WaitGroup
		for range r.clients {
			asking.Go(func() {
				began := time.Now()
				err := ask(b.Context())
				took := time.Since(began)
				mu.Lock()
				defer mu.Unlock()
				r.add(cell{clients, of.Website, of.Days, q.name, overHTTP}, took, err)
			})
		}
		asking.Wait()
	})
	f := r.figure(cell{clients, of.Website, of.Days, q.name, overHTTP})
	b.ReportMetric(f.quantile(0.5), "p50-ms")
	b.ReportMetric(f.quantile(0.99), "p99-ms")
	b.ReportMetric(float64(f.Failed), "failed")
}

// repeat calls once as often as b and r require. Each call sends a number of queries.
func (r *run) repeat(b *testing.B, answers int, once func()) {
	n := 0
	for ; b.Loop(); n++ {
		once()
	}
	for ; n*answers < r.runs; n++ {
		once()
	}
	b.ReportMetric(0, "ns/op")
}

// ask sends the query once in each way.
func (r *run) ask(b *testing.B, stage string, q question, of subject, ways []way) {
	for _, w := range ways {
		began := time.Now()
		err := w.ask(b.Context())
		r.add(cell{stage, of.Website, of.Days, q.name, w.name}, time.Since(began), err)
	}
}

// peakMemory returns the peak memory of the process during a function in bytes, or 0 on systems other than Linux.
func peakMemory(b *testing.B, do func()) int64 {
	b.Helper()
	reset := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600)
	do()
	status, err := os.ReadFile("/proc/self/status")
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if err := errors.Join(reset, err); err != nil || found == nil {
		b.Logf("the system does not report memory: %v", err)
		return 0
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return kilobytes << 10
}

// save writes the files named in the environment. They have the failures; without files, failures fail b.
func (r *run) save(b *testing.B) {
	b.Helper()
	kept, shown := os.Getenv("SIGHTLINE_BENCH_JSON"), os.Getenv("SIGHTLINE_BENCH_REPORT")
	for _, f := range r.Figures {
		switch {
		case f.Failed > 0 && kept+shown == "":
			b.Errorf("%s: %d failed: %s", f.cell, f.Failed, f.Fault)
		case f.Failed > 0:
			b.Logf("%s: %d failed: %s", f.cell, f.Failed, f.Fault)
		}
	}
	if kept != "" {
		if err := r.write(kept); err != nil {
			b.Fatal(err)
		}
	}
	if shown != "" {
		written, err := os.ReadFile(shown)
		if err != nil {
			b.Fatal(err)
		}
		head, _, found := strings.Cut(string(written), marker)
		if !found {
			b.Fatalf("%s has no %s", shown, marker)
		}
		if err := os.WriteFile(shown, []byte(head+r.report()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}
