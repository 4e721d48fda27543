package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	for _, text := range []string{"one", "another"} {
		if err := Replace(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); string(got) != text || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, text)
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("the folder has %v, %v; want only the file", names, err)
	}
}
