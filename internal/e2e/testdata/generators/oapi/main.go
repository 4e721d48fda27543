// Command oapi asks a running service with a client that oapi-codegen generated.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"example.com/generators/ask"
	"example.com/generators/oapi/api"
)

func main() { ask.Run(run) }

func run(s ask.Service) error {
	ctx := context.Background()
	c, err := api.NewClientWithResponses(s.Address, api.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+s.Key)
			return nil
		}))
	if err != nil {
		return err
	}
	preset := api.Last7d
	query := api.Query{Preset: &preset}
	if err := json.Unmarshal([]byte(ask.Parameters), &query.Parameters); err != nil {
		return err
	}
	// oapi-codegen encodes bodies that have alternatives as {}, so they are sent as JSON.
	body, err := json.Marshal(query)
	if err != nil {
		return err
	}
	answer, err := c.RunQueryWithBodyWithResponse(ctx, &api.RunQueryParams{WebsiteId: &s.WebsiteID}, "application/json",
		bytes.NewReader(body))
	if err != nil || answer.JSON200 == nil {
		return fmt.Errorf("the answer: %s, %w", answer.Body, err)
	}
	results, err := answer.JSON200.AsQueryAnswer()
	if err != nil || len(results.Data) != 3 {
		return fmt.Errorf("the answer: %s, %w", answer.Body, err)
	}
	pages, err := results.Data[1].AsPagesResult()
	if err != nil || len(pages.Data) == 0 || pages.Data[0].Visitors == 0 {
		return fmt.Errorf("the pages: %+v, %w", pages, err)
	}

	event := api.CustomEvent{}
	if err := event.Name.FromTextOrNumber0("generated_oapi"); err != nil {
		return err
	}
	if body, err = json.Marshal(event); err != nil {
		return err
	}
	sent, err := c.SendEventsWithBodyWithResponse(ctx, &api.SendEventsParams{}, "application/json",
		bytes.NewReader(body))
	if err != nil || sent.JSON200 == nil {
		return fmt.Errorf("the event: %s, %w", sent.Body, err)
	}
	properties := `{"plan":"pro"}`
	flag, err := c.EvaluateFlagWithResponse(ctx,
		&api.EvaluateFlagParams{ClientId: s.WebsiteID, Key: "generated", Properties: &properties})
	if err != nil || flag.JSON200 == nil || flag.JSON200.Value != true {
		return fmt.Errorf("the flag: %s, %w", flag.Body, err)
	}
	return nil
}
