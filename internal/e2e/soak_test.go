//go:build cgo

package e2e

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// What TestSoak sends, and how much more memory its last quarter may take than its second.
const (
	soakRate   = 2000 // events/s
	soakBatch  = 100
	soakGrowth = 1.25
)

// TestSoak sends events at a steady rate to the example for as long as SIGHTLINE_FOR says, and wants
// every one accepted and memory to stay where it is after a while.
func TestSoak(t *testing.T) {
	length := lasting(t, "long-soak")
	p := empty(t, t.TempDir(), "--limits", "off", "--log-level", "error")
	l := ingestLoad{target: "/batch?client_id=" + p.WebsiteID, connections: 8, events: soakBatch}
	tick := time.NewTicker(time.Second * soakBatch / soakRate)
	defer tick.Stop()
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	var next atomic.Int64
	done := make(chan error, 1)
	var took []time.Duration
	go func() {
		var err error
		took, err = l.run(t.Context(), p.TrackAddress, paced(ctx, tick.C, &next))
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
	second, last := mean(memory[len(memory)/4:len(memory)/2]), mean(memory[len(memory)*3/4:])
	t.Logf("%d events in %v, %.0f/s; answers p50 %v, p99 %v; memory of the quarters from %d, %d, %d, %d MiB, at most %d MiB", next.Load()*soakBatch, length,
		float64(next.Load()*soakBatch)/length.Seconds(), took[len(took)/2], took[len(took)*99/100],
		mean(memory[:len(memory)/4])>>20, second>>20, mean(memory[len(memory)/2:len(memory)*3/4])>>20, last>>20, p.memory(t)>>20)
	if float64(last) > soakGrowth*float64(second) {
		t.Errorf("memory grows: the last quarter took %d MiB, the second %d", last>>20, second>>20)
	}
	if sent := float64(next.Load() * soakBatch); sent < 0.95*soakRate*length.Seconds() {
		t.Errorf("%.0f events were sent, not %.0f: the service is too slow", sent, soakRate*length.Seconds())
	}
	p.stop(t)
}

func mean(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum / int64(max(len(list), 1))
}
