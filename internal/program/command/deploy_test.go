//go:build cgo

package command

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

const deploy = "../../../deploy/"

// edited returns a file of deploy with replacements, each of which it must have.
func edited(t *testing.T, name string, pairs ...string) string {
	t.Helper()
	text := read(t, deploy+name)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s does not have %q", name, pairs[i])
		}
		text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
	}
	return text
}

// deployed returns the files of deploy and the Dockerfile, by name.
func deployed(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"Dockerfile": read(t, "../../../Dockerfile")}
	for _, path := range glob(t, deploy+"*") {
		all[filepath.Base(path)] = read(t, path)
	}
	return all
}

// Variables, options and commands that files of deploy name exist.
func TestDeployedFilesNameWhatExists(t *testing.T) {
	p, err := newParser(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"SIGHTLINE_HOST", "--help"} // the first is of the compose files alone
	for _, command := range p.Model.Leaves(false) {
		known = append(known, command.Path())
		for _, flag := range command.Flags {
			known = append(append(known, flag.Envs...), "--"+flag.Name)
		}
	}
	patterns := []*regexp.Regexp{
		regexp.MustCompile(`\b()(SIGHTLINE_[A-Z_]+)\b`),
		regexp.MustCompile(`\b(serve|file of) (--[a-z-]+)`),
		regexp.MustCompile(`(needs) (--[a-z-]+)`),
		regexp.MustCompile(`(/usr/local/bin/sightline|"/usr/local/bin/sightline",|\bsightline sightline) "?([a-z]+)`),
	}
	missing := func(text string) (names []string) {
		for _, pattern := range patterns {
			for _, found := range pattern.FindAllStringSubmatch(text, -1) {
				if !slices.ContainsFunc(known, func(k string) bool { return strings.Fields(k)[0] == found[2] }) {
					names = append(names, found[2])
				}
			}
		}
		return names
	}
	named := 0
	for name, text := range deployed(t) {
		for _, pattern := range patterns {
			named += len(pattern.FindAllString(text, -1))
		}
		if names := missing(text); len(names) > 0 {
			t.Errorf("%s: these do not exist: %v", name, names)
		}
	}
	if planted := missing("SIGHTLINE_DATEN=1 serve --metric-addr"); named < 20 || len(planted) != 2 {
		t.Errorf("found %d names, and the planted ones: %v", named, planted)
	}
}

// The metrics that the rules and the dashboard name have values as soon as a server has answered once.
func TestDeployedMetricsExist(t *testing.T) {
	t.Parallel()
	in := installed{dir: t.TempDir()}
	p := in.serve(t, "--metrics-addr", "127.0.0.1:0")
	p.get(t, "/v1/query/websites", in.secret(t, "keys", "add", "--all"))
	p.Address = strings.TrimSuffix(p.MetricsAddress, "/metrics")
	status, scrape := p.get(t, "/metrics", "")
	if status != 200 {
		t.Fatalf("status %d: %s", status, scrape)
	}
	metric := regexp.MustCompile(`\b(sightline|process|go)_[a-z_]+\b`)
	later := []string{ // the first two after a query, the last with --geoip
		"sightline_answers_total", "sightline_store_duration_seconds_bucket", "sightline_geoip_age_seconds",
	}
	all := deployed(t)
	for _, name := range []string{"rules.yml", "grafana.json"} {
		found := metric.FindAllString(all[name], -1)
		if len(found) < 5 {
			t.Errorf("%s has the metrics %v", name, found)
		}
		for _, m := range found {
			if !strings.Contains(scrape, "\n"+m+"{") && !strings.Contains(scrape, "\n"+m+" ") &&
				!slices.Contains(later, m) {
				t.Errorf("%s: there is no metric %s", name, m)
			}
		}
	}
	for _, line := range []string{
		`sightline_errors_total{code="STORAGE_FULL",handler="track",route="none"} 0`,
		`sightline_errors_total{code="TIMEOUT",handler="api",route="POST /v1/query"} 0`,
		`sightline_build_info{go="go`, `sightline_healthy{part="clickhouse"} 1`, "sightline_backup_failing 0",
		"sightline_backup_newest_timestamp_seconds 0",
	} {
		if !strings.Contains(scrape, "\n"+line) {
			t.Errorf("the scrape does not have %s", line)
		}
	}
	var board struct{ Panels []struct{ Title string } }
	if err := json.Unmarshal([]byte(all["grafana.json"]), &board); err != nil || len(board.Panels) == 0 {
		t.Errorf("the dashboard has %d panels: %v", len(board.Panels), err)
	}
}

