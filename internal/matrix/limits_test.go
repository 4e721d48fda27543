package matrix

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// sendRight sends a valid request with a credential.
func (w *world) sendRight(t *testing.T, r route, id string, st state) *httptest.ResponseRecorder {
	t.Helper()
	s := sampleOf(t, r)
	req := request(s, r, s.Subjects()[0], listed)
	req.Header.Set("X-Request-Id", id)
	st.show(w, req.Header)
	return w.send(r.host, req)
}

// entryOf returns the expected entry of the right key, or nil for routes that ignore keys.
func (w *world) entryOf(t *testing.T, r route) *auth.Entry {
	t.Helper()
	return wants(w, r, "", state{sent: "right", id: listed}).entry
}

// mustHave checks that a request has one entry, with the right key.
func (w *world) mustHave(t *testing.T, r route, id string, status int) {
	t.Helper()
	e := w.entries(t)[id]
	if len(e) != 1 || e[0].Status != status || e[0].Outcome != outcomes[status] || e[0].Route != r.path {
		t.Errorf("%s: audit trail of %s: %+v", r, id, e)
	}
}

// TestTokensHaveSeparateLimits checks that a token uses up neither the limit of its key nor of other tokens, and that
// all tokens together have ten times the limit.
func TestTokensHaveSeparateLimits(t *testing.T) {
	w := newWorld(t, inMemory(t))
	mint := func(n int) string {
		name := fmt.Sprintf("token %d", n)
		token, err := tokens(t, auth.TokensConfig{Pepper: pepper,
			Now: noonClock}).Mint(w.secrets["right"].Digest(pepper), auth.Claims{}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		w.secrets[name] = token
		return name
	}
	for _, r := range routes() {
		keyed := []string{byKey, byAnyKey, bySubject, byPath, byKeyOrClient}
		if r.host != hostAPI || !slices.Contains(keyed, r.access) {
			continue
		}
		w.limiter.renew(t, one())
		passed := 0
		for n := range 12 {
			name := mint(n)
			for try := range 2 {
				rec := w.sendRight(t, r, "some", state{sent: name, bearer: true})
				if try == 1 && rec.Code != http.StatusTooManyRequests {
					t.Errorf("%s: a token's second request: %d", r, rec.Code)
				}
				if rec.Code == http.StatusOK {
					passed++
				}
			}
		}
		if passed != auth.TokensFactor {
			t.Errorf("%s: %d requests of 12 tokens passed, want %d", r, passed, auth.TokensFactor)
		}
		if rec := w.sendRight(t, r, "some", state{sent: "right"}); rec.Code != http.StatusOK {
			t.Errorf("%s: the key itself after its tokens: %d %s", r, rec.Code, rec.Body)
		}
	}
}
