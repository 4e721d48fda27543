package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/client"
	"github.com/sightline-analytics/sightline/sightlinetest"
)

// service serves a service for tests, and returns a client of it.
func service(t *testing.T) *client.Client {
	t.Helper()
	c, _ := serviceFor(t)
	return c
}

// serviceFor is service that also returns a function for clients with other keys.
func serviceFor(t *testing.T) (*client.Client, func(key string) *client.Client) {
	t.Helper()
	host := sightlinetest.New(t)
	mux := http.NewServeMux()
	mux.Handle("/api/", http.StripPrefix("/api", host.API()))
	mux.Handle("/collect/", http.StripPrefix("/collect", host.Tracking()))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	with := func(key string) *client.Client {
		c, err := client.New(client.Config{URL: server.URL + "/api/", TrackURL: server.URL + "/collect", Key: key,
			Now: host.Now})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	return with(host.Key), with
}

// site is the website of the service.
const site client.WebsiteID = sightlinetest.Website

// send tracks ten orders of different visitors, five of them on the day before.
func send(t *testing.T, c *client.Client) {
	t.Helper()
	var events []client.Event
	for i := range 10 {
		events = append(events, client.Event{
			Name: []string{"signup", "order"}[i%2], ProfileID: "user_" + string(rune('a'+i)), SessionID: "s" +
				string(rune('a'+i)), Path: "/shop",
			Properties: map[string]any{"total": i, "plan": []string{"free", "pro"}[i/5]},
			Time:       sightlinetest.Start().Add(-time.Hour - time.Duration(i/5)*24*time.Hour),
		})
	}
	done, err := client.Track(t.Context(), c, site, events...)
	if err != nil || done.Err() != nil || done.Stored != len(events) {
		t.Fatalf("Track: %+v, %v", done, err)
	}
}

// ordersByPlan is a row with a column that groupBy adds.
type ordersByPlan struct {
	client.CustomEventsRow
	Plan string `json:"property:plan"`
}

func TestQueryComparesAndFilters(t *testing.T) {
	c := service(t)
	send(t, c)
	answer, err := client.Query[ordersByPlan](t.Context(), c, site, client.Question{
		Preset: client.PresetToday, Compare: client.PreviousPeriod, Totals: true,
		GroupBy: []client.Field{client.Property("plan")},
		Filters: []client.Filter{
			client.Or(client.Where(client.FieldEventName, client.OpIn, "order", "signup"),
				client.Where(client.Property("plan"), client.OpEq, "none")),
			client.Not(client.Where(client.Property("total"), client.OpGt, 3)),
		},
		SortBy: client.ColumnName, SortOrder: client.Ascending,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Rows) != 2 || answer.Rows[0].Name != "order" || answer.Rows[0].Plan != "free" ||
		answer.Rows[0].TotalEvents != 2 {
		t.Errorf("rows %+v", answer.Rows)
	}
	if len(answer.Previous) != 2 || len(answer.Changes) != 2 || answer.Previous[0] != nil {
		t.Errorf("previous %+v, changes %+v", answer.Previous, answer.Changes)
	}
	if answer.Totals == nil || answer.Totals.TotalEvents != 4 || answer.Meta.Rows != 2 || answer.RequestID == "" {
		t.Errorf("totals %+v, meta %+v, request %q", answer.Totals, answer.Meta, answer.RequestID)
	}
}

// TestAskExpressesEveryKindOfQuestion asks what needs more than a name.
func TestAskExpressesEveryKindOfQuestion(t *testing.T) {
	c := service(t)
	send(t, c)
	order, signup := client.Action{Event: client.Is("order")},
		client.Action{Event: client.Matching(client.OpStartsWith, "sign")}
	goal := client.Goal{Name: "Orders", Action: order, Value: "total"}
	for name, err := range map[string]error{
		"goal": c.SaveGoal(t.Context(), site, goal),
		"funnel": c.SaveFunnel(t.Context(), site, "Buy",
			client.FunnelBody{Steps: []client.Step{{Action: signup}, {Action: order}}}),
		"segment": c.SaveSegment(t.Context(), site, "Pro", client.Did(order)),
	} {
		if err != nil {
			t.Fatalf("save a %s: %v", name, err)
		}
	}
	path := "/shop"
	questions := map[string]client.Question{
		"goals": {Type: client.TypeGoals, Goals: []client.Goal{goal}},
		"saved": {Type: client.TypeGoals, Saved: client.AllSaved()},
		"by name": {Type: client.TypeGoalsTrends, Saved: client.Saved{"Orders"},
			Granularity: client.GranularityWeekly, WeekStart: client.WeekStartMonday},
		"funnel": {Type: client.TypeFunnel, Steps: []client.Step{{Action: signup}, {Name: "Buy", Action: order}},
			Window: "7d", Within: client.WithinSession},
		"retention": {Type: client.TypeRetention, Start: &signup, Return: &order},
		"paths":     {Type: client.TypePaths, From: &path},
		"segment": {Type: client.TypeCustomEvents,
			Filters: []client.Filter{client.Segment("Pro"), client.DidInRange(order),
				client.And(client.Where(client.Property("plan"), client.OpExists))}},
		"chosen": {Dataset: client.DatasetEvents, Dimensions: []client.Field{client.FieldDate, client.Property("plan")},
			Metrics: append(client.Columns(client.ColumnUniqueUsers),
				client.Metric{Column: "sum", Property: "total", As: "revenue"})},
	}
	var all []client.Question
	var names []string
	for name, q := range questions {
		q.Preset, q.TimeZone = client.PresetLast7d, "Europe/Berlin"
		all, names = append(all, q), append(names, name)
	}
	results, err := c.Ask(t.Context(), site, all...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Err() != nil {
			t.Errorf("%s: %v", names[i], r.Err())
		}
	}
	goals, err := client.Decode[client.GoalsRow](results[slices.Index(names, "goals")])
	if err != nil || goals.Rows[0].Conversions != 5 || *goals.Rows[0].Value != 25 {
		t.Errorf("goals %+v, %v", goals, err)
	}
	type revenue struct {
		Date    string   `json:"date"`
		Revenue *float64 `json:"revenue"`
	}
	chosen, err := client.Decode[revenue](results[slices.Index(names, "chosen")])
	if err != nil || !slices.ContainsFunc(chosen.Rows,
		func(r revenue) bool { return r.Date == "2026-03-13" && r.Revenue != nil && *r.Revenue == 35 }) {
		t.Errorf("metrics of choice %+v, %v", chosen, err)
	}
	if _, err := c.Ask(t.Context(), site, client.Question{TimeZone: "UTC"},
		client.Question{TimeZone: "Asia/Tokyo"}); err == nil {
		t.Error("questions with two time zones are asked")
	}
}

// TestRowsReadsAllPages reads ten rows in pages of three, and stops where the loop stops.
func TestRowsReadsAllPages(t *testing.T) {
	c := service(t)
	var events []client.Event
	for i := range 10 {
		events = append(events, client.Event{Name: "event_" + string(rune('a'+i)), ProfileID: "user"})
	}
	if done, err := client.Track(t.Context(), c, site, events...); err != nil || done.Err() != nil {
		t.Fatal(done.Err(), err)
	}
	q := client.Question{Preset: client.PresetToday, Limit: 3, SortBy: client.ColumnName, SortOrder: client.Ascending}
	var names []string
	for row, err := range client.Rows[client.CustomEventsRow](t.Context(), c, site, q) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimPrefix(row.Name, "event_"))
	}
	if got := strings.Join(names, ""); got != "abcdefghij" {
		t.Errorf("all pages have %s", got)
	}
	for _, err := range client.Rows[client.CustomEventsRow](t.Context(), c, client.WebsiteID("web_other"), q) {
		if !errors.Is(err, client.CodeForbidden) {
			t.Errorf("the rows of another website end with %v", err)
		}
	}
	for range client.Rows[client.CustomEventsRow](t.Context(), c, site, q) {
		break
	}
}

