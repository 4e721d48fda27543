package httpapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whoever asked an address before: each time it is answered or refused as the first time.
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

// withoutID is a body without the id of its request.
func withoutID(body string) string {
	before, after, _ := strings.Cut(body, `"requestId":"`)
	_, after, _ = strings.Cut(after, `"`)
	return before + after
}

func TestAddressesAreBounded(t *testing.T) {
	var all addresses
	all.add(strings.Repeat("x", longestAddress+1), address{})
	for i := range 10 * maxAddresses {
		all.add(fmt.Sprint(i), address{})
		if _, ok := all.get("0"); !ok {
			t.Fatalf("what is asked all the time is forgotten after %d", i)
		}
	}
	if n := len(all.newer) + len(all.older); n > maxAddresses {
		t.Errorf("%d are remembered", n)
	}
	for text, want := range map[string]bool{fmt.Sprint(10*maxAddresses - 1): true, "1": false, strings.Repeat("x", longestAddress+1): false} {
		if _, ok := all.get(text); ok != want {
			t.Errorf("%.10s is remembered: %t", text, ok)
		}
	}
}
