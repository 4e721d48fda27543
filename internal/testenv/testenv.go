// Package testenv tells tests what the machine has, and which tier runs:
//
//	func TestStore(t *testing.T) {
//		dsn := testenv.Address(t, "POSTGRES_DSN")   // skips without a server, fails in CI
//		node := testenv.Program(t, "node")          // likewise for a program
//		testenv.WithoutRace(t)                      // the gate runs it without the race detector
//		testenv.Night(t, "kill")                    // .ci/long kill runs it
//	}
//
// CONTRIBUTING.md explains the tiers. A skipped test says how to run it. With CI=true in the environment, a missing
// server or program is a failure.
package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// servers maps the environment variables with addresses of servers to an example of an address.
var servers = map[string]string{
	"CLICKHOUSE_DSN":      "clickhouse://default:@127.0.0.1:9000/default",
	"CLICKHOUSE_HTTP_DSN": "http://default:@127.0.0.1:8123/default",
	"POSTGRES_DSN":        "postgres://sightline@127.0.0.1/postgres?sslmode=disable",
	"REDIS_DSN":           "redis://127.0.0.1:6379/0",
}

// programs maps programs that tests start to the Debian packages that contain them.
var programs = map[string]string{
	"bash": "bash", "curl": "curl", "firefox": "firefox-esr", "nginx": "nginx-light",
	"node": "nodejs", "npm": "npm", "pgbouncer": "pgbouncer", "promtool": "prometheus", "redis-server": "redis-server",
	"soffice": "libreoffice-calc", "systemd-analyze": "systemd", "unshare": "util-linux",
}

// Address returns the address of a server, such as POSTGRES_DSN.
func Address(t testing.TB, variable string) string {
	t.Helper()
	example, known := servers[variable]
	if !known {
		t.Fatalf("testenv knows no server for the variable %s", variable)
	}
	address := os.Getenv(variable)
	if address == "" {
		Missing(t, fmt.Sprintf("needs a server: set %s, as in %s", variable, example))
	}
	return address
}

// Program returns the path of a program.
func Program(t testing.TB, name string) string {
	t.Helper()
	from, known := programs[name]
	if !known {
		t.Fatalf("testenv knows no program %s", name)
	}
	path := find(name)
	if path == "" {
		Missing(t, fmt.Sprintf("needs %s: install Debian's package %s", name, from))
	}
	return path
}

// find returns the path of a program, or "". Debian installs servers in a folder that is not in every user's PATH.
func find(name string) string {
	for _, file := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(file); err == nil {
			return path
		}
	}
	return ""
}

// Chromium returns the path of a browser: CHROMIUM in the environment, or a program with a usual name.
func Chromium(t testing.TB) string {
	t.Helper()
	path := browser()
	if path == "" {
		Missing(t, "needs Chromium: install Debian's package chromium-headless-shell, or set CHROMIUM to its path")
	}
	return path
}

func browser() string {
	usual := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
	for _, name := range append([]string{os.Getenv("CHROMIUM")}, usual...) {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Missing skips t because the machine lacks something, or fails it with CI=true. how says how to run it.
func Missing(t testing.TB, how string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(how)
	}
	t.Skip(how)
}

// Night skips t unless SIGHTLINE_NIGHT is set, as .ci/long sets it. proof is the name of the proof that runs t.
func Night(t testing.TB, proof string) {
	t.Helper()
	if !IsNight() {
		t.Skipf("takes long: run it with .ci/long %s", proof)
	}
}

// IsNight reports whether long tests run.
func IsNight() bool { return os.Getenv("SIGHTLINE_NIGHT") != "" }

// WithoutRace skips t under the race detector, which would find nothing new in it and makes it some three times as
// slow. Such tests have no goroutines of their own, and other tests run the same code concurrently under the detector.
//
// If SIGHTLINE_UNRACED is the path of a file, WithoutRace adds a line with the folder of the package and the name of
// the test. The gate runs the tests of that file without the race detector.
func WithoutRace(t testing.TB) {
	t.Helper()
	if !raceEnabled {
		return
	}
	if list := os.Getenv("SIGHTLINE_UNRACED"); list != "" {
		if err := note(list, t.Name()); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("runs without the race detector")
}

// note adds a line about a test of the package in the working folder. Processes write to list at the same time.
func note(list, test string) error {
	dir, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(list, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\t%s\n", dir, test)
	return errors.Join(err, f.Close())
}
