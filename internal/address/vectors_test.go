package address

import (
	"encoding/json"
	"os"
	"testing"
)

// TestPathVectors reads the paths that the tracker compares in the same way: TestTracker runs its code on them.
func TestPathVectors(t *testing.T) {
	body, err := os.ReadFile("testdata/paths.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors [][2]string
	if err := json.Unmarshal(body, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		if got := Path(v[0]); got != v[1] {
			t.Errorf("Path(%q) = %q, want %q", v[0], got, v[1])
		}
	}
}
