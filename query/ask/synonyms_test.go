package ask_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/builtin"
	"github.com/sightline-analytics/sightline/query/internal/synonym"
)

// TestSynonymsAreOfNamesThatExist: a synonym of a name that is gone would never be suggested.
func TestSynonymsAreOfNamesThatExist(t *testing.T) {
	types, err := catalog.NewRegistry(builtin.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	_, fieldNames := types.Names()
	known := slices.Concat(ask.RequestFields, ask.ParameterFields, ask.PartFields, ask.OperatorNames(),
		calendar.Presets(), calendar.GrainNames(), ask.CompareNames(), fieldNames)
	for word, names := range synonym.OfNames() {
		for _, name := range names {
			if !slices.Contains(known, name) {
				t.Errorf("%s means %s, which is not a name", word, name)
			}
		}
		if word != strings.ToLower(word) || strings.ContainsAny(word, "_- ") {
			t.Errorf("%q is not in lower case without separators: it is never found", word)
		}
	}
}
