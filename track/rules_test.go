package track

import (
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/store"
)

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		why, domain, origin string // empty: without an origin
		allowed             []string
		want                bool
	}{
		{"the domain", "shop.com", "https://shop.com", nil, true},
		{"with another scheme, port and case", "shop.com", "http://SHOP.com:8080", nil, true},
		{"with www", "shop.com", "https://www.shop.com", nil, true},
		{"a domain that has www", "www.shop.com", "https://shop.com", nil, true},
		{"a subdomain", "shop.com", "https://a.b.shop.com", nil, true},
		{"a domain outside ASCII", "müller.example", "https://www.xn--mller-kva.example", nil, true},
		{"a listed origin", "shop.com", "https://a.xn--mller-kva.example", []string{"*.MÜLLER.example"}, true},
		{"a look-alike before", "shop.com", "https://myshop.com", nil, false},
		{"a look-alike behind", "shop.com", "https://shop.com.evil.org", nil, false},
		{"the domain above", "eu.shop.com", "https://shop.com", nil, false},
		{"the domain as a user", "shop.com", "https://shop.com@evil.org", nil, false},
		{"a user at the domain", "shop.com", "https://evil.org@shop.com", nil, false},
		{"a website without domain", "", "https://shop.com", nil, false},
		{"no origin", "shop.com", "", nil, true},
		{"no origin, but a list", "shop.com", "", []string{"*"}, false},
		{"the domain if there is a list", "shop.com", "https://shop.com", []string{"other.org"}, true},
		{"null", "shop.com", "null", []string{"*"}, false},
		{"null, listed", "shop.com", "null", []string{"null"}, true},
		{"a host called null", "shop.com", "https://null", []string{"null"}, false},
		{"an app", "shop.com", "capacitor://localhost", []string{"capacitor://localhost"}, true},
		{"an app, not the web page", "shop.com", "http://localhost", []string{"capacitor://localhost"}, false},
		{"another app", "shop.com", "ionic://localhost", []string{"capacitor://localhost", "null"}, false},
		{"an extension", "shop.com", "chrome-extension://abcdef", []string{"Chrome-Extension://abcdef/"}, true},
		{"translated by Google", "shop.example", "https://shop-example.translate.goog", nil, true},
		{"a subdomain, translated", "shop.example", "https://www-my--shop-shop-example.translate.goog", nil, true},
		{"outside ASCII, translated", "müller.example", "https://xn--mller-example-wob.translate.goog", nil, true},
		{"another website, translated", "shop.example", "https://evil-org.translate.goog", nil, false},
		{"a listed host, translated", "shop.com", "https://other-org.translate.goog", []string{"other.org"}, true},
		{"no host", "shop.com", "https://", []string{"*"}, false},
		{"no scheme", "shop.com", "shop.com", nil, false},
		{"nonsense", "shop.com", "https://a b", []string{"*"}, false},
		{"an asterisk in the host", "shop.com", "https://*.shop.com", []string{"*"}, false},
		{"any", "shop.com", "https://other.org", []string{"*"}, true},
		{"a listed host", "shop.com", "https://www.other.org:444", []string{"x.org", "other.org"}, true},
		{"a listed origin", "shop.com", "https://other.org", []string{"https://www.other.org:8443"}, true},
		{"not its subdomains", "shop.com", "https://a.other.org", []string{"other.org"}, false},
		{"a listed domain", "shop.com", "https://other.org", []string{"*.other.org"}, true},
		{"with its subdomains", "shop.com", "https://a.b.other.org", []string{"*.other.org"}, true},
		{"but no look-alike", "shop.com", "https://another.org", []string{"*.other.org"}, false},
		{"localhost", "shop.com", "http://localhost:3000", []string{"localhost"}, true},
		{"localhost of any port", "shop.com", "http://localhost:3000", []string{"http://localhost:*"}, true},
		{"localhost, unlisted", "shop.com", "http://localhost:3000", []string{"other.org"}, false},
		{"an address", "::1", "http://[::1]:3000", nil, true},
	} {
		var origins []string
		if c.origin != "" {
			origins = []string{c.origin}
		}
		w := store.Website{Domain: c.domain, Rules: store.Rules{AllowedOrigins: c.allowed}}
		if got := originAllowed(w, origins); got != c.want {
			t.Errorf("%s: %q, %q: %v", c.why, c.origin, c.allowed, got)
		}
	}
	if originAllowed(store.Website{Domain: "shop.com"}, []string{"https://shop.com", "https://evil.org"}) {
		t.Error("the first of two origins was accepted")
	}
}

