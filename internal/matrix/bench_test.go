//go:build unix

package matrix

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/httpapi"
	"github.com/sightline-analytics/sightline/internal/directorycache"
	"github.com/sightline-analytics/sightline/store"
)

// BenchmarkGuard measures the steps before an answer: authentication with a cached key, limit, authorisation and audit.
// It compares them with a bare net/http request in the same run. Every request goes over a connection to a server.
// Times are processor times of the whole process, including the audit trail, which writes to SQLite in the background.
//
//	bare-µs       a bare request, by the client of net/http
//	server-µs     a bare request, by a client that does next to nothing
//	guard-µs      what the guard adds
//	ratio         guard-µs by bare-µs
//	server-ratio  guard-µs by server-µs
//	allocs        allocations that the guard adds
//
// The four steps run in front of the bare handler. A refusal is a request to httpapi that fails at the last step. So it
// also finds the route, reads the address and writes a larger answer.
func BenchmarkGuard(b *testing.B) {
	for _, of := range []struct {
		name   string
		of     func(*testing.B, engine) engine // with another directory
		status int
		guard  func(*world) http.Handler
	}{
		{"four steps, directory in memory", inMemoryOf, http.StatusOK, fourSteps},
		{"four steps, directory on SQLite, cached", cachedOf, http.StatusOK, fourSteps},
		{"four steps, directory on SQLite", func(_ *testing.B, e engine) engine { return e }, http.StatusOK, fourSteps},
		{"a refusal, directory on SQLite, cached", cachedOf, http.StatusForbidden,
			func(w *world) http.Handler { return w.api }},
	} {
		b.Run(of.name, func(b *testing.B) {
			w := newWorld(b, of.of(b, onSQLite(b)))
			w.limiter.renew(b, ratelimit.Config{Factor: 1e6})
			guarded, bare := serve(b, of.guard(w)), serve(b, http.HandlerFunc(answer))
			request := "GET /v1/query?website_id=" + aside +
				"&parameters=summary&preset=last_7d HTTP/1.1\r\nHost: example.com\r\n" +
				"User-Agent: " + browser + "\r\nAccept: application/json\r\nX-Api-Key: " + w.secrets["right"].Reveal() +
				"\r\n\r\n"
			compare(b, func(n int) { bare.askByClient(b, n) }, func(n int) { bare.ask(b, request, http.StatusOK, n) },
				func(n int) {
					guarded.ask(b, request, of.status, n)
					if err := w.audit.Flush(b.Context()); err != nil {
						b.Fatal(err)
					}
				})
		})
	}
}

// inMemoryOf returns e with websites in memory.
func inMemoryOf(_ *testing.B, e engine) engine {
	dir := &store.MemoryDirectory{}
	e.dir, e.site = dir, dir.AddWebsite
	return e
}

// cachedOf returns e with a cache for its directory.
func cachedOf(b *testing.B, e engine) engine {
	b.Helper()
	dir, err := directorycache.New(directorycache.Config{Directory: e.dir})
	if err != nil {
		b.Fatal(err)
	}
	e.dir = dir
	return e
}

