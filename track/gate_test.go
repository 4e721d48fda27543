package track

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/store"
)

// stored is a Usage that counts as many events for every website.
type stored int64

func (s stored) Events(context.Context, string, time.Time, time.Time) (int64, error) {
	return int64(s), nil
}

// askedUsage counts how often each website is asked for.
type askedUsage map[string]int

func (a askedUsage) Events(_ context.Context, website string, _, _ time.Time) (int64, error) {
	a[website]++
	return 0, nil
}

// TestManyWebsitesHaveQuotas asks for one website more than the cache holds. Only the one that was used least recently
// leaves it.
func TestManyWebsitesHaveQuotas(t *testing.T) {
	asked := askedUsage{}
	cache := newUsageCache(asked)
	id := func(i int) string { return fmt.Sprintf("w%07d", i) }
	usageKept := usageBytes / (usageCost + len(id(0)))
	ask := func(i int) {
		w := store.Website{ID: id(i), Rules: store.Rules{MonthlyEvents: 10}}
		if left, err := (&quotas{usage: cache}).open(t.Context(), w, noon); err != nil || !left {
			t.Fatalf("website %d: %v, %v", i, left, err)
		}
	}
	for i := range usageKept {
		ask(i)
	}
	ask(0)
	ask(usageKept)
	for i := range usageKept + 1 {
		if i != 1 {
			ask(i)
		}
	}
	ask(1)
	for i := range usageKept + 1 {
		want := 1
		if i == 1 {
			want = 2
		}
		if n := asked[id(i)]; n != want {
			t.Fatalf("website %d was asked for %d times, want %d", i, n, want)
		}
	}
}

// BenchmarkQuota is one event of one of a thousand websites with a quota.
func BenchmarkQuota(b *testing.B) {
	cache := newUsageCache(askedUsage{})
	sites := make([]store.Website, 1000)
	for i := range sites {
		sites[i] = store.Website{ID: fmt.Sprint("website-", i), Rules: store.Rules{MonthlyEvents: 1 << 40}}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q, w := quotas{usage: cache}, sites[i%len(sites)]
		if left, err := q.open(b.Context(), w, noon); err != nil || !left || !q.spend(w.ID) {
			b.Fatal(left, err)
		}
	}
}

// TestGateAccepts checks the gate alone, with rows that no reader made.
func TestGateAccepts(t *testing.T) {
	page := func(site string) row { return row{subject: ofWebsite(site), counts: true} }
	named := row{subject: ofWebsite("w1"), counts: true, needsKey: true}
	click := func(link string) row { return row{subject: store.Subject{Kind: store.KindLink, ID: link}} }
	for _, c := range []struct {
		why, key string
		rules    store.Rules
		usage    Usage
		rows     []row
		want     []string // the code of each row; empty if it is accepted
		used     string   // the resource of the audit entry
	}{
		{"rows of one website", "", store.Rules{}, nil, []row{page("w1"), page("w1")}, []string{"", ""},
			"website w1 org"},
		{"an event that needs a key", "", store.Rules{KeyedEvents: true}, nil, []row{named, page("w1")},
			[]string{"TRACK_KEY_REQUIRED", ""}, "website w1 org"},
		{"the last event of a quota", "", store.Rules{MonthlyEvents: 10}, stored(9), []row{page("w1"), page("w1")},
			[]string{"", "BILLING_LIMIT_EXCEEDED"}, "website w1 org"},
		{"links", "all", store.Rules{}, nil, []row{click("l1"), click("l2"), click("l1")}, []string{"", "", ""}, ""},
		{"a link that the key does not include", "one", store.Rules{}, nil,
			[]row{click("l2"), click("l9"), click("nothing"), click("l1")},
			[]string{"FORBIDDEN", "FORBIDDEN", "FORBIDDEN", ""}, "link l1 org"},
	} {
		w := &world{rules: c.rules}
		g := gate{
			request: &front.Request{Request: httptest.NewRequest("POST", "/?client_id=w1", nil), Now: noon},
			route:   &route{access: ByWebsite},
			finder:  finder{directory: w, key: keys[c.key]},
			quotas:  quotas{usage: newUsageCache(c.usage)},
			blocked: &blockedCounter{writer: w, now: noonClock, logger: slog.New(slog.DiscardHandler), closed: true},
		}
		g.site = namedSite(g.request, g.route.access)
		site, err := g.website(t.Context(), g.site, codeBadClient)
		if err == nil && c.key == "" {
			err = g.enter(t.Context())
		}
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		for i, one := range c.rows {
			code := ""
			if p, ok := errors.AsType[*problem](g.accept(t.Context(), one, site)); ok {
				code = p.Code
			}
			if code != c.want[i] {
				t.Errorf("%s: row %d: %q, want %q", c.why, i, code, c.want[i])
			}
		}
		used := ""
		if r, ok := g.resource(); ok {
			used = r.Kind + " " + r.ID + " " + r.Owner
		}
		if used != c.used {
			t.Errorf("%s: used %q, want %q", c.why, used, c.used)
		}
	}
}

// TestGateRefuses checks who may not enter a website.
func TestGateRefuses(t *testing.T) {
	for _, c := range []struct {
		why, target, key, want string
		access                 Access
		rules                  store.Rules
	}{
		{"an unknown website", "/?client_id=nobody", "", "INGEST_INVALID_CLIENT_ID", ByWebsite, store.Rules{}},
		{"no website", "/", "", "INGEST_MISSING_CLIENT_ID", ByWebsite, store.Rules{}},
		{"a paused website", "/?client_id=w1", "", "WEBSITE_PAUSED", ByWebsite, store.Rules{Paused: true}},
		{"a website that wants an origin", "/?client_id=w1", "", "INGEST_ORIGIN_NOT_AUTHORIZED", ByWebsite,
			store.Rules{AllowedOrigins: []string{"shop.com"}}},
		{"a key without the scope", "/", "reader", "TRACK_MISSING_SCOPE", ByKeyOrWebsite, store.Rules{}},
		{"a key with the scope", "/", "all", "", ByKeyOrWebsite, store.Rules{Paused: true}},
	} {
		w := &world{rules: c.rules}
		g := gate{
			request: &front.Request{Request: httptest.NewRequest("POST", c.target, nil), Now: noon},
			route:   &route{access: c.access},
			finder:  finder{directory: w, key: keys[c.key]},
			quotas:  quotas{usage: newUsageCache(nil)},
			blocked: &blockedCounter{writer: w, now: noonClock, logger: slog.New(slog.DiscardHandler), closed: true},
		}
		g.site = namedSite(g.request, g.route.access)
		code := ""
		if p, ok := errors.AsType[*problem](g.allow(t.Context())); ok {
			code = p.Code
		}
		if code != c.want {
			t.Errorf("%s: %q, want %q", c.why, code, c.want)
		}
	}
}
