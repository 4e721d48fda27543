package matrix

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
)

// TestNobodyComesInWhileTheDatabaseIsAway checks that without the database no key is accepted, and none is called
// invalid. Public routes and limits still work.
func TestNobodyComesInWhileTheDatabaseIsAway(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		if e.close == nil {
			t.Skip("memory is never away")
		}
		trail := e.trail
		e.trail = &audit.Memory{} // not in the database, like a file
		w := newWorld(t, e)
		if err := e.close(); err != nil {
			t.Fatal(err)
		}
		for i, r := range routes() {
			w.limiter.renew(t, ratelimit.Config{})
			keyed := w.entryOf(t, r) != nil
			for _, sent := range []string{"right", "revoked", "unknown", "token"} {
				id := fmt.Sprintf("away-%d-%s", i, sent)
				rec := w.sendRight(t, r, id, state{sent: sent, bearer: sent == "token"})
				switch {
				case keyed:
					w.mustBeAway(t, r, rec)
					w.mustHave(t, r, id, http.StatusServiceUnavailable)
				case r.host == hostAPI && rec.Code != http.StatusOK:
					t.Errorf("%s: %d %s", r, rec.Code, rec.Body)
				case r.host == hostTrack: // the website lookup fails too
					w.mustBeAway(t, r, rec)
				}
			}
			if rec := w.sendRight(t, r, "none", state{}); keyed && r.access != "key or website" &&
				r.access != "key or client" && rec.Code != http.StatusUnauthorized {
				t.Errorf("%s without a key: %d", r, rec.Code)
			}
		}
		if _, err := trail.Chains(t.Context()); err == nil {
			t.Error("the database is still available")
		}
	})
}

func (w *world) mustBeAway(t *testing.T, r route, rec *httptest.ResponseRecorder) {
	t.Helper()
	if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") != "5" ||
		!strings.Contains(rec.Body.String(), `_UNAVAILABLE"`) {
		t.Errorf("%s: %d, Retry-After %q, %s", r, rec.Code, rec.Header().Get("Retry-After"), rec.Body)
	}
	if strings.Contains(rec.Body.String(), "sql") || strings.Contains(rec.Body.String(), "store/meta") {
		t.Errorf("%s shows internals: %s", r, rec.Body)
	}
}
