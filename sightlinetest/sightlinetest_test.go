package sightlinetest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline"
	"github.com/sightline-analytics/sightline/sightlinetest"
)

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

// view sends a page view, as the page of a website does.
func view(t *testing.T, tracking http.Handler, website string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/?client_id="+website,
		strings.NewReader(`{"type":"track","name":"screen_view","path":"https://site.example/","anonymousId":"a","sessionId":"s"}`))
	r.Header.Set("User-Agent", browser)
	w := httptest.NewRecorder()
	if tracking.ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
}

// want asks for the page views of today.
func want(t *testing.T, host *sightlinetest.Host, holds string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/v1/query?website_id="+host.Website+
		"&parameters=summary_metrics&preset=today", nil)
	r.Header.Set("X-Api-Key", host.Key)
	w := httptest.NewRecorder()
	if host.API().ServeHTTP(w, r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), holds) {
		t.Errorf("status %d, %s; want %s", w.Code, w.Body, holds)
	}
}

// Events are counted on the day of the clock, and two hosts share nothing.
func TestNew(t *testing.T) {
	host := sightlinetest.New(t)
	view(t, host.Tracking(), host.Website)
	want(t, host, `"pageviews":1`)
	host.Advance(24 * time.Hour)
	want(t, host, `"pageviews":0`)

	var changed bool
	other := sightlinetest.New(t, func(cfg *sightline.Config) {
		changed = cfg.Version == ""
		cfg.Version = "v1"
	})
	want(t, other, `"pageviews":0`)
	if !changed || other.Key != host.Key {
		t.Errorf("changed: %v, keys: %s and %s; want one key for all hosts", changed, other.Key, host.Key)
	}
}
