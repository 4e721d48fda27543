package same

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sightline-analytics/sightline/internal/contract/generate"
)

// clockEnv is the variable with the file that has the Unix time of a built program, in ten digits.
const clockEnv = "SIGHTLINE_CLOCK_FILE"

// overlaid has the changes of the standard library for the built programs: a file, a text of it, and what comes after
// that text. "" is the end of the file. Random texts of 32 bytes are salts of visitors, which decide the order of
// visitors that are equal in all else; so they follow from the time. The file with the time is mapped, because the
// runtime asks for the time where it may not call the system.
var overlaid = []struct{ file, after, more string }{
	{"time/time.go", "\nimport (\n", "\t\"syscall\"\n"},
	{"time/time.go", "\nfunc Now() Time {\n\tsec, nsec, mono := runtimeNow()\n",
		"\tif clockFile != nil {\n\t\tsec, nsec = clockTime(), 0\n\t}\n"},
	{"time/time.go", "", `
var clockFile = func() []byte {
	name, _ := syscall.Getenv("` + clockEnv + `")
	if name == "" {
		return nil
	}
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	mapped, _ := syscall.Mmap(fd, 0, 10, syscall.PROT_READ, syscall.MAP_SHARED)
	return mapped
}()

func clockTime() (sec int64) {
	for _, digit := range clockFile {
		sec = 10*sec + int64(digit-'0')
	}
	return sec
}
`},
	{"crypto/rand/rand.go", "\nimport (\n", "\t\"sync/atomic\"\n\t\"syscall\"\n\t\"time\"\n"},
	{"crypto/rand/rand.go", "\nfunc Read(b []byte) (n int, err error) {\n",
		"\tif name, _ := syscall.Getenv(\"" + clockEnv + "\"); name != \"\" && len(b) == 32 {\n" +
			"\t\tclear(b)\n\t\tcopy(b, time.Now().UTC().String())\n" +
			"\t\tb[31] = byte(fixedReads.Add(1))\n\t\treturn len(b), nil\n\t}\n"},
	{"crypto/rand/rand.go", "", "\nvar fixedReads atomic.Int32\n"},
}

// overlay writes the changed files to dir, and returns the file for go build -overlay.
func overlay(dir string) (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	root, replace := strings.TrimSpace(string(out)), map[string]string{}
	for _, o := range overlaid {
		original := filepath.Join(root, "src", filepath.FromSlash(o.file))
		from, changed := replace[original], filepath.Join(dir, strings.ReplaceAll(o.file, "/", "-"))
		text, err := os.ReadFile(cmp.Or(from, original))
		if err != nil {
			return "", err
		}
		before, rest, found := strings.Cut(string(text), o.after)
		if o.after == "" {
			before, rest, found = string(text), "", true
		}
		if !found {
			return "", fmt.Errorf("%s of this version of Go does not have %q: change overlaid", o.file, o.after)
		}
		if err := os.WriteFile(changed, []byte(before+o.after+o.more+rest), 0o600); err != nil {
			return "", err
		}
		replace[original] = changed
	}
	js, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, js, 0o600)
}

// build builds the program of a checkout, with or without cgo.
func build(checkout, overlay, program string, cgo bool) error {
	cmd := exec.Command("go", "build", "-trimpath", "-overlay", overlay, "-o", program, "./cmd/sightline")
	cmd.Dir, cmd.Env = checkout, append(os.Environ(), "CGO_ENABLED="+map[bool]string{true: "1", false: "0"}[cgo])
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", checkout, err, out)
	}
	return nil
}

// A side is one of the two programs, with its folder.
type side struct {
	program, dir string
	events       []string // options with the place of the events, if it is not the folder
	clock        time.Time
	address      string
	log          *os.File
	cmd          *exec.Cmd
	client       *http.Client
	used         time.Duration // processor time of the processes that ended
}

func (s *side) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.program, append(args, "--data", filepath.Join(s.dir, "data"))...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "TZ=Asia/Kathmandu", clockEnv+"="+filepath.Join(s.dir, "clock"),
		"SIGHTLINE_PEPPER_FILE="+filepath.Join(s.dir, "pepper"))
	return cmd
}

