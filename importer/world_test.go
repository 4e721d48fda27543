package importer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/importer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/sqlite"
)

// now is the time of all tests.
var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

var shop = store.Website{ID: "web_shop", Domain: "shop.example"}

// A world is a store that remembers what it stored.
type world struct {
	*sqlite.Store

	rows store.Batch // all rows that were written, also repeats
	// left is the number of writes that succeed before one fails; negative means all. after says that the failing write
	// stores its rows first.
	left  int
	after bool
	clock time.Time
}

var errKilled = errors.New("killed")

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{left: -1, clock: now}
	var err error
	w.Store, err = sqlite.OpenConfig(t.Context(), sqlite.Config{Now: func() time.Time { return w.clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

func (w *world) Write(ctx context.Context, b *store.Batch) (store.Written, error) {
	if w.left == 0 && !w.after {
		return store.Written{}, errKilled
	}
	w.rows.Events = append(w.rows.Events, b.Events...)
	written, err := w.Store.Write(ctx, b)
	if w.left == 0 && err == nil {
		return written, errKilled
	}
	w.left--
	return written, err
}

// pepper returns the pepper of all tests.
func pepper() auth.Pepper {
	p, _ := auth.NewPepper([]byte("a pepper for tests")) // is long enough
	return p
}

// config returns a configuration for w.
func (w *world) config() importer.Config {
	return importer.Config{Target: w, Website: shop, Pepper: pepper(), Now: func() time.Time { return w.clock }}
}

// run imports sources, which must succeed.
func (w *world) run(t *testing.T, cfg importer.Config, sources ...importer.Source) importer.Report {
	t.Helper()
	report, err := importer.Run(t.Context(), cfg, sources)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// text returns a source with a text.
func text(name, content string) importer.Source {
	return importer.Stream(name, strings.NewReader(content))
}

// summary describes a report: "taken/records rows=… stored=… reason=count …".
func summary(r importer.Report) string {
	s := fmt.Sprintf("%d/%d rows=%d stored=%d", r.Taken, r.Records, r.Rows, r.Stored)
	if r.Repeated > 0 {
		s += fmt.Sprintf(" repeated=%d", r.Repeated)
	}
	for _, one := range r.Skipped {
		s += fmt.Sprintf(" %s=%d", string(one.Reason), one.Count)
	}
	return s
}

// people describes events: the numbers of pageviews, other events, visitors and sessions.
func people(events []store.Event) string {
	views, visitors, sessions := 0, map[string]bool{}, map[string]bool{}
	for _, e := range events {
		if e.Kind == store.Pageview {
			views++
		}
		visitors[e.AnonymousID], sessions[e.SessionID] = true, true
	}
	return fmt.Sprintf("views=%d others=%d visitors=%d sessions=%d", views, len(events)-views, len(visitors),
		len(sessions))
}

// shown describes an event without its ids.
func shown(e store.Event) string {
	parts := []string{e.Time.Format("02T15:04:05.000"), e.Name + e.Href, e.Path}
	for _, p := range [][2]string{
		{"title", e.Title}, {"ref", e.Referrer}, {"from", e.ReferrerDomain}, {"kind", e.CampaignKind},
		{"utm", e.UTMSource + e.UTMMedium + e.UTMCampaign},
		{"browser", e.BrowserName + " " + e.BrowserVersion}, {"os", e.OSName}, {"device", e.DeviceType},
		{"place", e.Country + e.Region + e.City},
		{"lang", e.Language}, {"screen", e.Screen}, {"profile", e.ProfileID}, {"props", e.Properties},
	} {
		if strings.TrimSpace(p[1]) != "" {
			parts = append(parts, p[0]+"="+p[1])
		}
	}
	if e.LoadTime.Valid {
		parts = append(parts, fmt.Sprintf("load=%d", e.LoadTime.V))
	}
	return strings.Join(parts, " | ")
}

// ids returns the sorted ids of events.
func ids(events []store.Event) []string {
	all := map[string]bool{}
	for _, e := range events {
		all[e.ID] = true
	}
	return slices.Sorted(maps.Keys(all))
}
