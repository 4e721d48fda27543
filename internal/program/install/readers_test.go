//go:build cgo && unix

package install

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWarnOfReaders tests a pepper outside the folder. Tests of internal/e2e cover files in the folder.
func TestWarnOfReaders(t *testing.T) {
	dir := t.TempDir()
	pepper := filepath.Join(t.TempDir(), "pepper")
	if err := os.WriteFile(pepper, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		folder, pepper os.FileMode
		want           []string // one entry per line
	}{
		{0o700, 0o600, nil},
		{0o700, 0o400, nil},
		{0o710, 0o600, []string{"data folder\" path=" + dir + " mode=0710 do=\"chmod 0700 " + dir + "\""}},
		{0o700, 0o640, []string{"pepper\" path=" + pepper + " mode=0640 do=\"chmod 0600 " + pepper + "\""}},
		{0o755, 0o604, []string{"data folder", "mode=0604"}},
	} {
		if err := os.Chmod(dir, row.folder); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(pepper, row.pepper); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		if err := WarnOfReaders(dir, pepper, slog.New(slog.NewTextHandler(&log, nil))); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(log.String(), "\n")
		if len(lines)-1 != len(row.want) {
			t.Errorf("%v, %v: warnings\n%s", row.folder, row.pepper, log.String())
			continue
		}
		for i, want := range row.want {
			if !strings.Contains(lines[i], want) {
				t.Errorf("%v, %v: %s; want %q in it", row.folder, row.pepper, lines[i], want)
			}
		}
	}
}
