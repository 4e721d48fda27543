//go:build cgo

package duckdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

// contents returns the names and contents of all files in dir.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// refuse opens path twice, and expects an error that wraps want and no changes in the directory. Only one copy
// of the log may be added.
func refuse(t *testing.T, path string, want error) {
	t.Helper()
	before := contents(t, filepath.Dir(path))
	s, err := Open(context.Background(), Config{Path: path})
	if err == nil {
		_ = s.Close(context.Background())
		t.Fatalf("Open succeeded, want %v", want)
	}
	if !errors.Is(err, want) {
		t.Errorf("Open: %v, want an error that wraps %v", err, want)
	}
	if strings.Contains(err.Error(), "\n") && !strings.Contains(err.Error(), path) {
		t.Errorf("the error has several lines without the path: %v", err)
	}
	after := contents(t, filepath.Dir(path))
	for name, data := range after {
		if _, old := before[name]; !old && strings.HasPrefix(name, filepath.Base(path)+".wal.") &&
			data == before[filepath.Base(path)+".wal"] {
			before[name] = data
			break
		}
	}
	if !maps.Equal(before, after) {
		t.Error("the first Open changed files")
	}
	if _, again := Open(context.Background(), Config{Path: path}); again == nil || again.Error() != err.Error() {
		t.Errorf("second Open: %v, want the same error as before: %v", again, err)
	}
	if !maps.Equal(before, contents(t, filepath.Dir(path))) {
		t.Error("the second Open changed files")
	}
}

// holdStore is a child process that has the store at path open until it is killed.
func holdStore(path string) int {
	if _, err := Open(context.Background(), Config{Path: path}); err != nil {
		return complain(err)
	}
	fmt.Println("open")
	select {}
}

func TestSecondOpenIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, alias := filepath.Join(dir, "s.duckdb"), filepath.Join(dir, "alias.duckdb")
	lines, kill := startChild(t, "hold", path)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child printed %q, want open", lines.Text())
	}
	refuse(t, path, store.ErrLocked)
	kill()
	for lines.Scan() { // until the child has ended
		t.Log(lines.Text())
	}
	s := open(t, Config{Path: path})
	if err := os.Symlink(path, alias); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, alias} { // closing a descriptor of the file would release its lock
		if _, err := Open(t.Context(), Config{Path: name}); !errors.Is(err, store.ErrLocked) {
			t.Errorf("second Open of %s: %v, want ErrLocked", filepath.Base(name), err)
		}
	}
	// The failed calls of Open must not have released the lock of the first one.
	lines, _ = startChild(t, "hold", path)
	if !lines.Scan() || !strings.Contains(lines.Text(), store.ErrLocked.Error()) {
		t.Errorf("another process printed %q, want ErrLocked", lines.Text())
	}
	mustWrite(t, s, event("e"))
}

func TestConfigReportsEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := Open(context.Background(), Config{Path: "a?b", Threads: -1})
	for _, want := range []string{"Path", "Threads"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
	missing := filepath.Join(t.TempDir(), "no", "s.duckdb")
	if _, err := Open(context.Background(), Config{Path: missing}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Open in a missing directory: %v, want ErrUnavailable", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open with a cancelled context: %v, want the context's error", err)
	}
}

func TestCloseLeavesOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.duckdb")
	put(t, path+".new", []byte("left by a process that was killed while it created the file"))
	if err := os.Mkdir(path+".tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(path+".tmp", "duckdb_temp_storage-0.tmp"), []byte("left by a process that was killed"))
	s := open(t, Config{Path: path})
	mustWrite(t, s, batch("e", 1000))
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range contents(t, dir) {
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"s.duckdb"}, names); diff != "" {
		t.Errorf("files after Close (-want +got):\n%s", diff)
	}
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
