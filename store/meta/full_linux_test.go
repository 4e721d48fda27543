package meta

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// TestOpenOnAFullDisk mounts a small file system. It is skipped without the right to mount.
func TestOpenOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	cfg := config(t)
	cfg.Path = filepath.Join(dir, "meta.sqlite")
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	if s, err := Open(t.Context(), cfg); !errors.Is(err, store.ErrFull) {
		t.Errorf("Open on a full disk: %v", err)
		if err == nil {
			_ = s.Close(context.Background())
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}
