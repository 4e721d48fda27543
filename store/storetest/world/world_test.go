package world

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

func TestTables(t *testing.T) {
	for _, z := range zones {
		if _, err := time.LoadLocation(z); err != nil {
			t.Error(err)
		}
	}
	for _, e := range eras {
		if _, err := time.LoadLocation(e.zone); err != nil {
			t.Error(err)
		}
		if _, err := time.Parse(time.DateOnly, e.date); err != nil {
			t.Error(err)
		}
	}
	for _, o := range origins {
		if got := referrer.Domain(o[0], "shop.example"); got != o[1] {
			t.Errorf("referrer %q is stored as %q, not as %q", o[0], got, o[1])
		}
	}
	for _, p := range places {
		if name, _ := country.Name(p[0]); name != countries[p[0]] {
			t.Errorf("%s is called %q", p[0], name)
		}
	}
	for domain, name := range named {
		if s, _ := referrer.Lookup(domain); s.Name != name || s.Domain != domain {
			t.Errorf("%s is called %q", domain, s.Name)
		}
	}
}

func TestEqualSeedsGiveEqualWorlds(t *testing.T) {
	a, b, c := New(7), New(7), New(8)
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if cmp.Equal(a.Batch, c.Batch) {
		t.Error("another seed gives the same world")
	}
	q1, q2 := a.Question(rand.New(rand.NewPCG(7, 2))), b.Question(rand.New(rand.NewPCG(7, 2)))
	if d := cmp.Diff(q1, q2); d != "" {
		t.Error(d)
	}
}

// What a Writer refuses or a real row never has must not be there.
func TestRowsAreWellFormed(t *testing.T) {
	devices := []string{"", "desktop", "mobile", "tablet", "smarttv", "console", "wearable", "embedded", "xr"}
	for seed := range uint64(10) {
		w := New(seed)
		if n := w.Batch.Len(); n < 2_000 || n > 6_000 {
			t.Errorf("seed %d: %d rows", seed, n)
		}
		agent := func(a store.Agent) {
			if _, ok := country.Name(a.Country); !ok && a.Country != "" {
				t.Errorf("seed %d: country %q", seed, a.Country)
			}
			if !slices.Contains(devices, a.DeviceType) {
				t.Errorf("seed %d: device %q", seed, a.DeviceType)
			}
		}
		stored := func(subject, id string, at time.Time) {
			if subject == "" || id == "" || !utf8.ValidString(id) || at.Nanosecond()%1e6 != 0 || at.Year() < 1971 {
				t.Errorf("seed %d: row %q of %q at %v", seed, id, subject, at)
			}
		}
		for _, e := range w.Batch.Events {
			stored(e.Website, e.ID, e.Time)
			agent(e.Agent)
			if e.Path == "" && e.Kind <= store.PageEvent {
				t.Errorf("seed %d: %s without a path", seed, e.Name)
			}
			if e.Kind == store.PageEvent && (e.Name == "screen_view" || e.Name == "page_view" || e.Name == "page_exit") {
				t.Errorf("seed %d: a page event is called %s", seed, e.Name)
			}
			if e.Properties != "" && !json.Valid([]byte(e.Properties)) {
				t.Errorf("seed %d: properties %s", seed, e.Properties)
			}
			if (e.Name == "") != (e.Kind == store.Click) {
				t.Errorf("seed %d: kind %d is called %q", seed, e.Kind, e.Name)
			}
		}
		for _, e := range w.Batch.Errors {
			stored(e.Website, e.ID, e.Time)
			agent(e.Agent)
		}
		for _, v := range w.Batch.Vitals {
			stored(v.Website, v.ID, v.Time)
			agent(v.Agent)
		}
		for _, p := range w.Batch.Spans {
			stored(p.Website, p.ID, p.Time)
			agent(p.Agent)
		}
		for _, v := range w.Batch.Visits {
			stored(v.Link, v.ID, v.Time)
			agent(v.Agent)
		}
		for _, c := range w.Batch.Checks {
			stored(c.Schedule, c.ID, c.Time)
		}
	}
}

// Over a few seeds, each trap must be in the data.
func TestTraps(t *testing.T) {
	found := map[string]int{}
	var locs []*time.Location
	for _, z := range zones {
		loc, err := time.LoadLocation(z)
		if err != nil {
			t.Fatal(err)
		}
		locs = append(locs, loc)
	}
	for seed := range uint64(5) {
		w := New(seed)
		traps(&w, locs, found)
	}
	for _, trap := range []string{
		"custom event called screen_view", "$ custom", "$ page event", "no session", "no visitor", "no path",
		"measure absent", "measure 0", "repeat", "id on two websites", "id of two kinds", "100%", "100x", "a_b", "axb",
		"quote", "backslash", "umlaut", "emoji", "out of order", "24 h gap", "24 h and 1 ms gap", "equal instants",
		"at midnight", "1 ms before midnight", "identified half-way", "error before its session",
		"session without page events", "down at the end of an era",
		"scroll 0", "scroll 20", "scroll 80", "scroll 100", "exit of 30 s", "exit of 1 h", "click without a text",
		"click on no host", "click on a port", "page with properties", "rage", "repeated span",
		"check of status 0", "check of status 1", "check of status 2", "check of status 3",
	} {
		if found[trap] == 0 {
			t.Errorf("no trap %q", trap)
		}
	}
}

