package track

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
)

// TestTheTrailNamesRefusedKeys: the trail learns which key was tried, the sender does not.
func TestTheTrailNamesRefusedKeys(t *testing.T) {
	for _, refused := range []auth.RefusedError{
		{Start: "sl_unkno"},
		{KeyID: "key_revoked", Owner: "org", Start: "sl_revok"},
	} {
		w := &world{authErr: fmt.Errorf("no: %w", &refused)}
		a := w.post(t, "/track", `{"name":"x","websiteId":"w1"}`, "X-Api-Key", "some")
		if a.code != http.StatusUnauthorized || len(w.entries) != 1 {
			t.Fatalf("status %d, %d entries", a.code, len(w.entries))
		}
		e := w.entries[0]
		if got := (auth.RefusedError{KeyID: e.KeyID, Owner: e.Owner, Start: e.Start}); got != refused || e.Outcome != "refused" {
			t.Errorf("the trail has %+v of %+v", e, refused)
		}
	}
}
