//go:build cgo

package command

import (
	"maps"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

func TestLimitsOfClasses(t *testing.T) {
	for _, row := range []struct {
		says  string
		args  string
		want  map[auth.Class]int
		fault string
	}{
		{"none", "", nil, ""},
		{"one", "--limit query=5", map[auth.Class]int{auth.ClassQuery: 5}, ""},
		{"two, beside a factor", "--limit query=5 --limits 2 --limit track=9",
			map[auth.Class]int{auth.ClassQuery: 5, auth.ClassTrack: 9}, ""},
		{"the last of a class", "--limit query=5 --limit query=6", map[auth.Class]int{auth.ClassQuery: 6}, ""},
		{"a class without routes", "--limit refused=5", nil,
			`"refused" is not one of evaluate, export, flags, health, identify, other, public, query, track`},
		{"no class", "--limit 5", nil, `"5" is not one of evaluate`},
		{"no number", "--limit query", nil, "not a positive whole number, such as query=120"},
		{"zero", "--limit query=0", nil, "not a positive whole number"},
		{"a fraction", "--limit query=1.5", nil, "not a positive whole number"},
		{"with --limits off", "--limit query=5 --limits off", nil, "use either --limit or --limits off"},
	} {
		var all commands
		p, err := newParser(&all)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Parse(append([]string{"serve"}, strings.Fields(row.args)...))
		if (err == nil) != (row.fault == "") || err != nil && !strings.Contains(err.Error(), row.fault) {
			t.Errorf("%s: %v", row.says, err)
		}
		if got := all.Serve.settings().Limits; err == nil && !maps.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.says, got, row.want)
		}
	}
}

// The total and the part of DuckDB reach the server, and a part that is too large for the total is refused.
func TestMemoryOptions(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		args          string
		total, duckDB int64
		fault         string
	}{
		{"", 0, 0, ""},
		{"--memory 1GiB", 1024 * mib, 0, ""},
		{"--memory 1GiB --duckdb-memory 512MiB", 1024 * mib, 512 * mib, ""},
		{"--duckdb-memory 4GiB", 0, 4096 * mib, ""},
		{"--memory 255MiB", 0, 0, "at least 256MiB"},
		{"--memory 1GiB --duckdb-memory 513MiB", 0, 0, "at least twice --duckdb-memory"},
		{"--memory much", 0, 0, "not a size like 512MiB"},
	} {
		var all commands
		p, err := newParser(&all)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Parse(append([]string{"serve"}, strings.Fields(row.args)...))
		if (err == nil) != (row.fault == "") || err != nil && !strings.Contains(err.Error(), row.fault) {
			t.Errorf("%s: %v, want %q", row.args, err, row.fault)
		}
		if got := all.Serve.settings(); err == nil && (got.Memory != row.total || got.DuckDBMemory != row.duckDB) {
			t.Errorf("%s: %d and %d, want %d and %d", row.args, got.Memory, got.DuckDBMemory, row.total, row.duckDB)
		}
	}
}

// A class with --limit has this limit times the factor. Other classes have their defaults times the factor.
func TestLimitOfAClassHolds(t *testing.T) {
	t.Parallel()
	p := installed{dir: t.TempDir()}.serve(t, "--limit", "public=1", "--limits", "3")
	for i := range 4 {
		want := 200
		if i == 3 {
			want = 429
		}
		if got, body := p.get(t, "/v1/query/types", ""); got != want {
			t.Errorf("request %d: status %d, want %d: %s", i+1, got, want, body)
		}
	}
	if got, body := p.get(t, "/health/live", ""); got != 200 {
		t.Errorf("another class: status %d: %s", got, body)
	}
}
