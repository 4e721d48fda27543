package client_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/client"
	"github.com/sightline-analytics/sightline/sightlinetest"
)

// TestCreateToken asks with a panel token, which is limited to one query type and to rows.
func TestCreateToken(t *testing.T) {
	c, with := serviceFor(t)
	send(t, c)
	token, err := c.CreateToken(t.Context(), client.NewToken{
		TTL: 15 * time.Minute, Scopes: []client.Scope{client.ScopeReadData},
		Types: []client.Type{client.TypeCustomEvents}, Subject: "customer_1",
		Resources: []client.Resource{{Kind: "website", ID: string(site)}},
		Filters:   []client.Filter{client.Where(client.FieldEventName, client.OpEq, "order")},
	})
	if err != nil || token.Token == "" || !token.ExpiresAt.Equal(sightlinetest.Start().Add(15*time.Minute)) {
		t.Fatalf("CreateToken: %+v, %v", token, err)
	}
	panel := with(token.Token)
	week := client.Question{Preset: client.PresetLast7d}
	if events, err := client.Query[client.CustomEventsRow](t.Context(), panel, site, week); err != nil ||
		len(events.Rows) != 1 || events.Rows[0].Name != "order" {
		t.Errorf("the answer to a token: %+v, %v", events, err)
	}
	if _, err := client.Query[client.PagesRow](t.Context(), panel, site, week); !errors.Is(err, client.CodeForbidden) {
		t.Errorf("another query type: %v", err)
	}
	if _, err := panel.CreateToken(t.Context(), client.NewToken{}); !errors.Is(err, client.CodeForbidden) {
		t.Errorf("a token of a token: %v", err)
	}
}

// TestFlags creates, evaluates, changes and removes a feature flag.
func TestFlags(t *testing.T) {
	c, with := serviceFor(t)
	owner := string(site)
	made, err := c.CreateFlag(t.Context(), client.FlagFields{
		ClientID: owner, Key: "checkout", Type: client.FlagTypeBoolean, DefaultValue: new(false),
		Payload: []byte(`{"color":"red"}`),
		Rules:   []client.FlagRule{{Type: "property", Operator: "equals", Field: "plan", Value: "pro", Enabled: true}},
	})
	if err != nil || made.ID == "" || made.Revision != 1 || made.Status != client.FlagStatusActive ||
		len(made.Rules) != 1 || made.CreatedAt.IsZero() {
		t.Fatalf("CreateFlag: %+v, %v", made, err)
	}
	public := with("") // a website is named by its public id
	results, err := public.EvaluateFlags(t.Context(), owner,
		client.FlagContext{UserID: "u1", Properties: map[string]any{"plan": "pro"}}, "checkout", "other")
	if got := results["checkout"]; err != nil || !got.Enabled || got.Reason != client.FlagReasonUserRuleMatch ||
		!strings.Contains(string(got.Payload), "red") {
		t.Errorf("EvaluateFlags: %+v, %v", results, err)
	}
	if len(results) != 1 {
		t.Errorf("a flag that does not exist has a result: %+v", results)
	}
	changed, err := c.ChangeFlag(t.Context(), made.ID, made.Revision,
		client.FlagFields{ClientID: owner, Rules: []client.FlagRule{}, DefaultValue: new(true)})
	if err != nil || changed.Revision != 2 || len(changed.Rules) != 0 || !*changed.DefaultValue ||
		changed.Key != "checkout" {
		t.Errorf("ChangeFlag: %+v, %v", changed, err)
	}
	if _, err := c.ChangeFlag(t.Context(), made.ID, made.Revision, client.FlagFields{ClientID: owner}); !errors.Is(err,
		client.CodePreconditionFailed) {
		t.Errorf("ChangeFlag at an old revision: %v", err)
	}
	if all, err := c.Flags(t.Context(), owner, ""); err != nil || len(all) != 1 || all[0].ID != made.ID {
		t.Errorf("Flags: %+v, %v", all, err)
	}
	if err := c.RemoveFlag(t.Context(), owner, made.ID); err != nil {
		t.Error(err)
	}
	if results, err = public.EvaluateFlags(t.Context(), owner, client.FlagContext{}); err != nil || len(results) != 0 {
		t.Errorf("all flags after the removal: %+v, %v", results, err)
	}
}
