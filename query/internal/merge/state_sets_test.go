package merge

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// speaks is a store of another dialect.
type speaks struct {
	nothing
	lang *dialect.Dialect
}

func (s speaks) Dialect() *dialect.Dialect { return s.lang }

// setsBy are the state sets of an engine, by the names of their states.
func setsBy(t *testing.T, lang *dialect.Dialect) map[store.StateName]*StateSet {
	t.Helper()
	e, err := testMerger(speaks{lang: lang})
	if err != nil {
		t.Fatal(err)
	}
	found := map[store.StateName]*StateSet{}
	for _, set := range e.StateSets().All {
		found[set.Names.State] = set
	}
	return found
}

// TestStateSetNames checks that states have the same names in every process, that each state set has its name, and that
// names change with the statement, and with the statements that compute seals.
func TestStateSetNames(t *testing.T) {
	before, again := setsBy(t, dialect.DuckDB()), setsBy(t, dialect.DuckDB())
	if names := slices.Collect(maps.Keys(before)); len(names) < 40 || len(names) != len(again) ||
		slices.ContainsFunc(names, func(n store.StateName) bool { return again[n] == nil }) {
		t.Errorf("%d sets, then %d", len(before), len(again))
	}
	for op, all := range map[dialect.Op]bool{dialect.FloorDiv: true, dialect.RunningMax: true, dialect.Lower: false} {
		changed := *dialect.DuckDB()
		changed.Templates[op] += " /* otherwise */"
		same := 0
		for name := range setsBy(t, &changed) {
			if before[name] != nil {
				same++
			}
		}
		if all && same > 0 || !all && same != len(before) {
			t.Errorf("%v is written otherwise: %d of %d sets have the same name", op, same, len(before))
		}
	}
}

// TestStateSets wants every part of an answer without filters to be in a state set, with all of its aggregates, and
// parts with filters in none.
func TestStateSets(t *testing.T) {
	e, err := testMerger(nothing{})
	if err != nil {
		t.Fatal(err)
	}
	known := e.StateSets()
	seen := 0
	for _, one := range known.All {
		for _, i := range one.Part.aggregates {
			if strings.Contains(one.aggregates[i].Name, "\nwhere") {
				t.Errorf("%s is stored, which has a filter", one.aggregates[i].Name)
			}
		}
		if of := known.of(one.Merge, one.Part); of != one {
			t.Errorf("%s by %s is in another set", one.Part.tb.Name, one.KeyNames)
		}
		filtered := *one.Merge
		filtered.aggregates = slices.Clone(one.aggregates)
		for i := range filtered.aggregates {
			filtered.aggregates[i].Name += "\nwhere country eq"
		}
		if known.of(&filtered, one.Part) != nil {
			t.Errorf("%s by %s is stored with a filter", one.Part.tb.Name, one.KeyNames)
		}
		seen++
	}
	if seen < 40 {
		t.Errorf("%d sets", seen)
	}
}
