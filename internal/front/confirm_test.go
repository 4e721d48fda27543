package front_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/front"
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

func TestKeysThatChangeWhileTheBodyArrives(t *testing.T) {
	revoke := func(w *world, id string) error { return w.keys.RevokeKey(t.Context(), id, nil) }
	amend := func(change func(*auth.Key)) func(*world, string) error {
		return func(w *world, id string) error {
			_, err := w.keys.ChangeKey(t.Context(), id, func(k *auth.Key) error {
				change(k)
				return nil
			})
			return err
		}
	}
	filter := amend(func(k *auth.Key) {
		k.Filters = []auth.Filter{{Field: "country", Op: "eq", Values: []string{"DE"}}}
	})
	rename := amend(func(k *auth.Key) { k.Name = "renamed" })
	for _, row := range []struct {
		says   string
		takes  time.Duration // time until the body has arrived
		change func(w *world, id string) error
		status int
		looked int    // look-ups of keys
		name   string // of the key that answers
	}{
		{"a fast body", time.Second, nil, http.StatusOK, 1, "first"},
		{"a slow body", 2 * time.Second, nil, http.StatusOK, 2, "first"},
		{"a key that is revoked meanwhile", 2 * time.Second, revoke, http.StatusUnauthorized, 2, ""},
		{"a key that gets a filter meanwhile", 2 * time.Second, filter, http.StatusForbidden, 2, ""},
		{"a key that loses no right meanwhile", 2 * time.Second, rename, http.StatusOK, 2, "renamed"},
	} {
		w := newWorld(t)
		answered := ""
		w.steps = func(_ context.Context, r *front.Request) (*front.Answer, error) {
			answered = r.Key().Name
			return front.JSON("done")
		}
		key, secret, err := w.keys.CreateKey(t.Context(),
			auth.Key{Owner: "o", Name: "first", Scopes: []auth.Scope{auth.ReadData}, All: true})
		if err != nil {
			t.Fatal(err)
		}
		r, rec := httptest.NewRequest(http.MethodPost, "/work", &pausing{then: func() {
			w.wait(row.takes)
			if row.change != nil {
				if err := row.change(w, key.ID); err != nil {
					t.Error(err)
				}
			}
		}}), httptest.NewRecorder()
		r.Header.Set("X-Api-Key", secret.Reveal())
		w.ServeHTTP(rec, r)
		if rec.Code != row.status || w.lookups != row.looked || answered != row.name {
			t.Errorf("%s: status %d after %d look-ups by %q, want %d after %d by %q: %s", row.says, rec.Code, w.lookups,
				answered, row.status, row.looked, row.name, rec.Body)
		}
		if len(w.entries) != 1 || w.entries[0].KeyID != key.ID ||
			(w.entries[0].Outcome == "allowed") != (row.status == http.StatusOK) {
			t.Errorf("%s: the audit trail has %+v", row.says, w.entries)
		}
	}
}
