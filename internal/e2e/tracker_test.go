//go:build cgo

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestTracker opens pages with the tracker in a browser and queries the results. It also lives random lives of pages.
// SIGHTLINE_WALKS is their number, and SIGHTLINE_SEED the first seed.
func TestTracker(t *testing.T) {
	t.Parallel()
	openPages(t, map[string]any{"chromium": testenv.Chromium(t)})
}

// TestTrackerInFirefox lives random lives of pages in Firefox.
func TestTrackerInFirefox(t *testing.T) {
	t.Parallel()
	testenv.Night(t, "tracker-firefox")
	openPages(t, map[string]any{"firefox": testenv.Program(t, "firefox")})
}

// openPages runs the tests of the tracker in the browser that settings name.
func openPages(t *testing.T, settings map[string]any) {
	t.Helper()
	folder, dir := clients(t), t.TempDir()
	p := empty(t, dir, "--limits", "off")
	out, errs, code := run(t, "websites", "tag", p.WebsiteID, "--data", dir, "--address", p.TrackAddress, "--json")
	var tag struct{ Element string }
	if err := json.Unmarshal([]byte(out), &tag); code != 0 || err != nil {
		t.Fatalf("websites tag: exit code %d, %q, %v", code, errs, err)
	}
	maps.Copy(settings, map[string]any{
		"address": p.Address, "trackAddress": p.TrackAddress, "key": p.Key, "websiteId": p.WebsiteID,
		"element": tag.Element,
	})
	files := map[string]string{"tracker": "track/tracker/src", "vectors": "internal/address/testdata/paths.json"}
	for name, file := range files {
		absolute, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		settings[name] = absolute
	}
	maps.Copy(settings, numbers(t, map[string]string{"walks": "SIGHTLINE_WALKS", "seed": "SIGHTLINE_SEED"}))
	body, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	runNode(t, folder, "tracker.mjs", string(body))
	p.stop(t)
}

// numbers returns the numbers in environment variables by the names of settings. It leaves out unset variables.
func numbers(t *testing.T, variables map[string]string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for name, variable := range variables {
		text := os.Getenv(variable)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		all[name] = n
	}
	return all
}
