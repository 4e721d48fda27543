//go:build cgo

package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBanner(t *testing.T) {
	const create = "  sightline keys add --data 'the folder' --all"
	plain := Ready{Address: "http://127.0.0.1:1", TrackAddress: "http://127.0.0.1:1/ingest"}
	demo, built := plain, plain
	built.Program = "./sightline"
	demo.Key, demo.KeyFile, demo.WebsiteID = "sl_secret", "/the folder/it's", "web_demo"
	revoked := demo
	revoked.Key, revoked.NoKey = "", demoKeyRevoked
	for _, row := range []struct {
		says     string
		ready    Ready
		terminal bool
		want     []string
		not      string
	}{
		{"output to a file has the path of the key", demo, false,
			[]string{"http://127.0.0.1:1/\n", "Key file: /the folder/it's\n", `$(cat '/the folder/it'\''s')"`},
			"sl_secret"},
		{"output to a terminal also has the key", demo, true,
			[]string{"http://127.0.0.1:1/#key=sl_secret&website=web_demo\n", "Key: sl_secret\n",
				"Key file: /the folder/it's\n"}, " sl_secret\""},
		{"a revoked key is reported", revoked, true, []string{"the demo's key was revoked", create}, "curl"},
		{"without a demo there are commands to create a key", plain, true,
			[]string{"  sightline websites add", create}, "Key"},
		{"commands begin with the program", built, true, []string{"  ./sightline websites add"}, "  sightline "},
	} {
		var b strings.Builder
		if err := row.ready.Text(&b, "the folder", row.terminal); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.says, want, b.String())
			}
		}
		if strings.Contains(b.String(), row.not) {
			t.Errorf("%s: %q in\n%s", row.says, row.not, b.String())
		}
	}
}

func TestIsTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	device, err := os.Open(os.DevNull) // a device, as terminals are
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if IsTerminal(file) || IsTerminal(&strings.Builder{}) || !IsTerminal(device) {
		t.Errorf("file: %v, buffer: %v, device: %v; want only the device", IsTerminal(file),
			IsTerminal(&strings.Builder{}), IsTerminal(device))
	}
}