// A subject of plain texts is the same as one of a type; a question about an unknown kind, or about nothing, is not
// sent.
func TestSubjectsOfPlainTexts(t *testing.T) {
	c := service(t)
	q := client.Question{Type: client.TypeCustomEvents, Preset: client.PresetToday}
	of := func(about client.Subject) error {
		_, err := c.Ask(t.Context(), about, q)
		return err
	}
	if err := of(client.Resource{Kind: "website", ID: string(site)}); err != nil {
		t.Errorf("a website: %v", err)
	}
	for _, kind := range []string{"website", "link", "schedule"} {
		if err := of(client.Resource{Kind: kind, ID: "other"}); !errors.Is(err, client.CodeForbidden) {
			t.Errorf("another %s: %v, want it forbidden", kind, err)
		}
	}
	for _, about := range []client.Subject{nil, client.Resource{Kind: "page", ID: "a"}} {
		var answered *client.Error
		if err := of(about); err == nil || errors.As(err, &answered) {
			t.Errorf("%v: %v, want an error of the client", about, err)
		}
	}
}

func TestErrorsAreTyped(t *testing.T) {
	c := service(t)
	wrong := client.Question{Preset: client.PresetToday, Limit: 20_000,
		Filters: []client.Filter{client.Where(client.FieldCountry, "equals", "DE")}}
	_, err := client.Query[client.PagesRow](t.Context(), c, site, wrong)
	var e *client.Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest || e.Code != client.CodeValidationError ||
		e.RequestID == "" || len(e.Details) != 2 {
		t.Fatalf("two mistakes: %#v", err)
	}
	if d := e.Details[1]; d.Field != "parameters[0].filters[0].op" || d.Suggestion != "eq" ||
		!strings.Contains(e.Error(), d.Message) {
		t.Errorf("details %+v, text %q", d, e)
	}
	results, err := c.Ask(t.Context(), site, client.Question{Type: "page", Preset: client.PresetToday},
		client.Question{Type: client.TypePages, Preset: client.PresetToday})
	if err != nil || !errors.Is(results[0].Err(), client.CodeUnknownType) || results[1].Err() != nil {
		t.Errorf("one of two questions is wrong: %+v, %v", results, err)
	}
}

