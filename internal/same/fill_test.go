package same

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/contract/generate"
)

const (
	demoDays = 12
	origin   = "https://panel.example" // of a page that may read answers
	country  = "CF-IPCountry"          // the header of a proxy
	site     = "web_main"              // the website that the stream is sent to, beside that of the demo
)

// filled is what the fill made.
type filled struct {
	key     string            // a secret that may do everything
	secrets map[string]string // by what the credential is; "" is none
}

// scopes are all scopes of keys.
const scopes = "read:data,manage:flags,track:events,read:links,read:monitors,export:data,erase:data,manage:keys,read:audit," +
	"manage:definitions,manage:websites"

// fill starts both programs, and stores the same events and records in both.
func (b *sides) fill() *filled {
	b.t.Helper()
	b.start()
	b.records()
	f := b.keys()
	b.configure(f)
	b.traffic(f, 6, 15, true)
	b.others(f)
	b.importLog()
	b.onEvents("derived", "rebuild")
	b.late(f)
	b.restart(26 * time.Hour)
	b.traffic(f, 1, 20, false)
	b.removals(f)
	b.onEvents("derived", "rebuild", "--website", site)
	b.restart(26 * time.Hour)
	for _, s := range []*side{b.before, b.after} {
		if err := s.logged("removed the rows of old days"); err != nil {
			b.t.Fatal(err)
		}
	}
	b.late(f)
	b.onEvents("derived", "rebuild")
	b.restart(2 * time.Hour)
	b.traffic(f, 1, 5, false)
	return f
}

// records makes owners, websites, links and monitors.
func (b *sides) records() {
	b.t.Helper()
	b.run("owners", "add", "--id", "acme", "--name", "Acme")
	for id, owner := range ordered("listed=local aside=local foreign=acme web_main=local web_import=local web_old=local " +
		"web_gone=local web_a=local web_b=local web_c=local web_d=local") {
		b.run("websites", "add", "--id", id, "--owner", owner, "--domain", strings.ReplaceAll(id, "_", "-")+".example", "--json")
	}
	for id, owner := range ordered("listed=local aside=local foreign=acme lnk_gone=local") {
		b.run("links", "add", "--id", id, "--owner", owner, "--slug", id, "--target", "https://"+site+".example/sale", "--json")
		b.run("monitors", "add", "--id", id, "--owner", owner, "--url", "https://listed.example/", "--json")
	}
}

// ordered yields the names and values of a text like "a=1 b=2".
func ordered(text string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for field := range strings.FieldsSeq(text) {
			if name, value, _ := strings.Cut(field, "="); !yield(name, value) {
				return
			}
		}
	}
}

// keys makes a key or token of every kind.
func (b *sides) keys() *filled {
	b.t.Helper()
	const one = "--resource website:listed,link:listed,schedule:listed --scope "
	f := &filled{secrets: map[string]string{"none": "", "malformed": "sl_that-is-no-key"}}
	for _, k := range []struct{ name, options string }{
		{"whole", "--all --scope " + scopes},
		{"right", one + scopes},
		{"reads", one + "read:data"},
		{"filtered", "--all --filter country:eq:DE --scope " + scopes},
		{"typed", "--all --type summary_metrics,pages --scope read:data"},
		{"flags", "--all --scope manage:flags"},
		{"tracks", "--all --scope track:events"},
		{"theirs", "--owner acme --all --scope " + scopes},
		{"few", "--all --limit 3 --scope read:data"},
		{"expired", "--all --expires 1h --scope " + scopes},
		{"disabled", "--all --scope " + scopes},
		{"revoked", "--all --scope " + scopes},
		{"rotated", "--all --scope " + scopes},
		{"managed", one + "read:data"},
		{"leaving", one + "read:data"},
	} {
		made := b.run(append([]string{"keys", "add", "--json", "--id", "key_" + k.name}, strings.Fields(k.options)...)...)
		f.secrets[k.name] = text(made, "secret")
	}
	for _, id := range []string{"key_a", "key_b", "key_c", "key_d"} {
		b.run("keys", "add", "--json", "--id", id, "--all", "--scope", "read:data")
	}
	f.key = f.secrets["whole"]
	for name, of := range map[string]string{"token": "right", "expired token": "right", "token of a revoked key": "revoked"} {
		ttl := map[string]string{"expired token": "60"}[name]
		if ttl == "" {
			ttl = "86400"
		}
		f.secrets[name] = text(b.post(f.secrets[of], "/v1/tokens", `{"ttl":`+ttl+`}`), "token")
	}
	b.run("keys", "disable", "key_disabled")
	b.run("keys", "revoke", "key_revoked")
	b.run("keys", "rotate", "key_rotated", "--json")
	return f
}

