package flags

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestOrderedRules compares values of every kind as numbers, versions and regular expressions.
func TestOrderedRules(t *testing.T) {
	semverOrder := []string{"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
		"1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.9.0", "1.10.0", "2.0.0", "99999999999999999999.0.0"}
	for i, a := range semverOrder {
		for j, b := range semverOrder {
			for o, want := range map[Operator]bool{SemverEquals: i == j, SemverGreater: i > j, SemverAtLeast: i >= j,
				SemverLess: i < j, SemverAtMost: i <= j} {
				if got := matchesProperty(o, a, b); got != want {
					t.Errorf("%s %s %s: %v", a, o, b, got)
				}
			}
		}
	}
	for _, c := range []struct {
		got      any
		operator Operator
		value    any
		want     bool
	}{
		{"1.0.0+a", SemverEquals, "1.0.0+b", true}, {"v1.2.3", SemverEquals, "1.2.3", true},
		{"1.2", SemverEquals, "1.2.0", true}, {"17", SemverAtLeast, "16.4.0", true},
		{1.2, SemverGreater, "1.0.0", false}, {"1.2.3.4", SemverGreater, "1.0.0", false},
		{"01.2.3", SemverGreater, "0.0.1", false}, {"1.0.0-01", SemverLess, "2.0.0", false},
		{"", SemverLess, "2.0.0", false}, {nil, SemverLess, "2.0.0", false}, {nil, SemverEquals, "", false},
		{[]any{"1.0.0"}, SemverEquals, "1.0.0", false}, {"vv1.0.0", SemverEquals, "1.0.0", false},
		{" 1.0.0", SemverEquals, "1.0.0", false},

		{10.0, Greater, 9.0, true}, {"10", Greater, 9.0, true}, {"10", Greater, "9", true}, {9.0, Greater, 9.0, false},
		{9.0, AtLeast, "9.0", true}, {-1.0, Less, 0.0, true}, {"-1e3", Less, -999.0, true}, {"1e400", Greater, 1.0,
			false},
		{9.0, AtMost, 9.0, true}, {json.Number("12"), Greater, 11.0, true}, {12, Greater, 11.0, true},
		{".5", Less, 1.0, true}, {"+5", AtLeast, 5.0, true}, {"0x10", Greater, 1.0, false}, {"1_0", Greater, 1.0,
			false},
		{"inf", Greater, 1.0, false}, {"NaN", Less, 1.0, false}, {"", Less, 1.0, false}, {" 5", Less, 9.0, false},
		{true, Greater, 0.0, false}, {nil, Less, 1.0, false}, {[]any{5.0}, Greater, 1.0, false},
		{map[string]any{}, Less, 1.0, false}, {5.0, Greater, "x", false}, {5.0, Greater, nil, false},

		{"premium-1", Matches, "^premium-[0-9]+$", true}, {"x", Matches, "^y", false}, {"", Matches, "^$", true},
		{nil, Matches, ".*", false}, {15.0, Matches, "^15$", true}, {true, Matches, "true", true},
		{[]any{"a"}, Matches, "a", false}, {map[string]any{}, Matches, "object", false}, {"a", Matches, "(", false},
		{"ÜBER", Matches, "(?i)über", true}, {strings.Repeat("a", MaxID+1), Matches, "a", false}, {"a", Matches, 1.0,
			false},
	} {
		if got := matchesProperty(c.operator, c.got, c.value); got != c.want {
			t.Errorf("%v %s %v: %v", c.got, c.operator, c.value, got)
		}
	}
	person := &Context{UserID: "42", Email: "ada@acme.example"}
	for _, c := range []struct {
		rule Rule
		want bool
	}{
		{Rule{On: OnUserID, Operator: Greater, Value: 41.0}, true},
		{Rule{On: OnEmail, Operator: Matches, Value: "@acme\\.example$"}, true},
		{Rule{On: OnEmail, Operator: Greater, Value: 1.0}, false},
	} {
		m := compile(&c.rule, newSplit(FirstHash, forPercentage, ""), patterns{})
		if got := m.matches(&m, person); got != c.want {
			t.Errorf("%+v: %v", c.rule, got)
		}
		if m.matches(&m, &Context{}) {
			t.Errorf("%+v matches nobody", c.rule)
		}
	}
}

