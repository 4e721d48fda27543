//go:build cgo

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
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

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// These bound the p95 of a good key during hostile traffic. Traffic and server share the processors, so the p95 also
// depends on their number.
const (
	maxDelay = time.Second
	// maxCollecting is the largest share of the processor that the collection of garbage may have.
	maxCollecting = 0.25
)

// attacked is the website of the attacks that store something. Answers about the website of the dashboard do not
// change.
const attacked = "web_attacked"

// calm is the website of the good key, and the id of its owner. All hostile keys have another owner.
const calm = "web_calm"

// TestHostile sends hostile traffic of every kind to a running demo, from networks of loopback, while a good key loads
// a dashboard. The good key must get every answer, without 429 and 503. SIGHTLINE_FOR is the duration. The memory is
// limited to 1 GiB, or to the default of --memory if SIGHTLINE_DEFAULTS is set.
func TestHostile(t *testing.T) {
	length := lasting(t, "hostile")
	dir := t.TempDir()
	metrics := freeAddress(t)
	args, maxMemory := []string{"--log-level", "error", "--mcp", "--metrics-addr", metrics}, int64(2560<<20)
	if os.Getenv("SIGHTLINE_DEFAULTS") == "" {
		args, maxMemory = append(args, "--memory", "1GiB"), 1<<30
	}
	h := &hostility{process: start(t, dir, args...), begun: map[string]int{}, answers: map[string]map[int]int{}}
	for _, args := range [][]string{
		{"websites", "add", "--id", attacked, "--name", "Attacked", "--domain", "attacked.example"},
		{"owners", "add", "--id", "owner_calm", "--name", "Calm"},
		{"websites", "add", "--owner", "owner_calm", "--id", calm, "--name", "Calm", "--domain", "calm.example"},
	} {
		if _, errs, code := run(t, append(args, "--data", dir)...); code != 0 {
			t.Fatalf("%s: exit code %d, %q", args, code, errs)
		}
	}
	h.visitCalm(t)
	good := newKey(t, dir, "good", "--owner", "owner_calm")
	for worker := range 12 {
		h.many = append(h.many, newKey(t, dir, fmt.Sprint("many-", worker), "--scope", "read:data", "--scope",
			"export:data"))
	}
	for _, name := range []string{"1", "2"} {
		h.heavy, h.torn = append(h.heavy, newKey(t, dir, "heavy-"+name)), append(h.torn, newKey(t, dir, "torn-"+name))
		h.slow = append(h.slow, newKey(t, dir, "slow-"+name))
	}
	h.createFlags(t, createKey(t, dir))
	h.panel(t.Context(), good, 0) // the first queries read from disk and are not measured
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
	if share := collecting(t, metrics); share > maxCollecting {
		t.Errorf("the collection of garbage takes %.2f of the processor, more than %.2f", share, maxCollecting)
	}
	if memory > maxMemory/10*11 { // the program itself is not part of it: see docs/operations.md
		t.Errorf("the process took %d MiB, more than a tenth above %d", memory>>20, maxMemory>>20)
	}
	h.check(t, idle, hostile)
	h.stop(t)
}

// lasting returns SIGHTLINE_FOR, the duration of a long proof.
func lasting(t *testing.T, proof string) time.Duration {
	t.Helper()
	testenv.Night(t, proof)
	text := os.Getenv("SIGHTLINE_FOR")
	length, err := time.ParseDuration(text)
	if err != nil || length <= 0 {
		t.Fatalf("SIGHTLINE_FOR=%q is not a duration, such as 30m", text)
	}
	return length
}

// check checks the answers of TestHostile, and that there was traffic.
func (h *hostility) check(t *testing.T, idle, hostile *measured) {
	t.Helper()
	for _, phase := range []*measured{idle, hostile} {
		for status, n := range phase.statuses {
			if status != http.StatusOK {
				t.Errorf("%d answers to the good key were %d", n, status)
			}
		}
	}
	if during := hostile.percentile(95); during > maxDelay {
		t.Errorf("p95 of the good key is %v, more than %v", during, maxDelay)
	}
	for _, a := range attacks {
		if h.begun[a.name] == 0 {
			t.Errorf("%s: nothing was sent", a.name)
		}
	}
	// Keys of one owner share its limit, so one of these may get none of it.
	answered := 0
	for _, name := range []string{"heavy legal batches", "heavy questions by many keys of one owner"} {
		answered += h.answers[name][http.StatusOK] + h.answers[name][http.StatusGatewayTimeout]
	}
	if answered == 0 {
		t.Errorf("no heavy question was answered: %v", h.answers["heavy legal batches"])
	}
}

// visitCalm sends pageviews of the website of the good key.
func (h *hostility) visitCalm(t *testing.T) {
	t.Helper()
	to := h.ready
	to.WebsiteID = calm
	for body := range 10 {
		items := make(list, 100)
		for i := range items {
			items[i] = object{"type": "track", "name": "screen_view", "eventId": fmt.Sprint("calm-", body, "-", i),
				"anonymousId": fmt.Sprint("visitor-", i), "path": fmt.Sprint("https://calm.example/", i%30)}
		}
		mustTrack(t, to, "/batch", items)
	}
}

