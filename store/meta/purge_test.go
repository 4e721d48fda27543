package meta

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

// Removed profiles leave no bytes in the files of SQLite after Purge, and others stay.
func TestPurge(t *testing.T) {
	onEach(t, func(t *testing.T, cfg Config) {
		s := mustOpen(t, cfg)
		const trace = "someone-to-forget"
		for i := range 3 {
			for website, name := range map[string]string{"w": trace, "other": "someone else"} {
				err := s.Identify(t.Context(),
					store.Identification{Website: website, Profile: fmt.Sprint(name, i),
						Traits: map[string]any{"name": name}, Keyed: i == 0})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if n, err := s.RemoveProfiles(t.Context(), "w"); n != 3 || err != nil {
			t.Errorf("RemoveProfiles = %d, %v; want 3", n, err)
		}
		if n, err := s.RemoveProfiles(t.Context(), "w"); n != 0 || err != nil {
			t.Errorf("RemoveProfiles again = %d, %v; want 0", n, err)
		}
		if cfg.Path != "" && !inFiles(t, cfg.Path, trace) {
			t.Error("no file has the name before Purge; this test cannot find it then")
		}
		if err := s.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if cfg.Path != "" && inFiles(t, cfg.Path, trace) {
			t.Error("a file has the name of a removed profile after Purge")
		}
		if _, err := s.Profile(t.Context(), "w", trace+"1"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a removed profile: %v", err)
		}
		if _, err := s.Profile(t.Context(), "other", "someone else1"); err != nil {
			t.Errorf("a profile of another website: %v", err)
		}
	})
}

// inFiles reports whether the database at path or one of its logs has the bytes of a text.
func inFiles(t *testing.T, path, text string) (found bool) {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found = found || bytes.Contains(content, []byte(text))
	}
	return found
}
