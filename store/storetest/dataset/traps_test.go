package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
)

// Over a few seeds, the data must have every trap.
func TestTraps(t *testing.T) {
	testenv.WithoutRace(t)
	found := map[string]int{}
	var locs []*time.Location
	for _, z := range zones {
		loc, err := time.LoadLocation(z)
		if err != nil {
			t.Fatal(err)
		}
		locs = append(locs, loc)
	}
	for seed := range uint64(9) {
		w := New(seed)
		traps(&w, locs, found)
	}
	for _, trap := range []string{
		"custom event named screen_view", "$ custom", "$ page event", "no session", "no visitor", "no path",
		"measure absent", "measure 0", "repeat", "id on two websites", "id of two kinds", "100%", "100x", "a_b", "axb",
		"quote", "backslash", "umlaut", "emoji", "out of order", "24 h gap", "24 h and 1 ms gap", "equal instants",
		"at midnight", "1 ms before midnight", "identified half-way", "error before its session",
		"session without page events", "down at the end of an era",
		"scroll 0", "scroll 20", "scroll 80", "scroll 100", "exit of 30 s", "exit of 1 h", "click without a text",
		"click on no host", "click on a port", "page with properties", "rage", "repeated span",
		"tab", "line feed", "control character", "line separator", "İ", "ẞ", "ΐ", "Σ", "letter and dots",
		"2 000 letters",
		"session over midnight", "session over a month's end", "session of one instant",
		"session of several events at one instant",
		"properties with a number with an exponent", "properties with a number of more than 64 bits",
		"properties with an escape",
		"properties with equal keys", "properties with a line separator", "properties of 4 000 letters",
		"properties with blanks",
		"host in capitals that are not ASCII", "check of status 0", "check of status 1", "check of status 2",
		"check of status 3",
	} {
		if found[trap] == 0 {
			t.Errorf("trap %q does not occur", trap)
		}
	}
}

func traps(w *Dataset, locs []*time.Location, found map[string]int) {
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
		mark("custom event named screen_view", e.Kind == store.Custom && e.Name == "screen_view")
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
		for _, text := range []string{e.Name, e.Href, e.Text, e.UTMSource, e.AnonymousID, e.BrowserName, e.OSName,
			e.Path} {
			texts(text, mark)
		}
		objects(e.Properties, mark)
		mark("host in capitals that are not ASCII", strings.HasPrefix(e.Href, "https://BÜCHER"))
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
		mark("session of one instant", len(list) == 1)
		mark("session of several events at one instant", len(list) > 1 && list[0].Equal(list[len(list)-1]))
		for i := 1; i < len(list); i++ {
			gap := list[i].Sub(list[i-1])
			mark("equal instants", gap == 0)
			mark("session over midnight", gap < time.Hour && list[i].Day() != list[i-1].Day())
			mark("session over a month's end", gap < time.Hour && list[i].Month() != list[i-1].Month())
			mark("24 h gap", gap == 24*time.Hour)
			mark("24 h and 1 ms gap", gap == 24*time.Hour+time.Millisecond)
		}
		mark("identified half-way", profiles[u][""] && len(profiles[u]) > 1)
		mark("session without page events", !pages[u])
	}
	for _, e := range w.Batch.Errors {
		list := instants[user{e.Website, e.SessionID}]
		mark("error before its session", len(list) > 0 && e.Time.Before(list[0]))
		texts(e.Message, mark)
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

// texts marks texts that databases may fold, escape or truncate differently.
func texts(text string, mark func(string, bool)) {
	for trap, part := range map[string]string{
		"tab": "\t", "line feed": "\n", "control character": "\x01", "line separator": "\u2028", "İ": "İ", "ẞ": "ẞ",
		"ΐ": "ΐ", "Σ": "Σ",
		"letter and dots": "u\u0308",
	} {
		mark(trap, strings.Contains(text, part))
	}
	mark("2 000 letters", utf8.RuneCountInString(text) >= 1950)
}

// objects marks JSON that parsers may spell differently.
func objects(text string, mark func(string, bool)) {
	for trap, part := range map[string]string{
		"properties with a number with an exponent":     ":1e5",
		"properties with a number of more than 64 bits": ":18446744073709551616",
		"properties with an escape":                     `\u00fc\/`, "properties with equal keys": `"a":1,"a":2`,
		"properties with a line separator": "\u2028",
		"properties with blanks":           ` : `,
	} {
		mark(trap, strings.Contains(text, part))
	}
	mark("properties of 4 000 letters", utf8.RuneCountInString(text) >= 4000)
}

// down marks a down check followed by weeks without checks.
func down(w *Dataset, mark func(string, bool)) {
	list := slices.Clone(w.Batch.Checks)
	slices.SortFunc(list, func(a, b store.Check) int { return a.Time.Compare(b.Time) })
	for i := 1; i < len(list); i++ {
		mark("down at the end of an era", list[i-1].Status == store.Down &&
			list[i].Time.Sub(list[i-1].Time) > 14*24*time.Hour)
	}
}

func midnight(at time.Time, loc *time.Location) bool {
	at = at.In(loc)
	hour, minute, second := at.Clock()
	return hour+minute+second+at.Nanosecond() == 0
}
