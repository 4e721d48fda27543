package mistake

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNearest(t *testing.T) {
	names := []string{"summary", "summary_metrics", "pages", "entry_pages", "exit_pages", "traffic", "countries",
		"browser_name", "os_name", "device_types", "sessions", "errors", "performance", "link_total_clicks"}
	for _, row := range []struct{ why, name, want string }{
		{"a letter is missing", "summry", "summary"},
		{"two letters are swapped", "pgaes", "pages"},
		{"a letter is wrong", "trafic", "traffic"},
		{"case does not count", "Summary", "summary"},
		{"nor does the separator", "entry-pages", "entry_pages"},
		{"nor its absence", "deviceTypes", "device_types"},
		{"the first one that it begins", "browser", "browser_name"},
		{"short names begin one too", "os", "os_name"},
		{"nothing near", "revenue", ""},
		{"one letter says nothing", "s", ""},
		{"nothing", "", ""},
		{"too long to be a name", strings.Repeat("summary", 100), ""},
		{"no text of any alphabet breaks it", "größe_日本", ""},
	} {
		if got := Nearest(row.name, names, nil); got != row.want {
			t.Errorf("%s: Nearest(%.20q) = %q, want %q", row.why, row.name, got, row.want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1},
		{"abc", "xabc", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := edits(row.a, row.b); got != row.want {
			t.Errorf("edits(%q, %q) = %d, want %d", row.a, row.b, got, row.want)
		}
	}
}
func TestNearestKnowsSynonyms(t *testing.T) {
	also := Synonyms{"devices": {"device_types", "link_top_devices"}, "equals": {"eq"}, "pagez": {"exit_pages"}}
	for _, row := range []struct {
		why, name, want string
		names           []string
	}{
		{"the first one that is allowed", "Devices", "link_top_devices",
			[]string{"link_top_devices", "link_total_clicks"}},
		{"none that is not", "devices", "", []string{"summary"}},
		{"before what is near", "pagez", "exit_pages", []string{"pages", "exit_pages"}},
		{"after the same name", "equals", "equals", []string{"eq", "equals"}},
		{"the last word", "week", "this_week", []string{"today", "this_week", "last_week"}},
		{"the last word with a number", "7d", "last_7d", []string{"last_90d", "last_7d"}},
		{"no part of a word", "eek", "", []string{"this_week"}},
	} {
		if got := Nearest(row.name, row.names, also); got != row.want {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
}

func TestSlip(t *testing.T) {
	for name, want := range map[string]bool{"query": true, "Query": true, "querry": true, "quer": true,
		"v1query": false, "queries": false, "q": false, "": false, strings.Repeat("query", 100): false} {
		if Slip(name, "query") != want {
			t.Errorf("Slip(%.20q) = %t", name, !want)
		}
	}
}

func TestChoice(t *testing.T) {
	many := strings.Split(strings.Repeat("name,", maxListed)+"summary", ",")
	for _, row := range []struct {
		why, name, want string
		allowed         []string
	}{
		{"few names are listed", "summry", `no summry; did you mean "summary"? Allowed are summary, pages`,
			[]string{"summary", "pages"}},
		{"many are not beside a suggestion", "summry", `no summry; did you mean "summary"?`, many},
		{"but without one", "revenue", "no revenue; allowed are " + strings.Join(many, ", "), many},
		{"nothing is allowed", "x", "no x", nil},
	} {
		if got, _ := Choice("no "+row.name, row.name, row.allowed, nil); got != row.want {
			t.Errorf("%s: %s, want %s", row.why, got, row.want)
		}
	}
}

func TestSentence(t *testing.T) {
	for _, row := range [][3]string{
		{"limit", "must be at least 1, not 0", "limit must be at least 1, not 0"},
		{"key", "is required", "key is required"},
		{"clientId", "is required: the id of a website", "clientId is required: the id of a website"},
		{"preset", `unknown preset "x"`, `preset: unknown preset "x"`},
		{"startDate", `"2026-02-30" is not a real date`, `startDate: "2026-02-30" is not a real date`},
		{"", "The body is empty", "The body is empty"},
	} {
		if got := Sentence(row[0], row[1]); got != row[2] {
			t.Errorf("%q, want %q", got, row[2])
		}
	}
}

func TestTypesOfJSON(t *testing.T) {
	var v struct {
		Text   string
		Flag   bool
		Whole  int
		Number float64
		List   []string
		Object map[string]int
	}
	for js, want := range map[string]string{
		`{"Text":7}`: "must be a string, not 7", `{"Flag":"x"}`: "must be true or false, not a string",
		`{"Whole":1.5}`:   "must be a whole number, not 1.5",
		`{"Number":true}`: "must be a number, not a boolean", `{"List":{}}`: "must be an array, not an object",
		`{"Object":[]}`: "must be an object, not an array",
	} {
		wrong, ok := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal([]byte(js), &v))
		if !ok || strings.Replace(Type(wrong), "a number", "7", 1) != strings.Replace(want, "a number", "7", 1) {
			t.Errorf("%s: %v, want %s", js, wrong, want)
		}
	}
}

func TestJSON(t *testing.T) {
	for body, want := range map[string]string{
		"":           "The body is empty",
		" \n":        "The body is empty",
		"\xff":       "The body is not valid UTF-8",
		`{"a":1} `:   "",
		"{'a':1}":    "The body is not valid JSON: unexpected ' at byte 2; JSON strings need double quotes",
		`{"a":1,}`:   "The body is not valid JSON: unexpected } at byte 8",
		`{"id":"x`:   "The body is not valid JSON: it ends too early, at byte 8",
		`{é}`:        "The body is not valid JSON: unexpected é at byte 2",
		"[\"\x00\"]": `The body is not valid JSON: unexpected \x00 at byte 3`,
		strings.Repeat("[", 10_001) +
			strings.Repeat("]", 10_001): "The body is not valid JSON: it is nested too deeply, at byte 10001",
	} {
		if got := JSON([]byte(body)); got != want {
			t.Errorf("%.20q: %s, want %s", body, got, want)
		}
	}
}

func TestOr(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"},
		"a, b or c": {"a", "b", "c"}} {
		if got := Or(names...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWordings(t *testing.T) {
	for want, got := range map[string]string{
		"must be a string, not a number":         Want("a string", KindOf(json.Number("7"))),
		"The item must be an object, not null":   Body("The item", KindOf(nil)),
		"must be active or inactive, not \"on\"": OneOf("on", "active", "inactive"),
		"is required: active or inactive":        OneOf("", "active", "inactive"),
		"must be at least 1, not 0":              AtLeast(1, 0),
		"must be between 0 and 100, not 100.5":   Between(0, 100, 100.5),
		"may have at most 10 entries, not 11":    AtMost(10, "entries", 11),
		"may have at most 255 characters":        Long(255),
		"must be one of these, not \"" + strings.Repeat("x", 64) +
			"\"": OneOf(strings.Repeat("x", 100), "one of these"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	message, suggestion := Unknown("nam", []string{"name"}, nil)
	if message != `unknown field "nam"; did you mean "name"? Allowed are name` || suggestion != "name" {
		t.Errorf("%s, %s", message, suggestion)
	}
}

// TestKindsAgree checks that a value has the same type as JSON and decoded.
func TestKindsAgree(t *testing.T) {
	for _, js := range []string{"{}", "[1]", `"a"`, "true", "null", "7.5"} {
		var v any
		if err := json.Unmarshal([]byte(js), &v); err != nil {
			t.Fatal(err)
		}
		if Kind([]byte(js)) != KindOf(v) {
			t.Errorf("%s is %s and %s", js, Kind([]byte(js)), KindOf(v))
		}
	}
}

func TestDecode(t *testing.T) {
	type inner struct {
		Name string    `json:"name"`
		At   time.Time `json:"at"`
	}
	var v struct {
		List []inner `json:"list"`
	}
	for js, want := range map[string]FieldError{
		`{"list":[]}`:              {},
		`{"list":{}}`:              {Field: "a.list", Message: "must be an array, not an object"},
		`{"list":[{"name":7}]}`:    {Field: "a.list.name", Message: "must be a string, not a number"},
		`{"list":[{"at":"noon"}]}`: {Field: "a", Message: "must have times like 2026-03-29T12:00:00Z"},
		`{"list":[{"at":7}]}`:      {Field: "a", Message: "must have times like 2026-03-29T12:00:00Z"},
		`{"more":1}`:               {Field: "a", Message: `unknown field "more"`},
	} {
		got, err := Decode("a", []byte(js), &v, true)
		if got != want || (err == nil) != (want == FieldError{}) {
			t.Errorf("%s: %+v, %v, want %+v", js, got, err, want)
		}
	}
	if wrong, err := Decode("", []byte("7"), &v, false); wrong.Field != "" || err == nil {
		t.Errorf("%+v, %v", wrong, err)
	}
}

func TestNewMistakes(t *testing.T) {
	for _, c := range []struct {
		one, other string
		contained  bool
	}{
		{"filters", "filters", true}, {"filters", "filters[0].op", true}, {"filters[0].op", "filters[0]", true},
		{"user.id", "user", true},
		{"filter", "filters", false}, {"filters[0]", "filters[1]", false}, {"filters[1]", "filters[10]", false},
		{"a", "b", false},
	} {
		for _, fields := range [][2]string{{c.one, c.other}, {c.other, c.one}} {
			l := One(fields[0], Required)
			if l.AddNew(FieldError{Field: fields[1]}); (len(l) == 1) != c.contained {
				t.Errorf("%s after %s: %v", fields[1], fields[0], l)
			}
		}
	}
}

func TestListIsBounded(t *testing.T) {
	var l List
	for range 200 {
		l.Add("a", Required)
	}
	if len(l) != Most || l[0].Error() != "a is required" {
		t.Errorf("%d mistakes, first %v", len(l), l[0])
	}
}
