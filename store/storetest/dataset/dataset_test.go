package dataset

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/internal/country"
	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/internal/testenv"
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
			t.Errorf("referrer %q is stored as %q, want %q", o[0], got, o[1])
		}
	}
	for _, p := range places {
		if name, _ := country.Name(p[0]); name != countries[p[0]] {
			t.Errorf("the name of %s is %q", p[0], name)
		}
	}
	for domain, name := range named {
		if s, _ := referrer.Lookup(domain); s.Name != name || s.Domain != domain {
			t.Errorf("the name of %s is %q", domain, s.Name)
		}
	}
}

// TestCampaignSources tests that the campaign sources of the dataset have the form that package referrer gives
// them.
func TestCampaignSources(t *testing.T) {
	t.Parallel()
	for _, c := range campaignSources {
		medium := c[1] // no medium stands for the kinds of the table
		if source, kind := referrer.Campaign(c[0], medium, false); source != c[0] || string(kind) != c[1] {
			t.Errorf("campaign source %q with kind %s is stored as %q with kind %s", c[0], c[1], source, kind)
		}
	}
}

func TestEqualSeedsGiveEqualDatasets(t *testing.T) {
	a, b, c := New(7), New(7), New(8)
	if !reflect.DeepEqual(a.Batch, b.Batch) { // Diff is slow
		t.Error(cmp.Diff(a.Batch, b.Batch))
	}
	if reflect.DeepEqual(a.Batch, c.Batch) {
		t.Error("two seeds give the same dataset")
	}
	q1, q2 := a.Question(rand.New(rand.NewPCG(7, 2))), b.Question(rand.New(rand.NewPCG(7, 2)))
	if d := cmp.Diff(q1, q2); d != "" {
		t.Error(d)
	}
}

// The dataset has no rows that a Writer rejects or that real data never has.
func TestRowsAreWellFormed(t *testing.T) {
	testenv.WithoutRace(t)
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
				t.Errorf("seed %d: invalid row %q of %q at %v", seed, id, subject, at)
			}
		}
		for _, e := range w.Batch.Events {
			stored(e.Website, e.ID, e.Time)
			agent(e.Agent)
			if e.Path == "" && e.Kind <= store.PageEvent {
				t.Errorf("seed %d: %s without a path", seed, e.Name)
			}
			if e.Kind == store.PageEvent &&
				(e.Name == "screen_view" || e.Name == "page_view" || e.Name == "page_exit") {
				t.Errorf("seed %d: a page event has the name %s", seed, e.Name)
			}
			if e.Properties != "" && !json.Valid([]byte(e.Properties)) {
				t.Errorf("seed %d: properties %s", seed, e.Properties)
			}
			if (e.Name == "") != (e.Kind == store.Click) {
				t.Errorf("seed %d: an event of kind %d has the name %q", seed, e.Kind, e.Name)
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
		for _, o := range w.Batch.Blocked {
			stored(o.Website, o.ID, o.Time)
		}
		for _, c := range w.Batch.Checks {
			stored(c.Schedule, c.ID, c.Time)
		}
	}
}
