//go:build cgo

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	cli "github.com/sightline-analytics/sightline/internal/program/command"
)

const (
	// programEnv is the path of the built program. Set it to test an existing build.
	programEnv = "SIGHTLINE_E2E_PROGRAM"
	// asProgramEnv makes the test's executable run as the program.
	asProgramEnv = "SIGHTLINE_E2E_IS_PROGRAM"
	// scratchEnv is a folder that tests share. It is deleted at the end.
	scratchEnv = "SIGHTLINE_E2E_SCRATCH"
)

const root = "../.."

func TestMain(m *testing.M) {
	if os.Getenv(asProgramEnv) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		os.Exit(cli.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(buildAndRun(m))
}

// buildAndRun builds the program without the race detector, which would make every start slow. startRaced is for tests
// that need the race detector.
func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "sightline-e2e-")
	if err == nil {
		err = os.Setenv(scratchEnv, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if os.Getenv(programEnv) != "" {
		return m.Run()
	}
	program := filepath.Join(dir, "sightline")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", "build", "-race=false", "-o", program, "./cmd/sightline")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(programEnv, program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// command returns a command of the program, in a time zone that answers must not depend on.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Getenv(programEnv), args...)
	cmd.Env = append(os.Environ(), "TZ=Asia/Kathmandu")
	return cmd
}

// A ready is the line that the program prints with --json.
type ready struct {
	Address, TrackAddress, Key, WebsiteID, LinkID, ScheduleID string
}

// A process is a running program.
type process struct {
	ready
	line   string // ready, as printed
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr *safeBuffer
	ended  chan error
}

// safeBuffer is a buffer for concurrent use.
type safeBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// launch starts the program on a free port with its data in dir, and does not wait.
// The process ends with the test.
func launch(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return begin(t, serving(dir, args...))
}

// serving returns a command that serves. The traffic of the demo ends at the start, so that answers stay the same.
func serving(dir string, args ...string) *exec.Cmd {
	return command(append([]string{"serve", "--addr", "127.0.0.1:0", "--data", dir, "--demo-every", "0"}, args...)...)
}

// begin starts a command that serves.
func begin(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, stdout: bufio.NewReader(pipe), stderr: &safeBuffer{}, ended: make(chan error, 1)}
	cmd.Stderr = p.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // may have ended already
		if t.Failed() {
			t.Logf("the program wrote:\n%s", p.stderr)
		}
	})
	return p
}

// start launches the program and waits until it is ready.
func start(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	p := launch(t, dir, append(args, "--json")...)
	p.await(t)
	return p
}

// startRaced is like start, with the race detector if the test has it. A race makes the program end with an error.
func startRaced(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	cmd := serving(dir, append(args, "--json")...)
	var err error
	if cmd.Path, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, asProgramEnv+"=1")
	p := begin(t, cmd)
	p.await(t)
	return p
}

// await waits until p, which has --json, is ready.
func (p *process) await(t *testing.T) {
	t.Helper()
	p.line = p.readLine(t)
	if err := json.Unmarshal([]byte(p.line), &p.ready); err != nil {
		t.Fatalf("the first line of stdout, %q: %v", p.line, err)
	}
}

// readLine returns the next line of stdout without the newline.
func (p *process) readLine(t *testing.T) string {
	t.Helper()
	type result struct {
		line string
		err  error
	}
	got := make(chan result, 1)
	go func() {
		line, err := p.stdout.ReadString('\n')
		got <- result{line, err}
	}()
	select {
	case r := <-got:
		if r.err != nil {
			t.Fatalf("reading stdout: %v; stderr:\n%s", r.err, p.stderr)
		}
		return strings.TrimRight(r.line, "\r\n")
	case <-time.After(3 * time.Minute):
		t.Fatalf("nothing on stdout in three minutes; stderr:\n%s", p.stderr)
		return ""
	}
}

// stop stops the program and checks that it exits with 0 and printed at most one line to stdout.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(t); err != nil {
		t.Fatalf("after the signal to stop: %v; stderr:\n%s", err, p.stderr)
	}
}

// kill kills the program: SIGKILL on Unix.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := p.wait(t); !errors.As(err, &exit) {
		t.Fatalf("after the kill: %v", err)
	}
}

func (p *process) wait(t *testing.T) error {
	t.Helper()
	go func() {
		rest, _ := io.ReadAll(p.stdout) // reading from a killed process may return any error
		err := p.cmd.Wait()
		if err == nil && p.line != "" && len(rest) > 0 {
			err = fmt.Errorf("more than one line on stdout: %q", rest)
		}
		p.ended <- err
	}()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("the process does not end; stderr:\n%s", p.stderr)
		return nil
	}
}

// run runs a command of the program, for at most a minute, and returns its output and exit code.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runWithin(t, time.Minute, args...)
}

func runWithin(t *testing.T, limit time.Duration, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%v: %v", args, errors.Join(err, ctx.Err()))
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
