//go:build cgo

package command

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// TestDerived verifies and rebuilds stored daily results, without a server and through a running one.
func TestDerived(t *testing.T) {
	testenv.WithoutRace(t)
	t.Parallel()
	in := installed{dir: t.TempDir()}
	file := filepath.Join(in.dir, install.EventsFile)
	s, err := install.OpenFile(t.Context(), in.dir, embedded.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Write(t.Context(), &store.Batch{Events: []store.Event{{
		Website: "w", ID: "a", Name: "screen_view", Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Identity: store.Identity{AnonymousID: "v", SessionID: "s"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	rebuilt, clean := "rebuilt: 1 days of 1 websites\n",
		"compared: 2 days, counted per table; skipped: 0 days that changed meanwhile\n"
	if out := in.derived(t, 0, "rebuild"); out != rebuilt {
		t.Errorf("rebuild: %s", out)
	}
	if out := in.derived(t, 0, "verify"); out != clean {
		t.Errorf("verify: %s", out)
	}
	db, err := sql.Open("duckdb", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE sealed_sessions SET pageviews = pageviews + 1"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	differs := `{"verified":2,"skipped":0,"differences":[{"website":"w","day":"2026-03-01","table":"sealed_sessions","missing":1,"surplus":1}]}` + "\n"
	if out := in.derived(t, 1, "verify", "--json"); out != differs {
		t.Errorf("verify after a change: %s", out)
	}

	in.serve(t, "--new-records") // the test created only the file of events
	if out := in.derived(t, 1, "verify", "--website", "w", "--from", "2026-03-01", "--to", "2026-03-01",
		"--json"); out != differs {
		t.Errorf("verify while a server runs: %s", out)
	}
	if out := in.derived(t, 0, "verify", "--from", "2026-03-02"); !strings.HasPrefix(out, "compared: 0 days") {
		t.Errorf("verify of other days: %s", out)
	}
	in.derived(t, 1, "verify", "--website", "other")
	if out := in.derived(t, 0, "rebuild"); out != rebuilt {
		t.Errorf("rebuild while a server runs: %s", out)
	}
	if out := in.derived(t, 0, "verify"); out != clean {
		t.Errorf("verify after the rebuild: %s", out)
	}
}

// derived runs a derived command and checks its exit status.
func (in installed) derived(t *testing.T, code int, command ...string) string {
	t.Helper()
	var out, errs strings.Builder
	got := Run(t.Context(), append([]string{"derived", command[0], "--data", in.dir}, command[1:]...), &out, &errs)
	if got != code {
		t.Errorf("derived %v: exit code %d, want %d: %s", command, got, code, errs.String())
	}
	return out.String()
}
