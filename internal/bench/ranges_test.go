//go:build cgo && unix

package bench

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRanges uses two zones: one without clock changes, and one with two a year.
var rangeZones = []string{"UTC", "America/New_York"}

// ranges lists the numbers of last days to query, if there are as many days.
func (r *run) ranges() []int {
	found := slices.DeleteFunc([]int{30, 90, 365}, func(days int) bool { return days > r.Traffic.Days })
	if len(found) == 0 {
		return []int{r.Traffic.Days}
	}
	return found
}

// BenchmarkRanges measures how the cost of merged answers grows with the range, and the cost of clock changes. The
// ranges and zones take turns. Times are processor times, which other work on the machine does not change. The mean is
// the geometric mean of all queries. Memory is measured before the first query, and as the peak while all clients send
// all queries for the longest range, for the first time and again. A process that generated the rows needs more memory
// than a process that found them.
func BenchmarkRanges(b *testing.B) {
	r := newRun(b)
	s := r.open(b)
	idle, peak := r.taken(b, s)
	b.Run("memory", func(b *testing.B) {
		b.ReportMetric(float64(idle>>20), "idle-MiB")
		b.ReportMetric(float64(peak>>20), "peak-MiB")
		b.ReportMetric(0, "ns/op")
	})
	logs := map[string]float64{} // sums by range and zone
	for _, q := range byHand() {
		b.Run(q.name, func(b *testing.B) {
			for name, ms := range s.byTurns(b, q, r.ranges()) {
				b.ReportMetric(ms, name)
				logs[name] += math.Log(ms)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Run("mean", func(b *testing.B) {
		for name, log := range logs {
			b.ReportMetric(math.Exp(log/float64(len(byHand()))), name)
		}
		b.ReportMetric(0, "ns/op")
	})
}

// byTurns returns the p50 of processor times in milliseconds, by range and zone. The first answers, which compute
// partials and rollups, do not count.
func (s *service) byTurns(b *testing.B, q question, ranges []int) map[string]float64 {
	b.Helper()
	took := map[string][]time.Duration{}
	turn := func() {
		for _, days := range ranges {
			for _, zone := range rangeZones {
				before := processorTime(b)
				s.askIn(b, q, subject{"big", days}, zone)
				name := fmt.Sprintf("%dd-%s-ms", days, zone)
				took[name] = append(took[name], processorTime(b)-before)
			}
		}
	}
	for range 4 {
		turn()
		if err := s.engine.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	clear(took)
	for b.Loop() {
		turn()
	}
	found := map[string]float64{}
	for name, all := range took {
		slices.Sort(all)
		found[name] = float64(all[len(all)/2].Microseconds()) / 1000
	}
	return found
}

// processorTime returns the processor time of the process.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// askIn sends a query to the engine in a zone. The range ends ten days before the last rows, so that its end is within
// a month.
func (s *service) askIn(b *testing.B, q question, of subject, zone string) {
	b.Helper()
	_, request := q.request(b, of)
	last := end.AddDate(0, 0, -11)
	request.TimeZone, request.StartDate, request.EndDate = zone, last.AddDate(0, 0, 1-of.Days).Format(time.DateOnly),
		last.Format(time.DateOnly)
	if _, err := s.run(b.Context(), request, of); err != nil {
		b.Error(err)
	}
}

// taken returns the memory of the process.
func (r *run) taken(b *testing.B, s *service) (idle, peak int64) {
	b.Helper()
	idle = peakMemory(b, func() {})
	peak = peakMemory(b, func() {
		for range 4 {
			for _, q := range byHand() {
				var asking sync.WaitGroup
				for range r.clients {
					asking.Go(func() { s.askIn(b, q, subject{"big", slices.Max(r.ranges())}, rangeZones[1]) })
				}
				asking.Wait()
			}
		}
	})
	return idle, peak
}