// text returns a member of a JSON body.
func text(a answer, name string) string {
	var o map[string]any
	_ = json.Unmarshal([]byte(a.body), &o) // an answer without it is reported where it is used
	found, _ := o[name].(string)
	return found
}

// post sends a body with a key, and must succeed.
func (b *sides) post(key, target, body string) answer {
	b.t.Helper()
	return b.must(generate.Request{Method: http.MethodPost, Target: target, Body: body,
		Header: map[string]string{"X-Api-Key": key, "Content-Type": "application/json"}})
}

// must sends a request of the fill, which must succeed.
func (b *sides) must(r generate.Request) answer {
	b.t.Helper()
	a := b.send(r)
	if a.status >= http.StatusMultipleChoices {
		b.t.Errorf("%s: %s %s %s: status %d: %s", b.store, r.Method, r.Target, r.Body, a.status, a.body)
	}
	return a
}

// configure makes definitions, flags and rules of websites.
func (b *sides) configure(f *filled) {
	b.t.Helper()
	for _, id := range []string{"web_demo", site, "listed"} {
		for _, body := range []string{
			`{"kind":"goal","name":"Signup","body":{"event":"signup"}}`,
			`{"kind":"funnel","name":"Checkout","body":{"steps":[{"page":"/"},{"event":"signup"}]}}`,
			`{"kind":"segment","name":"Germany","body":{"filters":[{"field":"country","op":"eq","value":"DE"}]}}`,
			`{"kind":"annotation","name":"Launch","body":{"at":"2026-03-15","text":"Launch"}}`,
			`{"kind":"goal","name":"Gone","body":{"page":"/gone"}}`,
		} {
			b.post(f.key, "/v1/websites/"+id+"/definitions", body)
		}
		for _, flag := range []string{
			`"key":"dark-mode","type":"boolean","defaultValue":true`,
			`"key":"slow","type":"rollout","defaultValue":false,"rolloutPercentage":40,"rolloutBy":"user"`,
			`"key":"colour","type":"multivariant","defaultValue":true,"variants":[{"key":"red","type":"string","value":"r","weight":30},{"key":"blue","type":"string","value":"b","weight":70}]`,
			`"key":"german","type":"boolean","defaultValue":false,"rules":[{"type":"property","field":"country","operator":"equals","value":"DE","enabled":true}]`,
			`"key":"gone","type":"boolean","defaultValue":true`,
		} {
			b.post(f.key, "/public/v1/flags", `{"clientId":"`+id+`",`+flag+`}`)
		}
	}
	b.run("flags", "schedule", "--client", site, "slow", "--step", "2026-03-21T00:00:00Z=80", "--json")
	b.run("flags", "groups", "add", "--client", site, "--name", "Staff", "--json",
		"--rules", `[{"type":"email","operator":"ends_with","value":"@example.com","enabled":true}]`)
	b.run("websites", "change", "web_old", "--retention", "7", "--keep-totals", "--json")
	b.run("websites", "change", "aside", "--allow-origin", "shop.example", "--monthly-events", "5", "--json")
	b.run("websites", "change", "web_d", "--paused", "--json")
}

// browsers are user agents of visitors.
var browsers = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Android 14; Tablet; rv:121.0) Gecko/121.0 Firefox/121.0",
	"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
}