func matchesProperty(o Operator, got, value any) bool {
	m := compile(&Rule{On: OnProperty, Field: "f", Operator: o, Value: value}, newSplit(FirstHash, forPercentage, ""),
		patterns{})
	c := &Context{Properties: map[string]any{"f": got}}
	if got == nil {
		c = &Context{}
	}
	return m.matches(&m, c)
}

// TestPatternsPerClient counts different patterns in flags and groups of one client.
func TestPatternsPerClient(t *testing.T) {
	e := newEditor(t, &Memory{})
	rules := func(from, n int) (list []Rule) {
		for i := range n {
			list = append(list, Rule{On: OnEmail, Operator: Matches, Value: fmt.Sprint("p", from+i)})
		}
		return list
	}
	first := mustCreate(t, e, Flag{Key: "a", Rules: rules(0, MaxPatterns-1)})
	mustCreate(t, e, Flag{Key: "same", Rules: rules(0, MaxPatterns-1)})
	g, err := e.PutGroup(t.Context(), Group{Client: OfWebsite("web"), Name: "g", Rules: rules(MaxPatterns-1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Create(t.Context(), Actor{}, Flag{Client: OfWebsite("web"), Key: "more", Type: Boolean,
		Rules: rules(MaxPatterns, 1)}); !errors.Is(err, ErrInvalid) ||
		!strings.Contains(err.Error(), "at most 100 different regular expressions, not 101") {
		t.Errorf("one more in a flag: %v", err)
	}
	g.Rules = rules(MaxPatterns-1, 2)
	if _, err := e.PutGroup(t.Context(), g); !errors.Is(err, ErrInvalid) {
		t.Errorf("one more in a group: %v", err)
	}
	if _, err := e.Change(t.Context(), Target{Client: first.Client, ID: first.ID},
		func(f *Flag) { f.Name = "n" }); err != nil {
		t.Errorf("a change at the bound: %v", err)
	}
}

// TestStoredKeysStayUsable has a flag whose key could be created earlier.
func TestStoredKeysStayUsable(t *testing.T) {
	store, web := &Memory{}, OfWebsite("web")
	old := Flag{ID: "f", Client: web, Key: "a/b", Type: Boolean, Status: Active, By: ByUser, Default: true, Revision: 1}
	old.normalize()
	if err := store.Commit(t.Context(), Commit{Client: web, Flags: []Flag{old}}); err != nil {
		t.Fatal(err)
	}
	e := newEditor(t, store)
	changed, err := e.Change(t.Context(), Target{Client: web, ID: "f"}, func(f *Flag) { f.Name = "n" })
	if err != nil || changed.Name != "n" {
		t.Errorf("Change: %v", err)
	}
	mustCreate(t, e, Flag{Key: "needs", Dependencies: []string{"a/b"}})
	if list, err := e.List(t.Context(), web); err != nil || len(list) != 2 {
		t.Errorf("List: %v, %v", list, err)
	}
	for _, key := range []string{"c/d", "a?b", "..", "%2e", "a\u202eb"} {
		if _, err := e.Create(t.Context(), Actor{}, Flag{Client: web, Key: key, Type: Boolean}); !errors.Is(err,
			ErrInvalid) ||
			!strings.Contains(err.Error(), "key must not") {
			t.Errorf("Create %q: %v", key, err)
		}
		p, err := ParsePatch(fmt.Appendf(nil, `{"clientId":"web","key":%q,"type":"boolean","defaultValue":true}`, key))
		if err != nil || !errors.Is(p.Check(true, noon()), ErrInvalid) {
			t.Errorf("Patch.Check %q: %v", key, err)
		}
	}
	if err := e.Remove(t.Context(), Target{Client: web, ID: "f"}); err != nil {
		t.Errorf("Remove: %v", err)
	}
}
