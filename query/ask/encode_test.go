package ask

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarshalRequest(t *testing.T) {
	limit := 5
	for _, row := range []struct {
		why  string
		req  Request
		want string
	}{
		{"a name alone", Request{Parameters: []Parameter{{Name: "pages"}}, Options: Options{Preset: "today"}},
			`{"parameters":["pages"],"preset":"today"}`},
		{"a parameter with options",
			Request{Parameters: []Parameter{{Name: "pages", Options: Options{Limit: &limit, Compare: NoComparison}}},
				Options: Options{Compare: PreviousYear}},
			`{"parameters":[{"name":"pages","limit":5,"compare":"none"}],"compare":"previous_year"}`},
		{"filters that are empty but not nil",
			Request{Parameters: []Parameter{{Name: "pages",
				Options: Options{Filters: []Filter{}, GroupBy: []string{}}}}},
			`{"parameters":[{"name":"pages","filters":[],"groupBy":[]}]}`},
		{"one value and several",
			Request{Options: Options{Filters: []Filter{{Field: "path", Op: Eq, Values: []string{"/<&>"}},
				{Field: "country", Op: In, Values: []string{"DE"}}}}},
			`{"filters":[{"field":"path","op":"eq","value":"/\u003c\u0026\u003e"},{"field":"country","op":"in","value":["DE"]}]}`},
		{"nothing", Request{}, `{}`},
	} {
		if got, err := json.Marshal(row.req); err != nil || string(got) != row.want {
			t.Errorf("%s: got %s, %v; want %s", row.why, got, err, row.want)
		}
	}
}

// Whatever a request holds, the body that MarshalJSON writes is read as the same request, or with the same mistakes.
func TestRequestsRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 46))
	read := 0
	for range 1000 {
		want := randomRequest(rnd)
		body, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := Decode(body, 0)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		var mistakes Issues
		CheckRequest(&want, TimeZone, nil, &mistakes)
		var got Request
		err = json.Unmarshal(body, &got)
		if len(mistakes.Errors) > 0 {
			var errs Errors
			if all[0].Errors == nil || !errors.As(err, &errs) {
				t.Fatalf("%s is read without mistakes, but has %v", body, mistakes.Sorted())
			}
			continue
		}
		read++
		if all[0].Errors != nil || err != nil {
			t.Fatalf("%s: %v, %v", body, all[0].Errors, err)
		}
		for _, got := range []Request{all[0].Request, got} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", body, diff)
			}
		}
	}
	if read < 200 {
		t.Errorf("only %d of the requests had no mistakes", read)
	}
}

func TestUnmarshalRequestRefuses(t *testing.T) {
	for _, body := range []string{`[{"parameters":["pages"],"preset":"today"}]`, `"pages"`, `{"parameters":[]}`,
		`{"name":"pages"}`} {
		q := Request{ID: "before"}
		if err := json.Unmarshal([]byte(body), &q); err == nil || q.ID != "before" {
			t.Errorf("%s: got %+v, want an error and no change", body, q)
		}
	}
}

// randomRequest returns a request in which each field may be absent. Few have mistakes.
func randomRequest(rnd *rand.Rand) Request {
	q := Request{
		ID: oneOf(rnd, "", "q", "ü\"\\\n"), StartDate: oneOf(rnd, "2026-03-01", "2026-03-02"),
		EndDate: oneOf(rnd, "2026-03-02", "2026-03-09"),
		Options: Options{Preset: oneOf(rnd, "", "last_7d"), Limit: randomLimit(rnd),
			Page:    rnd.IntN(3),
			Filters: randomFilters(rnd), Granularity: oneOf(rnd, "", "hourly", "day"),
			Compare: oneOf(rnd, "", PreviousPeriod, PreviousYear, NoComparison),
			GroupBy: randomGroups(rnd), SortBy: oneOf(rnd, "", "visitors"),
			SortOrder: oneOf(rnd, "", "asc", "desc", "desc", "desc", "up")}, TimeZone: oneOf(rnd, "", "Asia/Kathmandu"),
	}
	for range 1 + rnd.IntN(3) {
		p := Parameter{Name: oneOf(rnd, "pages", "summary")}
		if rnd.IntN(2) == 0 {
			p = Parameter{Name: p.Name, ID: oneOf(rnd, "", "p"), StartDate: oneOf(rnd, "", "2026-03-03"),
				EndDate: oneOf(rnd, "", "2026-03-04"),
				Options: Options{Preset: oneOf(rnd, "", "yesterday"), Limit: randomLimit(rnd), Page: rnd.IntN(3),
					Filters: randomFilters(rnd), Granularity: oneOf(rnd, "", "daily"), GroupBy: randomGroups(rnd),
					SortBy: oneOf(rnd, "", "path"), SortOrder: oneOf(rnd, "", "asc"),
					Compare: oneOf(rnd, "", PreviousYear, NoComparison),
					Totals:  oneOf(rnd, nil, new(true), new(false))}}
			randomParts(rnd, &p)
		}
		q.Parameters = append(q.Parameters, p)
	}
	return q
}

