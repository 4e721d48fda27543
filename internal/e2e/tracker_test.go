//go:build cgo

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestTracker opens pages with the tracker in a browser and queries the results.
func TestTracker(t *testing.T) {
	t.Parallel()
	path, folder, dir := testenv.Chromium(t), clients(t), t.TempDir()
	p := empty(t, dir, "--limits", "off")
	out, errs, code := run(t, "websites", "tag", p.WebsiteID, "--data", dir, "--address", p.TrackAddress, "--json")
	var tag struct{ Element string }
	if err := json.Unmarshal([]byte(out), &tag); code != 0 || err != nil {
		t.Fatalf("websites tag: exit code %d, %q, %v", code, errs, err)
	}
	settings, err := json.Marshal(map[string]string{
		"address": p.Address, "trackAddress": p.TrackAddress, "key": p.Key, "websiteId": p.WebsiteID, "element": tag.Element, "chromium": path,
	})
	if err != nil {
		t.Fatal(err)
	}
	runNode(t, folder, "tracker.mjs", string(settings))
	p.stop(t)
}
