package ask

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPartsHaveAnOrder(t *testing.T) {
	for _, name := range slices.Concat(filterMembers().Names(), didMembers(0).Names(), goalMembers().Names(),
		stepMembers().Names(), metricMembers.Names()) {
		if !slices.Contains(partFields, name) {
			t.Errorf("mistakes in %q have no order", name)
		}
	}
}

// TestDecodeChoice reads all that a parameter may have beside the options that every type takes.
func TestDecodeChoice(t *testing.T) {
	body := `{"startDate":"2024-02-01","endDate":"2024-02-02","weekStart":"monday","totals":true,
		"filters":[{"or":[{"field":"country","op":"eq","value":"DE"},{"not":{"and":[{"field":"property:plan","op":"exists"},
			{"did":{"event":"signup","in":"range","filters":[{"field":"property:total","op":"gte","value":12.5}]}}]}}]}],
		"parameters":[
		{"id":"a","dataset":"events","metrics":["visitors",{"metric":"sum","property":"total","as":"revenue"}],"dimensions":["date","property:plan"]},
		{"name":"goals","goals":[{"name":"Docs","page":{"op":"starts_with","value":"/docs"},"value":"total"}],"totals":false},
		{"name":"funnel","steps":[{"page":"/"},{"name":"S","event":{"op":"in","value":["a","b"]}}],"window":"7d","within":"session"},
		{"name":"retention","start":{"event":"signup"},"return":{"click":"https://a.example"},"granularity":"weekly"},
		{"name":"paths","from":"","to":"/x"}]}`
	yes, no, empty, x := true, false, "", "/x"
	is := func(op Op, values ...string) *Text { return &Text{Op: op, Values: values} }
	want := Request{
		StartDate: "2024-02-01", EndDate: "2024-02-02", Options: Options{WeekStart: Monday, Totals: &yes,
			Filters: []Filter{{Or: []Filter{
				{Field: "country", Op: Eq, Values: []string{"DE"}},
				{Not: &Filter{And: []Filter{
					{Field: "property:plan", Op: Exists},
					{Did: &Did{In: InRange, Action: Action{Event: is(Eq, "signup"),
						Filters: []Filter{{Field: "property:total", Op: Gte, Values: []string{"12.5"}}}}}},
				}}},
			}}}},
		Parameters: []Parameter{
			{ID: "a", Dataset: "events",
				Metrics:    []ChosenMetric{{Name: "visitors"}, {Name: "sum", Property: "total", As: "revenue"}},
				Dimensions: []string{"date", "property:plan"}},
			{Name: "goals", Goals: []Goal{{Name: "Docs", Action: Action{Page: is(StartsWith, "/docs")},
				Value: "total"}}, Options: Options{Totals: &no}},
			{Name: "funnel", Steps: []Step{{Action: Action{Page: is(Eq, "/")}},
				{Name: "S", Action: Action{Event: is(In, "a", "b")}}},
				Window: "7d", Within: WithinSession},
			{Name: "retention", Start: &Action{Event: is(Eq, "signup")},
				Return: &Action{Click: is(Eq, "https://a.example")}, Options: Options{Granularity: "weekly"}},
			{Name: "paths", From: &empty, To: &x},
		},
	}
	all, _, err := Decode([]byte(body), 0)
	if err != nil || len(all) != 1 || all[0].Errors != nil {
		t.Fatalf("Decode: %v, %v", all, err)
	}
	if diff := cmp.Diff(want, all[0].Request); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// TestChoiceMistakes has one mistake, or a few, per row.
func TestChoiceMistakes(t *testing.T) {
	deep := strings.Repeat(`{"not":`, 6) + `{"field":"path","op":"eq","value":"/"}` + strings.Repeat("}", 6)
	many := strings.TrimSuffix(strings.Repeat(`{"field":"path","op":"eq","value":"/"},`, 30), ",")
	for _, row := range []struct{ why, parameter, filters, want string }{
		{"a place in a group", `"pages"`,
			`[{"and":[{"field":"path","op":"eq","value":"/"},{"or":[{"field":"path","op":"eqq","value":"/"}]}]}]`,
			`filters[0].and[1].or[0].op: unknown operator "eqq"; did you mean "eq"?`},
		{"an empty group", `"pages"`, `[{"or":[]}]`, "filters[0].or must hold at least one filter"},
		{"a group that is a leaf too", `"pages"`,
			`[{"field":"path","op":"eq","value":"/","or":[{"field":"path","op":"eq","value":"/"}]}]`,
			"filters[0] must be one of a condition, and, or, not, did and segment, not several"},
		{"six levels", `"pages"`, "[" + deep + "]", "nested too deeply: at most 5"},
		{"60 leaves", `"pages"`, `[{"or":[` + many + `]},{"or":[` + many + `]}]`,
			"filters may have at most 50 filters, not 60"},
		{"a number of a field", `"pages"`, `[{"field":"path","op":"gt","value":"1"}]`,
			"filters[0].op: gt is for properties only"},
		{"a value of exists", `"pages"`, `[{"field":"property:a","op":"exists","value":"1"}]`,
			"filters[0].value must be left out for exists"},
		{"no key", `"pages"`, `[{"field":"property:","op":"exists"}]`, "filters[0].field must name a property"},
		{"did of two things", `"pages"`, `[{"did":{"event":"a","page":"/"}}]`,
			"filters[0].did must have exactly one of event, page and click, not 2"},
		{"did in did", `"pages"`, `[{"did":{"event":"a","filters":[{"did":{"event":"b"}}]}}]`,
			"filters[0].did.filters[0].did cannot stand inside"},
		{"a place of did", `"pages"`, `[{"did":{"event":"a","in":"day"}}]`,
			`filters[0].did.in: unknown place of events "day"`},
		{"metrics and a name", `{"name":"pages","metrics":["visitors"]}`, `[]`,
			"parameters[0].name cannot be given with metrics"},
		{"a data set alone", `{"dataset":"events"}`, `[]`, "parameters[0].metrics must name at least one metric"},
		{"dimensions of a type", `{"name":"pages","dimensions":["country"]}`, `[]`,
			"parameters[0].dimensions: belong to metrics"},
		{"a column", `{"metrics":[{"metric":"sum","property":"a","as":"a b"}]}`, `[]`,
			"parameters[0].metrics[0].as must be 1 to 64 letters"},
		{"goals of one name", `{"name":"goals","goals":[{"name":"a","page":"/"},{"name":"a","page":"/b"}]}`, `[]`,
			`parameters[0].goals[1].name is that of goals[0], too: "a"`},
		{"leaves of goals", `{"name":"goals","goals":[{"name":"a","page":"/","filters":[` + many +
			`]},{"name":"b","page":"/","filters":[` + many + `]}]}`, `[]`,
			"parameters[0] may have at most 50 filters, counted with those of goals and steps, not 60"},
		{"an owner of events", `{"name":"funnel","steps":[{"page":"/"},{"page":"/b"}],"within":"page"}`, `[]`,
			`parameters[0].within: unknown owner of events "page"`},
		{"one step", `{"name":"funnel","steps":[{"page":"/"}]}`, `[]`,
			"parameters[0].steps must have at least 2 steps, not 1"},
		{"a window", `{"name":"funnel","steps":[{"page":"/"},{"page":"/b"}],"window":"91d"}`, `[]`,
			"parameters[0].window must be a whole number"},
		{"a filter of a goal", `{"name":"goals","goals":[{"name":"a","page":"/","filters":[{"field":"path","op":"x","value":""}]}]}`, `[]`,
			`parameters[0].goals[0].filters[0].op: unknown operator "x"`},
		{"a week", `{"name":"pages","weekStart":"tuesday"}`, `[]`,
			`parameters[0].weekStart: unknown first day of weeks "tuesday"`},
	} {
		// The preset is wrong too, so that mistakes of parameters are reported with those of the request.
		body := fmt.Sprintf(`{"preset":"x","parameters":[%s],"filters":%s}`, row.parameter, row.filters)
		all, _, err := Decode([]byte(body), 0)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %v, %v", row.why, all, err)
		}
		if got := all[0].Errors.Error(); !strings.Contains(got, row.want) {
			t.Errorf("%s: %q is not in\n%s", row.why, row.want, got)
		}
	}
}

