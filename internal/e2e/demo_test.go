//go:build cgo

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestDemo does what a new user does: start, paste commands, send events, restart.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first := launch(t, dir, "--demo-days", "7")
	t.Run("the printed commands answer with data", func(t *testing.T) { testCommands(t, first) })
	first.stop(t)

	second := startRaced(t, dir, "--demo-days", "7")
	t.Run("a restart keeps the key and the ids", func(t *testing.T) {
		if banner := first.stderr.String(); !strings.Contains(banner, "rows") {
			t.Errorf("the first start showed no progress: %q", banner)
		}
		text, err := os.ReadFile(filepath.Join(dir, "demo-key"))
		if err != nil || strings.TrimSpace(string(text)) != second.Key {
			t.Errorf("the key is %q, the file has %q, %v", second.Key, text, err)
		}
		for _, id := range []string{second.WebsiteID, second.LinkID, second.ScheduleID} {
			if id == "" {
				t.Errorf("an id is missing: %s", second.line)
			}
		}
	})
	t.Run("every route of tracking is read back", func(t *testing.T) { testRoutes(t, second.ready) })
	t.Run("clients that are not ours", func(t *testing.T) {
		folder := clients(t)
		t.Run("the Node client", func(t *testing.T) { runNode(t, folder, "node-client.mjs", second.line) })
		t.Run("a batch of the browser's tracker",
			func(t *testing.T) { runNode(t, folder, "browser-batch.mjs", second.line) })
	})
	second.stop(t)
}

// testCommands runs the curl commands that p prints, as requests and with curl itself.
func testCommands(t *testing.T, p *process) {
	var lines []string
	for len(lines) < 3 {
		if line := strings.TrimSpace(p.readLine(t)); strings.HasPrefix(line, "curl ") {
			lines = append(lines, line)
		}
	}
	for _, line := range lines {
		if strings.Contains(line, "sl_") {
			t.Errorf("the key is printed without a terminal: %s", line)
		}
		status, answer, err := do(t.Context(), parseCurl(t, line))
		if err != nil || status != http.StatusOK {
			t.Fatalf("%s\nstatus %d, %v, %v", line, status, answer, err)
		}
		for i, rows := range rowsOf(t, answer) {
			if len(rows) == 0 {
				t.Errorf("%s\nparameter %d has no rows", line, i)
			}
		}
		if _, err := exec.LookPath("curl"); err != nil {
			continue
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output()
		if err != nil || !strings.HasPrefix(string(out), `{"success":true`) {
			t.Errorf("%s\nwith curl: %s, %v", line, out, err)
		}
	}
}

// keyed matches a header of a command with the key from a file.
var keyed = regexp.MustCompile(`"([^"]*)\$\(cat '([^']+)'\)"`)

// parseCurl reads a command of the form curl -s 'URL' -H "Name: $(cat 'file')" -d 'body'.
func parseCurl(t *testing.T, line string) call {
	t.Helper()
	c := call{method: http.MethodGet, header: map[string]string{}}
	option := ""
	if header := keyed.FindStringSubmatch(line); header != nil {
		key, err := os.ReadFile(header[2])
		if err != nil {
			t.Fatal(err)
		}
		line = strings.Replace(line, header[0], "'"+header[1]+strings.TrimSpace(string(key))+"'", 1)
	}
	for _, word := range words(line)[1:] {
		switch {
		case strings.HasPrefix(word, "-"):
			option = word
			continue
		case option == "-H":
			name, value, _ := strings.Cut(word, ": ")
			c.header[name] = value
		case option == "-d":
			c.method, c.body = http.MethodPost, word
		default:
			c.url = word
		}
		option = ""
	}
	if c.url == "" {
		t.Fatalf("no address in %s", line)
	}
	return c
}

// words splits line at blanks outside single quotes, as a shell does.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// runNode runs a client in a folder with its arguments.
func runNode(t *testing.T, folder, script, settings string) {
	cmd := exec.CommandContext(t.Context(), "node", script, settings)
	cmd.Dir = folder
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, out)
	}
	t.Logf("%s", out)
}

// clients returns a copy of e2e/ with the clients installed, so that tests do not change the tree.
func clients(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		testenv.Program(t, tool)
	}
	folder, err := installClients()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// installClients creates the folder that all tests share.
var installClients = sync.OnceValues(func() (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "e2e", "*.*"))
	if err == nil && len(files) == 0 {
		err = errors.New("no clients in e2e")
	}
	if err != nil {
		return "", err
	}
	folder := filepath.Join(os.Getenv(scratchEnv), "clients")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err := errors.Join(err, os.WriteFile(filepath.Join(folder, filepath.Base(file)), text, 0o600)); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return folder, nil
})
