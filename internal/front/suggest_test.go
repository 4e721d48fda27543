package front_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
)

// TestWrongPathsSuggestTheRightOne sends requests with paths and methods that no route has.
func TestWrongPathsSuggestTheRightOne(t *testing.T) {
	var told string
	var cfg front.Config
	cfg.Limiter = newWorld(t, func(c *front.Config, _ *ratelimit.Config) { cfg = *c }).limiter
	cfg.Refuse = func(_ *front.Request, err error) front.Refusal {
		told = err.Error()
		if wrong, ok := errors.AsType[*front.RouteError](err); !ok ||
			errors.Is(wrong, front.ErrNoRoute) == errors.Is(wrong, front.ErrMethod) {
			t.Errorf("%v is neither ErrNoRoute nor ErrMethod", err)
		}
		return front.Refusal{Status: http.StatusNotFound}
	}
	answer := func(context.Context, *front.Request, *struct{}) (*front.Answer, error) { return front.JSON("done") }
	var routes []*front.Route
	for _, row := range [][2]string{
		{"POST", "/v1/query"}, {"GET", "/v1/query"}, {"GET", "/v1/query/types"}, {"GET", "/v1/query/websites"},
		{"GET", "/v1/websites/{website_id}/analytics"},
		{"GET", "/health"}, {"POST", "/public/v1/flags"}, {"PATCH", "/public/v1/flags/{id}"},
		{"POST", "/ofrep/v1/evaluate/flags"}, {"POST", "/"},
	} {
		routes = append(routes, &front.Route{Method: row[0], Path: row[1], Class: auth.ClassPublic,
			Steps: front.Steps[struct{}]{Answer: answer}})
	}
	h := front.New(cfg, routes)
	for _, tc := range []struct{ why, method, target, want string }{
		{"without the version", "POST", "/query", "No such endpoint: POST /query; did you mean POST /v1/query?"},
		{"by the method of the request, if there is one", "GET", "/query?website_id=x",
			"No such endpoint: GET /query; did you mean GET /v1/query?"},
		{"otherwise by the first method in the table", "PUT", "/query",
			"No such endpoint: PUT /query; did you mean POST /v1/query?"},
		{"HEAD is GET", "HEAD", "/query", "No such endpoint: GET /query; did you mean GET /v1/query?"},
		{"with extra segments before the path", "POST", "/api/v1/query",
			"No such endpoint: POST /api/v1/query; did you mean POST /v1/query?"},
		{"with another version", "POST", "/v2/query", "No such endpoint: POST /v2/query; did you mean POST /v1/query?"},
		{"with extra segments after the path", "POST", "/v1/query/summary",
			"No such endpoint: POST /v1/query/summary; did you mean POST /v1/query?"},
		{"with a typing mistake", "POST", "/v1/querry",
			"No such endpoint: POST /v1/querry; did you mean POST /v1/query?"},
		{"in another place", "GET", "/v1/websites",
			"No such endpoint: GET /v1/websites; did you mean GET /v1/query/websites?"},
		{"the path with more equal segments", "POST", "/v1/flags",
			"No such endpoint: POST /v1/flags; did you mean POST /public/v1/flags?"},
		{"with an id", "PATCH", "/v1/flags/f_1",
			"No such endpoint: PATCH /v1/flags/f_1; did you mean PATCH /public/v1/flags/{id}?"},
		{"another name for health", "GET", "/healthz", "No such endpoint: GET /healthz; did you mean GET /health?"},
		{"no similar path", "GET", "/wp-login.php", "No such endpoint: GET /wp-login.php"},
		{"an id is ignored", "GET", "/v1/site_a", "No such endpoint: GET /v1/site_a"},
		{"a long path is cut", "GET", "/" + strings.Repeat("x", 1000), "No such endpoint: GET /" +
			strings.Repeat("x", 63) + "…"},
		{"another method", "PUT", "/v1/query", "This endpoint does not support PUT; use GET or POST"},
		{"the only method", "GET", "/public/v1/flags", "This endpoint does not support GET; use POST"},
		{"HEAD without GET", "HEAD", "/public/v1/flags", "This endpoint does not support HEAD; use POST"},
	} {
		told = ""
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(tc.method, tc.target, nil))
		if told != tc.want {
			t.Errorf("%s: %s %.40s: %s, want %s", tc.why, tc.method, tc.target, told, tc.want)
		}
	}
	http.StripPrefix("/stats", h).ServeHTTP(httptest.NewRecorder(),
		httptest.NewRequest("POST", "/stats/query?x=1", nil))
	if want := "No such endpoint: POST /stats/query; did you mean POST /stats/v1/query?"; told != want {
		t.Errorf("below a prefix: %s, want %s", told, want)
	}
}

// TestRefusedKeysReportTheirBudget checks that a 401 reports the remaining refusals.
func TestRefusedKeysReportTheirBudget(t *testing.T) {
	w := newWorld(t)
	for _, left := range []string{"59", "58"} {
		rec := w.send("POST", "/work", stranger(t))
		h := rec.Header()
		if rec.Code != 401 || h.Get("X-RateLimit-Limit") != "60" || h.Get("X-RateLimit-Remaining") != left ||
			!strings.HasPrefix(h.Get("RateLimit-Policy"), `"refused"`) {
			t.Errorf("%d: %v, want %s left of 60", rec.Code, h, left)
		}
	}
}
