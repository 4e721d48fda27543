package reference

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sessionsIn describes the sessions of a dataset: id, ids of the events, duration in ms, and B for a bounce.
func sessionsIn(t *testing.T, lines string) string {
	t.Helper()
	b := read(t, lines)
	s := newSite(rowsOf(&b))
	var all []string
	for _, one := range s.sessions {
		var ids []string
		for _, e := range one.events {
			ids = append(ids, e.id)
		}
		text := fmt.Sprintf("%s[%s] %d", one.id, strings.Join(ids, " "), one.duration)
		if one.bounced {
			text += " B"
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestSessionsForm(t *testing.T) {
	for _, tt := range []struct{ why, rows, want string }{
		{"no session id, no session", "01T09:00:00 view p1", ""},
		{"one pageview bounces", "01T09:00:00 view p1 s=a", "a[p1] 0 B"},
		{"an exit of 9.999 s still bounces", "01T09:00:00 view p1 s=a\n01T09:00:01 exit x time=9999 s=a",
			"a[p1 x] 9999 B"},
		{"an exit of 10 s does not", "01T09:00:00 view p1 s=a\n01T09:00:01 exit x time=10000 s=a", "a[p1 x] 10000"},
		{"exits add up", "01T09:00:00 view p1 s=a\n01T09:00:01 exit x time=6000 s=a\n01T09:00:02 exit y time=5000 s=a",
			"a[p1 x y] 11000"},
		{"8 hours at most", "01T09:00:00 view p1 s=a\n01T09:00:01 exit x time=28800001 s=a", "a[p1 x] 28800000"},
		{"a session with an event does not bounce", "01T09:00:00 view p1 s=a\n01T09:00:00 custom c name=go s=a",
			"a[p1 c] 0"},
		{"a session with another page event does not bounce", "01T09:00:00 view p1 s=a\n01T09:00:00 page c name=go s=a",
			"a[p1 c] 0"},
		{"a session with a click does not bounce", "01T09:00:00 view p1 s=a\n01T09:00:00 click c s=a", "a[p1 c] 0"},
		{"$ names are not in sessions",
			"01T09:00:00 view p1 s=a\n01T10:00:00 custom c name=$x s=a\n01T10:00:00 page d name=$x s=a", "a[p1] 0 B"},
		{"a session without a pageview does not bounce", "01T09:00:00 custom c1 name=go s=a", "a[c1] 0"},
		{"order: time, pageviews, exits, others, id",
			"01T09:00:00 custom a name=go s=a\n01T09:00:00 exit b s=a\n01T09:00:00 view d s=a\n01T09:00:00 view c s=a\n01T08:00:00 click z s=a",
			"a[z c d b a] 3600000"},
		{"an event after exactly 24 h starts no session and belongs to none",
			"01T09:00:00 view p1 s=a\n02T09:00:00 view p2 s=a", "a[p1] 0 B"},
		{"an event 1 ms earlier belongs to the session", "01T09:00:00 view p1 s=a\n02T08:59:59.999 view p2 s=a",
			"a[p1 p2] 28800000"},
		{"an event 1 ms later starts a session", "01T09:00:00 view p1 s=a\n02T09:00:00.001 view p2 s=a",
			"a[p1] 0 B, a[p2] 0 B"},
		{"an id used for days", "01T00:00:00 view p1 s=a\n01T20:00:00 view p2 s=a\n02T10:00:00 view p3 s=a\n03T09:00:00 view p4 s=a\n04T09:00:00.001 view p5 s=a",
			"a[p1 p2] 28800000, a[p5] 0 B"},
		{"a repeat is dropped, the first counts",
			"01T09:00:00 view p1 s=a\n01T09:30:00 exit p1 s=a time=20000\n01T09:20:00 custom p1 name=go s=a",
			"a[p1 p1] 1200000"},
	} {
		if got := sessionsIn(t, tt.rows); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.why, got, tt.want)
		}
	}
}

// Every row is shown with the country of the session's earliest page event.
func TestRowsTakeTheFieldsOfTheirSession(t *testing.T) {
	for _, tt := range []struct{ why, rows, want string }{
		{"of the first, not of the latest", "01T09:00:00 view p1 s=a country=DE\n01T09:01:00 view p2 s=a country=FR",
			"p1=DE p2=DE"},
		{"empty there is empty everywhere", "01T09:00:00 view p1 s=a\n01T09:01:00 view p2 s=a country=FR", "p1= p2="},
		{"an exit is a page event, a custom event is none",
			"01T08:00:00 custom c name=go s=a country=IT\n01T09:00:00 exit x s=a country=DE\n01T09:01:00 view p s=a country=FR", "c=DE x=DE p=DE"},
		{"so is one of another name", "01T08:00:00 page c name=go s=a country=IT\n01T09:00:00 view p s=a country=DE",
			"c=IT p=IT"},
		{"but none in $", "01T08:00:00 page c name=$go s=a country=IT\n01T09:00:00 view p s=a country=DE", "c=DE p=DE"},
		{"without a page event each row keeps its fields",
			"01T08:00:00 custom c name=go s=a country=IT\n01T09:00:00 click k s=a country=DE", "c=IT k=DE"},
		{"an error before the start", "01T08:00:00 error e s=a country=IT\n01T09:00:00 view p s=a country=DE",
			"p=DE e=DE"},
		{"exactly 24 h before", "01T09:00:00 error e s=a country=IT\n02T09:00:00 view p s=a country=DE", "p=DE e=DE"},
		{"1 ms too early", "01T08:59:59.999 error e s=a country=IT\n02T09:00:00 view p s=a country=DE", "p=DE e=IT"},
		{"just within", "01T09:00:00 view p s=a country=DE\n02T08:59:59.999 error e s=a country=IT", "p=DE e=DE"},
		{"just after", "01T09:00:00 view p s=a country=DE\n02T09:00:00 error e s=a country=IT", "p=DE e=IT"},
		{"the session that holds it wins over the next",
			"01T09:00:00 view p s=a country=DE\n02T09:30:00 view q s=a country=FR\n02T08:30:00 error e s=a country=IT\n02T09:10:00 error f s=a country=IT", "p=DE q=FR e=DE f=FR"},
		{"the session that holds it has no page event",
			"01T09:00:00 custom c s=a name=go country=DE\n02T09:30:00 view q s=a country=FR\n02T08:30:00 error e s=a country=IT", "c=DE q=FR e=IT"},
		{"rows outside sessions keep their fields",
			"01T09:00:00 view p s=a country=DE\n02T09:00:00 view q s=a country=FR", "p=DE q=FR"},
		{"no session id", "01T09:00:00 view p s=a country=DE\n01T09:00:00 view q country=FR", "p=DE q=FR"},
		{"another website", "01T09:00:00 view p s=a country=DE\n01T09:00:01 view q s=a country=FR on=v", "p=DE q=FR"},
	} {
		b := read(t, tt.rows)
		d := NewData(b)
		var got []string
		for _, on := range []string{"w", "v"} {
			if s := d.sites[website(on)]; s != nil {
				for _, r := range s.rows {
					got = append(got, r.id+"="+r.get("country"))
				}
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: got %s, want %s", tt.why, text, tt.want)
		}
	}
}
