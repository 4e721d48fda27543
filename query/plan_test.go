package query

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/golden"
	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// smallRegistry is a catalog by hand: what resolve decides must not depend on the
// built-in one.
func smallRegistry() *Registry {
	path := &catalog.Field{Name: "path", Match: catalog.ByPath}
	country := &catalog.Field{Name: "country", Session: true, Match: catalog.ByCountry}
	device := &catalog.Field{Name: "device_type", Session: true, Match: catalog.AnyCase}
	referrer := &catalog.Field{Name: "referrer", Session: true, Match: catalog.ByReferrer}
	source := &catalog.Field{Name: "utm_source", Session: true}
	region := &catalog.Field{Name: "probe_region"}
	defs := []*catalog.BoundType{
		define(Type{Name: "summary", Subject: store.KindWebsite, Shape: Series},
			[]catalog.Output{{Name: "date", Format: Date}, {Name: "pageviews", Format: Integer, Zero: true}, {Name: "bounce_rate", Format: Number, Decimals: 2}},
			[]string{"country", "device_type"}, []catalog.Order{{Column: "date", Desc: false}}, path, country, device, referrer, source),
		define(Type{Name: "pages", Subject: store.KindWebsite},
			[]catalog.Output{{Name: "path", Format: String}, {Name: "visitors", Format: Integer}, {Name: "last_seen", Format: DateTime},
				{Name: "bounced", Format: Boolean}, {Name: "percentage", Format: Number}},
			[]string{"country", "device_type", "utm_source"}, []catalog.Order{{Column: "visitors", Desc: true}}, path, country, device, referrer, source),
		define(Type{Name: "countries", Subject: store.KindWebsite},
			[]catalog.Output{{Name: "country", Format: String}, {Name: "visitors", Format: Integer}},
			nil, []catalog.Order{{Column: "visitors", Desc: true}, {Column: "country", Desc: false}}, path, country),
		define(Type{Name: "link_total_clicks", Subject: store.KindLink},
			[]catalog.Output{{Name: "total", Format: Integer}}, []string{"country"}, nil, country),
		define(Type{Name: "uptime_overview", Subject: store.KindSchedule},
			[]catalog.Output{{Name: "uptime_percentage", Format: Number}}, nil, nil, region),
	}
	return catalog.RegistryOf(defs)
}

func define(row Type, columns []catalog.Output, groupable []string, steps []catalog.Order, fields ...*catalog.Field) *catalog.BoundType {
	ty := &catalog.BoundType{Type: row, Outputs: columns, Groupable: groupable, Steps: steps, Fields: map[string]*catalog.Field{}}
	for _, f := range fields {
		ty.Fields[f.Name] = f
		ty.Filterable = append(ty.Filterable, f.Name)
	}
	for _, c := range columns {
		ty.Sortable = append(ty.Sortable, c.Name)
	}
	return ty
}

// TestGoldenPlans reads files of cases. A case is a block of lines: settings, "ask" with a
// body, "----", and what it is resolved to. Run with -update to write the latter.
//
//	now INSTANT         the clock; by default a Friday noon
//	of KIND             whose rows; by default those of a website
//	zone NAME           of the access
//	types NAME…         of the access
//	always FIELD OP V…  a mandatory filter of the access
//	ask BODY
func TestGoldenPlans(t *testing.T) {
	files, err := filepath.Glob("testdata/resolve/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks := strings.Split(strings.TrimSpace(string(text)), "\n\n")
			for i, block := range blocks {
				if input, _, found := strings.Cut(block, "\n----"); found {
					blocks[i] = input + "\n----\n" + runCase(t, input)
				}
			}
			golden.Check(t, file, []byte(strings.Join(blocks, "\n\n")+"\n"))
		})
	}
}

func runCase(t *testing.T, input string) string {
	t.Helper()
	now := time.Date(2024, time.March, 1, 12, 0, 0, 0, time.UTC)
	access := Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}}
	var body string
	for line := range strings.Lines(input) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := strings.Fields(rest)
		var err error
		switch word {
		case "now":
			now, err = time.Parse(time.RFC3339, rest)
		case "of":
			access.Subject.Kind = store.SubjectKind(rest)
		case "zone":
			access.Zone, err = time.LoadLocation(rest)
		case "types":
			access.Types = words
		case "always":
			access.Filters = append(access.Filters, Filter{Field: words[0], Op: Op(words[1]), Values: words[2:]})
		case "ask":
			body = rest
		case "#":
		default:
			t.Fatalf("no setting is called %q", word)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return outcome(access, body, now)
}