func TestListsKeysAndDefinitions(t *testing.T) {
	c := service(t)
	sites, err := c.Websites(t.Context())
	if err != nil || len(sites) != 1 || sites[0].ID != site || sites[0].Domain != sightlinetest.Domain {
		t.Errorf("websites %+v, %v", sites, err)
	}

	key, secret, err := c.CreateKey(t.Context(), client.NewKey{
		Name: "Report", Scopes: []client.Scope{client.ScopeReadData},
		Resources: []client.Resource{{Kind: "website", ID: string(site)}}, PerMinute: 30,
	})
	if err != nil || secret == "" || key.Name != "Report" || key.PerMinute == nil || *key.PerMinute != 30 {
		t.Fatalf("CreateKey: %+v, %v", key, err)
	}
	changed, err := c.ChangeKey(t.Context(), key.ID, client.KeyChange{
		Name: new("Reports"), Types: []client.Type{client.TypePages}, PerMinute: new(0),
		Expires: new(sightlinetest.Start().Add(time.Hour)),
		Filters: []client.Filter{client.Where(client.FieldCountry, client.OpEq, "DE")}, Disabled: new(true),
	})
	if err != nil || changed.Name != "Reports" || len(changed.Types) != 1 || changed.PerMinute != nil ||
		changed.Expires == nil || changed.State != "disabled" ||
		!strings.Contains(string(changed.Filters), "DE") || changed.Resources[0].ID != string(site) {
		t.Errorf("ChangeKey: %+v, %v", changed, err)
	}
	changed, err = c.ChangeKey(t.Context(), key.ID, client.KeyChange{
		Types: []client.Type{}, Filters: []client.Filter{}, Expires: new(time.Time{}), Disabled: new(false),
		Scopes: []client.Scope{client.ScopeReadLinks}, All: new(true),
	})
	if err != nil || changed.Types != nil || string(changed.Filters) != "[]" || changed.Expires != nil ||
		changed.State != "active" || changed.Name != "Reports" || !changed.All {
		t.Errorf("ChangeKey back: %+v, %v", changed, err)
	}
	_, rotated, err := c.RotateKey(t.Context(), key.ID, time.Hour)
	if err != nil || rotated == secret || rotated == "" {
		t.Errorf("RotateKey: %v", err)
	}
	if err := c.RevokeKey(t.Context(), key.ID); err != nil {
		t.Error(err)
	}
	if one, err := c.Key(t.Context(), key.ID); err != nil || one.ID != key.ID || one.Revoked == nil {
		t.Errorf("Key: %+v, %v", one, err)
	}
	keys, err := c.Keys(t.Context())
	if i := slices.IndexFunc(keys, func(k client.Key) bool { return k.ID == key.ID }); err != nil || i < 0 ||
		keys[i].State != "revoked" {
		t.Errorf("keys %+v, %v", keys, err)
	}

	added, err := c.AddWebsite(t.Context(), "blog.example", client.WebsiteChange{RetentionDays: new(90)})
	if err != nil || added.Name != "blog.example" || added.RetentionDays != 90 {
		t.Fatalf("AddWebsite: %+v, %v", added, err)
	}
	blog, err := c.ChangeWebsite(t.Context(), added.ID, client.WebsiteChange{Paused: new(true)})
	if err != nil || !blog.Paused || blog.RetentionDays != 90 {
		t.Errorf("ChangeWebsite: %+v, %v", blog, err)
	}
	if managed, err := c.ManagedWebsites(t.Context()); err != nil || len(managed) != 2 {
		t.Errorf("managed websites %+v, %v", managed, err)
	}
	if err := c.RemoveWebsite(t.Context(), added.ID); err != nil {
		t.Error(err)
	}
	if managed, err := c.ManagedWebsites(t.Context()); err != nil || len(managed) != 1 || managed[0].ID != site {
		t.Errorf("after removal %+v, %v", managed, err)
	}

	if err := c.SaveSegment(t.Context(), site, "Phones",
		client.Where(client.FieldDeviceType, client.OpEq, "mobile")); err != nil {
		t.Fatal(err)
	}
	saved, err := c.Definitions(t.Context(), site)
	if err != nil || len(saved) != 1 || saved[0].Name != "Phones" ||
		!strings.Contains(string(saved[0].Body), "mobile") {
		t.Errorf("definitions %+v, %v", saved, err)
	}
	if err := c.RemoveDefinition(t.Context(), site, "segment", "Phones"); err != nil {
		t.Error(err)
	}
	if saved, err = c.Definitions(t.Context(), site); err != nil || len(saved) != 0 {
		t.Errorf("after removal %+v, %v", saved, err)
	}

	const many = 105 // more than a page
	for i := range many {
		if err := c.SaveSegment(t.Context(), site, fmt.Sprint(i), client.Where(client.FieldDeviceType, client.OpEq,
			"mobile")); err != nil {
			t.Fatal(err)
		}
	}
	if saved, err = c.Definitions(t.Context(), site); err != nil || len(saved) != many {
		t.Errorf("%d definitions on all pages, %v; want %d", len(saved), err, many)
	}
}
