package reference

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// signups is a small dataset. anna (S1) and ben (S2) read, and anna signs up. The events o1 to o4 have properties. cleo
// has neither a session nor a page.
const signups = `
01T09:00:00 view   p1 s=S1 a=anna path=/ country=DE from=google.com browser=Chrome
01T09:01:00 view   p2 s=S1 a=anna path=/pricing props={"plan":"pro"}
01T09:02:00 custom o1 s=S1 a=anna path=/pricing name=signup props={"plan":"pro","total":12.5}
01T09:02:30 custom o5 s=S1 a=anna path=/pricing name=$hidden props={"plan":"pro","total":99}
01T10:00:00 view   p3 s=S2 a=ben path=/ country=FR
01T10:01:00 view   p4 s=S2 a=ben path=/docs
01T10:02:00 click  k1 s=S2 a=ben path=/docs href=https://x.example/a text=x props={"plan":"free","total":"7"}
02T10:00:00 view   p5 s=S3 a=anna path=/docs country=DE
02T11:00:00 custom o2 a=cleo name=order props={"plan":"","total":"x"}
02T11:00:00 custom o3 a=cleo name=order props={"plan":null,"nested":{"a":[1,2.50]}}
02T11:00:00 custom o4 a=ben name=order
`

func ofProperty(key, op string, values ...string) Filter { return leaf("property:"+key, op, values...) }

func did(kind, value string, change func(*Did)) Filter {
	text := &Text{Op: "eq", Values: []string{value}}
	d := &Did{}
	switch kind {
	case "event":
		d.Event = text
	case "page":
		d.Page = text
	default:
		d.Click = text
	}
	if change != nil {
		change(d)
	}
	return Filter{Did: d}
}

func inRange(d *Did) { d.In = "range" }

func not(f Filter) Filter         { return Filter{Not: &f} }
func anyOf(list ...Filter) Filter { return Filter{Or: list} }
func allOf(list ...Filter) Filter { return Filter{And: list} }
func filtered(list ...Filter) func(*Question) {
	return func(q *Question) { q.Filters = list }
}

