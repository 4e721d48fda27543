//go:build cgo

package e2e

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestGenerators generates clients from the document of a running service, as docs/clients.md says. Each client asks
// three questions, sends an event and evaluates a flag.
func TestGenerators(t *testing.T) {
	testenv.Night(t, "generators")
	testenv.Program(t, "npm")
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "generators"))); err != nil {
		t.Fatal(err)
	}
	p := startRaced(t, filepath.Join(t.TempDir(), "data"), "--demo-days", "7")
	defer p.stop(t)
	makeFlag(t, p.ready)
	fetchTo(t, p.Address+"/v1/openapi.json", filepath.Join(folder, "openapi.json"))
	fetchTo(t, p.Address+"/v1/openapi.json?form=plain", filepath.Join(folder, "plain.json"))
	run := func(t *testing.T, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "SIGHTLINE_URL="+p.Address)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	run(t, "npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund")
	for _, dir := range []string{"oapi/api", "ogen/api"} {
		if err := os.Mkdir(filepath.Join(folder, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(generatorCommands(t)) {
		name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		run(t, name, strings.Fields(args)...)
	}
	run(t, "npx", "tsc")
	for _, client := range []string{"openapi-typescript", "orval", "hey-api", "swagger-typescript-api"} {
		t.Run(client, func(t *testing.T) { run(t, "node", "build/"+client+".js", p.line) })
	}
	for _, client := range []string{"oapi", "ogen"} {
		t.Run(client, func(t *testing.T) { run(t, "go", "run", "./"+client, p.line) })
	}
	for _, name := range []string{"openapi_typescript", "orval", "hey_api", "swagger_typescript_api", "oapi", "ogen"} {
		rows := ask(t, p.ready, "website_id="+p.WebsiteID, "custom_events",
			filter("event_name", "eq", "generated_"+name))
		if len(rows) != 1 || rows[0]["total_events"] != 1.0 {
			t.Errorf("the event of %s: %v", name, rows)
		}
	}
}

// generatorCommands returns the commands of the section of docs/clients.md about generators.
func generatorCommands(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "<!-- run by TestGenerators -->")
	_, code, _ := strings.Cut(after, "```sh\n")
	commands, _, found := strings.Cut(code, "```\n")
	if !found {
		t.Fatal("docs/clients.md has no commands of generators")
	}
	return commands
}

// makeFlag creates the flag that the clients evaluate: it is on for a property.
func makeFlag(t *testing.T, r ready) {
	t.Helper()
	status, answer, err := do(t.Context(), call{method: http.MethodPost, url: r.Address + "/public/v1/flags",
		header: map[string]string{"X-Api-Key": r.Key, "Content-Type": "application/json"},
		body: object{"clientId": r.WebsiteID, "key": "generated", "type": "boolean", "defaultValue": false,
			"rules": list{object{"type": "property", "field": "plan", "operator": "equals", "value": "pro",
				"enabled": true}}}})
	if err != nil || status != http.StatusOK {
		t.Fatalf("create a flag: %d, %v, %v", status, answer, err)
	}
}

func fetchTo(t *testing.T, address, file string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, os.WriteFile(file, text, 0o600)); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
}
