package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/auth/audit"
	"github.com/sightline-analytics/sightline/query"
)

// TestPagesOfTheAuditTrail reads the entries of an owner in pages that end at every place, also between entries of one
// millisecond and beside entries of another owner. The place of an entry tells no number of entries.
func TestPagesOfTheAuditTrail(t *testing.T) {
	const writer = "20260329T120000Z-abcdefghijkl"
	log := &audit.Memory{}
	var records []audit.Record
	var want []string
	for i := range 40 {
		e := auth.Entry{RequestID: fmt.Sprint("request ", i), Time: now.Add(time.Duration(i/6) * time.Millisecond),
			Owner: []string{"org_a", "org_b"}[i%2]}
		if records = append(records, audit.Record{Writer: writer, Seq: int64(i + 1), Entry: e}); i%2 == 0 {
			want = append(want, e.RequestID)
		}
	}
	slices.Reverse(want)
	if err := log.Append(t.Context(), audit.Checkpoint{Writer: writer, Seq: 40}, records); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(cfg *Config) { cfg.Trail = log })
	w.keys["auditor"] = &auth.Key{ID: "key_auditor", Owner: "org_a", Scopes: []auth.Scope{auth.ReadAudit}, All: true}
	page := func(limit int, after string) (ids []string, next *string) {
		t.Helper()
		rec := w.send(http.MethodGet, fmt.Sprintf("/v1/audit?limit=%d%s", limit, after), "auditor", "")
		var body struct {
			Entries []struct{ RequestID string }
			Next    *string
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || rec.Code != http.StatusOK {
			t.Fatalf("status %d, %v: %s", rec.Code, err, rec.Body)
		}
		for _, e := range body.Entries {
			ids = append(ids, e.RequestID)
		}
		return ids, body.Next
	}
	for limit := 1; limit <= len(want)+1; limit++ {
		got, next := page(limit, "")
		for next != nil {
			if strings.Contains(*next, writer) {
				t.Fatalf("the place of a page names its chain: %s", *next)
			}
			var more []string
			more, next = page(limit, "&after="+*next)
			got = append(got, more...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %q, want %q", limit, got, want)
		}
	}
	// The entry after which the page begins was pruned: older ones follow.
	gone := markOf(audit.Position{Time: now.Add(3 * time.Millisecond), Writer: writer, Seq: 99}).String()
	if got, _ := page(100, "&after="+gone); !slices.Equal(got, want[11:]) {
		t.Errorf("after a pruned entry: %q, want %q", got, want[11:])
	}
	for _, text := range []string{"", "x", "1", "1.", ".x", "x.y"} {
		if rec := w.send(http.MethodGet, "/v1/audit?after="+text, "auditor", ""); rec.Code != http.StatusBadRequest {
			t.Errorf("after=%s: status %d", text, rec.Code)
		}
	}
}

// TestTagsHideVersions checks that the tag of the same answer differs by the secret of the handler, so that nobody can
// compute it from the versions of the rows.
func TestTagsHideVersions(t *testing.T) {
	tag := func(key string) string {
		w := newVersioned(t, &versions{}, query.Config{}, func(cfg *Config) { cfg.TagKey = []byte(key) })
		rec := w.send(http.MethodGet,
			"/v1/query?website_id=site_a&parameters=pages&startDate=2026-03-01&endDate=2026-03-02", "all", "")
		if rec.Code != http.StatusOK || rec.Header().Get("ETag") == "" {
			t.Fatalf("status %d, %q: %s", rec.Code, rec.Header(), rec.Body)
		}
		return rec.Header().Get("ETag")
	}
	if one := tag("one"); one != tag("one") || one == tag("other") {
		t.Errorf("the tag %s does not depend on the secret alone", one)
	}
}
