//go:build cgo

package command

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// coveredBlocks lists the blocks of documents that a test of this package or of internal/e2e runs or compares.
var coveredBlocks = []struct {
	document, language, holds string
	test                      string
}{
	{"README.md", "sh", ":8080/v1/query?", "TestReadmeAnswerIsReal"},
	{"README.md", "json", "", "TestReadmeAnswerIsReal"},
	{"README.md", "sh", "/ingest/track", "TestReadmeCommands"},
	{"README.md", "sh", "websites tag", "TestReadmeCommands"},
	{"README.md", "go", "", "TestReadmeProgramRuns"},
	{"docs/clients.md", "go", "", "TestAPIClients"},
	{"docs/clients.md", "ts", "createClient", "TestAPIClients"},
	{"docs/clients.md", "ts", "sightline.query", "TestAPIClients"},
	{"docs/clients.md", "ts", "definitions", "TestAPIClients"},
	{"docs/clients.md", "ts", "text/csv", "TestAPIClients"},
	{"docs/clients.md", "ts", "sightline.track", "TestAPIClients"},
	{"docs/clients.md", "sh", "npx orval", "TestGenerators"},
	{"docs/embedding.md", "go", "func serve(", "TestDocumentsShowCodeThatRuns"},
	{"docs/embedding.md", "go", "query.Definitions", "TestDocumentsShowCodeThatRuns"},
	{"docs/embedding.md", "go", "type counted", "TestDocumentsShowCodeThatRuns"},
	{"docs/import.md", "json", `"table":"events"`, "TestImportDocument"},
	{"docs/import.md", "json", `"table":"profiles"`, "TestImportDocument"},
	{"docs/import.md", "go", "importer.Run", "TestDocumentsShowCodeThatRuns"},
	{"docs/flags.md", "json", "flag_outcomes", "TestFlagsDocument"},
	{"docs/keys.md", "sh", "keys add", "TestKeysDocument"},
	{"docs/mcp.md", "json", `"arguments"`, "TestMCPDocument"},
	{"docs/mcp.md", "json", `"results"`, "TestMCPDocument"},
	{"docs/keys.md", "text", "OUTCOME", "TestKeysDocument"},
	{"docs/scale.md", "sql", "visits_local", "TestGoldenScale"},
	{"docs/scale.md", "sql", "receipts", "TestGoldenScale"},
	{"docs/tracker.md", "html", "tracker.js", "TestTrackerDocument"},
	{"docs/tracker.md", "html", "px.jpg", "TestTrackerDocument"},
	{"docs/tracker.md", "json", "dropped", "TestTrackerDocument"},
}

const notRun = "<!-- not run by tests: "

// Each block of code in the README and in docs is run by a test, or the line before it says why not. Generated
// pages consist of real requests and answers.
func TestEveryBlockOfDocumentsIsCovered(t *testing.T) {
	sources := ""
	for _, file := range append(glob(t, "*_test.go"), glob(t, "../../e2e/*_test.go")...) {
		sources += read(t, file)
	}
	for _, c := range coveredBlocks {
		block(t, read(t, "../../../"+c.document), c.language, c.holds)
		if !strings.Contains(sources, "func "+c.test+"(") {
			t.Errorf("%s: the test %s does not exist", c.document, c.test)
		}
	}
	for _, file := range append(glob(t, "../../../docs/*.md"), "../../../README.md") {
		page := read(t, file)
		if strings.Contains(page, "`make golden` makes it again") && !strings.Contains(page, "<!-- columns -->") {
			continue
		}
		document := strings.TrimPrefix(file, "../../../")
		before, opened, at := "", false, 0
		for whole := range strings.Lines(page) {
			at += len(whole)
			line := strings.TrimSpace(whole)
			language, fence := strings.CutPrefix(line, "```")
			switch {
			case fence && opened:
				opened = false
			case fence:
				opened = true
				if !strings.HasPrefix(before, notRun) && !covered(t, page, at, document, language) {
					t.Errorf("%s: after %q: add a test for this %q block, or a line %sREASON -->", document, before,
						language, notRun)
				}
			}
			if line != "" {
				before = line
			}
		}
		if opened {
			t.Errorf("%s: the last block is not closed", document)
		}
	}
}