func outcome(access Access, body string, now time.Time) string {
	all, _, err := Decode([]byte(body), 0)
	if err != nil {
		return "body: " + err.Error()
	}
	var lines []string
	mistakes := all[0].Errors
	if mistakes == nil {
		var found *resolved
		if found, mistakes = resolve(smallRegistry(), access, all[0].Request, now, nil); found != nil {
			lines = describe(&all[0].Request, found)
		}
	}
	for _, e := range mistakes {
		lines = append(lines, fmt.Sprintf("%s %s", e.Code, e))
	}
	return strings.Join(lines, "\n")
}

func describe(req *Request, found *resolved) []string {
	limit := DefaultLimit
	if req.Limit != nil {
		limit = *req.Limit
	}
	lines := []string{fmt.Sprintf("%s..%s %s %s, limit %d, page %d, %d filters", found.rng.StartDate, found.rng.EndDate,
		found.rng.Zone, found.grain, limit, max(req.Page, 1), len(req.Filters))}
	for _, s := range found.parameters {
		name := s.name
		if s.id != "" {
			name += " as " + s.id
		}
		if s.err != nil {
			lines = append(lines, fmt.Sprintf("%s: %s %s", name, s.err.Code, s.err))
			continue
		}
		lines = append(lines, name+": "+describePlan(s.plan))
	}
	return lines
}

func describePlan(p *plan) string {
	const minute = "2006-01-02T15:04Z"
	var b strings.Builder
	fmt.Fprintf(&b, "[%s, %s) %s", p.Range.From.Format(minute), p.Range.To.Format(minute), p.Grain)
	if !p.Until.Equal(p.Range.To) {
		fmt.Fprintf(&b, " until %s", p.Until.Format(minute))
	}
	if p.Other != nil {
		o := p.Other.plan
		fmt.Fprintf(&b, ", beside %s..%s [%s, %s)", o.Range.StartDate, o.Range.EndDate, o.Range.From.Format(minute), o.Until.Format(minute))
	}
	for _, c := range p.Mandatory {
		fmt.Fprintf(&b, ", always %s %s %q", c.Field.Name, c.Op, c.Values)
	}
	for _, c := range p.Filters {
		fmt.Fprintf(&b, ", where %s %s %q", c.Field.Name, c.Op, c.Values)
	}
	for _, f := range p.Group {
		fmt.Fprintf(&b, ", by %s", f.Name)
	}
	for _, o := range p.Sort {
		fmt.Fprintf(&b, ", sort %s %s", o.Column, map[bool]string{true: "desc", false: "asc"}[o.Desc])
	}
	fmt.Fprintf(&b, ", limit %d offset %d", p.Limit, p.Offset)
	return b.String()
}

// What a row shows of a referrer finds that row.
func TestReferrerCopiedFromARow(t *testing.T) {
	of := func(op Op, value string) []string {
		return conditions([]Filter{{Field: "referrer", Op: op, Values: []string{value}}})[0].codes
	}
	for _, row := range []struct{ why, value, domain string }{
		{"a domain that begins with www.", "www.x.example", "www.x.example"},
		{"its address", "https://www.x.example", "www.x.example"},
		{"in any case", "https://WWW.x.example", "www.x.example"},
		{"an address that a browser sends", "https://www.x.example/a?b", "x.example"},
		{"a source by name", "Google", "google.com"},
		{"a source by its address", "https://google.com", "google.com"},
		{"direct traffic", "direct", ""},
	} {
		for _, op := range []Op{Eq, Ne} {
			if got := of(op, row.value); !slices.Contains(got, row.domain) {
				t.Errorf("%s: %q is held against %q, not %q", row.why, row.value, got, row.domain)
			}
		}
	}
}