// tick moves the clock of the processes on. It never empties the file, which they read at any time.
func (s *side) tick(on time.Duration) error {
	s.clock = s.clock.Add(on)
	f, err := os.OpenFile(filepath.Join(s.dir, "clock"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(strconv.FormatInt(s.clock.Unix(), 10)), 0)
	return errors.Join(err, f.Close())
}

// start starts the server, and returns what it prints when it is ready.
func (s *side) start() (answer, error) {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return answer{}, err
	}
	args := []string{"serve", "--addr", "127.0.0.1:0", "--json", "--demo-days", strconv.Itoa(demoDays),
		"--demo-every", "0", "--limits", "1000", "--mcp", "--cors-origin", origin, "--trusted-proxy", "127.0.0.1",
		"--country-header", country, "--track-window", "90d"}
	s.log, s.cmd = log, s.command(append(args, s.events...)...)
	s.cmd.Stderr = log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return answer{}, err
	}
	if err := s.cmd.Start(); err != nil {
		return answer{}, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return answer{}, fmt.Errorf("%s does not start, see %s: %w", s.program, log.Name(), err)
	}
	var ready struct{ Address string }
	if err := json.Unmarshal([]byte(line), &ready); err != nil {
		return answer{}, err
	}
	s.address = ready.Address
	return answer{body: strings.ReplaceAll(line, ready.Address, "")}, nil
}

// stop stops the server.
func (s *side) stop() (answer, error) {
	err := errors.Join(s.cmd.Process.Signal(syscall.SIGTERM), s.cmd.Wait(), s.log.Close())
	s.used += s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
	return answer{}, err
}

