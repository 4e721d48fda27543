//go:build cgo && unix

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/flags"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store/storetest"
)

// TestFlags evaluates and manages feature flags with third-party clients, on servers and on a page of another origin.
func TestFlags(t *testing.T) {
	t.Parallel()
	folder := clients(t)
	pages := newPages(t, folder)
	dir := t.TempDir()
	p := empty(t, dir, "--limits", "off", "--cors-origin", pages.URL)
	p.line = p.settings(t, createKey(t, dir, "--resource", "website:"+p.WebsiteID))
	t.Run("hash vectors in JavaScript", func(t *testing.T) { testHashVectors(t, folder) })
	t.Run("a second evaluator", func(t *testing.T) { testSecondEvaluator(t, folder) })
	t.Run("servers", func(t *testing.T) { runNode(t, folder, "flags-node.mjs", p.line) })
	t.Run("a browser", func(t *testing.T) { pages.show(t, p.line) })
}

// settings returns the arguments of the clients for p, as JSON.
func (p *process) settings(t *testing.T, siteKey string) string {
	t.Helper()
	text, err := json.Marshal(map[string]string{"address": p.Address, "key": p.Key, "websiteId": p.WebsiteID,
		"siteKey": siteKey})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// testHashVectors computes in JavaScript the vectors that TestHashVersion2Vectors of package flags computes in Go.
func testHashVectors(t *testing.T, folder string) {
	vectors, err := filepath.Abs("../../flags/testdata/hash_version_2.json")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "flags-vectors.mjs", vectors)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "39" {
		t.Errorf("%s, %v; want 39 vectors", out, err)
	}
}

// testSecondEvaluator compares the evaluator of package flags with the evaluator in e2e/, on flags of every kind,
// including flags that the API would reject.
func testSecondEvaluator(t *testing.T, folder string) {
	cases := storetest.Number(t, "SIGHTLINE_QUESTIONS", 3000)
	seed := storetest.Number(t, "SIGHTLINE_SEED", int(time.Now().UnixMilli()%1e9))
	t.Logf("SIGHTLINE_SEED=%d", seed)
	cmd := exec.CommandContext(t.Context(), "node", "flags-random.mjs", strconv.Itoa(seed), strconv.Itoa(cases))
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	reasons, compared := map[string]int{}, 0
	for ; lines.Scan(); compared++ {
		var c struct {
			Set     flags.Set
			Context flags.Context
			Now     int64
			Key     string
			Want    map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(flags.NewIndex(c.Set).Evaluate(c.Key, &c.Context, time.UnixMilli(c.Now)))
		var got map[string]any
		if err != nil || json.Unmarshal(text, &got) != nil || !reflect.DeepEqual(got, c.Want) {
			t.Fatalf("%s, %v; want %v of\n%s", text, err, c.Want, lines.Bytes())
		}
		reasons[c.Want["reason"].(string)]++
	}
	if compared != cases || len(reasons) != 8 || lines.Err() != nil {
		t.Errorf("%d cases with the reasons %v, %v", compared, reasons, lines.Err())
	}
}

// pages is a separate origin, which serves e2e/ to a browser and receives the results.
type pages struct {
	*httptest.Server
	result chan string
}

func newPages(t *testing.T, folder string) *pages {
	t.Helper()
	p := &pages{result: make(chan string, 1)}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServer(http.Dir(folder)))
	mux.HandleFunc("POST /result", func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		select {
		case p.result <- string(text):
		default: // report only the first failure
		}
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// show opens the page of flags in a browser.
func (p *pages) show(t *testing.T, settings string) {
	cmd := exec.Command(testenv.Chromium(t), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", p.URL+"/flags-browser.html#"+
			url.PathEscape(settings))
	var errs safeBuffer
	cmd.Stderr = &errs
	defer p.start(t, cmd)()
	select {
	case text := <-p.result:
		if !strings.HasPrefix(text, "ok") {
			t.Error(text)
		}
		t.Log(text)
	case <-time.After(2 * time.Minute):
		t.Errorf("no result from the page; output of the browser:\n%s", &errs)
	}
}

// start starts a browser. It ends with all its processes when the returned function is called, or when the test ends in
// any way, because that closes its debugger pipe.
func (*pages) start(t *testing.T, cmd *exec.Cmd) (end func()) {
	t.Helper()
	in, commands, err1 := os.Pipe()
	answers, out, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Start()
	if err := errors.Join(err, in.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	return func() {
		_, _ = commands.Close(), answers.Close()
		_ = cmd.Wait() // the error says that it was stopped
	}
}
