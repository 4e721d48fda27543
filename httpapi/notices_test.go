package httpapi

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/notify"
	"github.com/sightline-analytics/sightline/store"
)

// noNotices has the notices of site_a that a test gives it, and keeps their messages.
type noNotices struct {
	store.NoticeStore

	saved []store.Notice
	sent  []store.Delivery
	ended []store.MailEnd
}

func (n *noNotices) Notices(context.Context) ([]store.Notice, error)   { return n.saved, nil }
func (n *noNotices) MailEnds(context.Context) ([]store.MailEnd, error) { return n.ended, nil }
func (n *noNotices) EndMail(_ context.Context, e store.MailEnd) error {
	n.ended = append(n.ended, e)
	return nil
}
func (n *noNotices) Deliveries(context.Context, string, int) ([]store.Delivery, error) {
	return n.sent, nil
}

func (n *noNotices) RecordNotices(_ context.Context, _ string, _ []store.NoticeState, m []store.Delivery) error {
	n.sent = append(n.sent, m...)
	return nil
}

// TestNotices saves notices with keys of several kinds, lists them and their messages, and ends mail by its link.
func TestNotices(t *testing.T) {
	saved := &store.MemoryDirectory{}
	if err := saved.AddWebsite(store.Website{ID: "site_a", Owner: "org_a"}); err != nil {
		t.Fatal(err)
	}
	notices := &noNotices{saved: []store.Notice{{Website: "site_a", Owner: "org_a", Definition: store.Definition{
		Kind: store.ReportDefinition, Name: "weekly", Body: []byte(`{"to":["ada@shop.example"]}`)}}}}
	w := newWorld(t, func(cfg *Config) {
		cfg.Definitions = saved
		var err error
		cfg.Notices, err = notify.New(notify.Config{Store: notices, Engine: cfg.Engine, Directory: cfg.Directory,
			EndKey: []byte("a key of links"), Now: cfg.Now, Options: notify.Options{URL: "https://stats.example"}})
		if err != nil {
			t.Fatal(err)
		}
	})
	site := []auth.Resource{{Kind: "website", ID: "site_a"}}
	both := []auth.Scope{auth.ManageDefinitions, auth.ReadData}
	w.keys["one"] = &auth.Key{ID: "one", Owner: "org_a", Scopes: both, Resources: site}
	w.keys["all of it"] = &auth.Key{ID: "all", Owner: "org_a", Scopes: both, All: true}
	w.keys["blind"] = &auth.Key{ID: "blind", Owner: "org_a", Scopes: both[:1], Resources: site}
	w.keys["reader"] = &auth.Key{ID: "reader", Owner: "org_a", Scopes: both[1:], Resources: site}
	w.keys["filtered"] = &auth.Key{ID: "filtered", Owner: "org_a", Scopes: both, Resources: site,
		Filters: []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}}
	w.keys["typed"] = &auth.Key{ID: "typed", Owner: "org_a", Scopes: both, Resources: site, Types: []string{"pages"}}
	const at, log = "/v1/websites/site_a/definitions", "/v1/websites/site_a/notices"
	const hook = `{"kind":"notice","name":"Hook","body":{"metric":"visitors","unusual":true,"to":[{"webhook":"https://a.example/x"}]}}`
	const wide = `{"kind":"notice","name":"Wide","body":{"event":"backup","allWebsites":true,"to":[{"host":"x"}]}}`
	for _, key := range []string{"blind", "reader", "filtered", "typed"} {
		expect(t, w.send("POST", at, key, hook), 403, "FORBIDDEN")
		expect(t, w.send("GET", log, key, ""), 403, "FORBIDDEN")
		expect(t, w.send("POST", log, key, `{"name":"Hook"}`), 403, "FORBIDDEN")
	}
	expect(t, w.send("POST", at, "one", wide), 403, "FORBIDDEN")
	for body, key := range map[string]string{hook: "one", wide: "all of it"} {
		if rec := w.send("POST", at, key, body); rec.Code != 200 {
			t.Fatalf("%s: %d %s", body, rec.Code, rec.Body)
		}
	}
	for body, field := range map[string]string{
		`{"kind":"notice","name":"x","body":{"metric":"visitor","above":1,"to":[{"host":"x"}]}}`:                       "body.metric",
		`{"kind":"notice","name":"x","body":{"metric":"pageviews","above":1,"parameter":"pagez","to":[{"host":"x"}]}}`: "body.parameter",
		`{"kind":"report","name":"x","body":{"parameters":["pages","pagez"],"to":["a@b.example"]}}`:                    "body.parameters[1]",
		`{"kind":"report","name":"x","body":{}}`:                                                                       "body.to",
	} {
		if rec := w.send("POST", at, "one", body); rec.Code != 400 ||
			!strings.Contains(rec.Body.String(), `"field":"`+field) {
			t.Errorf("%s: %d %s", body, rec.Code, rec.Body)
		}
	}
	for key, sees := range map[string]bool{"one": true, "reader": false, "filtered": false} {
		if rec := w.send("GET", at, key, ""); rec.Code != 200 || strings.Contains(rec.Body.String(), "whsec_") != sees {
			t.Errorf("%s sees %s", key, rec.Body)
		}
	}
	expect(t, w.send("DELETE", at+"?kind=notice&name=Hook", "filtered", ""), 403, "FORBIDDEN")

	expect(t, w.send("POST", log, "one", `{"name":"weekly"}`), 404, "NOT_FOUND")
	expect(t, w.send("POST", log, "one", `{"kind":"goal"}`), 400, "VALIDATION_ERROR")
	if rec := w.send("POST", log, "one", `{"kind":"report","name":"weekly"}`); rec.Code != 200 || len(notices.sent) != 1 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	rec := w.send("GET", log, "one", "")
	if text := rec.Body.String(); !strings.Contains(text, `"status":"pending"`) ||
		!strings.Contains(text, `"to":"email ada@shop.example"`) || !strings.Contains(text, `"triedAt":null`) {
		t.Errorf("%s", text)
	}
	_, token, _ := strings.Cut(string(notices.sent[0].Message), "/v1/notices/end")
	token, _, _ = strings.Cut(token, `"`)
	end := func(method, token string) *httptest.ResponseRecorder {
		return w.send(method, "/v1/notices/end"+token, "", "")
	}
	if rec := end("GET", token); rec.Code != 200 || !strings.Contains(rec.Body.String(), "<form method=\"post\">") ||
		len(notices.ended) > 0 {
		t.Errorf("%d %s; ended %v", rec.Code, rec.Body, notices.ended)
	}
	if rec := end("POST", "?token=x"); !strings.Contains(rec.Body.String(), "not complete") || len(notices.ended) > 0 {
		t.Errorf("%s; ended %v", rec.Body, notices.ended)
	}
	if rec := end("POST", token); rec.Code != 200 || len(notices.ended) != 1 {
		t.Errorf("%d %s; ended %v", rec.Code, rec.Body, notices.ended)
	}
}
