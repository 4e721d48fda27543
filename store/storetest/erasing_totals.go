package storetest

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/query"
	"github.com/sightline-analytics/sightline/store"
)

// erasingTotals tests that the engine erases a visitor from the totals of removed days. The visitor also has rows on
// the days that are left, around which the store deletes states. All answers about the removed days are the same before
// and after, also those that count the visitor once over several days, and nothing finds the visitor in totals a second
// time.
func erasingTotals(t *testing.T, h Harness, seed uint64) {
	x := newExpiring(t, h, seed, false)
	e := x.engine(t, x.whole, false)
	if _, err := e.Expire(t.Context(), x.of, x.before, true); err != nil {
		t.Fatal(err)
	}
	asked := x.asked[:0:0]
	for _, req := range x.asked {
		if req.TimeZone == "UTC" && len(req.Filters) == 0 && len(asked) < 60 {
			req.StartDate, req.EndDate = x.before.AddDate(0, 0, -4).Format(time.DateOnly),
				x.before.AddDate(0, 0, -1).Format(time.DateOnly)
			asked = append(asked, req)
		}
	}
	var before []expiringAnswer
	merged := 0
	for _, req := range asked {
		a := x.answer(t, e, req)
		if before = append(before, a); a.merged && !a.lacks {
			merged++
		}
	}
	if merged == 0 {
		t.Fatal("no answer is merged from totals")
	}
	p := store.Person{Website: x.of.ID, AnonymousIDs: []string{owl}}
	removed, err := e.ErasePerson(t.Context(), p)
	want := map[string]int64{"events": 6, "errors": 0, "vitals": 0, "spans": 0, "totals": 2}
	if diff := gocmp.Diff(want, removed); err != nil || diff != "" {
		t.Fatalf("ErasePerson: %v (-want +got):\n%s", err, diff)
	}
	for name, engine := range map[string]*query.Engine{"the same engine": e,
		"another engine": x.engine(t, x.whole, false)} {
		for i := range asked {
			got := x.answer(t, engine, asked[i])
			if diff := gocmp.Diff(before[i].text, got.text); diff != "" && before[i].merged ||
				got.lacks != before[i].lacks {
				t.Errorf("after erasing, the answer of %s to %s lacks rows: %t, and differs (-before +after):\n%s",
					name, question{x.of, now, asked[i]}, got.lacks, diff)
			}
		}
	}
	removed, err = e.ErasePerson(t.Context(), p)
	for name := range want {
		want[name] = 0
	}
	delete(want, "totals")
	if diff := gocmp.Diff(want, removed); err != nil || diff != "" {
		t.Errorf("ErasePerson again: %v (-want +got):\n%s", err, diff)
	}
}
