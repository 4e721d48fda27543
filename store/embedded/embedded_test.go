package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder with the file of the other build is not opened, because its events would be missing from all answers.
func TestTheFileOfTheOtherBuildIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, otherFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Config{Folder: dir})
	if s != nil || err == nil || !strings.Contains(err.Error(), otherFile) || !strings.Contains(err.Error(), build) {
		t.Errorf("got %v, %v; want an error that names %s and the build", s, err, otherFile)
	}
	if _, err := os.Stat(filepath.Join(dir, File)); !os.IsNotExist(err) {
		t.Errorf("%s was created: %v", File, err)
	}
}
