package same

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/internal/testenv"
)

// The stores.
const (
	onDuckDB     = "duckdb"
	onSQLite     = "sqlite"
	onClickHouse = "clickhouse"
)

// began returns the time of the first start of the programs: between the changes of the clocks of America and Europe.
func began() time.Time { return time.Date(2026, 3, 20, 9, 30, 0, 0, time.UTC) }

// TestSame compares the program of SIGHTLINE_OTHER with the program of this checkout: see the package comment.
func TestSame(t *testing.T) {
	testenv.Night(t, "same")
	other := os.Getenv("SIGHTLINE_OTHER")
	if other == "" {
		t.Fatal("set other=DIR, the folder of the checkout to compare with: .ci/long same other=DIR")
	}
	dir := t.TempDir()
	changes, err := overlay(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, checkout := range map[string]string{"before": other, "after": "../.."} {
		for _, store := range []string{onDuckDB, onSQLite} {
			if err := build(checkout, changes, filepath.Join(dir, name+"-"+store), store == onDuckDB); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := expectations("testdata/expected.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("stores", func(t *testing.T) {
		for _, store := range []string{onDuckDB, onSQLite, onClickHouse} {
			t.Run(store, func(t *testing.T) {
				t.Parallel()
				compareOn(t, store, dir, all)
			})
		}
	})
	for _, e := range all {
		if !e.met.Load() {
			t.Errorf("testdata/expected.txt: nothing differs as in %s", e.pattern)
		}
	}
}

// compareOn compares the programs in dir on one store.
func compareOn(t *testing.T, store, dir string, all []*expectation) {
	t.Helper()
	b := &sides{t: t, store: store, before: newSide(t, store, dir, "before"), after: newSide(t, store, dir, "after"),
		pairs: newPairs(), expected: all, statuses: map[int]int{}, shown: map[string]int{}}
	b.replay(b.fill())
	b.both("stop", b.before.stop, b.after.stop)
	t.Logf("%s: %d requests and commands, statuses %v; %d differences; processor time %v and %v", store, b.asked,
		b.statuses, b.found, b.before.used.Round(time.Second), b.after.used.Round(time.Second))
}

// newSide returns a program in dir with an empty folder.
func newSide(t *testing.T, store, dir, name string) *side {
	t.Helper()
	program := map[string]string{onSQLite: onSQLite}[store]
	s := &side{program: filepath.Join(dir, name+"-"+cmp.Or(program, onDuckDB)), dir: filepath.Join(dir, store, name),
		clock: began(),
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	if store == onClickHouse {
		s.events = []string{"--clickhouse", chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))}
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "pepper"), []byte("a pepper for both programs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd != nil && s.cmd.Process != nil {
			_ = s.cmd.Process.Kill() // it may have ended
		}
	})
	return s
}
