package auth_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

func TestPepperIsCreatedOnce(t *testing.T) {
	dir := t.TempDir()
	made := make([]string, 16)
	var all sync.WaitGroup
	for i := range made {
		all.Go(func() {
			p, err := auth.PepperFile(filepath.Join(dir, "pepper"))
			text, readErr := os.ReadFile(filepath.Join(dir, "pepper"))
			if err := errors.Join(err, readErr); err != nil || p.String() != "64 bytes" {
				t.Error(p, err)
			}
			made[i] = string(text)
		})
	}
	all.Wait()
	for _, text := range made {
		if len(text) != 65 || text != made[0] {
			t.Fatalf("want one pepper of full length, got %q and %q", made[0], text)
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("the folder has %v, %v; want only the pepper", names, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "pepper")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestPepperOfAFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "given")
	for _, row := range []struct{ name, content, want, fault string }{
		{"surrounding blanks are ignored", "  a pepper of some length\n", "a pepper of some length", ""},
		{"a short one is refused", "short\n", "", "fewer than 16"},
		{"an empty one is refused", "", "", "fewer than 16"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(row.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := auth.PepperFile(file)
			want, _ := auth.NewPepper([]byte(row.want))
			if secret := (auth.Secret{}); secret.Digest(got) != secret.Digest(want) ||
				(err == nil) != (row.fault == "") {
				t.Errorf("got %q, %v", got, err)
			}
			if err != nil && !strings.Contains(err.Error(), row.fault) {
				t.Errorf("error %q, want %q in it", err, row.fault)
			}
		})
	}
}
