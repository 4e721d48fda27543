//go:build cgo

package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// TestPanel uses the panel in a browser, with the demo and a website without events.
func TestPanel(t *testing.T) {
	t.Parallel()
	browser, folder, dir := chromium(t), clients(t), filepath.Join(t.TempDir(), "data")
	p := start(t, dir, "--demo-days", "70", "--limits", "off")
	if _, errs, code := run(t, "websites", "add", "--data", dir, "--name", "Other", "--domain", "other.example", "--id", "web_other"); code != 0 {
		t.Fatalf("websites add: exit code %d, %q", code, errs)
	}
	for _, other := range [][]string{
		{"links", "add", "--id", "lnk_other", "--name", "other", "--slug", "other", "--target", "https://other.example/"},
		{"monitors", "add", "--id", "mon_other", "--name", "Other", "--url", "https://other.example/"},
	} {
		if _, errs, code := run(t, append(other, "--data", dir)...); code != 0 {
			t.Fatalf("%v: exit code %d, %q", other, code, errs)
		}
	}
	settings, err := json.Marshal(map[string]string{
		"address": p.Address, "key": p.Key, "websiteId": p.WebsiteID, "otherId": "web_other", "linkId": p.LinkID, "scheduleId": p.ScheduleID, "chromium": browser,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"overview", "others", "settings"} {
		t.Run(part, func(t *testing.T) { runNode(t, folder, "panel-"+part+".mjs", string(settings)) })
	}
	p.stop(t)
}