// passing returns the ids of the rows of signups for which the filters hold, in a range of two days.
func passing(t *testing.T, filters []Filter) string {
	t.Helper()
	d := NewData(read(t, signups))
	a, _, err := d.ask(ask("website", "custom_events", filtered(filters...)))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range a.site.rows {
		if a.passes(r) {
			ids = append(ids, r.id)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// Section 1: groups, properties and what people did.
func TestFilterGroups(t *testing.T) {
	for _, tt := range []struct {
		why     string
		filters []Filter
		want    string
	}{
		{"the list is an and", []Filter{leaf("path", "eq", "/"), leaf("country", "eq", "DE")}, "p1"},
		{"or", []Filter{anyOf(leaf("path", "eq", "/"), leaf("event_name", "eq", "order"))}, "o2 o3 o4 p1 p3"},
		{"and in or", []Filter{anyOf(allOf(leaf("path", "eq", "/"), leaf("country", "eq", "FR")),
			leaf("event_name", "eq", "signup"))}, "o1 p3"},
		{"not is decided per row, not per session",
			[]Filter{not(leaf("path", "eq", "/")), leaf("session_id", "eq", "S2")}, "k1 p4"},
		{"not of absent texts holds: there is no third value", []Filter{not(leaf("country", "eq", "DE"))},
			"k1 o2 o3 o4 p3 p4"},
		{"a session field is the session's", []Filter{leaf("country", "eq", "DE"), leaf("path", "eq", "/pricing")},
			"o1 o5 p2"},
		{"sessions and rows mixed", []Filter{anyOf(leaf("country", "eq", "FR"), leaf("path", "eq", "/pricing"))},
			"k1 o1 o5 p2 p3 p4"},

		{"a property is of the row", []Filter{ofProperty("plan", "eq", "pro")}, "o1 o5 p2"},
		{"absent and null are empty", []Filter{ofProperty("plan", "eq", "")}, "o2 o3 o4 p1 p3 p4 p5"},
		{"an empty text exists, null does not", []Filter{ofProperty("plan", "exists")}, "k1 o1 o2 o5 p2"},
		{"not exists", []Filter{ofProperty("plan", "not_exists"), leaf("event_name", "eq", "order")}, "o3 o4"},
		{"keys are case-sensitive", []Filter{ofProperty("Plan", "exists")}, ""},
		{"there is no path into objects", []Filter{ofProperty("nested.a", "exists")}, ""},
		{"compact JSON, numbers as sent", []Filter{ofProperty("nested", "eq", `{"a":[1,2.50]}`)}, "o3"},
		{"a number as text", []Filter{ofProperty("total", "eq", "12.5")}, "o1"},
		{"texts and numbers compare as decimals", []Filter{ofProperty("total", "gte", "7")}, "k1 o1 o5"},
		{"gt", []Filter{ofProperty("total", "gt", "7.00004")}, "o1 o5"},
		{"lt", []Filter{ofProperty("total", "lt", " 12.5 ")}, "k1"},
		{"lte", []Filter{ofProperty("total", "lte", "12.5")}, "k1 o1"},
		{"neither holds without a decimal",
			[]Filter{anyOf(ofProperty("total", "gt", "0"), ofProperty("total", "lte", "0")),
				leaf("event_name", "eq", "order")}, ""},
		{"but not does", []Filter{not(ofProperty("total", "gt", "0")), leaf("event_name", "eq", "order")}, "o2 o3 o4"},
		{"no decimal on the other side", []Filter{ofProperty("total", "lte", "x")}, ""},

		{"ends_with", []Filter{leaf("path", "ends_with", "cing")}, "o1 o5 p2"},
		{"not_ends_with", []Filter{leaf("path", "not_ends_with", "s"), leaf("session_id", "eq", "S2")}, "p3"},
		{"not_starts_with", []Filter{leaf("path", "not_starts_with", "/d"), leaf("session_id", "eq", "S2")}, "p3"},
		{"a pattern is not anchored", []Filter{leaf("path", "matches", "o?c")}, "k1 o1 o5 p2 p4 p5"},
		{"not_matches", []Filter{leaf("path", "not_matches", "^/.+$"), leaf("session_id", "ne", "")}, "p1 p3"},
		{"a pattern of a country looks at the name", []Filter{leaf("country", "matches", "^Ger")}, "o1 o5 p1 p2 p5"},
		{"in its own case", []Filter{leaf("country", "matches", "^ger")}, ""},
		{"unless it says so", []Filter{leaf("browser_name", "matches", "(?i)CHROME")}, "o1 o5 p1 p2"},
		{"contains folds this field, a pattern does not", []Filter{leaf("browser_name", "matches", "CHROME")}, ""},
		{"a pattern of a referrer looks at domain and name", []Filter{leaf("referrer", "matches", "^Goo|^$")},
			"k1 o1 o2 o3 o4 o5 p1 p2 p3 p4 p5"},
		{"of the name in its own case", []Filter{leaf("referrer", "matches", "^Google$")}, "o1 o5 p1 p2"},
		{"direct is named Direct", []Filter{leaf("referrer", "matches", "^Direct$"), leaf("path", "eq", "/")}, "p3"},

		{"did in the session, at any time", []Filter{did("event", "signup", nil)}, "o1 o5 p1 p2"},
		{"not did holds for rows without a session", []Filter{not(did("event", "signup", nil))},
			"k1 o2 o3 o4 p3 p4 p5"},
		{"did in the range, by the visitor", []Filter{did("event", "signup", inRange)}, "o1 o5 p1 p2 p5"},
		{"in the range without a session", []Filter{did("event", "order", inRange)}, "k1 o2 o3 o4 p3 p4"},
		{"a page, normalised", []Filter{did("page", "https://x.example/docs/?a", nil)}, "k1 p3 p4 p5"},
		{"a page is the path of a pageview", []Filter{did("page", "", nil)}, ""},
		{"a click", []Filter{did("click", "https://x.example/a", nil)}, "k1 p3 p4"},
		{"$ names match nothing", []Filter{did("event", "$hidden", nil)}, ""},
		{"with filters on the same event",
			[]Filter{did("event", "signup", func(d *Did) { d.Filters = []Filter{ofProperty("total", "gt", "12.5")} })},
			""},
		{"with groups", []Filter{did("event", "signup", func(d *Did) {
			d.Filters = []Filter{anyOf(ofProperty("total", "gt", "12.5"), leaf("path", "eq", "/pricing"))}
		})}, "o1 o5 p1 p2"},
		{"with a text operator", []Filter{did("event", "sign", func(d *Did) { d.Event.Op = "starts_with" })},
			"o1 o5 p1 p2"},
	} {
		if got := passing(t, tt.filters); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.why, got, tt.want)
		}
	}
}

// Section 1: sessions have a pageview, at any time, on which the whole formula holds.
func TestFilterGroupsOfSessions(t *testing.T) {
	d := NewData(read(t, signups))
	sessions := func(n string) string { return `{"sessions":` + n + `}` }
	chosen := func(list ...Filter) func(*Question) {
		return func(q *Question) { q.Type, q.Metrics, q.Filters = "", []Metric{{Name: "sessions"}}, list }
	}
	for _, w := range []wanted{
		{why: "two row filters need one pageview",
			ask: chosen(leaf("path", "eq", "/"), ofProperty("plan", "eq", "pro")), rows: sessions("0")},
		{why: "or", ask: chosen(anyOf(leaf("path", "eq", "/pricing"), leaf("country", "eq", "FR"))),
			rows: sessions("2")},
		{why: "not says has another, not never had", ask: chosen(not(leaf("path", "eq", "/"))), rows: sessions("3")},
		{why: "not of a group", ask: chosen(not(anyOf(leaf("path", "eq", "/docs"), leaf("country", "eq", "DE")))),
			rows: sessions("1")},
		{why: "did", ask: chosen(did("event", "signup", nil)), rows: sessions("1")},
		{why: "did not", ask: chosen(not(did("event", "signup", nil))), rows: sessions("2")},
		{why: "did in the range", ask: chosen(did("event", "signup", inRange)), rows: sessions("2")},
		{why: "the range is the requested one", ask: func(q *Question) {
			chosen(did("event", "signup", inRange))(q)
			q.StartDate = "2024-05-02"
		}, rows: sessions("0")},
	} {
		w.check(t, d)
	}
}

// Section 1: mandatory groups are about sessions or about rows.
func TestMandatoryGroups(t *testing.T) {
	d := NewData(read(t, signups))
	chosen := func(list ...Filter) func(*Question) {
		return func(q *Question) {
			q.Type, q.Metrics, q.Mandatory = "",
				[]Metric{{Name: "pageviews"}, {Name: "sessions"}, {Name: "total_events"}, {Name: "bounce_rate"}}, list
		}
	}
	for _, w := range []wanted{
		{why: "whole sessions", ask: chosen(anyOf(leaf("country", "eq", "FR"), leaf("browser_name", "eq", "Chrome"))),
			rows: `{"pageviews":4,"sessions":2,"total_events":6,"bounce_rate":0}`},
		{why: "rows, before sessions form",
			ask:  chosen(anyOf(leaf("path", "eq", "/docs"), ofProperty("plan", "eq", "pro"))),
			rows: `{"pageviews":3,"sessions":3,"total_events":5,"bounce_rate":33.33}`},
		{why: "what a session did, before other rows are removed",
			ask:  chosen(did("event", "signup", nil), leaf("path", "eq", "/")),
			rows: `{"pageviews":1,"sessions":1,"total_events":1,"bounce_rate":100}`},
	} {
		w.check(t, d)
	}
	for _, f := range []Filter{
		anyOf(leaf("country", "eq", "FR"), leaf("path", "eq", "/")),
		allOf(leaf("country", "eq", "FR"), not(ofProperty("plan", "eq", "pro"))),
		anyOf(did("event", "signup", nil), leaf("path", "eq", "/")),
		did("event", "signup", inRange),
	} {
		if _, err := d.Answer(ask("website", "pages", keyed(f))); !errors.Is(err, ErrFilter) {
			t.Errorf("the mandatory filter %v: %v", f, err)
		}
	}
}

// nested returns f within a number of groups.
func nested(f Filter, depth int) Filter {
	for range depth {
		f = not(f)
	}
	return f
}

// Section 1: bounds and places.
func TestRefusedGroups(t *testing.T) {
	d := NewData(read(t, signups))
	root := leaf("path", "eq", "/")
	fifty := slices.Repeat([]Filter{root}, 50)
	for _, tt := range []struct {
		why, kind string
		refused   bool
		filter    Filter
	}{
		{"an empty group", "pages", true, Filter{Or: []Filter{}}},
		{"nothing", "pages", true, Filter{}},
		{"a leaf and a group", "pages", true,
			Filter{Field: "path", Op: "eq", Values: []string{"/"}, Or: []Filter{root}}},
		{"five levels", "pages", false, nested(root, 5)},
		{"six levels", "pages", true, nested(root, 6)},
		{"50 leaves", "pages", false, anyOf(fifty...)},
		{"51 leaves", "pages", true, anyOf(append(fifty, root)...)},
		{"leaves inside did count", "pages", true,
			allOf(did("event", "a", func(d *Did) { d.Filters = fifty[:49] }), root)},
		{"49 and did", "pages", false, did("event", "a", func(d *Did) { d.Filters = fifty[:49] })},
		{"did inside did", "pages", true,
			did("event", "a", func(d *Did) { d.Filters = []Filter{did("event", "b", nil)} })},
		{"a session field inside did", "pages", true,
			did("event", "a", func(d *Did) { d.Filters = []Filter{leaf("country", "eq", "DE")} })},
		{"did of two kinds", "pages", true, did("event", "a", func(d *Did) { d.Page = d.Event })},
		{"did of no kind", "pages", true, Filter{Did: &Did{}}},
		{"did somewhere else", "pages", true, did("event", "a", func(d *Did) { d.In = "month" })},
		{"an unknown field in a group", "pages", true, anyOf(root, leaf("message", "eq", "x"))},
		{"an operator for properties", "pages", true, leaf("path", "exists")},
		{"exists with a value", "pages", true, ofProperty("a", "exists", "x")},
		{"gt of a property", "pages", false, ofProperty("a", "gt", "x")},
		{"no key", "pages", true, ofProperty("", "eq", "x")},
		{"a key of 128 characters", "pages", false, ofProperty(strings.Repeat("ü", 128), "eq", "x")},
		{"a key of 129 characters", "pages", true, ofProperty(strings.Repeat("ü", 129), "eq", "x")},
		{"a bad pattern", "pages", true, leaf("path", "matches", "(")},
		{"a pattern of 500 bytes", "pages", false, leaf("path", "matches", strings.Repeat("a", 500))},
		{"a pattern of 501 bytes", "pages", true, leaf("path", "matches", strings.Repeat("a", 501))},
		{"properties of errors", "errors", true, ofProperty("a", "eq", "x")},
		{"properties of vitals", "vitals_overview", true, ofProperty("a", "eq", "x")},
		{"properties of performance", "performance", true, ofProperty("a", "eq", "x")},
		{"properties of rejected traffic", "blocked_traffic", true, ofProperty("a", "eq", "x")},
		{"properties of sessions", "sessions", false, ofProperty("a", "eq", "x")},
		{"event_name of pages", "summary", false, leaf("event_name", "eq", "x")},
		{"event_name of errors", "error_types", true, leaf("event_name", "eq", "x")},
	} {
		_, err := d.Answer(ask("website", tt.kind, filtered(tt.filter)))
		if refused := err != nil; refused != tt.refused || refused && !errors.Is(err, ErrFilter) &&
			!errors.Is(err, ErrPart) {
			t.Errorf("%s: %v", tt.why, err)
		}
	}
	long := func(q *Question) { q.Filters, q.EndDate = []Filter{did("event", "a", nil)}, "2025-05-01" }
	if _, err := d.Answer(ask("website", "pages", long)); err != nil {
		t.Errorf("did in 366 days: %v", err)
	}
	longer := func(q *Question) {
		long(q)
		q.EndDate = "2025-05-02"
	}
	if _, err := d.Answer(ask("website", "pages", longer)); !errors.Is(err, ErrFilter) {
		t.Errorf("did in 367 days: %v", err)
	}
}