// TestValuesOfFilters holds what values of filters on referrers, countries and paths find. A value
// that means nothing is an error.
func TestValuesOfFilters(t *testing.T) {
	for _, c := range []struct {
		field string
		op    Op
		value string
		found []string // stored values that it finds, of those below
		wrong bool
	}{
		{"referrer", Eq, "münchen.example", []string{"xn--mnchen-3ya.example"}, false},
		{"referrer", Eq, "https://www.xn--mnchen-3ya.example/a", []string{"xn--mnchen-3ya.example"}, false},
		{"referrer", Contains, "münchen.ex", []string{"xn--mnchen-3ya.example"}, false},
		{"referrer", StartsWith, "https://goo", []string{"google.com", "goo.example"}, false},
		{"referrer", StartsWith, "HTTP://www.goo", []string{"google.com", "goo.example"}, false},
		{"referrer", Contains, "https://google.com", []string{"google.com"}, false},
		{"referrer", Contains, "größ", []string{"größe"}, false},
		{"referrer", Contains, "Menéa", []string{"meneame.net"}, false},
		{"referrer", Eq, "google", []string{"google.com"}, false},
		{"referrer", Eq, "newsletter", []string{"newsletter"}, false},
		{"referrer", Eq, "Spring: 50% off?", nil, false},
		{"referrer", Eq, "", []string{""}, false},
		{"referrer", Eq, "Direct", []string{""}, false},
		{"referrer", Eq, "/blog", nil, true},
		{"referrer", Eq, "?", nil, true},
		{"referrer", Eq, "https://", nil, true},
		{"country", Eq, "UK", []string{"GB"}, false},
		{"country", Eq, "usa", []string{"US"}, false},
		{"country", Eq, "Turkey", []string{"TR"}, false},
		{"country", Eq, "Czech Republic", []string{"CZ"}, false},
		{"country", Eq, "Viet Nam", []string{"VN"}, false},
		{"country", Eq, "Kosovo", []string{"XK"}, false},
		{"country", Eq, "", []string{""}, false},
		{"country", Contains, "land", nil, false},
		{"country", Eq, "Nowhere", nil, true},
		{"country", Eq, "Germny", nil, true},
		{"path", Eq, "https://shop.example/de/küche/?q", []string{"/de/küche"}, false},
		{"path", Eq, "/de/k%c3%bcche", []string{"/de/küche"}, false},
		{"path", Contains, "k%C3%BCche", []string{"/de/küche"}, false},
		{"path", StartsWith, "/de/ku\u0308", []string{"/de/küche"}, false},
	} {
		con := conditions([]Filter{{Field: c.field, Op: c.op, Values: []string{c.value}}})[0]
		var found []string
		for _, stored := range []string{"", "xn--mnchen-3ya.example", "google.com", "goo.example", "newsletter", "größe", "meneame.net", "/de/küche", "GB", "US", "TR", "CZ", "VN", "XK", "TH"} {
			if con.passes(stored) {
				found = append(found, stored)
			}
		}
		if c.op == Contains && c.value == "land" {
			c.found = []string{"TH"}
		}
		if slices.Sort(found); !c.wrong && !slices.Equal(found, slices.Sorted(slices.Values(c.found))) || (len(con.wrong) > 0) != c.wrong {
			t.Errorf("%s %s %q finds %q, want %q; wrong %q", c.field, c.op, c.value, found, c.found, con.wrong)
		}
	}
	var list ask.Issues
	conditionOn(catalog.FieldNamed("country"), Filter{Field: "country", Op: Eq, Values: []string{"Germny"}}).refuse(ask.InField("filters").Item(0), BadFilter, &list)
	if got := list.Errors[0]; got.Suggestion != "Germany" || got.Message != `"Germny" is not a country; did you mean "Germany"?` {
		t.Errorf("%+v", got)
	}
	if checkMandatory([]Filter{{Field: "country", Op: Ne, Values: []string{"Nowhere"}}}) == nil {
		t.Error("an access with a filter on a country that does not exist can be used")
	}
}

// What many parameters with many filters cost, and what is told of them, stays small.
func TestResolveOfManyParameters(t *testing.T) {
	access := Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}}
	req := Request{Preset: "today", Parameters: slices.Repeat([]Parameter{{Name: "pages"}}, ask.MaxParameters),
		Filters: []Filter{{Field: "referrer", Op: In, Values: []string{"google", "bing"}}, {Field: "country", Op: Contains, Values: []string{"land"}}}}
	found, errs := resolve(smallRegistry(), access, req, time.Unix(0, 0), nil)
	if errs != nil {
		t.Fatal(errs)
	}
	first, last := found.parameters[0].plan.Filters, found.parameters[ask.MaxParameters-1].plan.Filters
	for i := range req.Filters {
		if len(first[i].codes) < 2 || &first[i].codes[0] != &last[i].codes[0] {
			t.Errorf("%s: names are looked up for every parameter", req.Filters[i].Field)
		}
	}
	for i := range ask.MaxFilters {
		req.Filters = append(req.Filters[:i], Filter{Field: fmt.Sprintf("unknown%d", i), Op: Eq, Values: []string{"x"}})
	}
	if found, errs = resolve(smallRegistry(), access, req, time.Unix(0, 0), nil); errs != nil {
		t.Fatal(errs)
	}
	for _, s := range found.parameters {
		if n := strings.Count(s.err.Message, "cannot be filtered by"); n != ask.MaxParameterIssues || s.plan != nil {
			t.Fatalf("%d mistakes are told, want %d; plan %v", n, ask.MaxParameterIssues, s.plan)
		}
	}
}
