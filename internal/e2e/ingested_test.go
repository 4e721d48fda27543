//go:build cgo

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/auth"
	"github.com/sightline-analytics/sightline/internal/testenv"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/store/storetest"
	"github.com/sightline-analytics/sightline/track"
)

// TestDiffIngested is TestDiff with rows that were sent through tracking, like browsers and servers do, and not by a
// Writer. It sends many small requests.
func TestDiffIngested(t *testing.T) {
	t.Parallel()
	testenv.Night(t, "ingested")
	storetest.Diff(t, ingestedIn(inDuckDB()), ingestedIn(inClickHouse()),
		storetest.RandomRun{Questions: 160, Seed: 20270101})
}

// TestPitfallsIngested runs storetest.Pitfalls with rows that were sent through tracking. There a page view always has
// a device, because an unknown one counts as a desktop. Tracking gives every store the same rows, so one store is
// enough.
func TestPitfallsIngested(t *testing.T) {
	t.Parallel()
	storetest.Pitfalls(t, ingestedIn(inDuckDB()), "23: desktop includes rows without a device")
}

// readOnly hides all other methods of a store.
type readOnly struct{ store.Store }

// ingestedIn returns h with stores that are filled through tracking.
func ingestedIn(h storetest.Harness) storetest.Harness {
	open := h.Open
	h.Open = func(t *testing.T, address string, now func() time.Time) store.Store {
		return readOnly{open(t, address, now)}
	}
	h.Fill = func(t *testing.T, s store.Store, b *store.Batch) {
		w, ok := s.(readOnly).Store.(store.Writer)
		if !ok {
			t.Fatalf("%T is not a Writer", s)
		}
		ingestRows(t, w, b)
	}
	return h
}

// browsers are user agents of visitors, by device.
var browsers = map[string]string{
	"desktop": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
	"mobile":  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1",
	"tablet":  "Mozilla/5.0 (Android 14; Tablet; rv:121.0) Gecko/121.0 Firefox/121.0",
}

// A delivery has the items of one sender for one route.
type delivery struct {
	target, agent string
	track.Location
}

// ingestRows sends the rows of b to a tracking server over w. It leaves out rows that tracking cannot receive.
func ingestRows(t *testing.T, w store.Writer, b *store.Batch) {
	t.Helper()
	sites := &store.MemoryDirectory{}
	all := map[delivery][]object{}
	add := func(to delivery, subject store.Subject, o object) {
		if _, err := sites.Owner(t.Context(), subject); err != nil {
			addSubject(t, sites, subject)
		}
		all[to] = append(all[to], o)
	}
	site := func(id string) store.Subject { return store.Subject{Kind: store.KindWebsite, ID: id} }
	person := func(route, website string, a store.Agent) delivery {
		return delivery{route + "?client_id=" + website, cmp.Or(browsers[a.DeviceType], browsers["desktop"]),
			track.Location{Country: a.Country, Region: a.Region, City: a.City}}
	}
	for i := range b.Events {
		e := &b.Events[i]
		o := common(e.ID, e.Time, e.Identity, e.Path)
		maps.Copy(o, object{"type": "track", "name": e.Name, "title": e.Title, "referrer": e.Referrer,
			"utm_source": e.UTMSource, "utm_medium": e.UTMMedium,
			"utm_campaign": e.UTMCampaign, "language": e.Language, "timezone": e.Timezone,
			"screen_resolution": e.Screen, "load_time": known(e.LoadTime, 1),
			"ttfb": known(e.TTFB, 1), "time_on_page": known(e.TimeOnPage, 1000),
			"scroll_depth": known(e.ScrollDepth, 1), "interaction_count": known(e.Interactions, 1)})
		if e.Properties != "" {
			o["properties"] = json.RawMessage(e.Properties)
		}
		switch {
		case e.Kind == store.Custom && e.Keyed:
			o["websiteId"], o["namespace"] = e.Website, e.Namespace
			add(delivery{target: "/track"}, site(e.Website), o)
			continue
		case e.Kind == store.Custom:
			o["type"] = "custom"
		case e.Kind == store.Click:
			o["type"], o["href"], o["text"] = "outgoing_link", e.Href, e.Text
		}
		add(person("/batch", e.Website, e.Agent), site(e.Website), o)
	}
	for i := range b.Errors {
		e := &b.Errors[i]
		o := common(e.ID, e.Time, e.Identity, e.Path)
		o["message"], o["errorType"] = e.Message, e.ErrorType
		add(person("/errors", e.Website, e.Agent), site(e.Website), o)
	}
	for i := range b.Vitals {
		v := &b.Vitals[i]
		for j, sample := range v.Samples {
			o := common(fmt.Sprint(v.ID, "-", j), v.Time, v.Identity, v.Path)
			o["metricName"], o["metricValue"] = sample.Metric, float64(sample.Value)
			if sample.Metric == "CLS" {
				o["metricValue"] = float64(sample.Value) / 10_000
			}
			add(person("/vitals", v.Website, v.Agent), site(v.Website), o)
		}
	}
	for i := range b.Visits {
		v := &b.Visits[i]
		add(delivery{target: "/link-visits"}, store.Subject{Kind: store.KindLink, ID: v.Link},
			object{"eventId": v.ID, "linkId": v.Link,
				"timestamp": v.Time.UnixMilli(), "referrer": v.Referrer, "country": v.Country, "region": v.Region,
				"city": v.City, "userAgent": browsers[v.DeviceType]})
	}
	for i := range b.Checks {
		k := &b.Checks[i]
		add(delivery{target: "/uptime-checks"}, store.Subject{Kind: store.KindSchedule, ID: k.Schedule},
			object{"eventId": k.ID, "scheduleId": k.Schedule,
				"timestamp": k.Time.UnixMilli(), "status": k.Status, "httpCode": k.HTTPCode, "ttfbMs": known(k.TTFB, 1),
				"totalMs": known(k.Total, 1), "probeRegion": k.Region})
	}
	deliver(t, w, sites, all)
}

