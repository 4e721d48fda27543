package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMisspelledVariables(t *testing.T) {
	p, err := newParser(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	got := misspelled([]string{
		"SIGHTLINE_DATA=/var/lib/sightline", "SIGHTLINE_TRUSTED_PROXY=127.0.0.1", "HOME=/",
		"SIGHTLINE_HOST=stats.example",
		"SIGHTLINE_TRUSTED_PROXIES=127.0.0.1", "SIGHTLINE_LOGFORMAT=json", "Sightline_Data=x", "SIGHTLINE_BACKUPS_TO=y",
	}, p.Model.Leaves(false))
	want := map[string]string{"SIGHTLINE_TRUSTED_PROXIES": "SIGHTLINE_TRUSTED_PROXY",
		"SIGHTLINE_LOGFORMAT": "SIGHTLINE_LOG_FORMAT", "Sightline_Data": "SIGHTLINE_DATA",
		"SIGHTLINE_BACKUPS_TO": "SIGHTLINE_BACKUP_TO"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wanted (-) and got (+):\n%s", diff)
	}
}

func TestRunner(t *testing.T) {
	for path, want := range map[string]string{
		"sightline": "sightline", "./sightline": "./sightline", "/usr/local/bin/sightline": "/usr/local/bin/sightline",
		"/tmp/go-build123/b001/exe/sightline": "go run ./cmd/sightline", "/my programs/sightline": "sightline",
	} {
		if got := runner(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
