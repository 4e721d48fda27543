package redislimit_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
)

// A grant is a number of passed requests with their time.
type grant struct {
	at   time.Time
	cost int
}

func total(grants []grant) (n int) {
	for _, g := range grants {
		n += g.cost
	}
	return n
}

// excess returns an error if, in any interval, more than limit · (1 + t/60) and a part of it passed.
func excess(grants []grant, limit int, part float64) error {
	slices.SortFunc(grants, func(a, b grant) int { return a.at.Compare(b.at) })
	for i := range grants {
		passed := 0
		for _, last := range grants[i:] {
			passed += last.cost
			t := last.at.Sub(grants[i].at)
			if most := float64(limit) * (1 + t.Minutes()) * (1 + part); float64(passed) > most {
				return fmt.Errorf("%d passed in %v with a limit of %d, %.1f may", passed, t, limit, most)
			}
		}
	}
	return nil
}

// Environment variables that make the test binary a process with a limiter.
const (
	childDSN  = "SIGHTLINE_LIMIT_DSN"
	childTime = "SIGHTLINE_LIMIT_TIME"
)

// limit is the limit of the key that all children use.
const limit = 1500

func TestMain(m *testing.M) {
	if dsn := os.Getenv(childDSN); dsn != "" {
		if err := child(dsn, os.Getenv(childTime)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A report is the result of a child.
type report struct {
	Passed  []int64 // times in Unix microseconds
	Refused int
	Slowest time.Duration
	Log     string
}

// child sends one request after the other, and prints a report.
func child(dsn, duration string) error {
	d, err := time.ParseDuration(duration)
	if err != nil {
		return err
	}
	o, err := redislimit.Options(dsn)
	if err != nil {
		return err
	}
	client := redis.NewClient(o)
	defer client.Close()
	local, err := ratelimit.New(ratelimit.Config{})
	if err != nil {
		return err
	}
	var j journal
	l, err := redislimit.New(redislimit.Config{Client: client, Local: local, Timeout: patience, Logger: slog.New(slog.NewTextHandler(&j, nil))})
	if err != nil {
		return err
	}
	defer l.Close(context.Background())
	var r report
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		began := time.Now()
		d, err := l.Allow(context.Background(), auth.ClassQuery, "key", 1, &auth.Limits{PerMinute: limit})
		if err != nil {
			return err
		}
		ended := time.Now()
		r.Slowest = max(r.Slowest, ended.Sub(began))
		if d.OK {
			r.Passed = append(r.Passed, ended.UnixMicro())
		} else {
			r.Refused++
		}
	}
	r.Log = j.String()
	return json.NewEncoder(os.Stdout).Encode(r)
}

// A process is a running child.
type process struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func startChild(t *testing.T, s *server, d time.Duration) process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), d+patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), childDSN+"="+s.dsn(), childTime+"="+d.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return process{cmd, bufio.NewReader(out)}
}

func (p process) wait(t *testing.T) (report, []grant) {
	t.Helper()
	var r report
	if err := json.NewDecoder(p.out).Decode(&r); err != nil {
		t.Error(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	var grants []grant
	for _, at := range r.Passed {
		grants = append(grants, grant{time.UnixMicro(at), 1})
	}
	return r, grants
}

func TestTwoProcessesShareOneLimit(t *testing.T) {
	s := startServer(t)
	a, b := startChild(t, s, 4*time.Second), startChild(t, s, 4*time.Second)
	ra, ga := a.wait(t)
	rb, gb := b.wait(t)
	all := slices.Concat(ga, gb)
	t.Logf("%d and %d passed, %d were refused, the slowest took %v", len(ga), len(gb), ra.Refused+rb.Refused, max(ra.Slowest, rb.Slowest))
	if err := excess(all, limit, 0.01); err != nil {
		t.Error(err)
	}
	if len(all) < limit || len(ga) == 0 || len(gb) == 0 {
		t.Errorf("%d and %d passed, together fewer than the limit of %d", len(ga), len(gb), limit)
	}
	if ra.Log+rb.Log != "" {
		t.Errorf("logged: %s%s", ra.Log, rb.Log)
	}
}

func TestRedisIsKilledAndComesBack(t *testing.T) {
	s := startServer(t)
	a, b := startChild(t, s, 8*time.Second), startChild(t, s, 8*time.Second)
	time.Sleep(2500 * time.Millisecond)
	killed := time.Now()
	s.kill()
	time.Sleep(2 * time.Second)
	s.start(t)
	back := time.Now()
	ra, ga := a.wait(t)
	rb, gb := b.wait(t)
	t.Logf("%d and %d passed, the slowest took %v", len(ga), len(gb), max(ra.Slowest, rb.Slowest))
	between := func(from, to time.Time) (some []grant) {
		for _, g := range slices.Concat(ga, gb) {
			if !g.at.Before(from) && g.at.Before(to) {
				some = append(some, g)
			}
		}
		return some
	}
	if err := excess(between(time.Time{}, killed), limit, 0.01); err != nil {
		t.Errorf("before: %v", err)
	}
	if n := total(between(killed, back)); n == 0 {
		t.Error("no request passed while Redis was unreachable")
	}
	if err := excess(between(back.Add(2500*time.Millisecond), back.Add(time.Hour)), limit, 0.01); err != nil {
		t.Errorf("after: %v", err)
	}
	for _, one := range []struct {
		grants []grant
		report report
	}{{ga, ra}, {gb, rb}} {
		if err := excess(one.grants, limit, 0.01); err != nil {
			t.Errorf("one process alone: %v", err)
		}
		if one.report.Slowest > 3*time.Second { // unreachable, not slow: only a busy machine may delay a request
			t.Errorf("a decision took %v", one.report.Slowest)
		}
		if n, m := strings.Count(one.report.Log, "Redis is unreachable"), strings.Count(one.report.Log, "Redis is reachable again"); n != 1 || m != 1 {
			t.Errorf("unreachable is logged %d times, reachable %d times: %s", n, m, one.report.Log)
		}
	}
}

// TestTheCheckCanFail checks that excess finds too many requests.
func TestTheCheckCanFail(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	var grants []grant
	for i := range 130 {
		grants = append(grants, grant{at.Add(time.Duration(i) * time.Millisecond), 1})
	}
	slices.SortFunc(grants, func(a, b grant) int { return cmp.Compare(b.at.UnixNano(), a.at.UnixNano()) })
	if excess(grants, 120, 0.01) == nil {
		t.Error("excess accepts 130 requests with a limit of 120")
	}
	if err := excess(grants[10:], 120, 0.01); err != nil {
		t.Error(err)
	}
}