// common returns the fields of every item of a website.
func common(id string, at time.Time, i store.Identity, path string) object {
	o := object{"eventId": id, "timestamp": at.UnixMilli(), "anonymousId": i.AnonymousID, "sessionId": i.SessionID,
		"anonymizeVisitorIds": false}
	if i.ProfileID != "" {
		o["profileId"] = i.ProfileID
	}
	if path != "" {
		o["path"] = "https://shop.example" + path
	}
	return o
}

// known returns a measure in a larger unit, or nil if it is absent.
func known(m store.Measure, unit float64) any {
	if !m.Valid {
		return nil
	}
	return float64(m.V) / unit
}

func addSubject(t *testing.T, sites *store.MemoryDirectory, s store.Subject) {
	t.Helper()
	var err error
	switch s.Kind {
	case store.KindWebsite:
		err = sites.AddWebsite(store.Website{ID: s.ID, Owner: "acme", Domain: "shop.example"})
	default:
		err = sites.AddSubject(s, "acme")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// onePlace gives all senders the same place.
type onePlace struct{ track.Location }

func (p *onePlace) Locate(netip.Addr) track.Location { return p.Location }

// mostItems has the largest number of items of routes that allow fewer than a hundred.
var mostItems = map[string]int{"/errors": 50, "/vitals": 20}

// deliver posts all items. Most must be accepted; tracking rejects or changes some times of a dataset.
func deliver(t *testing.T, w store.Writer, sites store.Directory, all map[delivery][]object) {
	t.Helper()
	var place onePlace
	h, err := track.New(track.Config{
		Writer: w, Directory: sites, Auth: oneKey{}, Limiter: auth.Unlimited, Audit: auth.Discard, Salts: oneSalt{},
		Usage: track.NoQuotas, Options: track.Options{Window: -1, Geo: &place},
	})
	if err != nil {
		t.Fatal(err)
	}
	sent, taken := 0, 0
	// The order is fixed, because the first of equal ids counts.
	order := slices.SortedFunc(maps.Keys(all), func(a, b delivery) int {
		return cmp.Or(strings.Compare(a.target, b.target), strings.Compare(a.agent, b.agent),
			strings.Compare(a.Country, b.Country),
			strings.Compare(a.Region, b.Region), strings.Compare(a.City, b.City))
	})
	for _, to := range order {
		place.Location = to.Location
		route, _, _ := strings.Cut(to.target, "?")
		for some := range slices.Chunk(all[to], cmp.Or(mostItems[route], 100)) {
			body, err := json.Marshal(some)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodPost, to.target, bytes.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("User-Agent", to.agent)
			if to.agent == "" {
				r.Header.Set("X-Api-Key", "sl_any")
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			if rec.Code >= http.StatusInternalServerError {
				t.Fatalf("%s: %d %s", to.target, rec.Code, rec.Body)
			}
			var answer struct{ Results []struct{ Status string } }
			if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			sent += len(some)
			for _, one := range answer.Results {
				if one.Status == "success" {
					taken++
				}
			}
		}
	}
	t.Logf("%d of %d items were accepted", taken, sent)
	if taken < sent/2 {
		t.Errorf("only %d of %d items were accepted", taken, sent)
	}
}