// traffic sends sessions of the last days to some websites. Without a key, as browsers do.
func (b *sides) traffic(f *filled, days, people int, all bool) {
	b.t.Helper()
	r := rand.New(rand.NewPCG(uint64(days), uint64(people))) //nolint:gosec // no secret
	for _, id := range map[bool][]string{true: {site, "web_old", "listed", "aside", "web_d"}, false: {site, "listed"}}[all] {
		for day := days; day > 0; day-- {
			for person := range people {
				from := b.before.clock.AddDate(0, 0, -day).Add(time.Duration(r.IntN(20*3600*1000)) * time.Millisecond)
				b.session(r, id, fmt.Sprintf("v%d-%d", person%9, day/3), from, "")
			}
		}
	}
	b.post(f.key, "/ingest/identify", `{"websiteId":"`+site+`","profileId":"u1","anonymousId":"v1-1","traits":{"name":"Ada","plan":"pro"}}`)
	b.post(f.key, "/ingest/identify", `{"websiteId":"`+site+`","profileId":"u2","anonymousId":"v2-1","traits":{"name":"Bob"}}`)
}

// late sends sessions of days that are sealed, with a key.
func (b *sides) late(f *filled) {
	b.t.Helper()
	r := rand.New(rand.NewPCG(9, uint64(b.before.clock.Unix()))) //nolint:gosec // no secret
	for i, ago := range []int{2, 4, 9, 30, 70, 9, 30} {
		for person := range 3 {
			b.session(r, []string{site, "web_old"}[i/5], fmt.Sprintf("late%d", person),
				b.before.clock.AddDate(0, 0, -ago).Add(-time.Duration(r.IntN(3600*1000))*time.Millisecond), f.secrets["tracks"])
		}
	}
}

// session sends the events of one visit: each alone, or all at once.
func (b *sides) session(r *rand.Rand, website, visitor string, at time.Time, key string) {
	b.t.Helper()
	header := map[string]string{"Content-Type": "application/json", "User-Agent": browsers[r.IntN(len(browsers))],
		"Origin": "https://" + strings.ReplaceAll(website, "_", "-") + ".example", country: []string{"DE", "US", "NP", "BR", ""}[r.IntN(5)],
		"X-Forwarded-For": fmt.Sprintf("203.0.%d.%d", r.IntN(200), 1+r.IntN(200))}
	if key != "" {
		header["X-Api-Key"] = key
	}
	post := func(route, body string) {
		b.send(generate.Request{Method: http.MethodPost, Target: "/ingest" + route + "?client_id=" + website, Header: header, Body: body})
	}
	n := 0
	item := func(fields string) string {
		n++
		at = at.Add(time.Duration(1+r.IntN(40_000)) * time.Millisecond)
		return fmt.Sprintf(`{"eventId":"%s-%s-%d-%d","anonymousId":"%s","sessionId":"s-%s-%d","timestamp":%d,%s}`, website, visitor,
			at.UnixMilli(), n, visitor, visitor, at.UnixMilli()/7_200_000, at.UnixMilli(), fields)
	}
	var items []string
	for range 1 + r.IntN(4) {
		path := fmt.Sprintf(`"path":"%s%s"`, header["Origin"], []string{"/", "/pricing", "/docs/a?utm_source=News&gclid=G", "/blog/ü"}[r.IntN(4)])
		items = append(items, item(`"type":"track","name":"screen_view","title":"T","language":"de-DE","timezone":"Europe/Berlin",`+
			`"screen_resolution":"1920x1080","referrer":"`+[]string{"", "https://www.google.com/search", "https://zq-bücher.org/x"}[r.IntN(3)]+`",`+path+
			fmt.Sprintf(`,"load_time":%d,"ttfb":%d`, 200+r.IntN(3000), 10+r.IntN(400))))
		switch r.IntN(6) {
		case 0:
			items = append(items, item(`"type":"custom","name":"signup","properties":{"plan":"pro","total":`+fmt.Sprint(float64(r.IntN(9999))/100)+`},`+path))
		case 1:
			items = append(items, item(`"type":"outgoing_link","href":"https://other.example/x","text":"Out",`+path))
		case 2:
			post("/vitals", "["+item(fmt.Sprintf(`"metricName":"LCP","metricValue":%d,`, 800+r.IntN(4000))+path)+"]")
		case 3:
			post("/errors", "["+item(`"message":"it broke at `+fmt.Sprint(r.IntN(3))+`","errorType":"TypeError",`+path)+"]")
		case 4:
			post("/events", "["+item(`"eventName":"order_paid","properties":{"total":`+fmt.Sprint(r.IntN(500))+`},`+path)+"]")
		}
		items = append(items, item(`"type":"track","name":"page_exit",`+path+
			fmt.Sprintf(`,"time_on_page":%d,"scroll_depth":%d,"interaction_count":%d`, r.IntN(300), r.IntN(101), r.IntN(9))))
	}
	if r.IntN(2) == 0 {
		post("/batch", "["+strings.Join(items, ",")+"]")
		post("/batch", "["+strings.Join(items[:1], ",")+"]") // a repeated one
		return
	}
	for _, one := range items {
		post("/", one)
	}
}

