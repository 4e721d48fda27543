package redislimit_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/auth/ratelimit/redislimit"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// patience is the maximum wait for events that should happen soon.
const patience = 20 * time.Second

// A server is a Redis that a test can kill and start again. Its socket stays the
// same.
type server struct {
	socket string
	cmd    *exec.Cmd
}

func startServer(t testing.TB) *server {
	t.Helper()
	testenv.Program(t, "redis-server")
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &server{socket: filepath.Join(dir, "s")}
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

func (s *server) dsn() string { return "unix://" + s.socket }

func (s *server) start(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command("redis-server", "--port", "0", "--unixsocket", s.socket, "--save", "", "--appendonly", "no",
		"--dir", filepath.Dir(s.socket))
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("unix", s.socket)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("redis-server does not listen: %v", err)
		}
	}
}

// kill stops the server at once. Further calls do nothing.
func (s *server) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

func newClient(t testing.TB, dsn string) *redis.Client {
	t.Helper()
	o, err := redislimit.Options(dsn)
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A journal records log messages.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) count(part string) int { return strings.Count(j.String(), part) }

// waitFor waits until a message with part was logged n times.
func (j *journal) waitFor(t testing.TB, part string, n int) {
	t.Helper()
	for end := time.Now().Add(patience); j.count(part) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q was logged %d times, want %d", part, j.count(part), n)
		}
	}
}

// newLimiter returns a limiter with a timeout that is long enough for a busy machine.
func newLimiter(t testing.TB, client redis.Scripter, local ratelimit.Config) (*redislimit.Limiter, *journal) {
	t.Helper()
	return newBounded(t, client, local, patience)
}

// newBounded returns a limiter with this timeout; 0 means the default.
func newBounded(t testing.TB, client redis.Scripter, local ratelimit.Config,
	timeout time.Duration) (*redislimit.Limiter, *journal) {
	t.Helper()
	mine, err := ratelimit.New(local)
	if err != nil {
		t.Fatal(err)
	}
	var j journal
	l, err := redislimit.New(redislimit.Config{Client: client, Local: mine, Timeout: timeout,
		Logger: slog.New(slog.NewTextHandler(&j, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close(context.Background()) })
	return l, &j
}

// A proxy delays the answers of a server.
type proxy struct {
	net.Listener
	to    string
	delay atomic.Int64 // delay of each answer
	open  sync.WaitGroup
}

func startProxy(t testing.TB, to *server) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, to: to.socket}
	ctx, end := context.WithCancel(context.Background())
	p.open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.open.Go(func() { p.serve(ctx, c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		end()
		p.open.Wait()
	})
	return p
}

func (p *proxy) dsn() string { return "redis://" + p.Addr().String() + "/0" }

func (p *proxy) serve(ctx context.Context, c net.Conn) {
	defer c.Close()
	s, err := net.Dial("unix", p.to)
	if err != nil {
		return
	}
	defer s.Close()
	stop := context.AfterFunc(ctx, func() { _, _ = c.Close(), s.Close() })
	defer stop()
	p.open.Go(func() {
		_, _ = io.Copy(s, c)
		_ = s.Close()
	})
	buf := make([]byte, 4096)
	for {
		n, err := s.Read(buf)
		if err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(p.delay.Load())):
		}
		if _, err := c.Write(buf[:n]); err != nil {
			return
		}
	}
}
