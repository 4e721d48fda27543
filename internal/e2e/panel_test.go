//go:build cgo

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestPanel uses the panel in a browser, with the demo and a website without events.
func TestPanel(t *testing.T) {
	t.Parallel()
	browser, folder, dir := testenv.Chromium(t), clients(t), filepath.Join(t.TempDir(), "data")
	p := start(t, dir, "--demo-days", "70", "--limits", "off", "--track-window", "off")
	for id, name := range map[string]string{"other": "Other", "many": "Many", "texts": "<b>Texts</b> שלום 👋",
		"clock": "Clock", "spike": "Spike"} {
		if _, errs, code := run(t, "websites", "add", "--data", dir, "--name", name, "--domain", id+".example", "--id",
			"web_"+id); code != 0 {
			t.Fatalf("websites add: exit code %d, %q", code, errs)
		}
	}
	for _, other := range [][]string{
		{"links", "add", "--id", "lnk_other", "--name", "other", "--slug", "other", "--target",
			"https://other.example/"},
		{"monitors", "add", "--id", "mon_other", "--name", "Other", "--url", "https://other.example/"},
	} {
		if _, errs, code := run(t, append(other, "--data", dir)...); code != 0 {
			t.Fatalf("%v: exit code %d, %q", other, code, errs)
		}
	}
	module, rootErr := filepath.Abs(root)
	settings, err := json.Marshal(map[string]string{
		"address": p.Address, "trackAddress": p.TrackAddress, "key": p.Key, "websiteId": p.WebsiteID,
		"otherId": "web_other", "manyId": "web_many",
		"textsId": "web_texts", "clockId": "web_clock", "spikeId": "web_spike",
		"linkId": p.LinkID, "scheduleId": p.ScheduleID, "chromium": browser, "root": module,
	})
	if err := errors.Join(err, rootErr); err != nil {
		t.Fatal(err)
	}
	parts := []string{"overview", "asking", "others", "settings", "manners", "why"}
	if os.Getenv("SIGHTLINE_BENCH_PANEL") != "" {
		parts = append(parts, "bench")
	}
	for _, part := range parts {
		t.Run(part, func(t *testing.T) { runNode(t, folder, "panel-"+part+".mjs", string(settings)) })
	}
	p.stop(t)
}
