package demo_test

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/demo"
	"github.com/sightline-analytics/sightline/store"
)

func TestMain(m *testing.M) {
	time.Local = time.FixedZone("Asia/Kathmandu", 5*3600+45*60)
	os.Exit(m.Run())
}

var (
	now    = time.Date(2026, time.November, 21, 17, 32, 58, 123e6, time.UTC)
	sample = demo.Config{Seed: 7, Website: "site", Domain: "notes.example", Link: "link", Schedule: "monitor"}
)

func join(batches ...*store.Batch) *store.Batch {
	all := &store.Batch{}
	for _, b := range batches {
		all.Append(b)
	}
	return all
}

// TestStretchesAddUp checks that the rows of a period do not depend on its division into batches.
func TestStretchesAddUp(t *testing.T) {
	g := demo.New(sample)
	from := now.Add(-75 * time.Hour)
	whole := g.Batch(from, now)
	cuts := []time.Duration{time.Millisecond, 7 * time.Minute, time.Hour, 5 * time.Hour, 30 * time.Hour, 61*time.Hour +
		13*time.Minute}

	last, parts := from, []*store.Batch{}
	for _, c := range cuts {
		parts = append(parts, demo.New(sample).Batch(last, from.Add(c)))
		last = from.Add(c)
	}
	parts = append(parts, demo.New(sample).Batch(last, now))
	if sum := join(parts...); !reflect.DeepEqual(whole, sum) { // Diff alone takes seconds
		t.Errorf("the whole and the sum of its parts differ:\n%s", cmp.Diff(whole, sum))
	}
	if whole.Len() < 4000 {
		t.Errorf("three days have %d rows; this test needs some thousands", whole.Len())
	}
}

func TestAnotherSeedIsAnotherWorld(t *testing.T) {
	other := sample
	other.Seed = 8
	from := now.Add(-24 * time.Hour)
	if reflect.DeepEqual(demo.New(sample).Batch(from, now), demo.New(other).Batch(from, now)) {
		t.Error("two seeds give the same rows")
	}
}

func TestWithoutIDsThereIsNothing(t *testing.T) {
	if n := demo.New(demo.Config{Seed: 7}).Batch(now.Add(-24*time.Hour), now).Len(); n != 0 {
		t.Errorf("got %d rows without a website, link and monitor", n)
	}
}

// TestRowsAreWhole checks that a Writer accepts every row: its id is unique, and its time and its texts are valid.
func TestRowsAreWhole(t *testing.T) {
	from := now.Add(-30 * 24 * time.Hour)
	b := demo.New(sample).Batch(from, now)
	seen := map[[2]string]bool{}
	check := func(kind, id string, at time.Time, texts ...string) {
		t.Helper()
		if id == "" || seen[[2]string{kind, id}] {
			t.Fatalf("%s id %q is empty or used twice", kind, id)
		}
		seen[[2]string{kind, id}] = true
		if at.Before(from) || !at.Before(now) {
			t.Fatalf("%s %q is at %v, outside [%v, %v)", kind, id, at, from, now)
		}
		for _, s := range texts {
			if !utf8.ValidString(s) {
				t.Fatalf("%s %q holds invalid text %q", kind, id, s)
			}
		}
	}
	for _, e := range b.Events {
		check("event", e.ID, e.Time, e.Path, e.Referrer, e.Properties, e.Href)
	}
	for _, e := range b.Errors {
		check("error", e.ID, e.Time, e.Message, e.Stack)
	}
	for _, v := range b.Vitals {
		check("vital", v.ID, v.Time, v.Path)
	}
	for _, p := range b.Spans {
		check("span", p.ID, p.Time, p.Path, p.ExitType)
	}
	for _, v := range b.Visits {
		check("visit", v.ID, v.Time, v.Referrer)
	}
	for _, c := range b.Checks {
		check("check", c.ID, c.Time, c.Error)
	}
}

