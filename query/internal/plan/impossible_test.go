package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/query/ask"
)

// TestImpossibleValues asks with values that no stored text can have. A mandatory filter with one is refused with the
// nearest value, and an answer has a note.
func TestImpossibleValues(t *testing.T) {
	for _, tt := range []struct {
		field   string
		op      ask.Op
		value   string
		never   bool
		nearest string
	}{
		{"path", ask.Ne, "internal", true, "/internal"},
		{"path", ask.Eq, " /internal ", false, ""},
		{"path", ask.Eq, "https://shop.example/internal?x=1", false, ""},
		{"path", ask.In, "/blog/*", true, "/blog"},
		{"path", ask.Eq, "^/blog/.*", true, "/blog"},
		{"path", ask.StartsWith, "blog", true, "/blog"},
		{"path", ask.NotStartsWith, "blog", true, "/blog"},
		{"path", ask.StartsWith, "/blog", false, ""},
		{"path", ask.EndsWith, "blog", false, ""},
		{"path", ask.Contains, "blog?page=2", true, "blog"},
		{"path", ask.Eq, "", false, ""},
		{"path", ask.Matches, "blog", false, ""},
		{"device_type", ask.Ne, "phone", true, "mobile"},
		{"device_type", ask.Eq, "Mobile", false, ""},
		{"device_type", ask.In, "mobil", true, "mobile"},
		{"device_type", ask.Eq, "", false, ""},
		{"device_type", ask.StartsWith, "desk", false, ""},
		{"device_type", ask.Contains, "phone", true, "mobile"},
		{"device_type", ask.NotMatches, "^(mobile|tablet)$", false, ""},
		{"device_type", ask.Matches, "phone", true, "mobile"},
		{"metric_name", ask.Eq, "lcp", true, "LCP"},
		{"metric_name", ask.Eq, "LCP", false, ""},
		{"reason", ask.Eq, "robot", true, "bot"},
		{"country", ask.Contains, "Atlantis", true, ""},
		{"country", ask.Contains, "man", false, ""},
		{"utm_campaign", ask.Eq, "spring*", true, "spring"},
		{"utm_campaign", ask.Contains, "*", false, ""},
		{"referrer", ask.Eq, "*.news.example", true, ""},
		{"message", ask.Eq, "2 * 2", false, ""},
		{"property:plan", ask.Eq, "*", false, ""},
		{"property:total", ask.Gt, "many", true, ""},
		{"property:total", ask.Gt, "1.5", false, ""},
	} {
		leaf := ask.Filter{Field: tt.field, Op: tt.op, Values: []string{tt.value}}
		c := ConditionOn(accessField(tt.field), leaf)
		notes := (&Plan{Filters: []Condition{{Group: NoneOf, Parts: []Condition{c}}}}).Notes()
		if (len(notes) > 0) != tt.never {
			t.Errorf("%s %s %q has the notes %q", tt.field, tt.op, tt.value, notes)
		}
		var list ask.Issues
		RefuseImpossible([]ask.Filter{leaf}, &list)
		refused := slices.ContainsFunc(list.Errors,
			func(e *ask.Error) bool { return e.Suggestion == tt.nearest && e.Field == "filters[0].value" })
		if refused != tt.never {
			t.Errorf("a mandatory filter %s %s %q: %v, want the suggestion %q", tt.field, tt.op, tt.value, list.Errors,
				tt.nearest)
		}
	}
}

// TestNotesOfActions finds values that can match nothing in goals, steps and did.
func TestNotesOfActions(t *testing.T) {
	page := ask.Text{Op: ask.Eq, Values: []string{"pricing"}}
	event := ask.Text{Op: ask.Eq, Values: []string{"$exposure"}}
	good := ask.Text{Op: ask.Eq, Values: []string{"signup"}}
	action := func(a ask.Action) Action { return actionOf(ask.FieldPath{}, &a, &ask.Issues{}) }
	start := action(ask.Action{Event: &good})
	p := &Plan{
		Filters: []Condition{{Did: &Did{Action: action(ask.Action{Page: &page})}}},
		Behaviour: &Behaviour{Goals: []Goal{{Action: action(ask.Action{Event: &event})}},
			Steps: []FunnelStep{{Action: action(ask.Action{Page: &page})}}, Start: &start},
	}
	got := strings.Join(p.Notes(), "\n")
	if want := `no stored path is "pricing"; did you mean "/pricing"?` + "\n" +
		`no stored event_name is "$exposure"`; got != want {
		t.Errorf("the notes are\n%s\nwant\n%s", got, want)
	}
	var list ask.Issues
	RefuseImpossible([]ask.Filter{{Did: &ask.Did{Action: ask.Action{Page: &page}}}}, &list)
	if len(list.Errors) != 1 || list.Errors[0].Suggestion != "/pricing" {
		t.Errorf("a mandatory filter on what people did: %v", list.Errors)
	}
}
