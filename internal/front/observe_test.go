package front_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/observe"
	"github.com/sightline-analytics/sightline/store"
)

// watched returns a world that records all reports to the host, and all lines of the log.
func watched(t *testing.T) (w *world, told *[]observe.Request, log *strings.Builder) {
	t.Helper()
	told, log = &[]observe.Request{}, &strings.Builder{}
	w = newWorld(t, func(cfg *front.Config, _ *ratelimit.Config) {
		cfg.Observe = func(_ context.Context, r observe.Request) { *told = append(*told, r) }
		cfg.Logger = debugLog(log)
	})
	return w, told, log
}

func TestObserve(t *testing.T) {
	w, told, _ := watched(t)
	key := w.key(t)
	w.steps = func(ctx context.Context, _ *front.Request) (*front.Answer, error) {
		w.wait(3 * time.Second)
		store.MeterOf(ctx).Add(7, time.Second)
		store.MeterOf(ctx).Add(5, time.Second)
		return &front.Answer{Status: http.StatusOK, ETag: `"x"`}, nil
	}
	for _, row := range []struct {
		name, method, path, key string
		headers                 []string
		want                    observe.Request
	}{
		{"an answer", "POST", "/work", key, nil,
			observe.Request{Route: "POST /work", Class: auth.ClassQuery, Status: 200, Duration: 3 * time.Second,
				Rows: 12, Store: 2 * time.Second}},
		{"an answer that the caller has", "POST", "/work", key, []string{"If-None-Match", `"x"`},
			observe.Request{Route: "POST /work", Class: auth.ClassQuery, Status: 304, Duration: 3 * time.Second,
				Rows: 12, Store: 2 * time.Second}},
		{"a refusal", "POST", "/work", "", nil,
			observe.Request{Route: "POST /work", Class: auth.ClassQuery, Status: 401, Code: "E401"}},
		{"a path with text of the caller's", "GET", "/open/secret", "", nil,
			observe.Request{Route: "GET /open/{id}", Class: auth.ClassPublic, Status: 200}},
		{"HEAD", "HEAD", "/open/secret", "", nil,
			observe.Request{Route: "GET /open/{id}", Class: auth.ClassPublic, Status: 200}},
		{"no route", "GET", "/made-up", "", nil, observe.Request{Class: auth.ClassPublic, Status: 404, Code: "E404"}},
		{"an unsupported method", "MADE-UP", "/work", "", nil,
			observe.Request{Class: auth.ClassPublic, Status: 405, Code: "E405"}},
		{"OPTIONS", "OPTIONS", "/any", "", nil, observe.Request{Class: auth.ClassTrack, Status: 204}},
	} {
		*told = nil
		w.send(row.method, row.path, row.key, row.headers...)
		if diff := cmp.Diff([]observe.Request{row.want}, *told); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
}

// TestObserveCallersWhoHangUp checks that a request is counted even if the caller hangs up during the response.
func TestObserveCallersWhoHangUp(t *testing.T) {
	w, told, _ := watched(t)
	func() {
		defer func() { _ = recover() }()
		w.ServeHTTP(brokenWriter{httptest.NewRecorder()}, httptest.NewRequest("GET", "/open/x", http.NoBody))
	}()
	if len(*told) != 1 || (*told)[0].Status != 200 {
		t.Errorf("%+v", *told)
	}
}

func TestALinePerRequest(t *testing.T) {
	w, _, log := watched(t)
	secret := w.key(t)
	w.send("POST", "/work", secret, "X-Request-Id", "one")
	w.send("POST", "/work?x=private", stranger(t), "X-Request-Id", "two")
	key, err := w.keys.KeyByDigest(t.Context(), w.pepperDigest(t, secret))
	if err != nil {
		t.Fatal(err)
	}
	want := "level=DEBUG msg=request requestId=one key=" + key.ID +
		" route=\"POST /work\" status=200 code=\"\" duration=0s\n" +
		"level=DEBUG msg=request requestId=two key=\"\" route=\"POST /work\" status=401 code=E401 duration=0s\n"
	if diff := cmp.Diff(want, log.String()); diff != "" {
		t.Error(diff)
	}
}