// others sends what senders with a key send: visits of links, checks of monitors and events of servers.
func (b *sides) others(f *filled) {
	b.t.Helper()
	for i := range 60 {
		at := b.before.clock.Add(-time.Duration(i*97) * time.Minute).UnixMilli()
		id := []string{"listed", "aside", "lnk_gone"}[i%3]
		b.post(f.key, "/ingest/link-visits", fmt.Sprintf(`[{"eventId":"l%d","linkId":"%s","timestamp":%d,"country":"DE","referrer":"https://t.co/x"}]`, i, id, at))
		b.post(f.key, "/ingest/uptime-checks", fmt.Sprintf(`[{"eventId":"c%d","scheduleId":"%s","timestamp":%d,"status":%d,"totalMs":%d,"httpCode":%d}]`,
			i, id, at, i%7%2, 100+i, 200+300*(i%7%2)))
		b.post(f.key, "/ingest/track", fmt.Sprintf(`{"websiteId":"%s","name":"sale","eventId":"t%d","namespace":"shop","timestamp":%d,"properties":{"total":%d}}`, site, i, at, i*3))
	}
	b.send(generate.Request{Method: http.MethodGet, Target: fmt.Sprintf("/ingest/px.jpg?client_id=%s&name=screen_view&eventId=px1"+
		"&path=https://web-main.example/px&anonymousId=px&sessionId=px&timestamp=%d", site, b.before.clock.UnixMilli())})
}

// importLog imports an access log.
func (b *sides) importLog() {
	b.t.Helper()
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // no secret
	var log strings.Builder
	at := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	for range 400 {
		at = at.Add(time.Duration(r.IntN(3600)) * time.Second)
		fmt.Fprintf(&log, "203.0.113.%d - - [%s] \"GET /%s HTTP/1.1\" 200 512 \"%s\" \"%s\"\n", r.IntN(30), at.Format("02/Jan/2006:15:04:05 -0700"),
			[]string{"", "pricing", "docs", "style.css"}[r.IntN(4)], []string{"-", "https://www.google.com/"}[r.IntN(2)], browsers[r.IntN(4)])
	}
	for _, s := range []*side{b.before, b.after} {
		if err := os.WriteFile(filepath.Join(s.dir, "access.log"), []byte(log.String()), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	b.onEvents("import", "--website", "web_import", "--json", "access.log")
	b.onEvents("import", "--website", "web_import", "--json", "access.log") // again
}

// removals removes and erases something of each kind.
func (b *sides) removals(f *filled) {
	b.t.Helper()
	remove := func(target string) {
		b.must(generate.Request{Method: http.MethodDelete, Target: target, Header: map[string]string{"X-Api-Key": f.key}})
	}
	b.onEvents("subject", "--website", site, "--visitor", "v1-1", "--json")
	b.onEvents("erase", "--website", site, "--visitor", "v1-1", "--yes", "--json")
	remove("/v1/visitors/v2-1?website_id=" + site)
	remove("/v1/visitors/v3-0?website_id=listed")
	b.run("profiles", "show", "--website", site, "u2", "--json")
	b.run("profiles", "remove", "--website", site, "u2")
	b.run("websites", "remove", "web_gone")
	b.run("links", "remove", "lnk_gone")
	b.run("monitors", "remove", "lnk_gone")
	b.run("flags", "remove", "--client", site, "gone")
	b.run("flags", "history", "--client", site, "gone", "--json")
	remove("/v1/websites/" + site + "/definitions?kind=goal&name=Gone")
	remove("/v1/keys/key_d")
}