func networks(texts ...string) (all []netip.Prefix) {
	for _, s := range texts {
		all = append(all, netip.MustParsePrefix(s))
	}
	return all
}

// TestRules sends requests from 203.0.113.7.
func TestRules(t *testing.T) {
	const broken = `{"name":` // not read if the sender is blocked
	type row struct {
		why          string
		rules        store.Rules
		target, body string
		headers      []string
		status       int
		code         string
	}
	page := func(why string, rules store.Rules, code string, headers ...string) row {
		r := row{why, rules, "/?client_id=w1", broken, headers, 403, code}
		if code == "" {
			r.body, r.status = pageview, 200
		}
		return r
	}
	here, elsewhere := networks("203.0.113.0/24"), networks("198.51.100.0/24", "2001:db8::/32")
	for _, c := range []row{
		page("another origin", store.Rules{}, "INGEST_ORIGIN_NOT_AUTHORIZED", "Origin", "https://evil.org"),
		page("its own origin", store.Rules{}, "", "Origin", "https://shop.com"),
		page("a blocked address", store.Rules{BlockedAddresses: here}, "INGEST_IP_NOT_AUTHORIZED"),
		page("an address that is blocked and allowed", store.Rules{AllowedAddresses: here, BlockedAddresses: here},
			"INGEST_IP_NOT_AUTHORIZED"),
		page("an address that is not allowed", store.Rules{AllowedAddresses: elsewhere}, "INGEST_IP_NOT_AUTHORIZED"),
		page("an address that is allowed", store.Rules{AllowedAddresses: here, BlockedAddresses: elsewhere}, ""),
		page("a paused website", store.Rules{Paused: true}, "WEBSITE_PAUSED"),
		page("page events beside keyed custom events", store.Rules{KeyedEvents: true}, ""),
		{"an old form of custom event", store.Rules{KeyedEvents: true}, "/?client_id=w1",
			`{"type":"custom","name":"x"}`, nil, 403, "TRACK_KEY_REQUIRED"},
		{"a page event that counts as a custom one", store.Rules{KeyedEvents: true}, "/?client_id=w1",
			`{"name":"order_paid","path":"/"}`, nil, 403, "TRACK_KEY_REQUIRED"},
		{"an exit", store.Rules{KeyedEvents: true}, "/?client_id=w1", `{"name":"page_exit","path":"/"}`, nil, 200, ""},
		{"a custom event", store.Rules{KeyedEvents: true}, "/track?website_id=w1", broken, nil, 403,
			"TRACK_KEY_REQUIRED"},
		{"a custom event that names the website", store.Rules{KeyedEvents: true}, "/track",
			`{"name":"x","websiteId":"w1"}`, nil, 403, "TRACK_KEY_REQUIRED"},
		{"a custom event with a key", store.Rules{KeyedEvents: true, BlockedAddresses: here}, "/track?website_id=w1",
			custom, []string{"X-Api-Key", "all", "Origin", "https://evil.org"}, 200, ""},
		{"an event of a day that is not kept", store.Rules{RetentionDays: 30}, "/track?website_id=w1",
			aged(30*24*time.Hour + 12*time.Hour + 124*time.Millisecond), []string{"X-Api-Key", "all"}, 400,
			"EVENT_TOO_OLD"},
		{"an event of the first day that is kept", store.Rules{RetentionDays: 30}, "/track?website_id=w1",
			aged(30*24*time.Hour + 12*time.Hour + 123*time.Millisecond), []string{"X-Api-Key", "all"}, 200, ""},
		{"a custom event with a key while the website is paused", store.Rules{Paused: true}, "/track?website_id=w1",
			custom, []string{"X-Api-Key", "all"}, 403, "WEBSITE_PAUSED"},
	} {
		w := world{rules: c.rules}
		a := w.post(t, c.target, c.body, c.headers...)
		if code, _ := a.body["code"].(string); a.code != c.status || code != c.code ||
			len(w.written) > 0 != (c.code == "") {
			t.Errorf("%s: %d %s, %d writes", c.why, a.code, a.raw, len(w.written))
		}
		if turned := strings.Contains(w.log.String(), `msg="request blocked"`); turned != (c.code != "") {
			t.Errorf("%s: log = %q", c.why, w.log.String())
		}
	}
	if addressAllowed(store.Rules{AllowedAddresses: here}, netip.Addr{}) ||
		!addressAllowed(store.Rules{BlockedAddresses: here}, netip.Addr{}) {
		t.Error("an unknown address must match no list")
	}
	if addressAllowed(store.Rules{BlockedAddresses: here}, netip.MustParseAddr("::ffff:203.0.113.7")) {
		t.Error("an IPv4 address in IPv6 form is not blocked")
	}
}

