//go:build cgo

package service

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/duckdb"
	"github.com/sightline-analytics/sightline/store/meta"
)

// A quota counts only the events of the current month, and needs no wiring by the host.
func TestQuotas(t *testing.T) {
	month := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return month.AddDate(0, 0, 14) }
	pepper, err := auth.NewPepper([]byte("a pepper of some length"))
	if err != nil {
		t.Fatal(err)
	}
	events, err := duckdb.Open(t.Context(), duckdb.Config{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close(context.Background())
	records, err := meta.Open(t.Context(),
		meta.Config{Path: filepath.Join(t.TempDir(), "r.sqlite"), Pepper: pepper, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close(context.Background())
	var b store.Batch
	for i, at := range []time.Time{month.Add(-time.Millisecond), month, month.AddDate(0, 0, 13),
		month.AddDate(0, 1, 0).Add(-time.Millisecond), month.AddDate(0, 1, 0)} {
		b.Events = append(b.Events,
			store.Event{Website: "w", ID: string(rune('a' + i)), Kind: store.EventKind(i), Name: "x", Time: at})
	}
	b.Blocked = []store.Blocked{{Website: "w", ID: "n", Time: month, Requests: 100}}
	if _, err := events.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if _, err := records.CreateOwner(t.Context(), meta.Owner{ID: "acme"}); err != nil {
		t.Fatal(err)
	}
	const inMonth = 3
	if _, err := records.CreateWebsite(t.Context(),
		store.Website{ID: "w", Owner: "acme", Domain: "w.example",
			Rules: store.Rules{MonthlyEvents: inMonth + 1}}); err != nil {
		t.Fatal(err)
	}
	_, secret, err := records.CreateKey(t.Context(), auth.Key{Owner: "acme", All: true, Scopes: auth.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	service, err := sightline.New(sightline.Config{Events: events, Records: records, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := service.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, want := range []string{"success", "BILLING_LIMIT_EXCEEDED"} {
		r, w := httptest.NewRequest(http.MethodPost, "/track", strings.NewReader(`{"name":"paid","websiteId":"w"}`)),
			httptest.NewRecorder()
		r.Header.Set("X-Api-Key", secret.Reveal())
		r.Header.Set("Content-Type", "application/json")
		service.Tracking().ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("status %d, %s; want %s", w.Code, w.Body, want)
		}
	}
}
