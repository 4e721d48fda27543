package docgen

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query"
)

func TestDefinitionsKeepsTheHandWrittenPart(t *testing.T) {
	clicks := query.OutputField{Name: "clicks", Type: query.Integer, Label: "Clicks"}
	types := []query.Info{
		{Name: "a", Output: []query.OutputField{clicks, {Name: "b", Label: "B", Description: "Of a.", Unit: "ms"}}},
		{Name: "c", Output: []query.OutputField{clicks}},
	}
	got, err := Definitions([]byte("# Ours\n"+marker+"\nstale words"), types)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Ours\n", "| `b` |  | ms | B: Of a | a |\n| `clicks` | integer |  | Clicks | a, c |\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "stale words") {
		t.Error("the old list was not replaced")
	}
	if again, err := Definitions(got, types); err != nil || string(again) != string(got) {
		t.Errorf("a second run changes the page: %v\n%s", err, again)
	}
	if _, err := Definitions([]byte("# Ours"), types); err == nil {
		t.Error("a page without a marker: want an error")
	}
}
