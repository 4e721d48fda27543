//go:build cgo

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/docgen"
	"github.com/sightline-analytics/sightline/internal/golden"
	"github.com/sightline-analytics/sightline/internal/program/service"
)

// random matches ids, secrets and tokens, which differ between runs.
var random = regexp.MustCompile(`slt_[A-Za-z0-9_-]+…?|sl_[A-Za-z0-9]{5,}|key_[A-Za-z0-9]{20}|web_[a-z2-7]{26}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|flg_[0-9a-zA-Z]+`)

// added matches when the command added the second website, by the clock of the machine.
var added = regexp.MustCompile(`("(?:domain":"(?:shop|blog).example"|id":"key_|kind":"segment").*?"createdAt":)"[^"]+"`)

const agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

// TestGoldenAPIDocument compares docs/api.md with all routes of both handlers and with answers of the demo.
func TestGoldenAPIDocument(t *testing.T) {
	golden.OnlyUpdate(t)
	in := installed{dir: t.TempDir()}
	// with two websites, items must name theirs
	in.do(t, "websites", "add", "--id", "web_shop", "--domain", "shop.example")
	s := service.Settings{Addr: "127.0.0.1:0", Data: in.dir, Demo: true, DemoDays: 10, JSON: true}
	p := start(t, func(ctx context.Context, out, errs io.Writer) int {
		return report(errs, service.Serve(ctx, s, out, errs, func() time.Time { return readmeDay }))
	})
	key := strings.TrimSpace(in.do(t, "keys", "add", "--all", "--scope",
		"read:data,manage:flags,track:events,export:data,erase:data,manage:keys,manage:definitions,manage:websites,read:audit"))
	for _, id := range []string{"key_panel", "key_old"} {
		in.do(t, "keys", "add", "--id", id, "--resource", "website:web_demo")
	}
	flag := "" // the id of the newest flag
	send := func(method, target, body string, withKey bool) (int, []byte, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, p.Address+strings.ReplaceAll(target, "{id}", flag),
			strings.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		r.Header.Set("User-Agent", agent)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		if withKey {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		rec, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer rec.Body.Close()
		answer, err := io.ReadAll(rec.Body)
		var created struct{ Flag struct{ ID string } }
		if json.Unmarshal(answer, &created) == nil && created.Flag.ID != "" {
			flag = created.Flag.ID
		}
		answer = added.ReplaceAll(answer, []byte(`$1"2026-11-21T17:00:00.000Z"`))
		return rec.StatusCode, random.ReplaceAll(answer, []byte("…")), err
	}
	if status, answer, err := send(http.MethodPost, "/public/v1/flags",
		`{"clientId":"web_demo","key":"dark-mode","type":"boolean","defaultValue":true}`, true); err != nil ||
		status != http.StatusOK {
		t.Fatalf("status %d, %s, %v", status, answer, err)
	}
	served, err := http.Get(p.Address + "/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer served.Body.Close()
	document, err := io.ReadAll(served.Body)
	if err != nil {
		t.Fatal(err)
	}
	page, examples, err := docgen.API(document, send)
	if err != nil {
		t.Error(err)
	}
	golden.Check(t, "../../../docs/api.md", page)
	golden.Check(t, "../../openapi/examples.json", laidOut(t, examples))
	// The document has the examples of the program: after a change of these, -update has to run twice.
	golden.Check(t, "../../openapi/testdata/openapi.json", laidOut(t, json.RawMessage(document)))
}

// laidOut returns v as JSON for people.
func laidOut(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
