package front_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/front"
)

// TestEveryAnswerHasAnID sends requests that end at different steps. Each answer has the id of its request, and may
// not be taken for a page. Package requestid tests which ids of clients are kept.
func TestEveryAnswerHasAnID(t *testing.T) {
	own := func(cfg *front.Config, _ *ratelimit.Config) { cfg.NewRequestID = func() string { return "mine" } }
	for name, fresh := range map[string]string{"by default": `^req_[A-Z2-7]{26}$`, "of a host": `^mine$`} {
		w := newWorld(t)
		if name == "of a host" {
			w = newWorld(t, own)
		}
		w.any = func() (*front.Answer, error) { return nil, errors.New("x") }
		for _, row := range []struct {
			method, path string
			status       int
		}{
			{"GET", "/open/1", 200},
			{"HEAD", "/open/1", 200},
			{"OPTIONS", "/work", 204},
			{"POST", "/work", 401},
			{"GET", "/nothing", 404},
			{"GET", "/work", 405},
			{"POST", "/any", 500},
		} {
			for sent, want := range map[string]string{"": fresh, "a b": fresh, "Trace-1.2_z": `^Trace-1\.2_z$`} {
				rec := w.send(row.method, row.path, "", "X-Request-ID", sent)
				id := rec.Header().Get("X-Request-ID")
				if !regexp.MustCompile(want).MatchString(id) || rec.Code != row.status {
					t.Errorf("%s, %s %s: %d with %q for %q", name, row.method, row.path, rec.Code, id, sent)
				}
				if rec.Header().Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s %s: a browser may guess the type", row.method, row.path)
				}
			}
		}
	}
	if a, b := front.NewRequestID(), front.NewRequestID(); a == b {
		t.Errorf("two requests have the id %s", a)
	}
}

// A refused caller learns how to authenticate: with a key, or as the Authenticator of the host says.
func TestHostsHaveTheirOwnChallenge(t *testing.T) {
	session := `Session realm="shop"`
	for _, row := range []struct {
		err    error
		header string
	}{
		{auth.ErrMissing, "Bearer"},
		{auth.ErrInvalid, `Bearer error="invalid_token"`},
		{&auth.ChallengeError{Challenge: session, Err: auth.ErrMissing}, session},
		{fmt.Errorf("the cookie: %w", &auth.ChallengeError{Challenge: session, Err: auth.ErrInvalid}), session},
	} {
		w := newWorld(t, func(cfg *front.Config, _ *ratelimit.Config) {
			cfg.Auth = auth.AuthenticatorFunc(func(context.Context, *http.Request) (*auth.Principal, error) {
				return nil, row.err
			})
		})
		if rec := w.send("POST", "/work", ""); rec.Code != 401 || rec.Header().Get("WWW-Authenticate") != row.header {
			t.Errorf("%v: %d with the challenge %q, want %q", row.err, rec.Code, rec.Header().Get("WWW-Authenticate"),
				row.header)
		}
	}
}

func TestIsJSON(t *testing.T) {
	for text, want := range map[string]bool{
		"application/json":                               true,
		"application/json; charset=utf-8":                true,
		"application/json;charset=UTF-8":                 true,
		"application/json; charset=utf8":                 true,
		"application/json; charset":                      true,
		`Application/JSON ; x=1; Charset="utf-8"; x`:     true,
		"application/json; charset=latin1":               false,
		"application/json; charset=utf-8; charset=utf16": false,
		"application/jsonp":                              false,
		"text/plain":                                     false,
		"application/x-www-form-urlencoded":              false,
		"application/x; application/json":                false,
		"/;":                                             false,
		"":                                               false,
	} {
		if got := front.IsJSON(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