func TestParseWindow(t *testing.T) {
	for text, want := range map[string]time.Duration{"1m": time.Minute, "12h": 12 * time.Hour, "90d": MaxWindow,
		"0m": 0, "91d": 0, "d": 0,
		"": 0, "-1d": 0, "1s": 0, "99999999999999999999d": 0, "1 d": 0, "60": 0} {
		if got, ok := ParseWindow(text); ok != (want > 0) || ok && got != want {
			t.Errorf("ParseWindow(%q) = %s, %t; want %s", text, got, ok, want)
		}
	}
}

func TestDecodeWhole(t *testing.T) {
	limit, own := 20, 3
	body := ` {"id":"q1","parameters":["summary",{"name":"pages","id":"p","start_date":"2024-01-01",
		"end_date":"2024-01-02","preset":"yesterday","limit":3,"page":4,"filters":[],"granularity":"hour",
		"groupBy":"country","sortBy":"visitors","sortOrder":"desc"}],"startDate":"2024-02-01","endDate":"2024-02-02",
		"preset":"today","timeZone":"Europe/Berlin","limit":20,"page":2,
		"filters":[{"field":"path","op":"eq","value":"/ü\u00e9\"\\"},{"field":"country","op":"in","value":["DE",7,true]}],
		"granularity":"daily","groupBy":["country","device_type"],"sortBy":"visitors","sortOrder":"asc"} `
	want := Request{
		ID: "q1",
		Parameters: []Parameter{{Name: "summary"},
			{Name: "pages", ID: "p", StartDate: "2024-01-01", EndDate: "2024-01-02",
				Options: Options{Preset: "yesterday", Limit: &own, Page: 4, Filters: []Filter{}, Granularity: "hour",
					GroupBy: []string{"country"}, SortBy: "visitors", SortOrder: "desc"}}},
		StartDate: "2024-02-01", EndDate: "2024-02-02", TimeZone: "Europe/Berlin",
		Options: Options{Preset: "today", Limit: &limit, Page: 2,
			Filters: []Filter{{Field: "path", Op: Eq, Values: []string{`/üé"\`}},
				{Field: "country", Op: In, Values: []string{"DE", "7", "true"}}},
			Granularity: "daily", GroupBy: []string{"country", "device_type"}, SortBy: "visitors", SortOrder: "asc"},
	}
	all, batch, err := Decode([]byte(body), 0)
	if err != nil || batch || len(all) != 1 || all[0].Errors != nil {
		t.Fatalf("Decode: %v, batch %v, %v", all, batch, err)
	}
	if diff := cmp.Diff(want, all[0].Request); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestDecodeRefusesBodies(t *testing.T) {
	for _, row := range []struct {
		why, body string
		code      Code
	}{
		{"nothing", "", InvalidJSON},
		{"only blanks", " \n", InvalidJSON},
		{"half an object", `{"parameters":["pages"]`, InvalidJSON},
		{"something after the object", `{} x`, InvalidJSON},
		{"two objects", `{}{}`, InvalidJSON},
		{"a raw NUL in a string", "{\"id\":\"a\x00\"}", InvalidJSON},
		{"NUL bytes", "\x00\x00", InvalidJSON},
		{"invalid UTF-8", "{\"id\":\"\xff\"}", InvalidJSON},
		{"a byte order mark", "\ufeff{}", InvalidJSON},
		{"a number that is none", `{"limit":01}`, InvalidJSON},
		{"nesting without end", strings.Repeat("[", 100_000), InvalidJSON},
		{"nesting deeper than any reader goes", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), InvalidJSON},
		{"deep arrays", strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), InvalidJSON},
		{"null", "null", InvalidJSON},
		{"a string", `"summary"`, InvalidJSON},
		{"an array of names", `["summary"]`, InvalidJSON},
		{"an array with one null", `[{},null]`, InvalidJSON},
		{"an empty batch", `[]`, Invalid},
		{"a batch that is too long", "[" + strings.Repeat("{},", 20) + "{}]", Invalid},
	} {
		all, _, err := Decode([]byte(row.body), 0)
		var e *Error
		if !errors.As(err, &e) || e.Code != row.code || e.Message == "" || all != nil {
			t.Errorf("%s: %v, %v; want %s", row.why, all, err, row.code)
		}
	}
}

func TestDecodeDeepValues(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 4_000) + strings.Repeat(`]}`, 4_000)
	for _, field := range requestFields {
		all, _, err := Decode(fmt.Appendf(nil, `{"parameters":["pages"],"%s":%s,"id":"x"}`, field, deep), 0)
		if err != nil || len(all[0].Errors) == 0 {
			t.Errorf("%s may nest 8 000 deep: %v", field, err)
		}
	}
}

func TestDecodeBatch(t *testing.T) {
	body := `[{"id":"a","parameters":["pages"],"preset":"today"},{"id":"b","parameters":["pages"],"preset":"someday"},{"id":"c","parameters":["pages"],"preset":"today"}]`
	all, batch, err := Decode([]byte(body), 3)
	if err != nil || !batch || len(all) != 3 {
		t.Fatalf("Decode: %v, batch %v, %v", all, batch, err)
	}
	for i, id := range []string{"a", "b", "c"} {
		if all[i].Request.ID != id || (all[i].Errors != nil) != (id == "b") {
			t.Errorf("query %d is %q with %v", i, all[i].Request.ID, all[i].Errors)
		}
	}
	if _, _, err := Decode([]byte(body), 2); err == nil {
		t.Error("a batch longer than the host allows is refused")
	}
}

// hugeBody is a query whose field holds an array of n items.
func hugeBody(field, item string, n int) string {
	return fmt.Sprintf(`{"parameters":["pages"],"preset":"today","%s":[%s%s]}`, field, strings.Repeat(item+",", n-1),
		item)
}

func TestDecodeBounds(t *testing.T) {
	filter := `{"field":"path","op":"eq","value":"/"}`
	text := func(n int) string {
		return `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"eq","value":"` +
			strings.Repeat("ü", n) + `"}]}`
	}
	values := func(n int) string {
		return `{"parameters":["pages"],"preset":"today","filters":[{"field":"path","op":"in","value":["/"` +
			strings.Repeat(`,"/"`, n-1) + `]}]}`
	}
	parameters := func(n int) string {
		return `{"preset":"today","parameters":["pages"` + strings.Repeat(`,"pages"`, n-1) + `]}`
	}
	list := func(field, before, item string, n int) string { // item has the place of a number, so that no two are equal
		var items []string
		for i := range n {
			items = append(items, strings.ReplaceAll(item, "#", fmt.Sprint(i)))
		}
		return fmt.Sprintf(`{"preset":"today","parameters":[{%s"%s":[%s]}]}`, before, field, strings.Join(items, ","))
	}
	const goal, of = `{"name":"#","page":"/"}`, `"metrics":["visitors"],`
	leavesOfDid := func(n int) string {
		return hugeBody("filters", `{"did":{"event":"a","filters":[`+filter+strings.Repeat(","+filter, n-2)+`]}}`, 1)
	}
	for _, row := range []struct {
		why, good, bad, field string
	}{
		{"10 metrics", list("metrics", "", `{"metric":"sum","property":"#"}`, 10),
			list("metrics", "", `{"metric":"sum","property":"#"}`, 11), "parameters[0].metrics"},
		{"4 dimensions", list("dimensions", of, `"property:#"`, 4), list("dimensions", of, `"property:#"`, 5),
			"parameters[0].dimensions"},
		{"20 goals", list("goals", `"name":"goals",`, goal, 20), list("goals", `"name":"goals",`, goal, 21),
			"parameters[0].goals"},
		{"10 steps", list("steps", `"name":"funnel",`, `{"page":"/"}`, 10),
			list("steps", `"name":"funnel",`, `{"page":"/"}`, 11), "parameters[0].steps"},
		{"50 leaves with those of did", leavesOfDid(50), leavesOfDid(51), "filters"},
		{"50 filters", hugeBody("filters", filter, 50), hugeBody("filters", filter, 51), "filters"},
		{"50 parameters", parameters(50), parameters(51), "parameters"},
		{"50 fields of groupBy", hugeBody("groupBy", `"country"`, 50), hugeBody("groupBy", `"country"`, 51), "groupBy"},
		{"500 values", values(500), values(501), "filters[0].value"},
		{"2 048 characters", text(2048), text(2049), "filters[0].value"},
	} {
		if all, _, err := Decode([]byte(row.good), 0); err != nil || all[0].Errors != nil {
			t.Errorf("%s are allowed: %v, %v", row.why, err, all[0].Errors)
		}
		all, _, err := Decode([]byte(row.bad), 0)
		if err != nil || len(all[0].Errors) != 1 || all[0].Errors[0].Field != row.field {
			t.Errorf("one more than %s is refused at %s: %v, %v", row.why, row.field, err, all[0].Errors)
		}
	}
}

func TestDecodeWholeNumbers(t *testing.T) {
	for sent, want := range map[string]int{"100": 100, "100.0": 100, "1e2": 100, "1.5E1": 15} {
		all, _, err := Decode([]byte(`{"parameters":["pages"],"preset":"today","limit":`+sent+`}`), 0)
		if err != nil || all[0].Errors != nil || *all[0].Request.Limit != want {
			t.Errorf("limit %s: %v, %+v, want %d", sent, err, all[0], want)
		}
	}
	for _, sent := range []string{"1.5", "1e-1", "1e19", "9223372036854775808.0", "1e999"} {
		if all, _, err := Decode([]byte(`{"parameters":["pages"],"preset":"today","limit":`+sent+`}`), 0); err != nil ||
			len(all[0].Errors) != 1 {
			t.Errorf("limit %s: %v, %+v", sent, err, all[0])
		}
	}
}

// The cost of a hostile body is bounded by its length, and so is the answer to it.
func TestDecodeHugeArrays(t *testing.T) {
	const n = 20_000
	unknownFields := &strings.Builder{}
	for i := range n / 10 {
		fmt.Fprintf(unknownFields, `"%s%d":0,`, strings.Repeat("x", 30), i)
	}
	for _, body := range []string{
		hugeBody("filters", "0", n), hugeBody("groupBy", "0", n), hugeBody("filters", "{}", n),
		`{"parameters":[` + strings.Repeat(`"",`, n) + `""]}`,
		`{` + unknownFields.String() + `"id":"x"}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		all, _, err := Decode([]byte(body), 0)
		runtime.ReadMemStats(&after)
		if err != nil || len(all[0].Errors) == 0 || len(all[0].Errors) > maxIssues {
			t.Errorf("%.40s…: %d mistakes, %v", body, len(all[0].Errors), err)
		}
		if took := int(after.TotalAlloc - before.TotalAlloc); took > 300*len(body) {
			t.Errorf("%.40s…: %d bytes took %d of memory", body, len(body), took)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	body := []byte(`{"parameters":["summary","pages"],"preset":"last_30d","filters":[{"field":"country","op":"eq","value":"DE"}]}`)
	b.ReportAllocs()
	for b.Loop() {
		if all, _, err := Decode(body, 0); err != nil || all[0].Errors != nil {
			b.Fatal(err)
		}
	}
}

// TestFilterGroups reads groups, and tells where in them a mistake is.
func TestFilterGroups(t *testing.T) {
	leaf := `{"field":"path","op":"eq","value":"/"}`
	body := `{"preset":"today","parameters":["pages"],"filters":[{"or":[` + leaf +
		`,{"not":{"and":[{"field":"path","op":"matches","value":"^/a"}]}}]}]}`
	all, _, err := Decode([]byte(body), 0)
	want := []Filter{{Or: []Filter{{Field: "path", Op: Eq, Values: []string{"/"}},
		{Not: &Filter{And: []Filter{{Field: "path", Op: Matches, Values: []string{"^/a"}}}}}}}}
	if err != nil || all[0].Errors != nil {
		t.Fatal(err, all[0].Errors)
	}
	if diff := cmp.Diff(want, all[0].Request.Filters); diff != "" || all[0].Request.CountFilters() != 2 {
		t.Errorf("%d filters (-want +got):\n%s", all[0].Request.CountFilters(), diff)
	}
	leaves := func(n int) string { return strings.Repeat(leaf+",", n-1) + leaf }
	nots := func(n int, inside string) string {
		return strings.Repeat(`{"not":`, n) + inside + strings.Repeat("}", n)
	}
	for _, row := range []struct{ why, filters, want string }{
		{"five levels", nots(5, leaf), ""},
		{"six levels", nots(6, leaf),
			"filters[0].not.not.not.not.not is nested too deeply: at most 5 groups may be around a condition"},
		{"50 leaves", `{"or":[` + leaves(25) + `]},{"or":[` + leaves(25) + `]}`, ""},
		{"51 leaves", `{"or":[` + leaves(25) + `]},{"or":[` + leaves(26) + `]}`,
			"filters may have at most 50 filters, not 51"},
		{"the place of an operator", `{"and":[` + leaf + `,{"or":[{"field":"path","op":"eqq","value":"/"}]}]}`,
			`filters[0].and[1].or[0].op: unknown operator "eqq"; did you mean "eq"?`},
		{"the place of an unknown field", `{"or":[{"field":"path","op":"eq","value":"/","feld":""}]}`,
			`filters[0].or[0].feld: unknown field "feld"`},
		{"an empty group", `{"or":[]}`, "filters[0].or must hold at least one filter"},
		{"a leaf that is a group, too", `{"field":"path","op":"eq","value":"/","or":[` + leaf + `]}`,
			"filters[0] must be one of a condition, and, or, not, did and segment, not several"},
		{"two groups", `{"and":[` + leaf + `],"or":[` + leaf + `]}`,
			"filters[0] must be one of a condition, and, or, not, did and segment, not several"},
		{"a group that is no list", `{"and":` + leaf + `}`, "filters[0].and must be an array of filters"},
		{"a pattern that is none", `{"field":"path","op":"matches","value":"a(b"}`,
			"filters[0].value is not a regular expression: missing closing ): \"a(b\""},
		{"500 bytes of a pattern", `{"field":"path","op":"matches","value":"` + strings.Repeat("a", 500) + `"}`, ""},
		{"a long pattern", `{"field":"path","op":"not_matches","value":"` + strings.Repeat("a", 501) + `"}`,
			"filters[0].value may have at most 500 bytes, not 501"},
		{"a property", `{"field":"property:a b","op":"exists"},{"field":"property:total","op":"gte","value":12.5}`, ""},
		{"an operator for properties", `{"field":"path","op":"gt","value":1}`,
			"filters[0].op: gt is for properties only, such as property:total"},
		{"a value of exists", `{"field":"property:a","op":"not_exists","value":""}`,
			"filters[0].value must be left out for not_exists"},
		{"a property without a key", `{"field":"property:","op":"exists"}`,
			"filters[0].field must name a property, such as property:plan"},
		{"a long key", `{"field":"property:` + strings.Repeat("ü", 129) + `","op":"exists"}`,
			"filters[0].field may have at most 128 characters after property:"},
		{"an operator that is not known", `{"field":"path","op":"did","value":"/"}`,
			`filters[0].op: unknown operator "did"`},
	} {
		all, _, err := Decode([]byte(`{"preset":"today","parameters":["pages"],"filters":[`+row.filters+`]}`), 0)
		if err != nil {
			t.Fatalf("%s: %v", row.why, err)
		}
		if got := all[0].Errors.Error(); len(all[0].Errors) > 1 || !strings.HasPrefix(got, row.want) ||
			row.want == "" && all[0].Errors != nil {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
}
