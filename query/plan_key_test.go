package query

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/query/internal/days"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/dialect"
)

// Whatever of a plan changes, and is not left out for a reason, changes its key.
func TestThePlansKeyTellsAllOfIt(t *testing.T) {
	day := calendar.Days(20_000, 20_001, time.UTC)
	base := func() *plan {
		c := condition{Field: catalog.FieldNamed("country"), Op: Eq, Values: []string{"DE"}, codes: []string{"DE"}}
		p := &plan{Type: &catalog.BoundType{Type: Type{Name: "a"}}, Range: day, Until: day.To, Now: day.To, Group: []*catalog.Field{catalog.FieldNamed("path")},
			Filters: []condition{c}, Mandatory: []condition{c}, Sort: []catalog.Order{{Column: "x", Desc: true}}}
		other := *p
		p.Other = &comparison{by: PreviousYear, plan: &other}
		return p
	}
	changed := map[string]func(*plan){
		"Type":                    func(p *plan) { p.Type = &catalog.BoundType{Type: Type{Name: "b"}} },
		"Range.StartDate":         func(p *plan) { p.Range.StartDate++ },
		"Range.EndDate":           func(p *plan) { p.Range.EndDate++ },
		"Range.Zone":              func(p *plan) { p.Range.Zone = time.FixedZone("x", 0) },
		"Range.From":              func(p *plan) { p.Range.From = p.Range.From.Add(time.Millisecond) },
		"Range.To":                func(p *plan) { p.Range.To = p.Range.To.Add(time.Millisecond) },
		"Until":                   func(p *plan) { p.Until = p.Until.Add(time.Millisecond) },
		"Other":                   func(p *plan) { p.Other = nil },
		"Other.by":                func(p *plan) { p.Other.by = PreviousPeriod },
		"Other.plan":              func(p *plan) { p.Other.plan.Limit++ },
		"Keyed":                   func(p *plan) { p.Keyed = true },
		"OfKeys":                  func(p *plan) { p.OfKeys = true },
		"Grain":                   func(p *plan) { p.Grain = calendar.Hourly },
		"Group":                   func(p *plan) { p.Group[0] = catalog.FieldNamed("referrer") },
		"Group of several":        func(p *plan) { p.Group = append(p.Group, catalog.FieldNamed("referrer")) },
		"Filters":                 func(p *plan) { p.Filters = append(p.Filters, p.Filters[0]) },
		"Filters[].Field":         func(p *plan) { p.Filters[0].Field = catalog.FieldNamed("path") },
		"Filters[].Op":            func(p *plan) { p.Filters[0].Op = Ne },
		"Filters[].Values":        func(p *plan) { p.Filters[0].Values = []string{"D", "E"} },
		"Filters[].codes":         func(p *plan) { p.Filters[0].codes = nil },
		"Filters[].codes, longer": func(p *plan) { p.Filters[0].Values, p.Filters[0].codes = nil, []string{"DE", "DE"} },
		"Filters[].onEvents":      func(p *plan) { p.Filters[0].onEvents = true },
		"Mandatory":               func(p *plan) { p.Mandatory = nil },
		"Mandatory, not Filters":  func(p *plan) { p.Mandatory, p.Filters = append(p.Mandatory, p.Filters...), nil },
		"Mandatory[].Values":      func(p *plan) { p.Mandatory[0].Values = []string{"FR"} },
		"Sort":                    func(p *plan) { p.Sort = nil },
		"Sort[].Column":           func(p *plan) { p.Sort[0].Column = "y" },
		"Sort[].Desc":             func(p *plan) { p.Sort[0].Desc = false },
		"Limit":                   func(p *plan) { p.Limit = 1 },
		"Offset":                  func(p *plan) { p.Offset = 1 },
	}
	seen := map[string]string{string(base().appendKey(nil)): "nothing"}
	for name, change := range changed {
		p := base()
		p.Filters = append([]condition(nil), p.Filters...)
		change(p)
		key := string(p.appendKey(nil))
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s changed have one key: %s", name, other, key)
		}
		seen[key] = name
	}
	elsewhere := map[string]string{"ID": "Prepared.Key", "Subject": "Access.appendKey; statements are of any subject", "Now": "byClock", "day": "by", "wrong": "a plan has no such value"}
	for _, of := range []struct {
		prefix string
		kind   reflect.Type
	}{{"", reflect.TypeFor[plan]()}, {"Range.", reflect.TypeFor[calendar.Range]()}, {"Other.", reflect.TypeFor[comparison]()},
		{"Filters[].", reflect.TypeFor[condition]()}, {"Sort[].", reflect.TypeFor[catalog.Order]()}} {
		for f := range of.kind.Fields() {
			if name := of.prefix + f.Name; changed[name] == nil && elsewhere[f.Name] == "" && name != "Range" {
				t.Errorf("no plan is changed in %s", name)
			}
		}
	}
}

