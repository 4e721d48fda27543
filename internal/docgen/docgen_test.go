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
	tables := []query.TableInfo{{Name: "hits", Description: "Hits", Subject: "website",
		Metrics: []query.OutputField{clicks}, Texts: []string{"title"}}}
	got, err := Definitions([]byte("# Ours\n"+marker+"\nstale words"), types, tables)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Ours\n",
		"| `b` |  | ms | B: Of a | a |\n| `clicks` | integer |  | Clicks | a, c |\n",
		"### hits\n\nHits, of a website.\n\n| metric | type | unit | meaning |\n|---|---|---|---|\n| `clicks` | integer |  | Clicks |\n",
		"\n- Dimensions: none.\n- Derived columns: none.\n- Filters: none.\n- Further columns: texts `title`, numbers none.\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "stale words") {
		t.Error("the old list was not replaced")
	}
	if again, err := Definitions(got, types, tables); err != nil || string(again) != string(got) {
		t.Errorf("a second run changes the page: %v\n%s", err, again)
	}
	if _, err := Definitions([]byte("# Ours"), types, tables); err == nil {
		t.Error("a page without a marker: want an error")
	}
}