func traps(w *World, locs []*time.Location, found map[string]int) {
	type key struct {
		site, id string
		page     bool
	}
	type user struct{ site, session string }
	ids, sites := map[key]int{}, map[string]string{}
	instants, profiles := map[user][]time.Time{}, map[user]map[string]bool{}
	pages := map[user]bool{}
	mark := func(trap string, ok bool) {
		if ok {
			found[trap]++
		}
	}
	for i, e := range w.Batch.Events {
		page := e.Kind <= store.PageEvent
		dollar := strings.HasPrefix(e.Name, "$")
		mark("custom event called screen_view", e.Kind == store.Custom && e.Name == "screen_view")
		mark("$ custom", e.Kind == store.Custom && dollar)
		mark("$ page event", e.Kind == store.PageEvent && dollar)
		mark("no session", e.SessionID == "")
		mark("no visitor", e.Visitor() == "")
		mark("no path", e.Path == "")
		mark("measure absent", e.Kind == store.Pageview && !e.LoadTime.Valid)
		mark("measure 0", e.Kind == store.Pageview && e.LoadTime == store.Known(0))
		mark("repeat", ids[key{e.Website, e.ID, page}] > 0)
		mark("id of two kinds", ids[key{e.Website, e.ID, !page}] > 0)
		mark("id on two websites", sites[e.ID] != "" && sites[e.ID] != e.Website)
		mark("out of order", i > 0 && e.Time.Before(w.Batch.Events[i-1].Time))
		for trap, text := range map[string]string{"quote": `"`, "backslash": `\`, "umlaut": "ü", "emoji": "🎉"} {
			mark(trap, strings.Contains(e.Path, text))
		}
		for _, text := range []string{"100%", "100x", "a_b", "axb"} {
			mark(text, e.Path == "/"+text)
		}
		for _, loc := range locs {
			mark("at midnight", midnight(e.Time, loc))
			mark("1 ms before midnight", midnight(e.Time.Add(time.Millisecond), loc))
		}
		if e.ScrollDepth.Valid {
			mark(fmt.Sprint("scroll ", e.ScrollDepth.V), e.Kind == store.Exit)
		}
		mark("exit of 30 s", e.TimeOnPage == store.Known(30_000))
		mark("exit of 1 h", e.TimeOnPage == store.Known(3_600_000))
		mark("click without a text", e.Kind == store.Click && e.Text == "")
		mark("click on no host", strings.HasPrefix(e.Href, "mailto:"))
		mark("click on a port", strings.Contains(e.Href, ":443/"))
		mark("page with properties", e.Kind == store.Pageview && len(e.Properties) > 2)
		ids[key{e.Website, e.ID, page}]++
		sites[e.ID] = e.Website
		if u := (user{e.Website, e.SessionID}); e.SessionID != "" && !dollar {
			instants[u] = append(instants[u], e.Time)
			if profiles[u] == nil {
				profiles[u] = map[string]bool{}
			}
			profiles[u][e.ProfileID] = true
			pages[u] = pages[u] || page
		}
	}
	for u, list := range instants {
		slices.SortFunc(list, time.Time.Compare)
		for i := 1; i < len(list); i++ {
			gap := list[i].Sub(list[i-1])
			mark("equal instants", gap == 0)
			mark("24 h gap", gap == 24*time.Hour)
			mark("24 h and 1 ms gap", gap == 24*time.Hour+time.Millisecond)
		}
		mark("identified half-way", profiles[u][""] && len(profiles[u]) > 1)
		mark("session without page events", !pages[u])
	}
	for _, e := range w.Batch.Errors {
		list := instants[user{e.Website, e.SessionID}]
		mark("error before its session", len(list) > 0 && e.Time.Before(list[0]))
	}
	spans := map[string]bool{}
	for _, p := range w.Batch.Spans {
		mark("rage", p.RageClicks > 0)
		mark("repeated span", spans[p.Website+p.ID])
		spans[p.Website+p.ID] = true
	}
	for _, c := range w.Batch.Checks {
		mark(fmt.Sprint("check of status ", c.Status), true)
	}
	down(w, mark)
}

// down looks for a down check that weeks without a check follow.
func down(w *World, mark func(string, bool)) {
	list := slices.Clone(w.Batch.Checks)
	slices.SortFunc(list, func(a, b store.Check) int { return a.Time.Compare(b.Time) })
	for i := 1; i < len(list); i++ {
		mark("down at the end of an era", list[i-1].Status == store.Down && list[i].Time.Sub(list[i-1].Time) > 14*24*time.Hour)
	}
}

func midnight(at time.Time, loc *time.Location) bool {
	at = at.In(loc)
	hour, minute, second := at.Clock()
	return hour+minute+second+at.Nanosecond() == 0
}
