package chtest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// startWithin is the time limit of a start. A busy machine needs a few seconds.
const startWithin = 2 * time.Minute

// A Server is a ClickHouse server for one test. Its addresses and its data stay the same when it is killed, stopped and
// started again.
type Server struct {
	// Native and HTTP are its addresses, such as clickhouse://default:@127.0.0.1:9000/default.
	Native, HTTP string

	t     testing.TB
	up    string
	name  string
	data  string
	flags []string
	runs  bool
}

// Start runs a server for t with the command in CLICKHOUSE_UP and stops it at the end of the test. flags take
// precedence over the flags that Start sets.
func Start(t testing.TB, flags ...string) *Server {
	t.Helper()
	s := &Server{
		t: t, up: variable(t, "CLICKHOUSE_UP", "a command that starts servers"),
		name: fmt.Sprintf("test-%x", rand.Uint64()), data: t.TempDir(), //nolint:gosec // no secret
	}
	ports := freePorts(t)
	s.flags = append([]string{
		"--data", s.data, "--http-port", strconv.Itoa(ports[0]), "--native-port", strconv.Itoa(ports[1]),
	}, flags...)
	t.Cleanup(s.Stop)
	s.Restart()
	return s
}

// variable returns the value of an environment variable that a test needs. The value none means that the resource does
// not exist, also in CI.
func variable(t testing.TB, name, what string) string {
	t.Helper()
	switch value := os.Getenv(name); value {
	case "none":
		t.Skip("needs its own ClickHouse servers, which this machine cannot start")
	case "":
		testenv.Missing(t, fmt.Sprintf("needs its own ClickHouse servers: set %s to %s, see the documentation of internal/chtest", name, what))
	}
	return os.Getenv(name)
}

// freePorts returns two ports below the range that the system uses for outgoing connections, so that they are still
// free when a server starts again.
func freePorts(t testing.TB) [2]int {
	t.Helper()
	var ports [2]int
	for i := range ports {
		for tries := 0; ports[i] == 0; tries++ {
			port := 12_000 + rand.IntN(18_000) //nolint:gosec // no secret
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(port))
			switch {
			case err == nil:
				ports[i] = port
				_ = l.Close()
			case tries == 100:
				t.Fatalf("no free port: %v", err)
			}
		}
	}
	return ports
}

// Restart stops s if it runs, and starts it with its data and with additional
// flags.
func (s *Server) Restart(flags ...string) {
	s.t.Helper()
	s.Stop()
	s.runs = true
	s.flags = append(s.flags, flags...)
	s.HTTP = unlogged(s.t, s.run("start", s.flags...))
	if s.Native == "" {
		s.Native = unlogged(s.t, s.run("native"))
	}
}

// Stop shuts s down. It does nothing if s does not run.
func (s *Server) Stop() {
	s.t.Helper()
	if s.runs {
		s.run("stop")
		s.runs = false
	}
}

// Kill stops s with SIGKILL.
func (s *Server) Kill() {
	s.t.Helper()
	pid := s.pid()
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		s.t.Fatalf("killing process %d: %v", pid, err)
	}
	s.Stop() // stop the rest of the server
}

// run runs the command in CLICKHOUSE_UP and returns its output.
func (s *Server) run(verb string, flags ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	args := append([]string{verb, "--name", s.name}, flags...)
	cmd := exec.CommandContext(ctx, s.up, args...) //nolint:gosec // the person who runs the tests sets the command
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s %s: %v: %s", s.up, verb, err, said.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// pid returns the process with the data of s. The folder is one of the process's arguments.
func (s *Server) pid() int {
	s.t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range lines {
		line, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		for arg := range bytes.SplitSeq(line, []byte{0}) {
			if string(arg) != "--path="+s.data {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err != nil {
				s.t.Fatal(err)
			}
			return pid
		}
	}
	s.t.Fatalf("no process has the data in %s", s.data)
	return 0
}
