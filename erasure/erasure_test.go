package erasure_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/erasure"
	"github.com/sightline-analytics/sightline/internal/visitorid"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/meta"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

// world has the stores of an Eraser.
type world struct {
	*erasure.Eraser

	events  *sqlite.Store
	records *meta.Store
}

func open(t *testing.T) *world {
	t.Helper()
	clock := func() time.Time { return now }
	events, err := sqlite.OpenConfig(t.Context(), sqlite.Config{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = events.Close(context.Background()) })
	records, err := meta.Open(t.Context(), meta.Config{Path: filepath.Join(t.TempDir(), "r.sqlite"), Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close(context.Background()) })
	e, err := erasure.New(erasure.Config{Events: events, Profiles: records, Salts: records, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	return &world{e, events, records}
}

// hash returns the id that tracking stores for a visitor on a day before now.
func (w *world) hash(t *testing.T, id string, daysAgo int) string {
	t.Helper()
	salt, err := w.records.Salt(t.Context(), now.AddDate(0, 0, -daysAgo))
	if err != nil {
		t.Fatal(err)
	}
	return visitorid.NewHasher(salt).Hash("w", id)
}

// write stores an event and a vital of an identity.
func (w *world) write(t *testing.T, id string, who store.Identity) {
	t.Helper()
	_, err := w.events.Write(t.Context(), &store.Batch{
		Events: []store.Event{{Website: "w", ID: id, Name: "screen_view", Time: now, Identity: who, Path: "/"}},
		Vitals: []store.Vital{{Website: "w", ID: id, Time: now, Identity: who,
			Samples: []store.Sample{{Metric: "CLS", Value: 1}, {Metric: "LCP", Value: 2}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) identify(t *testing.T, profile string) {
	t.Helper()
	if err := w.records.Identify(t.Context(),
		store.Identification{Website: "w", Profile: profile, Traits: map[string]any{"name": "Ada <3"}}); err != nil {
		t.Fatal(err)
	}
}

func TestAVisitorIsFoundByTheIDOfTheBrowser(t *testing.T) {
	w := open(t)
	ofToday, ofYesterday := w.hash(t, "browser-1", 0), w.hash(t, "browser-1", 1)
	w.write(t, "today", store.Identity{AnonymousID: ofToday, ProfileID: "p1", SessionID: "s1"})
	w.write(t, "yesterday", store.Identity{AnonymousID: ofYesterday, SessionID: "s2"})
	w.write(t, "raw", store.Identity{AnonymousID: "browser-1", SessionID: "s3"})
	w.write(t, "no visitor", store.Identity{SessionID: "s3"})
	// with a salt that is gone
	w.write(t, "earlier", store.Identity{AnonymousID: strings.Repeat("0f", 32), SessionID: "s4"})
	w.identify(t, "p1")
	p := erasure.Person{Website: "w", Kind: erasure.Visitor, ID: "browser-1"}
	var shown bytes.Buffer
	notice, lines, err := w.Show(t.Context(), p, &shown)
	if err != nil || lines != 8 || strings.Count(shown.String(), "\n") != 8 ||
		strings.Contains(shown.String(), "earlier") {
		t.Errorf("%d lines, %v:\n%s", lines, err, shown.String())
	}
	report, err := w.Erase(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := &erasure.Report{Website: "w", Kind: erasure.Visitor, ID: "browser-1", Linked: []string{"p1"},
		Notice:  notice,
		Removed: map[string]int64{"events": 4, "errors": 0, "vitals": 8, "spans": 0, "profiles": 0}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{"its hashes of 2026-03-14 and 2026-03-15", "their salts are destroyed"} {
		if !strings.Contains(notice, part) {
			t.Errorf("the notice %q does not say %q", notice, part)
		}
	}
	report, err = w.Erase(t.Context(),
		erasure.Person{Website: "w", Kind: erasure.Visitor, ID: strings.Repeat("0f", 32)})
	if err != nil || report.Removed["events"] != 1 || !strings.Contains(report.Notice, "hash of one day") {
		t.Errorf("by the stored id: %+v, %v", report, err)
	}
}

func TestAProfile(t *testing.T) {
	w := open(t)
	w.write(t, "a", store.Identity{AnonymousID: "v1", ProfileID: "p1", SessionID: "s1"})
	w.write(t, "b", store.Identity{AnonymousID: "v1", SessionID: "s1"})
	w.identify(t, "p1")
	w.identify(t, "p2")
	p := erasure.Person{Website: "w", Kind: erasure.Profile, ID: "p1"}
	var shown bytes.Buffer
	if _, lines, err := w.Show(t.Context(), p, &shown); err != nil || lines != 3 {
		t.Errorf("%d lines, %v", lines, err)
	}
	want := `{"table":"profiles","website":"w","profile_id":"p1","name":"Ada <3","traits":{"name":"Ada <3"},"keyed":false,"changed_at":"2026-03-15T12:00:00.000Z"}` + "\n"
	if !strings.HasSuffix(shown.String(), want) || !strings.Contains(shown.String(), `"samples":[{`) {
		t.Errorf("the lines are\n%s", shown.String())
	}
	report, err := w.Erase(t.Context(), p)
	if err != nil || report.Removed["profiles"] != 1 || report.Removed["events"] != 1 ||
		!slices.Equal(report.Linked, []string{"v1"}) || report.Notice != "" {
		t.Errorf("%+v, %v", report, err)
	}
	if _, err := w.records.Profile(t.Context(), "w", "p1"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the profile is still there: %v", err)
	}
	if report, err = w.Erase(t.Context(), p); err != nil || report.Removed["profiles"]+report.Removed["events"] != 0 {
		t.Errorf("again: %+v, %v", report, err)
	}
	all, err := w.EraseWebsite(t.Context(), "w")
	if err != nil || !maps.Equal(all.Removed,
		map[string]int64{"events": 1, "errors": 0, "vitals": 2, "spans": 0, "blocked": 0, "profiles": 1}) {
		t.Errorf("the website: %+v, %v", all, err)
	}
	if err := w.Purge(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	w := open(t)
	for _, p := range []erasure.Person{{Kind: erasure.Visitor, ID: "v"}, {Website: "w", Kind: erasure.Visitor},
		{Website: "w", Kind: "person", ID: "v"}} {
		if _, err := w.Erase(t.Context(), p); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := erasure.New(erasure.Config{}); err == nil {
		t.Error("without a store: want an error")
	}
	plain, err := erasure.New(erasure.Config{Events: struct{ store.Store }{w.events}})
	if err != nil {
		t.Fatal(err)
	}
	_, eraseErr := plain.Erase(t.Context(), erasure.Person{Website: "w", Kind: erasure.Profile, ID: "p"})
	_, allErr := plain.EraseWebsite(t.Context(), "w")
	for _, err := range []error{eraseErr, allErr, plain.Purge(t.Context())} {
		if !errors.Is(err, erasure.ErrUnable) {
			t.Errorf("a store that cannot erase: %v", err)
		}
	}
}
