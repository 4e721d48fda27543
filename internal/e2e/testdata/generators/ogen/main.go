// Command ogen asks a running service with a client that ogen generated from the plain form of the document.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/generators/ask"
	"example.com/generators/ogen/api"
)

func main() { ask.Run(run) }

// credentials sends the key as a bearer token.
type credentials string

func (c credentials) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{Token: string(c)}, nil
}

func (c credentials) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{APIKey: string(c)}, nil
}

func run(s ask.Service) error {
	ctx := context.Background()
	c, err := api.NewClient(s.Address, credentials(s.Key))
	if err != nil {
		return err
	}
	var query api.Query
	if err := json.Unmarshal([]byte(`{"preset":"last_7d","parameters":`+ask.Parameters+`}`), &query); err != nil {
		return err
	}
	response, err := c.RunQuery(ctx, &query, api.RunQueryParams{WebsiteID: api.NewOptString(s.WebsiteID)})
	answer, ok := response.(*api.RunQueryOKHeaders)
	if err != nil || !ok || len(answer.Response.Data) != 3 {
		return fmt.Errorf("the answer: %+v, %w", response, err)
	}
	for _, result := range answer.Response.Data {
		if !result.Success || len(result.Data) == 0 {
			return fmt.Errorf("the answer to %s: %+v", result.Parameter, result)
		}
	}

	var event api.CustomEvent
	if err := json.Unmarshal([]byte(`{"name":"generated_ogen","properties":{"size":3}}`), &event); err != nil {
		return err
	}
	sent, err := c.SendEvents(ctx, &event, api.SendEventsParams{})
	if _, ok := sent.(*api.SendEventsOKHeaders); err != nil || !ok {
		return fmt.Errorf("the event: %+v, %w", sent, err)
	}
	found, err := c.EvaluateFlag(ctx, api.EvaluateFlagParams{ClientId: s.WebsiteID, Key: "generated",
		Properties: api.NewOptString(`{"plan":"pro"}`)})
	flag, ok := found.(*api.EvaluatedFlagHeaders)
	if err != nil || !ok || string(flag.Response.Value) != "true" {
		return fmt.Errorf("the flag: %+v, %w", found, err)
	}
	return nil
}