// collecting returns the share of the processor that the collection of garbage took, of what the process used.
func collecting(t *testing.T, metrics string) float64 {
	t.Helper()
	resp, err := http.Get("http://" + metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	seconds := func(name string) float64 {
		found := regexp.MustCompile(`(?m)^go_cpu_classes_` + name + `_cpu_seconds_total (\S+)$`).FindSubmatch(text)
		if found == nil {
			t.Fatalf("no %s in the metrics", name)
		}
		n, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	share := seconds("gc_total") / (seconds("total") - seconds("idle"))
	t.Logf("the collection of garbage took %.3f of the processor", share)
	return share
}

// newKey creates a key with default limits, of the demo's owner unless args name another one.
func newKey(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, errs, code := run(t, append([]string{"keys", "add", "--data", dir, "--name", name, "--all"}, args...)...)
	if code != 0 {
		t.Fatalf("keys add: exit code %d, %q", code, errs)
	}
	return strings.TrimSpace(out)
}

// panelEvery is the time between loads of the dashboard, a little more than the rate limit requires.
const panelEvery = 600 * time.Millisecond

// createFlags creates flags of the demo website whose payloads together are nearly as large as one answer may be.
func (h *hostility) createFlags(t *testing.T, key string) {
	t.Helper()
	for i := range 30 {
		status, answer, err := do(t.Context(), call{method: http.MethodPost, url: h.Address + "/public/v1/flags",
			header: map[string]string{"X-Api-Key": key, "Content-Type": "application/json"},
			body: object{"clientId": h.WebsiteID, "key": fmt.Sprint("hostile-", i), "type": "boolean",
				"defaultValue": true,
				"payload":      object{"text": strings.Repeat("x", 30_000)}}})
		if err != nil || status != http.StatusOK {
			t.Fatalf("a flag: status %d, %v, %v", status, answer, err)
		}
	}
}

// mint returns a new panel token of a key, or an empty text.
func (h *hostility) mint(ctx context.Context, key string) string {
	_, minted, err := do(ctx, call{method: http.MethodPost, url: h.Address + "/v1/tokens", body: object{"ttl": 900},
		header: map[string]string{"Content-Type": "application/json", "X-Api-Key": key}})
	token, _ := minted["token"].(string)
	if err != nil {
		return ""
	}
	return token
}

// panel loads a dashboard repeatedly for a duration, and at least five times. Every tenth time it uses a new panel
// token.
func (h *hostility) panel(ctx context.Context, key string, length time.Duration) *measured {
	m := &measured{statuses: map[int]int{}}
	tick := time.NewTicker(panelEvery)
	defer tick.Stop()
	for i, first := 0, time.Now(); i < 5 || time.Since(first) < length; i++ {
		c := call{method: http.MethodGet, url: h.Address + "/v1/websites/" + calm + "/analytics?preset=last_7d",
			header: map[string]string{"X-Api-Key": key}}
		if i%2 == 1 {
			c.method, c.url = http.MethodPost, h.Address+"/v1/query?website_id="+calm
			c.header["Content-Type"] = "application/json"
			c.body = object{"preset": "last_7d", "parameters": list{"summary_metrics", "pages", "traffic"}}
		}
		if i%10 == 0 {
			c.header = map[string]string{"Authorization": "Bearer " + h.mint(ctx, key)}
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

// A measured has the statuses and times of the good key in one phase.
type measured struct {
	statuses map[int]int
	took     []time.Duration
}

func (m *measured) add(status int, took time.Duration) {
	m.statuses[status]++
	m.took = append(m.took, took)
}

// percentile returns the n-th percentile of the times.
func (m *measured) percentile(n int) time.Duration {
	slices.Sort(m.took)
	return m.took[(len(m.took)-1)*n/100].Round(100 * time.Microsecond)
}

// memory returns the peak memory of p in bytes, or 0 on systems without this number.
func (p *process) memory(t *testing.T) int64 { return p.status(t, "VmHWM") }

// status returns a size from the system's status of p in bytes, or 0 without it.
func (p *process) status(t *testing.T, name string) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Logf("the system does not report memory: %v", err)
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

// report returns a table of the results.
func (h *hostility) report(idle, hostile *measured, memory int64) string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "good key\trequests\tp50\tp95\tp99\tanswers")
	for i, m := range []*measured{idle, hostile} {
		name := []string{"idle", "beside hostile traffic"}[i]
		fmt.Fprintf(w, "%s\t%d\t%v\t%v\t%v\t%v\n", name, len(m.took), m.percentile(50), m.percentile(95),
			m.percentile(99), m.statuses)
	}
	fmt.Fprintln(w, "\t\t\t\t\t\nhostile traffic\trequests\tanswers by status; 0 is a connection that was cut")
	for _, name := range slices.Sorted(maps.Keys(h.begun)) {
		fmt.Fprintf(w, "%s\t%d\t%v\n", name, h.begun[name], h.answers[name])
	}
	fmt.Fprintf(w, "\nmemory at most\t%d MiB\n", memory>>20)
	_ = w.Flush()
	return b.String()
}
