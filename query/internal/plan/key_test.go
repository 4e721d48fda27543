package plan

import (
	"reflect"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/query/ask"
	"github.com/sightline-analytics/sightline/query/calendar"
	"github.com/sightline-analytics/sightline/query/catalog"
	"github.com/sightline-analytics/sightline/store"
)

// Whatever of a plan changes, and is not left out for a reason, changes its key.
func TestThePlansKeyTellsAllOfIt(t *testing.T) {
	day := calendar.Days(20_000, 20_001, time.UTC)
	base := func() *Plan {
		c := Condition{Field: catalog.FieldNamed("country"), Op: ask.Eq, Values: []string{"DE"}, Codes: []string{"DE"}}
		p := &Plan{Type: &catalog.BoundType{Type: catalog.Type{Name: "a"}}, Range: day, Until: day.To, Now: day.To,
			Group:   []*catalog.Field{catalog.FieldNamed("path")},
			Filters: []Condition{c}, Mandatory: []Condition{c}, Sort: []catalog.Order{{Column: "x", Desc: true}}}
		path, action := "/a", Action{Kind: store.Pageview, Text: c, Filters: []Condition{c}}
		p.Behaviour = &Behaviour{Goals: []Goal{{"a", action, "v"}}, Steps: []FunnelStep{{"a", action}},
			Window: time.Hour, Start: &action, From: &path}
		other := *p
		p.Other = &Comparison{By: ask.PreviousYear, Plan: &other}
		return p
	}
	changed := map[string]func(*Plan){
		"Type":              func(p *Plan) { p.Type = &catalog.BoundType{Type: catalog.Type{Name: "b"}} },
		"Range.StartDate":   func(p *Plan) { p.Range.StartDate++ },
		"Range.EndDate":     func(p *Plan) { p.Range.EndDate++ },
		"Range.Zone":        func(p *Plan) { p.Range.Zone = time.FixedZone("x", 0) },
		"Range.From":        func(p *Plan) { p.Range.From = p.Range.From.Add(time.Millisecond) },
		"Range.To":          func(p *Plan) { p.Range.To = p.Range.To.Add(time.Millisecond) },
		"Range.FromTime":    func(p *Plan) { p.Range.FromTime = true },
		"Range.ToTime":      func(p *Plan) { p.Range.ToTime = true },
		"Difference":        func(p *Plan) { p.Difference = &Difference{"x", true} },
		"Difference.Desc":   func(p *Plan) { p.Difference = &Difference{"x", false} },
		"Difference.Column": func(p *Plan) { p.Difference = &Difference{"y", true} },
		"Websites":          func(p *Plan) { p.Websites = []ask.Website{{ID: "w", Name: "n"}} },
		"Websites of several": func(p *Plan) {
			p.Websites = []ask.Website{{ID: "w", Name: "n"}, {ID: "v", Name: "n"}}
		},
		"Websites[].Name":  func(p *Plan) { p.Websites = []ask.Website{{ID: "w", Name: "m"}} },
		"Until":            func(p *Plan) { p.Until = p.Until.Add(time.Millisecond) },
		"Other":            func(p *Plan) { p.Other = nil },
		"Other.By":         func(p *Plan) { p.Other.By = ask.PreviousPeriod },
		"Other.Unequal":    func(p *Plan) { p.Other.Unequal = []string{"2026-03-01"} },
		"Other.Plan":       func(p *Plan) { p.Other.Plan.Limit++ },
		"Keyed":            func(p *Plan) { p.Keyed = true },
		"OfKeys":           func(p *Plan) { p.OfKeys = true },
		"Grain":            func(p *Plan) { p.Grain = calendar.Hourly },
		"Group":            func(p *Plan) { p.Group[0] = catalog.FieldNamed("referrer") },
		"Group of several": func(p *Plan) { p.Group = append(p.Group, catalog.FieldNamed("referrer")) },
		"Filters":          func(p *Plan) { p.Filters = append(p.Filters, p.Filters[0]) },
		"Filters[].Field":  func(p *Plan) { p.Filters[0].Field = catalog.FieldNamed("path") },
		"Filters[].Op":     func(p *Plan) { p.Filters[0].Op = ask.Ne },
		"Filters[].Values": func(p *Plan) { p.Filters[0].Values = []string{"D", "E"} },
		"Filters[].Codes":  func(p *Plan) { p.Filters[0].Codes = nil },
		"Filters[].Codes, longer": func(p *Plan) {
			p.Filters[0].Values, p.Filters[0].Codes = nil,
				[]string{"DE", "DE"}
		},
		"Filters[].Group":         func(p *Plan) { p.Filters[0] = Condition{Group: AnyOf} },
		"Filters[].Group of none": func(p *Plan) { p.Filters[0] = Condition{Group: NoneOf} },
		"Filters[].Parts": func(p *Plan) {
			p.Filters[0] = Condition{Group: AnyOf,
				Parts: []Condition{p.Filters[0]}}
		},
		"Filters[].Did": func(p *Plan) { p.Filters[0] = Condition{Did: &Did{Action: p.Behaviour.Goals[0].Action}} },
		"Filters[].Did.InRange": func(p *Plan) {
			p.Filters[0] = Condition{Did: &Did{p.Behaviour.Goals[0].Action,
				true}}
		},
		"Filters[].Did.Action": func(p *Plan) {
			p.Filters[0] = Condition{Did: &Did{Action: Action{Kind: store.Click, Text: p.Filters[0]}}}
		},
		"Filters[].OnEvents": func(p *Plan) { p.Filters[0].OnEvents = true },
		"Mandatory":          func(p *Plan) { p.Mandatory = nil },
		"Mandatory, not Filters": func(p *Plan) {
			p.Mandatory, p.Filters = append(p.Mandatory, p.Filters...),
				nil
		},
		"Mandatory[].Values":        func(p *Plan) { p.Mandatory[0].Values = []string{"FR"} },
		"Behaviour":                 func(p *Plan) { p.Behaviour = nil },
		"Behaviour.Goals":           func(p *Plan) { p.Behaviour.Goals = nil },
		"Behaviour.Goals[].Name":    func(p *Plan) { p.Behaviour.Goals[0].Name = "b" },
		"Behaviour.Goals[].Value":   func(p *Plan) { p.Behaviour.Goals[0].Value = "w" },
		"Behaviour.Steps":           func(p *Plan) { p.Behaviour.Steps = nil },
		"Behaviour.Steps[].Name":    func(p *Plan) { p.Behaviour.Steps[0].Name = "b" },
		"Behaviour.Steps[].Kind":    func(p *Plan) { p.Behaviour.Steps[0].Kind = store.Click },
		"Behaviour.Steps[].Text":    func(p *Plan) { p.Behaviour.Steps[0].Text.Op = ask.Ne },
		"Behaviour.Steps[].Filters": func(p *Plan) { p.Behaviour.Steps[0].Filters = nil },
		"Behaviour.Window":          func(p *Plan) { p.Behaviour.Window = 0 },
		"Behaviour.WithinSession":   func(p *Plan) { p.Behaviour.WithinSession = true },
		"Behaviour.AnyOrder":        func(p *Plan) { p.Behaviour.AnyOrder = true },
		"Behaviour.Exclude": func(p *Plan) {
			p.Behaviour.Exclude = []Exclusion{{Action: p.Behaviour.Goals[0].Action}}
		},
		"Behaviour.Exclude[].After": func(p *Plan) {
			p.Behaviour.Exclude = []Exclusion{{Action: p.Behaviour.Goals[0].Action, After: 1}}
		},
		"Behaviour.Rolling":           func(p *Plan) { p.Behaviour.Rolling = true },
		"Behaviour.Start":             func(p *Plan) { p.Behaviour.Start = nil },
		"Behaviour.Return":            func(p *Plan) { p.Behaviour.Return = p.Behaviour.Start },
		"Behaviour.Return, not Start": func(p *Plan) { p.Behaviour.Return, p.Behaviour.Start = p.Behaviour.Start, nil },
		"Behaviour.From":              func(p *Plan) { p.Behaviour.From = nil },
		"Behaviour.To":                func(p *Plan) { p.Behaviour.To = p.Behaviour.From },
		"Behaviour.To, not From":      func(p *Plan) { p.Behaviour.To, p.Behaviour.From = p.Behaviour.From, nil },
		"Why":                         func(p *Plan) { p.Why = &Why{Whole: base()} },
		"Why.Whole": func(p *Plan) {
			p.Why = &Why{Whole: base()}
			p.Why.Whole.Limit++
		},
		"Why.By":             func(p *Plan) { p.Why = &Why{Whole: base(), By: []ChangeBy{{"a", base()}}} },
		"Why.By[].Dimension": func(p *Plan) { p.Why = &Why{Whole: base(), By: []ChangeBy{{"b", base()}}} },
		"Why.By[].Plan": func(p *Plan) {
			p.Why = &Why{Whole: base(), By: []ChangeBy{{"a", base()}}}
			p.Why.By[0].Plan.Limit++
		},
		"Why.MinWeight":    func(p *Plan) { p.Why = &Why{Whole: base(), MinWeight: 1} },
		"Why.PerDimension": func(p *Plan) { p.Why = &Why{Whole: base(), PerDimension: 1} },
		"Sort":             func(p *Plan) { p.Sort = nil },
		"Sort[].Column":    func(p *Plan) { p.Sort[0].Column = "y" },
		"Sort[].Desc":      func(p *Plan) { p.Sort[0].Desc = false },
		"Limit":            func(p *Plan) { p.Limit = 1 },
		"Offset":           func(p *Plan) { p.Offset = 1 },
		"Totals":           func(p *Plan) { p.Totals = p },
	}
	seen := map[string]string{string(base().AppendKey(nil)): "nothing"}
	for name, change := range changed {
		p := base()
		p.Filters = append([]Condition(nil), p.Filters...)
		change(p)
		key := string(p.AppendKey(nil))
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s changed have one key: %s", name, other, key)
		}
		seen[key] = name
	}
	elsewhere := map[string]string{"ID": "Prepared.Key", "Subject": "Access.appendKey; statements are of any subject",
		"Now": "byClock", "Properties": "Type, of which it is a part", "day": "by", "labels": "ranges and grain",
		"wrong": "a plan has no such value", "never": "Values", "Action": "Behaviour.Steps[].Kind, .Text and .Filters"}
	for _, of := range []struct {
		prefix string
		kind   reflect.Type
	}{{"", reflect.TypeFor[Plan]()}, {"Range.", reflect.TypeFor[calendar.Range]()},
		{"Other.", reflect.TypeFor[Comparison]()},
		{"Behaviour.", reflect.TypeFor[Behaviour]()}, {"Behaviour.Goals[].", reflect.TypeFor[Goal]()},
		{"Behaviour.Steps[].", reflect.TypeFor[FunnelStep]()}, {"Behaviour.Exclude[].", reflect.TypeFor[Exclusion]()},
		{"Behaviour.Steps[].", reflect.TypeFor[Action]()},
		{"Filters[].", reflect.TypeFor[Condition]()}, {"Filters[].Did.", reflect.TypeFor[Did]()},
		{"Why.", reflect.TypeFor[Why]()}, {"Why.By[].", reflect.TypeFor[ChangeBy]()},
		{"Sort[].", reflect.TypeFor[catalog.Order]()}} {
		for f := range of.kind.Fields() {
			if name := of.prefix + f.Name; changed[name] == nil && elsewhere[f.Name] == "" && name != "Range" {
				t.Errorf("no plan is changed in %s", name)
			}
		}
	}
}