// A session has the counts and times of one session that the tests check.
type session struct {
	views, others int
	source        string
	person        string
	first, last   time.Time
}

func sessionsOf(b *store.Batch) map[string]*session {
	found := map[string]*session{}
	for i := range b.Events {
		e := &b.Events[i]
		if e.SessionID == "" {
			continue
		}
		s := found[e.SessionID]
		if s == nil {
			s = &session{source: e.UTMSource, person: e.AnonymousID, first: e.Time}
			found[e.SessionID] = s
		}
		s.last = e.Time
		switch e.Kind {
		case store.Pageview:
			s.views++
		case store.Exit:
		default:
			if !strings.HasPrefix(e.Name, "$") { // events with $ are not part of a session
				s.others++
			}
		}
	}
	return found
}

// sixWeeks is only generated once, because that takes seconds.
var sixWeeks = sync.OnceValue(func() *store.Batch { return demo.New(sample).Batch(now.Add(-42*24*time.Hour), now) })

// TestTheShapeIsPlausible checks that the numbers of the demo are within wide bounds. The seed is fixed.
func TestTheShapeIsPlausible(t *testing.T) {
	b := sixWeeks()
	sessions := sessionsOf(b)
	people := map[string]bool{}
	var single, tagged, views int
	var weekday, weekend float64
	for _, s := range sessions {
		people[s.person] = true
		views += s.views
		if s.views == 1 && s.others == 0 && s.last.Sub(s.first) < 10*time.Second {
			single++
		}
		if s.source != "" {
			tagged++
		}
		if d := s.first.Weekday(); d == time.Saturday || d == time.Sunday {
			weekend++
		} else {
			weekday++
		}
	}
	var up, down float64
	for _, c := range b.Checks {
		switch c.Status {
		case store.Up:
			up++
		case store.Down:
			down++
		}
	}
	var angry float64
	for _, s := range b.Spans {
		if s.RageClicks > 0 {
			angry++
		}
	}
	n := float64(len(sessions))
	rows := []struct {
		what           string
		got, low, high float64
	}{
		{"rows in six weeks, besides spans", float64(b.Len() - len(b.Spans)), 80_000, 107_000},
		{"pages per session", float64(views) / n, 2, 4},
		{"bounces, %", 100 * float64(single) / n, 20, 45},
		{"sessions with UTM, %", 100 * float64(tagged) / n, 11, 17},
		{"sessions per person", n / float64(len(people)), 1.3, 2.2},
		{"a weekend's day against a weekday's", weekend / 2 / (weekday / 5), 0.45, 0.75},
		{"checks that found the site up, %", 100 * up / (up + down), 99, 99.95},
		{"link visits", float64(len(b.Visits)), 1_400, 3_300},
		{"errors", float64(len(b.Errors)), 190, 930},
		{"vitals", float64(len(b.Vitals)), 7_000, 21_000},
		{"spans", float64(len(b.Spans)), 18_500, 33_000},
		{"spans with rage clicks, %", 100 * angry / float64(len(b.Spans)), 0.5, 4},
	}
	for _, r := range rows {
		t.Logf("%s: %.2f", r.what, r.got)
		if r.got < r.low || r.got > r.high {
			t.Errorf("%s: %.2f, want %v to %v", r.what, r.got, r.low, r.high)
		}
	}
}

// TestSessionsEndInTime checks that no session is longer than the time that Batch looks back. A batch would lack
// the end of a longer session.
func TestSessionsEndInTime(t *testing.T) {
	for id, s := range sessionsOf(sixWeeks()) {
		if length := s.last.Sub(s.first); length >= 3*time.Hour {
			t.Errorf("session %s lasts %v, which Batch may cut", id, length)
		}
	}
}

func BenchmarkDay(b *testing.B) {
	g := demo.New(sample)
	for b.Loop() {
		g.Batch(now.Add(-24*time.Hour), now)
	}
}
