//go:build cgo

package e2e

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCutOver moves a server from DuckDB to ClickHouse as docs/scale.md says, while senders continue. They repeat an
// event until it is accepted. Afterwards every event must be in ClickHouse once, and both stores must give the same
// answers about older rows.
func TestCutOver(t *testing.T) {
	t.Parallel()
	dsn, _ := emptyClickHouse(t)
	dir := t.TempDir()
	fillFile(t, dir, 1500)
	where := []string{"--limits", "off", "--addr", freeAddress(t)}
	p := empty(t, dir, append(where, "--new-records")...)
	if _, errs, code := run(t, "websites", "add", "--data", dir, "--id", "site", "--domain",
		"shop.example"); code != 0 {
		t.Fatal(errs)
	}
	p.Key = createKey(t, dir, "--resource", "website:"+p.WebsiteID)
	site := ready{Address: p.Address, Key: createKey(t, dir, "--resource", "website:site")}
	answers := answersAboutSite(t, site)
	senders := sendAlways(t, p)
	senders.await(t, 10)

	following, ended := follow(t, "--data", dir, "--to", dsn)
	<-following
	senders.await(t, 10) // events that only a later pass copies
	stopped := time.Now()
	p.stop(t)
	if out := <-ended; !strings.Contains(out, "verified: ") {
		t.Fatalf("copy: %s", out)
	}
	p = p.restart(t, dir, append(where, "--clickhouse", dsn)...)
	t.Logf("no server for %s", time.Since(stopped).Round(time.Millisecond))
	senders.await(t, 10)
	senders.stop()
	if diff := cmp.Diff(answers, answersAboutSite(t, site)); diff != "" {
		t.Errorf("answers of the two stores (-DuckDB +ClickHouse):\n%s", diff)
	}
	for i, s := range streams {
		checkOnce(t, p.ready, s, "move-", senders.sent[i], true)
	}
	p.stop(t)
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// senders send each stream until they are stopped.
type senders struct {
	stop     func() // and wait
	sent     []sent // after stop
	accepted []atomic.Int64
}

// sendAlways starts a sender of each stream to the address of p.
func sendAlways(t *testing.T, p *process) *senders {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	all := &senders{sent: make([]sent, len(streams)), accepted: make([]atomic.Int64, len(streams))}
	var running sync.WaitGroup
	for i, s := range streams {
		to := &all.sent[i]
		to.accepted = map[string]bool{}
		running.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				name := "move-" + strconv.Itoa(n) + "-"
				to.tried = append(to.tried, name)
				for !to.accepted[name] {
					// the last event is not interrupted
					status, answer, err := do(t.Context(), p.track(s.route, s.body(name)))
					to.accepted[name] = err == nil && status == http.StatusOK && answer["status"] == "success"
					if err == nil && !to.accepted[name] && status != http.StatusServiceUnavailable {
						t.Errorf("%s: status %d, %v", s.route, status, answer)
						return
					}
					if err != nil && t.Context().Err() != nil {
						return
					}
					time.Sleep(20 * time.Millisecond)
				}
				all.accepted[i].Add(1)
			}
		})
	}
	all.stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(cancel)
	return all
}

// await waits until n further events of each stream are accepted.
func (s *senders) await(t *testing.T, n int64) {
	t.Helper()
	for i := range s.accepted {
		until := s.accepted[i].Load() + n
		for began := time.Now(); s.accepted[i].Load() < until; time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > 2*time.Minute || t.Failed() {
				t.Fatalf("%s: %d events are accepted, want %d", streams[i].route, s.accepted[i].Load(), until)
			}
		}
	}
}

// follow starts copy --follow. The first channel is closed when the command has copied what there is; the second gets
// its output after it ended with exit code 0.
func follow(t *testing.T, args ...string) (following chan struct{}, ended chan string) {
	t.Helper()
	cmd := command(append([]string{"copy", "--follow"}, args...)...)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs safeBuffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // may have ended already
	following, ended = make(chan struct{}), make(chan string, 1)
	go func() {
		caughtUp := sync.OnceFunc(func() { close(following) })
		defer caughtUp()
		var out strings.Builder
		for said := bufio.NewScanner(pipe); said.Scan(); {
			out.WriteString(said.Text() + "\n")
			if strings.HasPrefix(said.Text(), "following: ") {
				caughtUp()
			}
		}
		if err := cmd.Wait(); err != nil {
			out.Reset()
			out.WriteString(err.Error() + "\n" + errs.String())
		}
		ended <- out.String()
	}()
	return following, ended
}

// answersAboutSite returns answers about the rows of fillFile.
func answersAboutSite(t *testing.T, r ready) map[string][]object {
	t.Helper()
	all := map[string][]object{}
	for _, parameter := range []string{"summary_metrics", "events_by_date", "pages", "browser_name", "custom_events",
		"session_list", "performance"} {
		all[parameter] = ask(t, r, "website_id=site", parameter,
			object{"startDate": "2026-08-29", "endDate": "2026-08-31", "preset": nil})
		if len(all[parameter]) == 0 {
			t.Errorf("%s: no rows", parameter)
		}
	}
	return all
}
