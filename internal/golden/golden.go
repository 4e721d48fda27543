// Package golden compares the output of a test with a reviewed file.
//
//	golden.Check(t, "testdata/types/summary.golden", got)
//
// Only -update writes golden files: run the tests of a package with it (or make golden, for all packages), and read the
// difference in git.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Check fails t when got is not, byte for byte, what the file at path holds. The path
// is relative to the folder of the package under test. With -update it writes the file,
// and the folders above it, instead.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	check(t, path, got, bytes.Equal, *update)
}

// OnlyUpdate skips t without -update, because making its golden files takes long. The gate makes all golden files and
// compares them.
func OnlyUpdate(t testing.TB) {
	t.Helper()
	if !*update {
		t.Skip("takes long to make its golden files: run make golden, which the gate does")
	}
}

func check(t testing.TB, path string, got []byte, same func(want, got []byte) bool, write bool) {
	t.Helper()
	if write {
		if err := rewrite(path, got); err != nil {
			t.Errorf("golden: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("golden: %v (run the tests with -update to write it, then read it)", err)
		return
	}
	if !same(want, got) {
		t.Errorf("%s differs (-want +got); if the new text is right, run the tests with -update:\n%s", path,
			cmp.Diff(lines(want), lines(got)))
	}
}

// lines splits after each line feed, so that a missing last one is a difference too.
func lines(b []byte) []string {
	return strings.SplitAfter(string(b), "\n")
}

func rewrite(path string, got []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, got, 0o644)
}
