package httpapi

import (
	"strings"
	"testing"
)

// The tests of internal/front cover ids of requests, CORS and content types. These check that the routes of this
// package use them, and TestBodiesThatAreRefused the types.

func TestRequestIDs(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.NewRequestID = func() string { return "mine" } })
	for sent, want := range map[string]string{"Trace-1.2_z": "Trace-1.2_z", "a b": "mine", "": "mine"} {
		rec := w.send("POST", "/v1/query", "", oneQuery, "X-Request-ID", sent)
		expect(t, rec, 401, "AUTH_REQUIRED") // the body has the id of the header
		if got := rec.Header().Get("X-Request-ID"); got != want {
			t.Errorf("%q becomes %q, want %q", sent, got, want)
		}
	}
}

// TestCORS checks who may ask for what: the panels of a host may use all routes, and pages of any origin only evaluate
// flags.
func TestCORS(t *testing.T) {
	w, _ := newFlagWorld(t)
	const panel, shop = "https://panel.example", "https://shop.example"
	for _, tc := range []struct{ target, origin, want string }{
		{"/v1/query", panel, panel},
		{"/v1/query", shop, ""},
		{"/v1/query/types", shop, ""},
		{"/public/v1/flags/bulk?clientId=site_a", shop, "*"},
		{ofrepPrefix, shop, "*"},
		{"/public/v1/flags/definitions?clientId=site_a", shop, ""},
		{"/public/v1/flags/definitions?clientId=site_a", panel, panel},
		{"/public/v1/flags/some", panel, panel},
	} {
		rec := w.send("OPTIONS", tc.target, "", "", "Origin", tc.origin, "Access-Control-Request-Method", "PATCH",
			"Access-Control-Request-Headers", "traceparent, x-my-trace")
		expect(t, rec, 204, "")
		h := rec.Header()
		got := [3]string{
			h.Get("Access-Control-Allow-Origin"),
			h.Get("Access-Control-Allow-Methods"),
			h.Get("Access-Control-Allow-Headers"),
		}
		want := [3]string{tc.want}
		if tc.want != "" {
			want[1] = "GET, POST, PATCH, DELETE"
			want[2] = "Content-Type, Authorization, X-Api-Key, If-None-Match, If-Match, X-Requested-With, X-Request-ID, X-Client-Id, " +
				"databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version, traceparent, tracestate, baggage, sentry-trace, x-my-trace"
		}
		if got != want || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s from %s: %v", tc.target, tc.origin, h)
		}
	}
	h := w.send("POST", "/v1/query?website_id=site_a", "all", oneQuery, "Origin", panel).Header()
	exposed := h.Get("Access-Control-Expose-Headers")
	if !strings.HasPrefix(exposed, "ETag, X-Request-ID, X-RateLimit-Limit") ||
		h.Get("Vary") != "Authorization, X-Api-Key, Origin, Accept" {
		t.Errorf("an answer: %v", h)
	}
}