// answer is the bare handler.
func answer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"success":true}`)
}

// fourSteps returns the bare handler behind authentication, limit, authorisation and audit.
func fourSteps(w *world) http.Handler {
	authenticator, err := auth.New(auth.Config{Store: w.cache, Pepper: pepper, Now: noonClock})
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx, asked := r.Context(), auth.Resource{Kind: auth.KindWebsite, ID: listed}
		var p *auth.Principal
		if err == nil {
			p, err = authenticator.Authenticate(ctx, r)
		}
		if err != nil {
			httpapi.WriteError(rw, r, err)
			return
		}
		d, err := p.Charge(ctx, w.limiter, auth.ClassQuery, 1)
		d.SetHeaders(rw.Header(), auth.ClassQuery, noon)
		slot, release := p.Acquire(w.limiter)
		if release != nil {
			defer release()
		}
		owner, unknown := w.dir.Owner(ctx, store.Subject{Kind: store.KindWebsite, ID: asked.ID})
		asked.Owner = owner
		mayRead := p.Allows(auth.ToRead(), asked)
		if err != nil || unknown != nil || !d.OK || !slot.OK || !mayRead {
			httpapi.WriteError(rw, r, auth.ErrForbidden)
			return
		}
		e := auth.Entry{Time: time.Now(), RequestID: "req_ABCDEFGHIJKLMNOPQRSTUVWXYZ", Method: r.Method,
			Route: "/v1/query", Resource: asked,
			Scope: auth.ReadData, Outcome: auth.OutcomeOf(http.StatusOK), Status: http.StatusOK, IP: "127.0.0.1",
			UserAgent: r.UserAgent()}
		e.Identify(p, nil)
		if err := w.audit.Record(ctx, e); err != nil {
			httpapi.WriteError(rw, r, err)
			return
		}
		answer(rw, r)
	})
}

// compare takes turns, so that other work of the machine affects all equally.
func compare(b *testing.B, whole, bare, guarded func(n int)) {
	b.Helper()
	const turn = 500
	var full, without, with usage
	ways := []struct {
		of  *usage
		ask func(int)
	}{{&full, whole}, {&without, bare}, {&with, guarded}}
	for _, way := range ways { // warm up
		way.ask(turn)
	}
	n := 0
	for b.Loop() {
		if n%turn == 0 {
			for _, way := range ways {
				way.of.add(func() { way.ask(turn) })
			}
		}
		n++
	}
	each := float64((n + turn - 1) / turn * turn)
	micros := func(d time.Duration) float64 { return d.Seconds() * 1e6 / each }
	guard := micros(with.cpu - without.cpu)
	b.ReportMetric(micros(full.cpu), "bare-µs")
	b.ReportMetric(micros(without.cpu), "server-µs")
	b.ReportMetric(guard, "guard-µs")
	b.ReportMetric(guard/micros(full.cpu), "ratio")
	b.ReportMetric(guard/micros(without.cpu), "server-ratio")
	b.ReportMetric(float64(with.allocs-without.allocs)/each, "allocs")
}

// A usage has processor time and allocations of the process.
type usage struct {
	cpu    time.Duration
	allocs int64
}

func (u *usage) add(f func()) {
	before := used()
	f()
	after := used()
	u.cpu += after.cpu - before.cpu
	u.allocs += after.allocs - before.allocs
}

func used() usage {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r) // cannot fail for the own process
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{time.Duration(r.Utime.Nano() + r.Stime.Nano()), int64(m.Mallocs)}
}

// A line is a connection to a server.
type line struct {
	conn   net.Conn
	in     *bufio.Reader
	server *httptest.Server
}

func serve(b *testing.B, h http.Handler) *line {
	b.Helper()
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	conn, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &line{conn, bufio.NewReader(conn), server}
}

// askByClient sends a bare request n times, as a Go program does.
func (l *line) askByClient(b *testing.B, n int) {
	b.Helper()
	client := l.server.Client()
	for range n {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, l.server.URL, http.NoBody)
		if err != nil {
			b.Fatal(err)
		}
		resp, err := client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// ask sends a request n times and reads the answers with little work, so that the client costs little.
func (l *line) ask(b *testing.B, request string, status, n int) {
	b.Helper()
	want, length := fmt.Sprintf("HTTP/1.1 %d", status), 0
	for range n {
		if _, err := io.WriteString(l.conn, request); err != nil {
			b.Fatal(err)
		}
		for first := true; ; first = false {
			text, err := l.in.ReadSlice('\n')
			if err != nil || first && string(text[:len(want)]) != want {
				b.Fatalf("%s, %v", text, err)
			}
			if len(text) > 16 && text[8] == 'L' {
				length = 0
				for _, c := range text[len("Content-Length: ") : len(text)-2] {
					length = 10*length + int(c-'0')
				}
			}
			if len(text) == 2 {
				break
			}
		}
		if _, err := l.in.Discard(length); err != nil {
			b.Fatal(err)
		}
	}
}
