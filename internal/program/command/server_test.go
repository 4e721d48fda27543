//go:build cgo

package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A process is a server that runs within the test.
type process struct {
	Address, MetricsAddress, Key string // from the line that it prints when it is ready

	end  context.CancelFunc
	code chan int
	errs *safeText
}

// safeText is a buffer for concurrent use.
type safeText struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *safeText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *safeText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// serve starts a server on the install, without a demo, and waits until it is ready.
func (in installed) serve(t *testing.T, flags ...string) *process {
	t.Helper()
	args := in.args(append([]string{"serve", "--addr", "127.0.0.1:0", "--demo=false", "--json"}, flags...)...)
	return start(t, func(ctx context.Context, out, errs io.Writer) int { return Run(ctx, args, out, errs) })
}

// start starts a server and waits until it is ready.
func start(t *testing.T, serve func(ctx context.Context, out, errs io.Writer) int) *process {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	p := &process{end: end, code: make(chan int, 1), errs: &safeText{}}
	from, to := io.Pipe()
	go func() {
		p.code <- serve(ctx, to, p.errs)
		_ = to.Close()
	}()
	t.Cleanup(func() { p.stop(t) })
	line, err := bufio.NewReader(from).ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), p)
	}
	if err != nil {
		t.Fatalf("the server does not start: %v, %s", err, p.errs)
	}
	return p
}

// stop ends the server, which must exit with 0. A second call does nothing.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if p.end == nil {
		return
	}
	p.end()
	p.end = nil
	select {
	case code := <-p.code:
		if code != 0 {
			t.Errorf("exit code %d: %s", code, p.errs)
		}
	case <-time.After(time.Minute):
		t.Fatalf("the server does not end: %s", p.errs)
	}
}

// ask queries the pages of a website with a credential, and returns status and body.
func (p *process) ask(t *testing.T, website, credential string) (int, string) {
	t.Helper()
	return p.get(t, "/v1/query?parameters=pages&preset=last_7d&website_id="+website, credential)
}

func (p *process) get(t *testing.T, path, credential string) (int, string) {
	t.Helper()
	return p.send(t, http.MethodGet, path, credential, "")
}

// wants sends one query and checks the status.
func (p *process) wants(t *testing.T, says, website, credential string, status int) {
	t.Helper()
	if got, body := p.ask(t, website, credential); got != status {
		t.Errorf("%s: status %d, want %d: %s", says, got, status, body)
	}
}

// within repeats a query until the answer has a status, for at most a second plus otherWork.
func (p *process) within(t *testing.T, says, website, credential string, status int) {
	t.Helper()
	began := time.Now()
	for {
		got, body := p.ask(t, website, credential)
		took := time.Since(began)
		switch {
		case took > time.Second+otherWork:
			t.Errorf("%s: status %d after %v, want %d: %s", says, got, took, status, body)
			return
		case got == status:
			t.Logf("%s: after %v", says, took)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// otherWork is the time that other processes on the machine may add. The tests of package keycache check the
// second exactly, with their own clock.
const otherWork = 10 * time.Second

// secret runs a command and returns its stdout, which must be one word on one line. Stderr must not have it.
func (in installed) secret(t *testing.T, command ...string) string {
	t.Helper()
	out, errs, code := in.try(t, command...)
	text := strings.TrimSuffix(out, "\n")
	if code != 0 || len(text) < 40 || strings.ContainsAny(text, " \n") {
		t.Fatalf("%v: exit code %d, stdout %q, %s", command, code, out, errs)
	}
	if strings.Contains(errs, text) || !strings.Contains(errs, "20") {
		t.Errorf("%v: stderr has the secret, or no date: %s", command, errs)
	}
	return text
}