func TestTheAccesssKeyTellsAllOfIt(t *testing.T) {
	filter := func(field string, values ...string) ask.Filter {
		return ask.Filter{Field: field, Op: ask.In, Values: values}
	}
	site := store.Subject{Kind: store.KindWebsite, ID: "1"}
	seen := map[string]int{}
	for i, a := range []ask.Access{
		{Subject: site},
		{Subject: store.Subject{Kind: store.KindLink, ID: "1"}},
		{Subject: store.Subject{Kind: store.KindWebsite, ID: "11"}},
		{Subject: site, Types: []string{}},
		{Subject: site, Types: []string{"pages"}},
		{Subject: site, Types: []string{"pages", "traffic"}},
		{Subject: site, Filters: []ask.Filter{filter("country", "DE")}},
		{Subject: site, Filters: []ask.Filter{{Field: "country", Op: ask.NotIn, Values: []string{"DE"}}}},
		{Subject: site, Filters: []ask.Filter{filter("country", "DE", "FR")}},
		{Subject: site, Filters: []ask.Filter{filter("country", "DE"), filter("country", "FR")}},
		{Subject: site, Filters: []ask.Filter{filter("country", "DE2:FR")}},
		{Subject: site, Filters: []ask.Filter{{And: []ask.Filter{filter("country", "DE"), filter("country", "FR")}}}},
		{Subject: site, Filters: []ask.Filter{{Or: []ask.Filter{filter("country", "DE"), filter("country", "FR")}}}},
		{Subject: site, Filters: []ask.Filter{{Or: []ask.Filter{filter("country", "DE")}}, filter("country", "FR")}},
		{Subject: site, Filters: []ask.Filter{{Not: new(filter("country", "DE"))}}},
	} {
		key := string(a.AppendKey(nil))
		if other, taken := seen[key]; taken {
			t.Errorf("accesses %d and %d have the key %s", i, other, key)
		}
		seen[key] = i
	}
}
