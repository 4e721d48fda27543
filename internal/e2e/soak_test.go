//go:build cgo

package e2e

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// These are the rate of TestSoak, the bounds of memory, and the allowed growth from the second quarter to the last.
const (
	soakRate   = 2000 // events/s
	soakBatch  = 100
	soakMemory = 256 // MiB for the events
	soakBeside = 256 // MiB for the program, Go's heap, filters of receipts and free memory of allocators
	soakGrowth = 32  // MiB
)

// TestSoak sends events at a steady rate to the program for SIGHTLINE_FOR. Every event must be accepted, and memory
// must not grow. It compares the least memory of each quarter, which occurs after a checkpoint, because rows are in
// memory until then. DuckDB also caches the file up to its limit, so the program has a limit below the size of the file
// after ten minutes.
func TestSoak(t *testing.T) {
	length := lasting(t, "soak")
	p := empty(t, t.TempDir(), "--limits", "off", "--log-level", "error", "--duckdb-memory", strconv.Itoa(soakMemory)+
		"MiB")
	l := ingestLoad{target: "/batch?client_id=" + p.WebsiteID, connections: 8, events: soakBatch}
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	var next atomic.Int64
	done := make(chan error, 1)
	var took []time.Duration
	go func() {
		var err error
		took, err = l.run(t.Context(), p.TrackAddress, paced(ctx, time.Second*soakBatch/soakRate, &next))
		done <- err
	}()
	var memory []int64
	for every := time.NewTicker(length / 200); ; {
		select {
		case <-every.C:
			memory = append(memory, p.status(t, "VmRSS"))
			continue
		case err := <-done:
			every.Stop()
			if err != nil {
				t.Fatal(err)
			}
		}
		break
	}
	most := p.memory(t) >> 20
	quarters := leastOfQuarters(memory)
	sent := float64(len(took) * soakBatch)
	t.Logf("%.0f events in %v, %.0f/s; answers p50 %v, p99 %v; memory in the quarters at least %d MiB, in all at most %d MiB",
		sent, length, sent/length.Seconds(), took[len(took)/2], took[len(took)*99/100], quarters, most)
	if second, last := quarters[1], quarters[3]; last > second+soakGrowth {
		t.Errorf("memory grows: the last quarter took %d MiB, the second %d", last, second)
	}
	if most > soakMemory+soakBeside {
		t.Errorf("the process took %d MiB, more than %d MiB beside the %d of the events", most, soakBeside, soakMemory)
	}
	if sent < 0.95*soakRate*length.Seconds() {
		t.Errorf("%.0f events were sent, not %.0f: the service is too slow", sent, soakRate*length.Seconds())
	}
	p.stop(t)
}

// leastOfQuarters returns the least memory of each quarter in MiB.
func leastOfQuarters(memory []int64) (least [4]int64) {
	for i := range least {
		least[i] = slices.Min(memory[i*len(memory)/4:(i+1)*len(memory)/4]) >> 20
	}
	return least
}