// logged waits until the log has a text a number of times.
func (s *side) logged(text string, times int) error {
	for range 3000 {
		log, err := os.ReadFile(s.log.Name())
		if err != nil || bytes.Count(log, []byte(text)) >= times {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("%s does not have %q after 5 minutes", s.log.Name(), text)
}

// run runs another command. Its answer is the output on stdout.
func (s *side) run(args []string) (answer, error) {
	cmd := s.command(args...)
	var out bytes.Buffer
	var faults bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &faults
	err := cmd.Run()
	s.used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%v: %w: %s", args, err, &faults)
	}
	return answer{status: cmd.ProcessState.ExitCode(), body: out.String()}, err
}

// send sends a request.
func (s *side) send(r generate.Request) (answer, error) {
	req, err := http.NewRequest(r.Method, s.address+r.Target, strings.NewReader(r.Body))
	if err != nil {
		return answer{}, err
	}
	req.Host = "localhost:8080"
	req.Header.Set("User-Agent", browsers[0])
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	body, err := decoded(res)
	if err != nil {
		body = append(body, "… "+err.Error()...)
	}
	return answer{res.StatusCode, res.Header, string(body)}, nil
}

// decoded reads a body. A compressed one may have other bytes, and so another length.
func decoded(res *http.Response) ([]byte, error) {
	var plain io.Reader = res.Body
	coding := res.Header.Get("Content-Encoding")
	switch {
	case coding == "" || res.ContentLength == 0 || res.Request.Method == http.MethodHead:
		return io.ReadAll(plain)
	case coding == "gzip":
		unpacked, err := gzip.NewReader(res.Body)
		if err != nil {
			return nil, err
		}
		plain = unpacked
	case coding == "zstd":
		unpacked, err := zstd.NewReader(res.Body)
		if err != nil {
			return nil, err
		}
		defer unpacked.Close()
		plain = unpacked
	}
	res.Header.Del("Content-Length")
	return io.ReadAll(plain)
}

// sides are both programs, and the findings about them.
type sides struct {
	t             *testing.T
	store         string
	before, after *side
	*pairs
	expected []*expectation
	found    int
	shown    map[string]int // number of differences by kind
	asked    int
	statuses map[int]int
}

// mostShown is the number of differences of a kind that are printed for a route or command.
const mostShown = 3

// A result is the answer of a program, or the reason why it gave none.
type result struct {
	answer
	err error
}

// both does the same with both programs at the same time, a second after what came before, and compares the answers. It
// does it again if one of them alone had no time. It returns the answer of the old one.
func (b *sides) both(what string, before, after func() (answer, error)) answer {
	b.t.Helper()
	old, is := b.once(before, after)
	for range 3 {
		if old.status == is.status || !tooSlow(old.answer) && !tooSlow(is.answer) {
			break
		}
		old, is = b.once(before, after)
	}
	if err := errors.Join(old.err, is.err); err != nil {
		b.t.Fatalf("%s: %s: %v", b.store, what, err)
	}
	b.asked++
	b.statuses[old.status]++
	for _, d := range b.compared(what, old.answer, is.answer) {
		b.report(what, d)
	}
	return old.answer
}

// tooSlow reports whether a program answered that it had no time, which depends on the machine.
func tooSlow(a answer) bool {
	return a.status == http.StatusServiceUnavailable || a.status == http.StatusGatewayTimeout
}

// once does the same with both programs at the same time, a second after what came before.
func (b *sides) once(before, after func() (answer, error)) (old, is result) {
	b.t.Helper()
	if err := errors.Join(b.before.tick(time.Second), b.after.tick(time.Second)); err != nil {
		b.t.Fatal(err)
	}
	other := make(chan result, 1)
	go func() {
		a, err := after()
		other <- result{a, err}
	}()
	old.answer, old.err = before()
	return old, <-other
}

// report fails the test for a difference that is not expected. It prints the first ones of each kind.
func (b *sides) report(what, difference string) {
	b.t.Helper()
	text := fmt.Sprintf("%s: %.300s: %s", b.store, what, difference)
	if expected(b.expected, text) {
		return
	}
	b.found++
	kind, _, _ := strings.Cut(difference, ":")
	route, _, _ := strings.Cut(what, "?")
	kind += " " + route
	if b.shown[kind]++; b.shown[kind] <= mostShown {
		b.t.Error(text)
	}
}

// run runs a command of both programs, and returns what the old one printed.
func (b *sides) run(args ...string) answer {
	b.t.Helper()
	translated := make([]string, len(args))
	for i, a := range args {
		translated[i] = b.translated(a)
	}
	return b.both(strings.Join(args, " "), func() (answer, error) { return b.before.run(args) },
		func() (answer, error) { return b.after.run(translated) })
}

// onEvents is like run, for commands that read or change events.
func (b *sides) onEvents(args ...string) answer {
	b.t.Helper()
	if b.store != onClickHouse {
		return b.run(args...)
	}
	return b.both(strings.Join(args, " "),
		func() (answer, error) { return b.before.run(append(args, b.before.events...)) },
		func() (answer, error) { return b.after.run(append(args, b.after.events...)) })
}

// send sends a request, which is written for the old program.
func (b *sides) send(r generate.Request) answer {
	b.t.Helper()
	other := r
	other.Target, other.Body, other.Header = b.translated(r.Target), b.translated(r.Body), map[string]string{}
	for name, value := range r.Header {
		other.Header[name] = b.translated(value)
	}
	what := strings.Join([]string{r.Method, r.Target, r.Header["Accept"], cmp.Or(r.Body, "")}, " ")
	return b.both(what, func() (answer, error) { return b.before.send(r) },
		func() (answer, error) { return b.after.send(other) })
}

// restart stops both servers, moves their clocks on, and starts them again.
func (b *sides) restart(on time.Duration) {
	b.t.Helper()
	b.both("stop", b.before.stop, b.after.stop)
	if err := errors.Join(b.before.tick(on), b.after.tick(on)); err != nil {
		b.t.Fatal(err)
	}
	b.start()
}

// start starts both servers, and returns what they print.
func (b *sides) start() answer {
	b.t.Helper()
	return b.both("start", b.before.start, b.after.start)
}