func TestTheAccesssKeyTellsAllOfIt(t *testing.T) {
	filter := func(field string, values ...string) Filter { return Filter{Field: field, Op: In, Values: values} }
	site := store.Subject{Kind: store.KindWebsite, ID: "1"}
	seen := map[string]int{}
	for i, a := range []Access{
		{Subject: site},
		{Subject: store.Subject{Kind: store.KindLink, ID: "1"}},
		{Subject: store.Subject{Kind: store.KindWebsite, ID: "11"}},
		{Subject: site, Types: []string{}},
		{Subject: site, Types: []string{"pages"}},
		{Subject: site, Types: []string{"pages", "traffic"}},
		{Subject: site, Filters: []Filter{filter("country", "DE")}},
		{Subject: site, Filters: []Filter{{Field: "country", Op: NotIn, Values: []string{"DE"}}}},
		{Subject: site, Filters: []Filter{filter("country", "DE", "FR")}},
		{Subject: site, Filters: []Filter{filter("country", "DE"), filter("country", "FR")}},
		{Subject: site, Filters: []Filter{filter("country", "DE2:FR")}},
	} {
		key := string(ask.AppendAccessKey(&a, nil))
		if other, taken := seen[key]; taken {
			t.Errorf("accesses %d and %d have the key %s", i, other, key)
		}
		seen[key] = i
	}
}

// A statement that is remembered is the one that would be compiled, whomever it was compiled for.
func TestStatementsAreRemembered(t *testing.T) {
	types, err := NewRegistry(Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	e := newMemo(dialect.DuckDB())
	for i, ty := range types.All() {
		filtered := ty.Filterable[i%max(1, len(ty.Filterable)):]
		for _, name := range append([]string{""}, filtered[:min(len(filtered), 4)]...) {
			req := Request{StartDate: "2026-03-01", EndDate: "2026-03-30", Parameters: []Parameter{{Name: ty.Name, Compare: PreviousYear}}}
			if name != "" {
				req.Filters = []Filter{{Field: name, Op: In, Values: []string{"DE", "x"}}}
			}
			for _, id := range []string{"a", "b"} {
				found, errs := resolve(types, Access{Subject: store.Subject{Kind: ty.Subject, ID: id}}, req, time.Unix(1<<31, 0), nil)
				if errs != nil {
					t.Fatal(errs)
				}
				p := found.parameters[0].plan
				if p == nil {
					continue // it needs another filter
				}
				checkRemembered(t, e, p)
				if p.Other != nil {
					checkRemembered(t, e, p.Other.plan)
				}
			}
		}
	}
}

func checkRemembered(t *testing.T, e *memo, p *plan) {
	t.Helper()
	for _, kept := range []days.Sealed{{}, {
		Sessions:   days.Seals{Uses: []days.Use{days.ForAll}},
		PageEvents: days.Seals{Uses: []days.Use{days.ForNothing}},
		Hits:       days.Seals{Uses: []days.Use{days.ForUnchanged}},
		Changes:    days.Changes{Since: 7, In: calendar.Interval{From: 0, To: calendar.Day}},
	}} {
		compiled, remembered := compile(p, dialect.DuckDB(), kept), e.plan(p, p.appendKey(nil), kept)
		if of := remembered.of(p.Subject, nil); !reflect.DeepEqual(compiled.statement, of) || compiled.depends != remembered.depends || !slices.Equal(compiled.keyArgs, remembered.keyArgs) {
			t.Fatalf("%s (-compiled +remembered):\n%s", p, cmp.Diff(compiled.statement, of))
		}
		if again := e.plan(p, p.appendKey(nil), kept); (again == remembered) == p.byClock() {
			t.Errorf("%s: remembered %t", p, again == remembered)
		}
	}
}

// The program's own types differ from each other, and from themselves when anything of them does.
func TestFingerprints(t *testing.T) {
	seen := map[string]string{}
	types, err := NewRegistry(Builtin()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, ty := range types.All() {
		print := fingerprint(ty, dialect.DuckDB())
		if other := seen[print]; print == "" || other != "" {
			t.Errorf("%s has the fingerprint %q of %q", ty.Name, print, other)
		}
		seen[print] = ty.Name
	}
	for i, change := range []func(*Type){
		func(ty *Type) { ty.Order = []string{"visitors"} },
		func(ty *Type) { ty.Columns = ty.Columns[:len(ty.Columns)-1] },
		func(ty *Type) { ty.SkipEmpty = "" },
	} {
		rows := Builtin()
		for j := range rows {
			if rows[j].Name == "countries" {
				change(&rows[j])
			}
		}
		types, err := NewRegistry(rows...)
		if err != nil {
			t.Fatal(err)
		}
		if print := fingerprint(types.Named("countries"), dialect.DuckDB()); seen[print] != "" {
			t.Errorf("change %d leaves the fingerprint of %s", i, seen[print])
		}
	}
	if got := fingerprint((&catalog.BoundType{}), dialect.DuckDB()); got != "" {
		t.Errorf("what cannot be compiled has the fingerprint %s", got)
	}
}
