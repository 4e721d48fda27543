package storetest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sightline-analytics/sightline/internal/testenv"
)

// TestPlantedDayTable adds a sealed table to the list of package schema, and nothing else. Every store must create it,
// and pass the tests of day tables with it.
func TestPlantedDayTable(t *testing.T) {
	testenv.Night(t, "day-tables")
	path, err := filepath.Abs("../schema/day.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const before = "\t\t{Name: \"seals\","
	planted := bytes.Replace(text, []byte(before), []byte("\t\t{Name: \"sealed_planted\", Day: \"time\", "+
		"Columns: slices.Concat(ofEvents(\"time\", \"kind\", \"path\", \"country\"), hashed)},\n"+before), 1)
	if len(planted) == len(text) {
		t.Fatalf("%s has no %q", path, before)
	}
	folder := t.TempDir()
	with := filepath.Join(folder, "day.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: with}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{with: planted, filepath.Join(folder, "overlay.json"): overlay} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stores := []string{"../sqlite", "../duckdb", "../clickhouse"}
	test := exec.CommandContext(t.Context(), "go", append([]string{"test", "-count=1", "-v", "-overlay",
		filepath.Join(folder, "overlay.json"), "-run", "^TestDayTables$"}, stores...)...)
	out, err := test.CombinedOutput()
	if ran := bytes.Count(out, []byte("sealed_planted is tested")); err != nil || ran != len(stores) {
		t.Errorf("%v, %d of %d stores were tested with the planted table:\n%s", err, ran, len(stores), out)
	}
}
