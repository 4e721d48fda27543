//go:build cgo

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// What a good key may notice of hostile traffic, and the most memory that the process may take.
const (
	maxSlowdown = 3 // times the idle p95
	maxMemory   = 1 << 30
)

// TestHostile sends hostile traffic of every kind to a running demo, from networks of loopback, beside the
// panel of a good key. The good key must get every answer: no 429 and no 503 that others brought about.
// SIGHTLINE_FOR says for how long.
func TestHostile(t *testing.T) {
	length := lasting(t, "long-hostile")
	dir := t.TempDir()
	h := &hostility{process: start(t, dir, "--log-level", "error"), begun: map[string]int{}, answers: map[string]map[int]int{}}
	good := newKey(t, dir, "good")
	for _, name := range []string{"1", "2"} {
		h.heavy, h.torn = append(h.heavy, newKey(t, dir, "heavy-"+name)), append(h.torn, newKey(t, dir, "torn-"+name))
		h.deaf = append(h.deaf, newKey(t, dir, "deaf-"+name))
	}
	h.panel(t.Context(), good, 0) // what is read for the first time is no measure
	idle := h.panel(t.Context(), good, min(length, time.Minute))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var attackers sync.WaitGroup
	for _, a := range attacks {
		for worker := range a.workers {
			attackers.Go(func() { h.attack(ctx, a, worker) })
		}
	}
	hostile := h.panel(t.Context(), good, length)
	cancel()
	attackers.Wait()
	memory := h.memory(t)
	t.Logf("%s of hostile traffic\n%s", length, h.report(idle, hostile, memory))
	h.check(t, idle, hostile, memory)
	h.stop(t)
}

// lasting is how long a test goes on, which only the target of the Makefile runs.
func lasting(t *testing.T, target string) time.Duration {
	t.Helper()
	text := os.Getenv("SIGHTLINE_FOR")
	if text == "" {
		t.Skip("run by make " + target)
	}
	length, err := time.ParseDuration(text)
	if err != nil || length <= 0 {
		t.Fatalf("SIGHTLINE_FOR=%q is no length of time, as in 30m", text)
	}
	return length
}

// check wants what TestHostile promises, of traffic that was there.
func (h *hostility) check(t *testing.T, idle, hostile *measured, memory int64) {
	t.Helper()
	for _, phase := range []*measured{idle, hostile} {
		for status, n := range phase.statuses {
			if status != http.StatusOK {
				t.Errorf("%d answers to the good key were %d", n, status)
			}
		}
	}
	if before, during := idle.percentile(95), hostile.percentile(95); during > maxSlowdown*before {
		t.Errorf("p95 of the good key is %v, more than %d times the idle %v", during, maxSlowdown, before)
	}
	if memory > maxMemory {
		t.Errorf("the process took %d MiB, more than %d", memory>>20, maxMemory>>20)
	}
	for _, a := range attacks {
		if h.begun[a.name] == 0 {
			t.Errorf("%s: nothing was sent", a.name)
		}
	}
	if batches := h.answers["heavy legal batches"]; batches[http.StatusOK]+batches[http.StatusGatewayTimeout] == 0 {
		t.Errorf("no heavy batch was worked on: %v", batches)
	}
}

// newKey makes a key of the demo's owner, with the limits that keys have by themselves.
func newKey(t *testing.T, dir, name string) string {
	t.Helper()
	out, errs, code := run(t, "keys", "create", "--data", dir, "--name", name, "--all")
	if code != 0 {
		t.Fatalf("keys create: exit code %d, %q", code, errs)
	}
	return strings.TrimSpace(out)
}

// panelEvery is how often the panel asks: a little less often than a key may.
const panelEvery = 600 * time.Millisecond

// panel asks for so long what a panel does, and five times at least.
func (h *hostility) panel(ctx context.Context, key string, length time.Duration) *measured {
	m := &measured{statuses: map[int]int{}}
	tick := time.NewTicker(panelEvery)
	defer tick.Stop()
	for i, first := 0, time.Now(); i < 5 || time.Since(first) < length; i++ {
		c := call{method: http.MethodGet, url: h.Address + "/v1/websites/" + h.WebsiteID + "/analytics?preset=last_7d", header: map[string]string{"X-Api-Key": key}}
		if i%2 == 1 {
			c.method, c.url = http.MethodPost, h.Address+"/v1/query?website_id="+h.WebsiteID
			c.header["Content-Type"] = "application/json"
			c.body = object{"preset": "last_7d", "parameters": list{"summary_metrics", "pages", "traffic"}}
		}
		began := time.Now()
		status, _, err := do(ctx, c)
		if err != nil {
			status = 0
		}
		m.add(status, time.Since(began))
		<-tick.C
	}
	return m
}

// A measured phase is what the good key got, and how soon.
type measured struct {
	statuses map[int]int
	took     []time.Duration
}

func (m *measured) add(status int, took time.Duration) {
	m.statuses[status]++
	m.took = append(m.took, took)
}

// percentile is the time that n of a hundred answers took at most.
func (m *measured) percentile(n int) time.Duration {
	slices.Sort(m.took)
	return m.took[(len(m.took)-1)*n/100].Round(100 * time.Microsecond)
}

// memory is the most that p has taken so far, in bytes; 0 where the system does not say.
func (p *process) memory(t *testing.T) int64 { return p.status(t, "VmHWM") }

// status is a size that the system tells of p, in bytes; 0 where it does not.
func (p *process) status(t *testing.T, name string) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Logf("memory is not known: %v", err)
		return 0
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no %s in %s", name, status)
	}
	kilobytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// report is a table of the figures.
func (h *hostility) report(idle, hostile *measured, memory int64) string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "good key\trequests\tp50\tp95\tp99\tanswers")
	for i, m := range []*measured{idle, hostile} {
		name := []string{"idle", "beside hostile traffic"}[i]
		fmt.Fprintf(w, "%s\t%d\t%v\t%v\t%v\t%v\n", name, len(m.took), m.percentile(50), m.percentile(95), m.percentile(99), m.statuses)
	}
	fmt.Fprintln(w, "\t\t\t\t\t\nhostile traffic\trequests\tanswers by status; 0 is a connection that was cut")
	for _, name := range slices.Sorted(maps.Keys(h.begun)) {
		fmt.Fprintf(w, "%s\t%d\t%v\n", name, h.begun[name], h.answers[name])
	}
	fmt.Fprintf(w, "\nmemory at most\t%d MiB\n", memory>>20)
	_ = w.Flush()
	return b.String()
}
