package flags

import (
	"fmt"
	"strings"
	"testing"
)

// TestDependencyHoldsWhenTheParentIsEnabled uses active parents of every type, enabled for some people only.
func TestDependencyHoldsWhenTheParentIsEnabled(t *testing.T) {
	child := func(parent string) Flag {
		return Flag{Key: "needs " + parent, Type: Boolean, Default: true, Status: Active,
			Dependencies: []string{parent}}
	}
	ada := []Rule{{On: OnUserID, Operator: Equals, Value: "ada", Enabled: false}}
	set := Set{Flags: []Flag{
		{Key: "on", Type: Boolean, Default: true, Status: Active}, child("on"),
		{Key: "off", Type: Boolean, Status: Active}, child("off"),
		{Key: "none", Type: Rollout, Status: Active}, child("none"),
		{Key: "all", Type: Rollout, Percentage: 100, Status: Active, Rules: ada}, child("all"),
		{Key: "variants", Type: Multivariant, Status: Active, Variants: weighted(-1), Rules: ada}, child("variants"),
		{Key: "paused", Type: Boolean, Default: true, Status: Inactive}, child("paused"),
		child("needs all"), child("needs off"), child("nowhere"),
	}}
	x := NewIndex(set)
	for _, c := range []struct {
		user, key string
		want      bool
	}{
		{"bob", "needs on", true}, {"bob", "needs off", false}, {"bob", "needs none", false},
		{"bob", "needs paused", false}, {"bob", "needs nowhere", false},
		{"bob", "needs all", true}, {"ada", "needs all", false},
		{"bob", "needs variants", true}, {"ada", "needs variants", false},
		{"bob", "needs needs all", true}, {"ada", "needs needs all", false}, {"bob", "needs needs off", false},
	} {
		who := &Context{UserID: c.user}
		for how, got := range map[string]Result{
			"Evaluate": x.Evaluate(c.key, who, noon()), "EvaluateAll": x.EvaluateAll(who, noon())[c.key],
			"EvaluateKeys": x.EvaluateKeys([]string{c.key}, who, noon())[c.key],
		} {
			if got.Enabled != c.want || !c.want && got.Reason != DependencyNotSatisfied {
				t.Errorf("%s of %q for %s: %+v", how, c.key, c.user, got)
			}
		}
	}
}

// chainOf returns n enabled flags. Each depends on the one before it.
func chainOf(n int) (all []Flag) {
	for i := range n {
		f := Flag{ID: fmt.Sprint(i), Client: OfWebsite("web"), Key: fmt.Sprint("k", i), Type: Boolean, Default: true,
			Status: Active}
		if i > 0 {
			f.Dependencies = []string{all[i-1].Key}
		}
		all = append(all, f)
	}
	return all
}

func TestChainsAreBounded(t *testing.T) {
	x := NewIndex(Set{Flags: chainOf(MaxFlags)})
	for i, want := range map[int]bool{0: true, MaxChain - 1: true, MaxChain: false, MaxFlags - 1: false} {
		if got := x.Evaluate(fmt.Sprint("k", i), &Context{}, noon()); got.Enabled != want {
			t.Errorf("a chain of %d flags: %+v", i+1, got)
		}
	}
	cycle := chainOf(3)
	cycle[0].Dependencies = []string{"k2"}
	for key, got := range NewIndex(Set{Flags: cycle}).EvaluateAll(&Context{}, noon()) {
		if got.Reason != DependencyNotSatisfied {
			t.Errorf("%s in a cycle: %+v", key, got)
		}
	}
}

// TestEditorRefusesLongChains extends a chain at its end, in its middle, and at its beginning.
func TestEditorRefusesLongChains(t *testing.T) {
	m := &Memory{}
	stored := append(chainOf(MaxChain),
		Flag{ID: "x", Client: OfWebsite("web"), Key: "x", Type: Boolean, Status: Active,
			Dependencies: []string{"lost"}})
	stored[0].Dependencies = []string{"gone"}
	if err := m.Commit(t.Context(), Commit{Client: OfWebsite("web"), Flags: stored}); err != nil {
		t.Fatal(err)
	}
	e, err := NewEditor(EditorConfig{Store: m, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	_, end := e.Create(t.Context(), Actor{},
		Flag{Client: OfWebsite("web"), Key: "end", Type: Boolean, Dependencies: []string{fmt.Sprint("k", MaxChain-1)}})
	_, start := e.Create(t.Context(), Actor{}, Flag{Client: OfWebsite("web"), Key: "gone", Type: Boolean})
	_, middle := e.Change(t.Context(), Target{Client: OfWebsite("web"), ID: "5"},
		func(f *Flag) { f.Dependencies = append(f.Dependencies, "x", "k3") })
	_, longer := e.Change(t.Context(), Target{Client: OfWebsite("web"), ID: "0"},
		func(f *Flag) { f.Dependencies = []string{"x"} })
	for where, err := range map[string]error{"end": end, "start": start, "first flag": longer} {
		if err == nil || !strings.Contains(err.Error(), "form a chain of more than 32 flags") {
			t.Errorf("at the %s: %v", where, err)
		}
	}
	if middle != nil {
		t.Errorf("a dependency that does not extend the chain: %v", middle)
	}
}

// TestFlagsOfAFullClientAreEvaluatedOnce uses as many dependencies as allowed. If results were not reused, one flag
// would need more evaluations than the universe has atoms.
func TestFlagsOfAFullClientAreEvaluatedOnce(t *testing.T) {
	var all []Flag
	for layer := range MaxChain - 1 {
		for n := range MaxDependencies {
			f := Flag{Key: fmt.Sprint(layer, "-", n), Type: Boolean, Default: true, Status: Active}
			for below := range MaxDependencies {
				if layer > 0 {
					f.Dependencies = append(f.Dependencies, fmt.Sprint(layer-1, "-", below))
				}
			}
			all = append(all, f)
		}
	}
	x := NewIndex(Set{Flags: all})
	if got := x.Evaluate(fmt.Sprint(MaxChain-2, "-0"), &Context{}, noon()); !got.Enabled {
		t.Errorf("the last flag: %+v", got)
	}
	if found := x.EvaluateAll(&Context{}, noon()); len(found) != len(all) {
		t.Errorf("%d of %d flags", len(found), len(all))
	}
}