// Prometheus accepts its files, and the rules do what their tests say.
func TestDeployedRules(t *testing.T) {
	promtool := testenv.Program(t, "promtool")
	for _, args := range [][]string{
		{"check", "config", "prometheus.yml"}, {"test", "rules", "rules_test.yml"},
	} {
		cmd := exec.CommandContext(t.Context(), promtool, args...)
		cmd.Dir = deploy
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

// systemd accepts the unit without a remark, and finds one in a planted mistake.
func TestDeployedUnit(t *testing.T) {
	analyze := testenv.Program(t, "systemd-analyze")
	verify := func(text string) string {
		path := write(t, "sightline.service", text)
		out, _ := exec.CommandContext(t.Context(), analyze, "verify", path).CombinedOutput() // remarks need not fail
		return string(out)
	}
	unit := edited(t, "sightline.service", "/usr/local/bin/sightline", "/bin/true", "User=sightline\n", "User=root\n")
	if out := verify(unit); strings.Contains(out, "sightline.service") {
		t.Errorf("systemd-analyze verify: %s", out)
	}
	misspelled := strings.Replace(unit, "RestartSec", "RestartSeconds", 1)
	if out := verify(misspelled); !strings.Contains(out, "RestartSeconds") {
		t.Errorf("a planted mistake is not found: %q", out)
	}
}

// A server tells its supervisor when it accepts requests, and when it stops.
func TestSupervisorIsTold(t *testing.T) {
	dir, err := os.MkdirTemp("", "n") //nolint:usetesting // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	t.Setenv("NOTIFY_SOCKET", socket.LocalAddr().String())
	in := installed{dir: t.TempDir()}
	p := in.serve(t)
	if got := said(t, socket); got != "READY=1" {
		t.Errorf("the supervisor is told %q", got)
	}
	p.stop(t)
	if got := said(t, socket); got != "STOPPING=1" {
		t.Errorf("the supervisor is told %q", got)
	}
	t.Setenv("NOTIFY_SOCKET", filepath.Join(dir, "nobody"))
	p = in.serve(t)
	p.stop(t)
	if !strings.Contains(p.errs.String(), "NOTIFY_SOCKET could not be told") {
		t.Errorf("the log does not say that nobody listens: %s", p.errs)
	}
}

func said(t *testing.T, from io.Reader) string {
	t.Helper()
	text := make([]byte, 100)
	n, err := from.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(text[:n])
}

// health reports what a server reports.
func TestHealthCommand(t *testing.T) {
	t.Parallel()
	p := installed{dir: t.TempDir()}.serve(t, "--redis", "redis://127.0.0.1:1/0")
	for _, row := range []struct{ args, want string }{
		{"health", "ok, but not available: redis\n"}, {"health --live", "ok\n"},
	} {
		var out, errs strings.Builder
		args := append(strings.Fields(row.args), "--addr", strings.TrimPrefix(p.Address, "http://"))
		if code := Run(t.Context(), args, &out, &errs); code != 0 || out.String() != row.want {
			t.Errorf("%v: exit code %d, %q, %s", args, code, out.String(), errs.String())
		}
	}
	for addr, want := range map[string]string{
		":80": "http://127.0.0.1:80/health", "0.0.0.0:80": "http://127.0.0.1:80/health",
		"[::]:80": "http://127.0.0.1:80/health", "10.0.0.1:80": "http://10.0.0.1:80/health",
		"localhost:80": "http://localhost:80/health",
	} {
		if got := (&askHealth{Addr: addr}).url(); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
	report := map[string]any{"success": false, "redis": true, "database": false,
		"checks": map[string]any{"disk": false}}
	if got := failing(report); !slices.Equal(got, []string{"disk", "database"}) {
		t.Errorf("failing parts: %v", got)
	}
}
