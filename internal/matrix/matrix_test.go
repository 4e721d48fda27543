package matrix

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/ratelimit"
	"github.com/sightline-analytics/sightline/internal/matrix/samples"
)

// A cell is one request of the matrix, with its answer.
type cell struct {
	name string
	id   string // of the request
	want want
}

// TestMatrix sends every route a request in every state.
func TestMatrix(t *testing.T) {
	onEach(t, func(t *testing.T, e engine) {
		w := newWorld(t, e)
		var cells []cell
		for _, r := range routes() {
			for _, kind := range sampleOf(t, r).Subjects() {
				cells = append(cells, w.row(t, r, kind, len(cells))...)
			}
		}
		w.checkTrail(t, cells)
		if len(cells) < 250 {
			t.Errorf("only %d requests were sent", len(cells))
		}
	})
}

// row sends requests about one kind of resource to one route. All successful answers must be equal.
func (w *world) row(t *testing.T, r route, kind string, sent int) (cells []cell) {
	s := sampleOf(t, r)
	good := ""
	for _, st := range states() {
		if kind == "" && st.id != listed || kind != "" && kind == st.not || s.Body == "" && st.fault.ofBody() ||
			refusesRight(r) && (st.fault == overLimit || st.fault.ofBody()) {
			// the state does not apply: the route has no resource, no body, or other filters, or refuses the right key
			continue
		}
		c := cell{fmt.Sprintf("%s %s with %s", r, kind, st.name), fmt.Sprintf("request-%04d", sent+len(cells)),
			wants(w, r, kind, st)}
		cells = append(cells, c)
		t.Run(c.name, func(t *testing.T) {
			w.limiter.renew(t, ratelimit.Config{})
			req := request(s, r, kind, st.id)
			req.Header.Set("X-Request-Id", c.id)
			st.show(w, req.Header)
			w.plant(t, r, s, st, kind, req)
			rec := w.send(r.host, req)
			body, header := rec.Body.String(), rec.Header()
			if rec.Code != c.want.status {
				t.Fatalf("status %d, want %d: %s", rec.Code, c.want.status, body)
			}
			tag := header.Get("ETag")
			if (tag != "") != (s.ETag && rec.Code == 200) {
				t.Errorf("ETag: %q", tag)
			}
			header.Del("ETag")
			// coded: the response depends on the Accept-Encoding of the request
			vary, coded := header.Values("Vary"), false
			if last := len(vary) - 1; last >= 0 && vary[last] == "Accept-Encoding" {
				if header["Vary"], coded = vary[:last], true; last == 0 {
					header.Del("Vary")
				}
			}
			if tag != "" && r.method == http.MethodGet && !coded {
				t.Errorf("Vary: %q", vary)
			}
			wanted := c.want.header(r, c.id, len(body))
			if s.Stream != "" && rec.Code == http.StatusOK {
				wanted.Set("Content-Type", s.Stream)
				wanted.Set("Content-Disposition", "attachment; filename="+samples.Listed+".ndjson")
				wanted.Del("Content-Length")
			}
			if s.Page && rec.Code == http.StatusOK {
				wanted.Set("Content-Type", "text/html; charset=utf-8")
				wanted.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'")
				wanted.Set("Referrer-Policy", "no-referrer")
			}
			if diff := cmp.Diff(wanted, header); diff != "" {
				t.Errorf("headers (-want +got): %s", diff)
			}
			if text := c.want.refusal(r, c.id); text != "" {
				if diff := cmp.Diff(text+"\n", body); diff != "" {
					t.Errorf("body (-want +got): %s", diff)
				}
				return
			}
			if good == "" {
				good = body
			}
			if body != good && !s.Random && !s.Own || !strings.Contains(body, s.Answer) {
				t.Errorf("body %s\nwant %s\nwith %s", body, good, s.Answer)
			}
		})
	}
	return cells
}

// refusesRight reports whether r needs a key that reaches everything, which the right key does not.
func refusesRight(r route) bool {
	return r.access == byAuditor || r.access == bySiteManager && r.method == http.MethodPost
}

// checkTrail compares the audit trail with the expected entry of every request.
func (w *world) checkTrail(t *testing.T, cells []cell) {
	t.Helper()
	found := w.entries(t)
	for _, c := range cells {
		var entries []auth.Entry
		if e := c.want.entry; e != nil {
			e.RequestID, e.Status, e.Outcome = c.id, c.want.status, outcomes[c.want.status]
			if got := found[c.id]; len(got) == 1 &&
				strings.HasPrefix(got[0].Token, "tok_") == strings.Contains(c.name, "a panel token") &&
				c.want.status != http.StatusUnauthorized {
				e.Token = got[0].Token // at random
			}
			if got := found[c.id]; len(got) == 1 && e.Resource.Kind != "" && e.Resource.ID == "" &&
				strings.HasPrefix(got[0].Resource.ID,
					map[string]string{auth.KindKey: "key_", auth.KindWebsite: "web_"}[e.Resource.Kind]) {
				e.Resource.ID = got[0].Resource.ID // of a new key or website, at random
			}
			entries = append(entries, *e)
		}
		if diff := cmp.Diff(entries, found[c.id]); diff != "" {
			t.Errorf("%s: audit trail (-want +got): %s", c.name, diff)
		}
		delete(found, c.id)
		delete(found, c.id+usedUp)
	}
	for id := range found {
		t.Errorf("entries of a request %s that was not sent", id)
	}
}

// outcomes returns the outcome in the trail for a status.
var outcomes = map[int]string{200: "allowed", 400: "failed", 401: "refused", 403: "refused", 408: "failed",
	413: "failed", 429: "refused", 503: "failed"}
