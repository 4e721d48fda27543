package httpapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnAddressAskedAgain checks that a cached URL gets the same answer for every caller as an uncached one.
func TestAnAddressAskedAgain(t *testing.T) {
	const asked = "/v1/query?parameters=pages&preset=last_7d&"
	for _, row := range []struct {
		query, key string
		status     int
	}{
		{"website_id=site_a", "all", 200},
		{"website_id=site_a", "nothing", 403},
		{"website_id=site_a", "", 401},
		{"website_id=site_a", "rows", 200},
		{"website_id=site_x", "all", 403},
		{"link_id=site_a", "all", 403},
		{"website_id=site_a&link_id=link_a", "all", 400},
		{"website_id=site_a&limit=0", "all", 400},
		{"website_id=site_a&limit=%", "all", 400},
		{"limit=5", "all", 400},
	} {
		var want string
		w, fresh := newWorld(t), newWorld(t)
		w.send("GET", asked+row.query, "all", "")
		for i := range 3 {
			rec := w.send("GET", asked+row.query, row.key, "")
			if i == 0 {
				want = fresh.send("GET", asked+row.query, row.key, "").Body.String()
			}
			if diff := cmp.Diff(withoutID(want), withoutID(rec.Body.String())); rec.Code != row.status || diff != "" {
				t.Errorf("%s by %q, the %dth time: %d %s", row.query, row.key, i+1, rec.Code, diff)
			}
		}
	}
}

// withoutID returns a body without its request id.
func withoutID(body string) string {
	before, after, _ := strings.Cut(body, `"requestId":"`)
	_, after, _ = strings.Cut(after, `"`)
	return before + after
}

func TestLongAddressesAreNotCached(t *testing.T) {
	all := newAddresses()
	for length, want := range map[int]bool{longestAddress: true, longestAddress + 1: false} {
		text := strings.Repeat("x", length)
		all.add(text, address{})
		if all.known.Has(text) != want {
			t.Errorf("a URL of %d bytes is cached: %t, want %t", length, !want, want)
		}
	}
}