// covered reports whether coveredBlocks has the block of a page whose content begins at a byte offset.
func covered(t *testing.T, page string, at int, document, language string) bool {
	t.Helper()
	for _, c := range coveredBlocks {
		if c.document == document && c.language == language &&
			strings.HasPrefix(page[at:], block(t, page, language, c.holds)) {
			return true
		}
	}
	return false
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

// The README's event is stored, and its command prints an element for pages.
func TestReadmeCommands(t *testing.T) {
	testenv.Program(t, "curl")
	t.Parallel()
	in, p, key := demoWebsite(t)
	readme := read(t, "../../../README.md")
	event := "KEY=" + key + "\n" +
		strings.ReplaceAll(block(t, readme, "sh", "/ingest/track"), "http://127.0.0.1:8080", p.Address)
	if got := shell(t, t.TempDir(), event); !strings.Contains(got, `"status":"success"`) {
		t.Errorf("the README's event is answered %s", got)
	}
	command, _ := strings.CutPrefix(strings.TrimSpace(block(t, readme, "sh", "websites tag")),
		"go run ./cmd/sightline ")
	if got := in.do(t, strings.Fields(command)...); !strings.Contains(got, "integrity=") {
		t.Errorf("%s prints %s", command, got)
	}
}

// The query of docs/flags.md is answered.
func TestFlagsDocument(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	_, p, key := demoWebsite(t)
	status, answer := p.post(t, "/v1/query?website_id=web_demo", key,
		block(t, read(t, "../../../docs/flags.md"), "json", "flag_outcomes"))
	if status != http.StatusOK || !strings.Contains(answer, `"parameter":"flag_outcomes","success":true`) {
		t.Errorf("status %d: %s", status, answer)
	}
}

// docs/tracker.md shows the address of a script, an image that counts a page view, and an answer.
func TestTrackerDocument(t *testing.T) {
	t.Parallel()
	_, p, key := demoWebsite(t)
	page := read(t, "../../../docs/tracker.md")

	script := address(t, block(t, page, "html", "tracker.js"), "https://t.shop.example", p.Address+"/ingest")
	if status, answer := p.get(t, script, ""); status != http.StatusOK || !strings.Contains(answer, "databuddy") {
		t.Errorf("%s: status %d, %.100s", script, status, answer)
	}

	image := address(t, block(t, page, "html", "px.jpg"), "https://t.shop.example", p.Address)
	if status, answer := p.get(t, image, ""); status != http.StatusOK || !strings.HasPrefix(answer, "GIF") {
		t.Errorf("%s: status %d, %.100s", image, status, answer)
	}
	if status, answer := p.get(t, "/v1/query?parameters=pages&preset=today&website_id=web_demo",
		key); !strings.Contains(answer, `"path":"/pricing"`) {
		t.Errorf("the image counts no page view: status %d, %s", status, answer)
	}

	event := `{"name":"screen_view","path":"/","anonymousId":"a","sessionId":"s","utm_content":"` +
		strings.Repeat("x", 129) + `"}`
	var shown, got map[string]any
	_, answer := p.post(t, "/ingest/?client_id=web_demo", "", event)
	if err := json.Unmarshal([]byte(block(t, page, "json", "dropped")), &shown); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		t.Fatal(err)
	}
	got["eventId"] = shown["eventId"]
	if diff := cmp.Diff(shown, got); diff != "" {
		t.Errorf("the answer of docs/tracker.md (-) and the real one (+) differ:\n%s", diff)
	}
}

// demoWebsite starts a server with the website web_demo and returns a key for it.
func demoWebsite(t *testing.T, flags ...string) (installed, *process, string) {
	t.Helper()
	in := installed{dir: t.TempDir()}
	p := in.serve(t, flags...)
	in.do(t, "websites", "add", "--id", "web_demo", "--domain", "shop.example")
	return in, p, in.secret(t, "keys", "add", "--resource", "website:web_demo", "--scope", "read:data,track:events")
}

// address returns the src of an element, with the origin that documents show replaced, as a path of the server.
func address(t *testing.T, element, shown, real string) string {
	t.Helper()
	found := regexp.MustCompile(`src="([^"]*)"`).FindStringSubmatch(element)
	if found == nil {
		t.Fatalf("%s has no src", element)
	}
	whole := strings.Replace(html.UnescapeString(found[1]), shown, real, 1)
	return whole[strings.Index(whole, "/ingest"):]
}

// browser is a user agent whose events count without a key.
const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

func (p *process) post(t *testing.T, path, credential, body string) (int, string) {
	t.Helper()
	return p.send(t, http.MethodPost, path, credential, body)
}

// send sends a request with the user agent of a browser, and returns status and body.
func (p *process) send(t *testing.T, method, path, credential, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.Address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", browser)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if credential != "" {
		r.Header.Set("Authorization", "Bearer "+credential)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(answer)
}