// randomParts gives p a choice of metrics, or what a type asks about.
func randomParts(rnd *rand.Rand, p *Parameter) {
	action := func() Action {
		text := &Text{Op: oneOf(rnd, Eq, StartsWith), Values: []string{oneOf(rnd, "", "/a", "\u2028<")}}
		if rnd.IntN(3) == 0 {
			text = &Text{Op: oneOf(rnd, In, NotIn), Values: []string{"a", "b"}[:1+rnd.IntN(2)]}
		}
		a := Action{Event: text}
		switch rnd.IntN(3) {
		case 0:
			a = Action{Page: text}
		case 1:
			a = Action{Click: text}
		}
		if rnd.IntN(2) == 0 {
			a.Filters = []Filter{{Field: "property:a", Op: Exists}}
		}
		return a
	}
	switch rnd.IntN(6) {
	case 0:
		p.Name, p.Dataset, p.Dimensions = "", oneOf(rnd, "", "events"),
			[][]string{nil, {}, {"date", "property:a"}}[rnd.IntN(3)]
		p.Metrics = []ChosenMetric{{Name: "visitors"}, {Name: "sum", Property: "a", As: oneOf(rnd, "", "b")},
			{Name: "c", As: "d"}}[:1+rnd.IntN(3)]
	case 1:
		p.Goals = []Goal{{Name: "a", Action: action(), Value: oneOf(rnd, "", "v")},
			{Name: oneOf(rnd, "a", "b", "c"), Action: action()}}
	case 2:
		p.Steps, p.Window = []Step{{Action: action()}, {Name: oneOf(rnd, "", "b"), Action: action()}},
			oneOf(rnd, "", "7d", "30m")
		p.Within = oneOf(rnd, "", WithinSession, WithinVisitor)
	case 3:
		p.Start, p.Return = oneOf(rnd, nil, new(action())), oneOf(rnd, nil, new(action()))
	case 4:
		p.From, p.To = oneOf(rnd, nil, new(""), new("/a")), oneOf(rnd, nil, new("/b"))
	}
	if rnd.IntN(4) == 0 {
		p.Filters = append(p.Filters, Filter{Did: &Did{Action: action(), In: oneOf(rnd, "", InRange)}})
	}
}

func randomLimit(rnd *rand.Rand) *int {
	if rnd.IntN(2) == 0 {
		return nil
	}
	n := 1 + rnd.IntN(MaxLimit)
	return &n
}

func randomFilters(rnd *rand.Rand) []Filter {
	if rnd.IntN(3) == 0 {
		return nil
	}
	all := []Filter{}
	for range rnd.IntN(3) {
		all = append(all, randomFilter(rnd, 0))
	}
	return all
}

// randomFilter is a leaf or a group, which may be empty.
func randomFilter(rnd *rand.Rand, depth int) Filter {
	var parts []Filter
	if n := rnd.IntN(10); n < 6 && depth < 5 {
		parts = []Filter{}
		for range min(n+rnd.IntN(2), 3) {
			parts = append(parts, randomFilter(rnd, depth+1))
		}
		switch {
		case n < 2:
			return Filter{And: parts}
		case n < 4 || len(parts) == 0:
			return Filter{Or: parts}
		}
		return Filter{Not: &parts[0]}
	}
	f := Filter{Field: oneOf(rnd, "path", "property:a"), Op: oneOf(rnd, TextOperators()...),
		Values: []string{oneOf(rnd, "", "/a", "7", "true", "null", "\u2028<")}}
	if f.Field != "path" {
		f.Op = oneOf(rnd, AllOperators()...)
	}
	if f.Op.none() {
		f.Values = nil
	}
	if f.Op.many() && rnd.IntN(2) == 0 {
		f.Values = append(f.Values, "/b")
	}
	return f
}

func randomGroups(rnd *rand.Rand) []string {
	return [][]string{nil, {}, {"country"}, {"country", "device_type"}}[rnd.IntN(4)]
}

func oneOf[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }
