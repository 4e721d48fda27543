package plan

import (
	"encoding/json"
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
func smallRegistry() *catalog.Registry {
	path := &catalog.Field{Name: "path", Match: catalog.ByPath}
	country := &catalog.Field{Name: "country", Session: true, Match: catalog.ByCountry}
	device := &catalog.Field{Name: "device_type", Session: true, Match: catalog.AnyCase}
	referrer := &catalog.Field{Name: "referrer", Session: true, Match: catalog.ByReferrer}
	source := &catalog.Field{Name: "utm_source", Session: true}
	region := &catalog.Field{Name: "probe_region"}
	defs := []*catalog.BoundType{
		define(catalog.Type{Name: "summary", Subject: store.KindWebsite, Shape: catalog.Series},
			[]catalog.Output{{Name: "date", Format: catalog.Date},
				{Name: "pageviews", Format: catalog.Integer, Zero: true},
				{Name: "bounce_rate", Format: catalog.Number, Decimals: 2}},
			[]string{"country", "device_type"}, []catalog.Order{{Column: "date", Desc: false}}, path, country, device,
			referrer, source),
		define(catalog.Type{Name: "pages", Subject: store.KindWebsite, Shape: catalog.Breakdown},
			[]catalog.Output{{Name: "path", Format: catalog.String},
				{Name: "visitors", Format: catalog.Integer, Role: catalog.MetricRole, Zero: true},
				{Name: "last_seen", Format: catalog.DateTime},
				{Name: "bounced", Format: catalog.Boolean}, {Name: "percentage", Format: catalog.Number}},
			[]string{"country", "device_type", "utm_source"}, []catalog.Order{{Column: "visitors", Desc: true}}, path,
			country, device, referrer, source),
		define(catalog.Type{Name: "countries", Subject: store.KindWebsite},
			[]catalog.Output{{Name: "country", Format: catalog.String}, {Name: "visitors", Format: catalog.Integer}},
			nil, []catalog.Order{{Column: "visitors", Desc: true}, {Column: "country", Desc: false}}, path, country),
		define(catalog.Type{Name: "link_total_clicks", Subject: store.KindLink},
			[]catalog.Output{{Name: "total", Format: catalog.Integer}}, []string{"country"}, nil, country),
		define(catalog.Type{Name: "uptime_overview", Subject: store.KindSchedule},
			[]catalog.Output{{Name: "uptime_percentage", Format: catalog.Number}}, nil, nil, region),
	}
	return catalog.RegistryOf(defs)
}

func define(row catalog.Type, columns []catalog.Output, groupable []string, steps []catalog.Order,
	fields ...*catalog.Field) *catalog.BoundType {
	ty := &catalog.BoundType{Type: row, Table: &catalog.Table{}, Outputs: columns, Groupable: groupable, Steps: steps,
		Fields: map[string]*catalog.Field{}}
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
//	first INSTANT       the first row; by default none exists
//	of KIND             whose rows; by default a website's
//	zone NAME           of the access
//	types NAME…         of the access
//	always FIELD OP V…  a mandatory filter of the access; or one in JSON
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
	access := ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}}
	var body string
	var first time.Time
	for line := range strings.Lines(input) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := strings.Fields(rest)
		var err error
		switch word {
		case "now":
			now, err = time.Parse(time.RFC3339, rest)
		case "first":
			first, err = time.Parse(time.RFC3339, rest)
		case "of":
			access.Subject.Kind = store.SubjectKind(rest)
		case "zone":
			access.Zone, err = time.LoadLocation(rest)
		case "types":
			access.Types = words
		case "always":
			if strings.HasPrefix(rest, "{") {
				var req ask.Request
				err = json.Unmarshal([]byte(`{"parameters":["x"],"preset":"today","filters":[`+rest+`]}`), &req)
				access.Filters = append(access.Filters, req.Filters...)
				break
			}
			access.Filters = append(access.Filters,
				ask.Filter{Field: words[0], Op: ask.Op(words[1]), Values: words[2:]})
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
	return outcome(access, body, now, first)
}

func outcome(access ask.Access, body string, now, first time.Time) string {
	all, _, err := ask.Decode([]byte(body), 0)
	if err != nil {
		return "body: " + err.Error()
	}
	var lines []string
	mistakes := all[0].Errors
	if mistakes == nil {
		var found *Resolved
		if found, mistakes = ResolveSince(smallRegistry(), access, all[0].Request, now, nil, first); found != nil {
			lines = describe(&all[0].Request, found)
		}
	}
	for _, e := range mistakes {
		lines = append(lines, fmt.Sprintf("%s %s", e.Code, e))
	}
	return strings.Join(lines, "\n")
}

func describe(req *ask.Request, found *Resolved) []string {
	limit := ask.DefaultLimit
	if req.Limit != nil {
		limit = *req.Limit
	}
	start, end := found.Range.Texts()
	lines := []string{fmt.Sprintf("%s..%s %s %s, limit %d, page %d, %d filters", start, end, found.Range.Zone,
		found.Grain, limit, max(req.Page, 1), len(req.Filters))}
	for _, s := range found.Parameters {
		name := s.Name
		if s.ID != "" {
			name += " as " + s.ID
		}
		if s.Err != nil {
			lines = append(lines, fmt.Sprintf("%s: %s %s", name, s.Err.Code, s.Err))
			continue
		}
		lines = append(lines, name+": "+describePlan(s.Plan))
	}
	return lines
}

func describePlan(p *Plan) string {
	const minute = "2006-01-02T15:04Z"
	var b strings.Builder
	fmt.Fprintf(&b, "[%s, %s) %s", p.Range.From.Format(minute), p.Range.To.Format(minute), p.Grain)
	if !p.Until.Equal(p.Range.To) {
		fmt.Fprintf(&b, " until %s", p.Until.Format(minute))
	}
	if p.Other != nil {
		o := p.Other.Plan
		start, end := o.Range.Texts()
		fmt.Fprintf(&b, ", beside %s..%s [%s, %s)", start, end, o.Range.From.Format(minute), o.Until.Format(minute))
		if p.Other.Unequal != nil {
			fmt.Fprintf(&b, " unequal in %s", strings.Join(p.Other.Unequal, " "))
		}
	}
	for _, c := range p.Mandatory {
		fmt.Fprintf(&b, ", always %s", c)
	}
	for _, c := range p.Filters {
		fmt.Fprintf(&b, ", where %s", c)
	}
	for _, f := range p.Group {
		fmt.Fprintf(&b, ", by %s", f.Name)
	}
	for _, o := range p.Sort {
		fmt.Fprintf(&b, ", sort %s %s", o.Column, map[bool]string{true: "desc", false: "asc"}[o.Desc])
	}
	if p.Difference != nil {
		fmt.Fprintf(&b, ", difference of %s desc=%t", p.Difference.Column, p.Difference.Desc)
	}
	fmt.Fprintf(&b, ", limit %d offset %d", p.Limit, p.Offset)
	return b.String()
}

