package sightline_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/internal/chtest"
	"github.com/sightline-analytics/sightline/internal/pgtest"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/clickhouse"
	"github.com/sightline-analytics/sightline/store/meta"
)

// process opens a service over shared stores, as one process of a deployment does.
func process(t *testing.T, recordsDSN, eventsDSN string, now func() time.Time) (*sightline.Service, *meta.Store) {
	t.Helper()
	r, err := meta.Open(t.Context(), meta.Config{DSN: recordsDSN, Pepper: pepper(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) }) // the test is over
	events, err := clickhouse.Open(t.Context(), clickhouse.Config{DSN: eventsDSN})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = events.Close(context.Background()) }) // the test is over
	if err := events.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return open(t, sightline.Config{Events: events, Records: r, Now: now}), r
}

// Two processes of a host share events in ClickHouse and records in PostgreSQL, without a bus between them. An event
// that one has acknowledged is in the answer of the other. A new website, and a key that ended, take effect in the
// other process within a second.
func TestTwoProcesses(t *testing.T) {
	recordsDSN, eventsDSN := pgtest.Schema(t), chtest.Database(t, chtest.Address(t, "CLICKHOUSE_DSN"))
	var passed atomic.Int64 // seconds
	start := time.Now()
	now := func() time.Time { return start.Add(time.Duration(passed.Load()) * time.Second) }
	first, r := process(t, recordsDSN, eventsDSN, now)
	second, _ := process(t, recordsDSN, eventsDSN, now)
	secret, err := r.Bootstrap(t.Context(), store.Website{ID: "shop", Owner: "acme", Domain: "shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(website string, status int, part string) {
		t.Helper()
		got, body := send(t, second.API(), http.MethodGet,
			"/v1/query?website_id="+website+"&parameters=custom_events&preset=last_7d", secret.Reveal(), "")
		if got != status || !strings.Contains(body, part) {
			t.Errorf("%s: status %d, want %d with %s: %s", website, got, status, part, body)
		}
	}
	track := func(website string) {
		t.Helper()
		status, body := send(t, first.Tracking(), http.MethodPost, "/track", secret.Reveal(),
			`{"websiteId":"`+website+`","name":"order_paid"}`)
		if status != http.StatusOK {
			t.Errorf("%s: status %d: %s", website, status, body)
		}
	}
	ask("shop", http.StatusOK, `"data":[]`)
	track("shop")
	passed.Add(2)
	ask("shop", http.StatusOK, `"total_events":1`)

	ask("blog", http.StatusForbidden, "")
	blog := store.Website{ID: "blog", Owner: "acme", Domain: "blog.example"}
	if _, err := r.CreateWebsite(t.Context(), blog); err != nil {
		t.Fatal(err)
	}
	passed.Add(2)
	track("blog")
	ask("blog", http.StatusOK, `"total_events":1`)

	keys, err := r.Keys(t.Context(), "acme")
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	if err := r.RevokeKey(t.Context(), keys[0].ID, nil); err != nil {
		t.Fatal(err)
	}
	passed.Add(2)
	ask("shop", http.StatusUnauthorized, "")
}
