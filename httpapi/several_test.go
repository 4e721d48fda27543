package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/store"
)

// TestSeveralWebsites checks what website_ids may name, for whom, and what it costs.
func TestSeveralWebsites(t *testing.T) {
	w := newWorld(t)
	const rest = "&parameters=summary_metrics&preset=yesterday"
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint("site_", i)
	}
	for _, row := range []struct {
		ids, more, key string
		status         int
		has            string // in the response
	}{
		{"site_b,site_a", "", "all", 200, `"website_ids":["site_b","site_a"]`},
		{"site_a", "", "site_a", 200, `"website_ids":["site_a"]`},
		{"*", "", "all", 200, `"website_ids":["site_a","site_b"]`},
		{"*", "", "site_a", 200, `"website_ids":["site_a"]`},
		{"*", "", "nothing", 403, `"field":"website_ids"`},
		{"*", "", "links", 403, "read:data"},
		{"*", "", "flags", 403, "read:data"},
		{"site_a,site_b", "", "site_a", 403, `"field":"website_ids"`},
		{"site_a,site_x", "", "all", 403, `"field":"website_ids"`},
		{"site_a,none", "", "all", 403, `"field":"website_ids"`},
		{"site_a,site_a", "", "all", 400, `names \"site_a\" twice`},
		{"site_a,,site_b", "", "all", 400, "without empty ones"},
		{"site_a,*", "", "all", 400, "takes * alone"},
		{strings.Join(many, ","), "", "all", 400, "may name at most 100 websites, not 101"},
		{"site_a", "&website_id=site_a", "all", 400, "cannot be given with website_id"},
		{"site_a", "&link_id=link_a", "all", 400, "cannot be given with link_id"},
		{"site_a", "&schedule_id=mon_a", "all", 400, "cannot be given with schedule_id"},
		{"site_a", "&website_ids=site_b", "all", 400, "must be given once"},
		{"site_a", `&filters=[{"segment":"x"}]`, "all", 400, "saved for one website"},
		{"site_a", `&filters=[{"field":"website","op":"contains","value":"a"}]`, "all", 200,
			"website takes eq, ne, in or not_in, not contains"},
	} {
		for range 2 { // the second time the address is known
			target := "/v1/query?website_ids=" + row.ids + row.more + rest
			rec := w.send("GET", target, row.key, "")
			if expect(t, rec, row.status, ""); !strings.Contains(rec.Body.String(), row.has) {
				t.Errorf("%s as %s: %s, want %s", target, row.key, rec.Body, row.has)
			}
		}
	}
	if rec := w.send("POST", "/v1/query?website_ids=site_a,site_b", "all",
		`{"parameters":[{"name":"goals","saved":true}],"preset":"yesterday"}`); rec.Code != 400 {
		t.Errorf("saved goals: %d %s", rec.Code, rec.Body)
	}
	if rec := w.send("POST", "/v1/query/compile?website_ids=site_a,site_b", "all",
		`{"parameters":["pages"],"preset":"yesterday"}`); rec.Code != 200 {
		t.Errorf("compile: %d %s", rec.Code, rec.Body)
	}
	expect(t, w.send("POST", "/v1/query/compile?website_ids=site_a,site_b", "rows",
		`{"parameters":["pages"],"preset":"yesterday"}`), 403, "FORBIDDEN")
}

// TestCostOfSeveralWebsites checks that a request counts once for each ten websites, and that * stands for 100 at most.
func TestCostOfSeveralWebsites(t *testing.T) {
	w := newWorld(t)
	w.dir.sites = nil
	for i := range 101 {
		id := fmt.Sprintf("site_%03d", i)
		w.dir.sites = append(w.dir.sites, store.Website{ID: id, Owner: "org_a", Name: id})
		w.dir.owners[store.Subject{Kind: store.KindWebsite, ID: id}] = "org_a"
	}
	ask := func(ids string) int {
		return w.send("GET", "/v1/query?parameters=pages&preset=yesterday&website_ids="+ids, "all", "").Code
	}
	if got := ask("*"); got != 400 {
		t.Errorf("101 websites: %d", got)
	}
	w.dir.sites = w.dir.sites[:100]
	w.limiter.asked = nil
	got := []int{ask("*"), ask("site_000,site_001"), ask(ids(w.dir.sites[:11]))}
	if !slices.Equal(got, []int{200, 200, 200}) {
		t.Errorf("answers %v", got)
	}
	// one is taken before the request is read
	want := []string{"query key_all 1", "query key_all 9", "query key_all 1", "query key_all 1", "query key_all 1"}
	asked := slices.DeleteFunc(w.limiter.asked,
		func(s string) bool { return !strings.HasPrefix(s, string(auth.ClassQuery)+" ") })
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

func ids(sites []store.Website) string {
	all := make([]string, len(sites))
	for i, s := range sites {
		all[i] = s.ID
	}
	return strings.Join(all, ",")
}
