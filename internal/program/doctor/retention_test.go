//go:build cgo

package doctor

import (
	"errors"
	"testing"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/program/install"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/embedded"
)

// TestRetention counts two days that are older than the retention of their website, and none of a website without one.
func TestRetention(t *testing.T) {
	t.Parallel()
	cfg := folder(t)
	if has(Check(t.Context(), cfg), OK, "retention", "") {
		t.Error("there is a finding about retention without a website that has one")
	}
	events, err := install.OpenFile(t.Context(), cfg.Data, embedded.Config{Now: cfg.Now})
	if err != nil {
		t.Fatal(err)
	}
	var b store.Batch
	for _, of := range []struct {
		website string
		days    int
	}{{"old", 9}, {"old", 20}, {"old", 7}, {"all", 30}} {
		b.Events = append(b.Events,
			store.Event{Website: of.website, ID: of.website, Kind: store.Pageview, Name: "screen_view", Path: "/",
				Time: noon.AddDate(0, 0, -of.days)})
		b.Events[len(b.Events)-1].ID += b.Events[len(b.Events)-1].Time.String()
	}
	_, err = events.Write(t.Context(), &b)
	if err := errors.Join(err, events.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	records, err := install.OpenRecords(t.Context(), cfg.Data, "", auth.Pepper{}, quiet, cfg.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, old := records.CreateWebsite(t.Context(),
		store.Website{ID: "old", Owner: "local", Domain: "old.example", Rules: store.Rules{RetentionDays: 7}})
	_, all := records.CreateWebsite(t.Context(), store.Website{ID: "all", Owner: "local", Domain: "all.example"})
	if err := errors.Join(old, all, records.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if found := Check(t.Context(), cfg); !has(found, OK, "retention", "rows of 2 days") {
		t.Errorf("no finding about two days: %+v", found)
	}
}
