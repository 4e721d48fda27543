package site

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sightline-analytics/sightline/store"
)

// save saves goals, a funnel, a segment and annotations for the new website of the demo, so that no section of the
// panel begins empty.
func (c *creator) save(ctx context.Context) error {
	f := newFiller(c.cfg)
	for _, d := range append(questions(), annotations(c.cfg.Now().UTC(), f.days, f.traffic[0].Famous)...) {
		if _, err := c.cfg.Records.PutDefinition(ctx, demoWebsite, d); err != nil {
			return err
		}
	}
	return nil
}

func questions() []store.Definition {
	return []store.Definition{
		{Kind: store.GoalDefinition, Name: "Saw the prices", Body: json.RawMessage(`{"page":"/pricing"}`)},
		{Kind: store.GoalDefinition, Name: "Created an account", Body: json.RawMessage(`{"event":"signup_completed"}`)},
		{Kind: store.GoalDefinition, Name: "Paid", Body: json.RawMessage(`{"event":"order_paid","value":"total"}`)},
		{Kind: store.FunnelDefinition, Name: "From prices to account",
			Body: json.RawMessage(`{"steps":[{"page":"/pricing"},{"page":"/signup"},{"event":"signup_completed"}],"window":"7d"}`)},
		{Kind: store.SegmentDefinition, Name: "Phones",
			Body: json.RawMessage(`{"filters":[{"field":"device_type","op":"eq","value":"mobile"}]}`)},
	}
}

// annotations returns annotations of the days before now: a release in the last week, and the last day in days on which
// a popular page linked to the website.
func annotations(now time.Time, days int, famous func(time.Time) bool) []store.Definition {
	note := func(name, at, text string) store.Definition {
		body, _ := json.Marshal(map[string]string{"at": at, "text": text}) // strings always have JSON
		return store.Definition{Kind: store.AnnotationDefinition, Name: name, Body: body}
	}
	release := now.Truncate(oneDay).AddDate(0, 0, -min(days, 4)).Add(9*time.Hour + 30*time.Minute)
	all := []store.Definition{note("release", release.Format(time.RFC3339), "Version 2.1 released")}
	for ago := range days {
		if day := now.AddDate(0, 0, -ago); famous(day) {
			return append(all, note("link", day.Format(time.DateOnly), "A popular page links to us"))
		}
	}
	return all
}
