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
)

// startWithin bounds a start; a busy machine takes some seconds.
const startWithin = 2 * time.Minute

// A Server is a ClickHouse server of one test. Its addresses and its data stay the same
// when it is killed, stopped and started again.
type Server struct {
	// Native and HTTP are its addresses, as in clickhouse://default:@127.0.0.1:9000/default.
	Native, HTTP string

	t     testing.TB
	up    string
	name  string
	data  string
	flags []string
	runs  bool
}

// Start runs a server of its own for t, with flags of the command in CLICKHOUSE_UP,
// and ends it when the test does. Flags win over those that Start gives by itself.
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

// variable is the value of an environment variable that a test cannot do without. The
// value none says that there is no such thing here, also to CI.
func variable(t testing.TB, name, what string) string {
	t.Helper()
	value := os.Getenv(name)
	switch {
	case value != "" && value != "none":
	case value == "" && os.Getenv("CI") == "true":
		t.Fatalf("%s is not set", name)
	default:
		t.Skipf("needs ClickHouse servers of its own: set %s to %s, as the documentation of internal/chtest says", name, what)
	}
	return value
}

// freePorts finds two ports below those that the system gives to outgoing connections,
// so that they are still free when a server comes back to them.
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

// Restart starts s with the data it has, and first stops it when it runs. From now on it has the flags
// as well.
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

// Stop ends s in order. It does nothing to a server that has ended.
func (s *Server) Stop() {
	s.t.Helper()
	if s.runs {
		s.run("stop")
		s.runs = false
	}
}

// Kill ends s by SIGKILL, whatever it is doing.
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
	s.Stop() // whatever else belongs to it
}

// run runs the command of CLICKHOUSE_UP and returns what it printed.
func (s *Server) run(verb string, flags ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.up, append([]string{verb, "--name", s.name}, flags...)...) //nolint:gosec // whoever runs the tests names the command
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s %s: %v: %s", s.up, verb, err, said.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// pid is the process that has the data of s: it was told their folder.
func (s *Server) pid() int {
	s.t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range lines {
		line, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
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