// A referrer that was copied from a row finds the row.
func TestReferrerCopiedFromARow(t *testing.T) {
	of := func(op ask.Op, value string) []string {
		return conditions(smallRegistry(), []ask.Filter{{Field: "referrer", Op: op, Values: []string{value}}})[0].Codes
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
		for _, op := range []ask.Op{ask.Eq, ask.Ne} {
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
		op    ask.Op
		value string
		found []string // stored values that it finds, of those below
		wrong bool
	}{
		{"referrer", ask.Eq, "münchen.example", []string{"xn--mnchen-3ya.example"}, false},
		{"referrer", ask.Eq, "https://www.xn--mnchen-3ya.example/a", []string{"xn--mnchen-3ya.example"}, false},
		{"referrer", ask.Contains, "münchen.ex", []string{"xn--mnchen-3ya.example"}, false},
		{"referrer", ask.StartsWith, "https://goo", []string{"google.com", "goo.example"}, false},
		{"referrer", ask.StartsWith, "HTTP://www.goo", []string{"google.com", "goo.example"}, false},
		{"referrer", ask.Contains, "https://google.com", []string{"google.com"}, false},
		{"referrer", ask.Contains, "größ", []string{"größe"}, false},
		{"referrer", ask.Contains, "Menéa", []string{"meneame.net"}, false},
		{"referrer", ask.Eq, "google", []string{"google.com"}, false},
		{"referrer", ask.Eq, "newsletter", []string{"newsletter"}, false},
		{"referrer", ask.Eq, "Spring: 50% off?", nil, false},
		{"referrer", ask.Eq, "", []string{""}, false},
		{"referrer", ask.Eq, "Direct", []string{""}, false},
		{"referrer", ask.Eq, "/blog", nil, true},
		{"referrer", ask.Eq, "?", nil, true},
		{"referrer", ask.Eq, "https://", nil, true},
		{"country", ask.Eq, "UK", []string{"GB"}, false},
		{"country", ask.Eq, "usa", []string{"US"}, false},
		{"country", ask.Eq, "Turkey", []string{"TR"}, false},
		{"country", ask.Eq, "Czech Republic", []string{"CZ"}, false},
		{"country", ask.Eq, "Viet Nam", []string{"VN"}, false},
		{"country", ask.Eq, "Kosovo", []string{"XK"}, false},
		{"country", ask.Eq, "", []string{""}, false},
		{"country", ask.Contains, "land", nil, false},
		{"country", ask.Eq, "Nowhere", nil, true},
		{"country", ask.Eq, "Germny", nil, true},
		{"path", ask.Eq, "https://shop.example/de/küche/?q", []string{"/de/küche"}, false},
		{"path", ask.Eq, "/de/k%c3%bcche", []string{"/de/küche"}, false},
		{"path", ask.Contains, "k%C3%BCche", []string{"/de/küche"}, false},
		{"path", ask.StartsWith, "/de/ku\u0308", []string{"/de/küche"}, false},
		{"path", ask.EndsWith, "k%C3%BCche", []string{"/de/küche"}, false},
		{"path", ask.Matches, `^/\w+/(?i)KÜ`, []string{"/de/küche"}, false},
		{"path", ask.Matches, "KÜ", nil, false},
		{"referrer", ask.EndsWith, ".EXAMPLE", []string{"xn--mnchen-3ya.example", "goo.example"}, false},
		{"referrer", ask.EndsWith, "OGLE", []string{"google.com"}, false},
		{"referrer", ask.Matches, "^(Google|Direct|größe)$", []string{"", "google.com", "größe"}, false},
		{"referrer", ask.Matches, "^$", []string{""}, false},
		{"country", ask.EndsWith, "KINGDOM", []string{"GB"}, false},
		{"country", ask.Matches, "^Viet ?[Nn]am$", []string{"VN"}, false},
		{"country", ask.Matches, "^VIET", nil, false},
	} {
		con := conditions(smallRegistry(), []ask.Filter{{Field: c.field, Op: c.op, Values: []string{c.value}}})[0]
		var found []string
		for _, stored := range []string{"", "xn--mnchen-3ya.example", "google.com", "goo.example", "newsletter",
			"größe", "meneame.net", "/de/küche", "GB", "US", "TR", "CZ", "VN", "XK", "TH"} {
			if con.Passes(func(*catalog.Field) string { return stored }) {
				found = append(found, stored)
			}
		}
		if c.op == ask.Contains && c.value == "land" {
			c.found = []string{"TH"}
		}
		if slices.Sort(found); !c.wrong && !slices.Equal(found, slices.Sorted(slices.Values(c.found))) ||
			(len(con.wrong) > 0) != c.wrong {
			t.Errorf("%s %s %q finds %q, want %q; wrong %q", c.field, c.op, c.value, found, c.found, con.wrong)
		}
	}
	var list ask.Issues
	germny := ConditionOn(catalog.FieldNamed("country"),
		ask.Filter{Field: "country", Op: ask.Eq, Values: []string{"Germny"}})
	germny.refuse(ask.InField("filters").Item(0), ask.BadFilter, &list)
	if got := list.Errors[0]; got.Suggestion != "Germany" ||
		got.Message != `"Germny" is not a country; did you mean "Germany"?` {
		t.Errorf("%+v", got)
	}
	for why, f := range map[string]ask.Filter{
		"on a country that does not exist": {Field: "country", Op: ask.Ne, Values: []string{"Nowhere"}},
		"on one in a group": {Not: &ask.Filter{Field: "country", Op: ask.Eq,
			Values: []string{"Nowhere"}}},
		"that mixes fields of sessions and of rows": {Or: []ask.Filter{{Field: "country", Op: ask.Eq,
			Values: []string{"DE"}}, {Field: "path", Op: ask.Eq, Values: []string{"/"}}}},
	} {
		if checkMandatory([]ask.Filter{f}) == nil {
			t.Errorf("an access with a filter %s can be used", why)
		}
	}
}

// Many parameters with many filters cost little, and the list of their mistakes stays short.
func TestResolveOfManyParameters(t *testing.T) {
	access := ask.Access{Subject: store.Subject{Kind: store.KindWebsite, ID: "w1"}}
	req := ask.Request{Parameters: slices.Repeat([]ask.Parameter{{Name: "pages"}}, ask.MaxParameters),
		Options: ask.Options{Preset: "today",
			Filters: []ask.Filter{{Field: "referrer", Op: ask.In, Values: []string{"google", "bing"}},
				{Field: "country", Op: ask.Contains, Values: []string{"land"}}}}}
	found, errs := Resolve(smallRegistry(), access, req, time.Unix(0, 0), nil)
	if errs != nil {
		t.Fatal(errs)
	}
	first, last := found.Parameters[0].Plan.Filters, found.Parameters[ask.MaxParameters-1].Plan.Filters
	for i := range req.Filters {
		if len(first[i].Codes) < 2 || &first[i].Codes[0] != &last[i].Codes[0] {
			t.Errorf("%s: names are looked up for every parameter", req.Filters[i].Field)
		}
	}
	for i := range ask.MaxFilters {
		req.Filters = append(req.Filters[:i],
			ask.Filter{Field: fmt.Sprintf("unknown%d", i), Op: ask.Eq, Values: []string{"x"}})
	}
	if found, errs = Resolve(smallRegistry(), access, req, time.Unix(0, 0), nil); errs != nil {
		t.Fatal(errs)
	}
	for _, s := range found.Parameters {
		if n := strings.Count(s.Err.Message, "cannot be filtered by"); n != ask.MaxParameterIssues || s.Plan != nil {
			t.Fatalf("%d mistakes are told, want %d; plan %v", n, ask.MaxParameterIssues, s.Plan)
		}
	}
}