// aged returns a custom event of an age at noon.
func aged(age time.Duration) string {
	return `{"name":"x","eventId":"aged","timestamp":` + strconv.FormatInt(noon.Add(-age).UnixMilli(), 10) + `}`
}

func TestWindow(t *testing.T) {
	item := func(id string, age time.Duration) string {
		return `{"name":"screen_view","path":"/","eventId":"` + id + `","timestamp":` +
			strconv.FormatInt(noon.Add(-age).UnixMilli(), 10) + `}`
	}
	const day = 24 * time.Hour
	body := "[" + item("new", 7*day) + "," + item("old", 7*day+time.Millisecond) + "," + item("older", 400*day) + "]"
	for window, want := range map[time.Duration][]string{
		0:         {"", "EVENT_TOO_OLD", "EVENT_TOO_OLD"},
		300 * day: {"", "", "EVENT_TOO_OLD"},
		-1:        {"", "", ""},
	} {
		w := world{window: window}
		if a := w.post(t, "/batch?client_id=w1", body); a.code != 200 || cmp.Diff(want, a.codes()) != "" {
			t.Errorf("a window of %v: %d %s", window, a.code, a.raw)
		}
	}
	var w world
	if a := w.post(t, "/track?website_id=w1", item("old", 400*day), "X-Api-Key", "all"); a.code != 200 {
		t.Errorf("with a key: %d %s", a.code, a.raw)
	}
	if a := w.post(t, "/?client_id=w1",
		strings.Replace(item("old", 400*day), `"path":"/"`, `"path":""`,
			1)); a.body["code"] != "INVALID_EVENT_SCHEMA" || len(a.wrongFields()) != 2 {
		t.Errorf("with another mistake: %d %s", a.code, a.raw)
	}
}

func TestCountryHeaderOfUntrustedPeers(t *testing.T) {
	w := world{header: "CF-IPCountry", geo: map[string]Location{"203.0.113.8": {Country: "DE"}}}
	for _, peer := range []string{"203.0.113.7:1", "203.0.113.8:1"} { // the first one is trusted
		w.peer = peer
		w.post(t, "/?client_id=w1", pageview, "CF-IPCountry", "FR")
	}
	if e := w.rows().Events; len(e) != 2 || e[0].Country != "FR" || e[1].Country != "DE" {
		t.Errorf("%+v", e)
	}
}
