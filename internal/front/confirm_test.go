package front_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
)

// pausing is a body that calls a function during its arrival.
type pausing struct {
	then func()
	sent bool
}

func (p *pausing) Read(b []byte) (int, error) {
	if p.sent {
		return 0, io.EOF
	}
	p.sent = true
	p.then()
	return copy(b, "x"), nil
}

func TestKeysRevokedWhileTheBodyArrives(t *testing.T) {
	for _, row := range []struct {
		says   string
		takes  time.Duration // time until the body has arrived
		revoke bool
		status int
		looked int // look-ups of keys
	}{
		{"a fast body", time.Second, false, http.StatusOK, 1},
		{"a slow body", 2 * time.Second, false, http.StatusOK, 2},
		{"a key that is revoked before the end of a slow body", 2 * time.Second, true, http.StatusUnauthorized, 2},
	} {
		w := newWorld(t)
		key, secret, err := w.keys.CreateKey(t.Context(),
			auth.Key{Owner: "o", Scopes: []auth.Scope{auth.ReadData}, All: true})
		if err != nil {
			t.Fatal(err)
		}
		r, rec := httptest.NewRequest(http.MethodPost, "/work", &pausing{then: func() {
			w.wait(row.takes)
			if row.revoke {
				if err := w.keys.RevokeKey(t.Context(), key.ID, nil); err != nil {
					t.Error(err)
				}
			}
		}}), httptest.NewRecorder()
		r.Header.Set("X-Api-Key", secret.Reveal())
		w.ServeHTTP(rec, r)
		if rec.Code != row.status || w.lookups != row.looked {
			t.Errorf("%s: status %d after %d look-ups, want %d after %d: %s", row.says, rec.Code, w.lookups, row.status,
				row.looked, rec.Body)
		}
		if len(w.entries) != 1 || w.entries[0].KeyID != key.ID || (w.entries[0].Outcome == "refused") != row.revoke {
			t.Errorf("%s: the audit trail has %+v", row.says, w.entries)
		}
	}
}
