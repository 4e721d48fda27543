//go:build cgo

package command

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/program/install"
)

// A server without its file of records must not start with empty records, because it would reject all events.
func TestMissingRecordsAreAnError(t *testing.T) {
	in := installed{dir: t.TempDir()}
	in.do(t, "websites", "add", "--id", "web_shop", "--domain", "shop.example")
	p := in.serve(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Address+"/ingest/?client_id=web_shop",
		strings.NewReader(`{"type":"track","name":"screen_view","path":"https://shop.example/","anonymousId":"a","sessionId":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", agent)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the event is answered %d", answer.StatusCode)
	}
	p.stop(t)

	records, err := filepath.Glob(filepath.Join(in.dir, install.RecordsFile+"*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range records {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(beside string) {
		t.Helper()
		_, errs, code := in.try(t, "serve", "--addr", "127.0.0.1:0", "--demo=false")
		if code != 1 || !strings.Contains(errs, "meta.sqlite is missing, but "+beside+" has data") ||
			!strings.Contains(errs, "--new-records") {
			t.Errorf("exit code %d, want 1 because of %s: %s", code, beside, errs)
		}
		if _, err := os.Stat(filepath.Join(in.dir, install.RecordsFile)); err == nil {
			t.Error("the server created the missing file")
		}
	}
	if err := os.WriteFile(filepath.Join(in.dir, install.HeadsFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(install.HeadsFile)
	if err := os.Remove(filepath.Join(in.dir, install.HeadsFile)); err != nil {
		t.Fatal(err)
	}
	refused(install.EventsFile)
	in.serve(t, "--new-records").stop(t)
}
