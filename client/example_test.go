package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/sightline-analytics/sightline/client"
	"github.com/sightline-analytics/sightline/sightlinetest"
)

// A program sends events, and asks how often each was sent by plan. The service is one for tests.
func ExampleQuery() {
	host, err := sightlinetest.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close(context.Background())
	api, tracking := httptest.NewServer(host.API()), httptest.NewServer(host.Tracking())
	defer api.Close()
	defer tracking.Close()

	ctx, site := context.Background(), client.WebsiteID(host.Website)
	c, err := client.New(client.Config{URL: api.URL, TrackURL: tracking.URL, Key: host.Key})
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := client.Track(ctx, c, site,
		client.Event{Name: "signup", ProfileID: "ada", Properties: map[string]any{"plan": "team"}},
		client.Event{Name: "signup", ProfileID: "bob", Properties: map[string]any{"plan": "team"}},
		client.Event{Name: "signup", ProfileID: "eve", Properties: map[string]any{"plan": "free"}},
	)
	if err != nil || done.Err() != nil {
		fmt.Println(err, done.Err())
		return
	}
	type byPlan struct {
		client.CustomEventsRow
		Plan string `json:"property:plan"`
	}
	answer, err := client.Query[byPlan](ctx, c, site, client.Question{
		Preset: client.PresetToday, GroupBy: []client.Field{client.Property("plan")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range answer.Rows {
		fmt.Println(row.Name, row.Plan, row.TotalEvents)
	}
	// Output:
	// signup team 2
	// signup free 1
}
