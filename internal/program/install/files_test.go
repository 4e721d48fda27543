//go:build cgo

package install

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A pepper file that the operator names is never created.
func TestANamedPepperMustExist(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none")
	log := slog.New(slog.DiscardHandler)
	if _, err := Pepper(t.Context(), t.TempDir(), "", file, log, time.Now); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file was created: %v", err)
	}
}
