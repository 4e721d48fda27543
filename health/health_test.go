package health_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/health"
)

var noon = time.Date(2026, 3, 29, 12, 0, 0, 5_600_000, time.FixedZone("", 3600))

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

func ok(context.Context) error { return nil }

func down(context.Context) error { return errors.New("secret-host:5432 refused") }

func TestReport(t *testing.T) {
	for _, tc := range []struct {
		name   string
		probes map[string]health.Probe
		want   string
	}{
		{"without probes the service is healthy", nil,
			`{"clickhouse":true,"database":true,"redis":true,"success":true,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z"}`},
		{"every probe succeeds", map[string]health.Probe{health.Analytics: ok, health.Relational: ok, health.Cache: ok},
			`{"clickhouse":true,"database":true,"redis":true,"success":true,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z"}`},
		{"the analytics store is down", map[string]health.Probe{health.Analytics: down, health.Relational: ok},
			`{"clickhouse":false,"database":true,"redis":true,"success":false,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z"}`},
		{"database and cache are down",
			map[string]health.Probe{health.Analytics: ok, health.Relational: down, health.Cache: down},
			`{"clickhouse":true,"database":false,"redis":false,"success":false,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z"}`},
		{"probes with other names are named when they fail",
			map[string]health.Probe{"queue": down, "flags": down, "mail": ok, health.Cache: down},
			`{"clickhouse":true,"database":true,"redis":false,"success":false,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z","checks":{"flags":false,"queue":false}}`},
		{"probes with other names succeed", map[string]health.Probe{"queue": ok},
			`{"clickhouse":true,"database":true,"redis":true,"success":true,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z"}`},
		{"a panic is a failure", map[string]health.Probe{health.Cache: func(context.Context) error { panic("boom") }},
			`{"clickhouse":true,"database":true,"redis":false,"success":false,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z"}`},
		{"a nil probe is a failure", map[string]health.Probe{health.Relational: nil},
			`{"clickhouse":true,"database":false,"redis":true,"success":false,"version":"1.2.3","timestamp":"2026-03-29T11:00:00.005Z"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := health.New(health.Config{Probes: tc.probes, Version: "1.2.3", Now: at(noon)})
			got, err := json.Marshal(c.Check(t.Context()))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A failed warning is named, and the service still counts as healthy.
func TestWarnings(t *testing.T) {
	for name, warning := range map[string]health.Probe{`,"checks":{"backup":false}}`: down, `}`: ok} {
		c := health.New(health.Config{Probes: map[string]health.Probe{health.Analytics: ok},
			Warnings: map[string]health.Probe{"backup": warning}, Version: "1", Now: at(noon)})
		got, err := json.Marshal(c.Check(t.Context()))
		if want := `{"clickhouse":true,"database":true,"redis":true,"success":true,"version":"1","timestamp":"2026-03-29T11:00:00.005Z"` + name; string(got) != want || err != nil {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

// A service works without a cache that is only a warning.
func TestCacheAsWarning(t *testing.T) {
	c := health.New(health.Config{Warnings: map[string]health.Probe{health.Cache: down}, Now: at(noon)})
	if got := c.Check(t.Context()); got.Redis || !got.Success || got.Checks != nil {
		t.Errorf("%+v", got)
	}
}

func TestCausesAreLoggedAndNeverReported(t *testing.T) {
	var log bytes.Buffer
	c := health.New(health.Config{
		Probes: map[string]health.Probe{health.Relational: down},
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	body, err := json.Marshal(c.Check(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), "secret-host") {
		t.Errorf("the report shows the cause: %s", body)
	}
	if !strings.Contains(log.String(), "secret-host:5432") || !strings.Contains(log.String(), "probe=database") {
		t.Errorf("the log does not contain the cause: %q", log.String())
	}
}

func TestHangingProbesAreCutOff(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	var started atomic.Int32
	deaf := func(context.Context) error {
		started.Add(1)
		<-release
		return nil
	}
	var clock atomic.Int64
	c := health.New(health.Config{
		Probes:  map[string]health.Probe{health.Analytics: deaf, health.Cache: deaf, health.Relational: ok},
		Timeout: 250 * time.Millisecond,
		Now:     func() time.Time { return noon.Add(time.Duration(clock.Load())) },
	})
	begin := time.Now()
	got := c.Check(t.Context())
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v; two hanging probes together may take 250 ms", took)
	}
	if got.ClickHouse || got.Redis || !got.Database || got.Success {
		t.Errorf("got %+v", got)
	}
	clock.Store(int64(2 * time.Second))
	if got := c.Check(t.Context()); got.ClickHouse || got.Redis || !got.Database {
		t.Errorf("while probes hang, got %+v", got)
	}
	if n := started.Load(); n != 2 {
		t.Errorf("%d probes were started; a hanging probe must not be started again", n)
	}
}

func TestRecoversWhenAProbeReturns(t *testing.T) {
	release := make(chan struct{})
	var clock atomic.Int64
	c := health.New(health.Config{
		Probes: map[string]health.Probe{health.Analytics: func(context.Context) error {
			<-release
			return nil
		}},
		Timeout: 20 * time.Millisecond,
		Now:     func() time.Time { return noon.Add(time.Duration(clock.Load())) },
	})
	if c.Check(t.Context()).Success {
		t.Fatal("a hanging probe is reported as healthy")
	}
	close(release)
	for deadline := time.Now().Add(10 * time.Second); ; {
		clock.Add(int64(2 * time.Second))
		if c.Check(t.Context()).Success {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("not healthy after the probe returned")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestCachedForASecond(t *testing.T) {
	var runs atomic.Int32
	now := noon
	c := health.New(health.Config{
		Probes: map[string]health.Probe{health.Analytics: func(context.Context) error {
			runs.Add(1)
			return nil
		}},
		Now: func() time.Time { return now },
	})
	for _, step := range []struct {
		after time.Duration
		runs  int32
		why   string
	}{
		{0, 1, "the first asks"},
		{999 * time.Millisecond, 1, "within a second it answers from memory"},
		{time.Second, 2, "after a second it asks again"},
		{0, 3, "a clock that went back does not keep a report alive"},
	} {
		now = noon.Add(step.after)
		got := c.Check(t.Context())
		if runs.Load() != step.runs || !got.Success {
			t.Errorf("%s: %d runs, want %d; report %+v", step.why, runs.Load(), step.runs, got)
		}
	}
}

func TestConcurrentCallersShareOneRun(t *testing.T) {
	var runs atomic.Int32
	started, release := make(chan struct{}), make(chan struct{})
	c := health.New(health.Config{
		Probes: map[string]health.Probe{health.Analytics: func(context.Context) error {
			runs.Add(1)
			close(started)
			<-release
			return nil
		}},
		Now: at(noon),
	})
	var callers sync.WaitGroup
	check := func() {
		if !c.Check(t.Context()).Success {
			t.Error("the report has no success")
		}
	}
	callers.Go(check)
	<-started
	for range 20 {
		callers.Go(check)
	}
	close(release)
	callers.Wait()
	if n := runs.Load(); n != 1 {
		t.Errorf("%d runs for 21 callers, want 1", n)
	}
}

func TestCancelledCallersDoNotStopARun(t *testing.T) {
	c := health.New(health.Config{Probes: map[string]health.Probe{
		health.Analytics: func(ctx context.Context) error { return ctx.Err() },
	}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := c.Check(ctx); !got.Success {
		t.Errorf("got %+v: a probe received the end of its caller's context", got)
	}
}

func ExampleChecker() {
	c := health.New(health.Config{
		Probes: map[string]health.Probe{
			health.Analytics: func(ctx context.Context) error { return nil }, // a store's Ping
		},
		Version: "1.0.0",
	})
	report := c.Check(context.Background())
	fmt.Println(report.Success, report.Redis) // a role without a probe is reported as true
	// Output: true true
}
