//go:build cgo

package install

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A pepper file that the operator names is never created.
func TestANamedPepperMustExist(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none")
	if _, err := Pepper(t.TempDir(), file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file was created: %v", err)
	}
}
