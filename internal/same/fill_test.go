package same

import (
	"encoding/json"
	"fmt"
	"maps"
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

// filled has the results of the fill.
type filled struct {
	key     string            // a secret that may do everything
	secrets map[string]string // by what the credential is; "" is none
}

// scopes are all scopes of keys.
const scopes = "read:data,manage:flags,track:events,read:links,read:monitors,export:data,erase:data,manage:keys," +
	"read:audit,manage:definitions,manage:websites"

// fill starts both programs, and stores the same events and records in both.
func (b *sides) fill() *filled {
	b.t.Helper()
	b.start()
	b.records()
	f := b.keys()
	b.configure(f)
	b.traffic(f, 6, 15, site, "web_old", "listed", "aside", "web_d")
	b.others(f)
	b.importLog()
	b.derived("rebuild")
	b.late(site, "web_old")
	b.run("websites", "change", "web_old", "--retention", "7", "--keep-totals", "--json")
	b.restart(26 * time.Hour)
	b.untilRemoved(1)
	b.traffic(f, 1, 20, site, "listed")
	b.removals(f)
	b.derived("rebuild")
	b.restart(26 * time.Hour)
	b.untilRemoved(2)
	b.late(site)
	b.derived("rebuild")
	b.restart(2 * time.Hour)
	b.traffic(f, 1, 5, site, "listed")
	return f
}

// derived rebuilds or verifies what is stored of days: on ClickHouse, where a day takes seconds, of one website.
func (b *sides) derived(action string) {
	b.t.Helper()
	args := []string{"derived", action}
	if b.store == onClickHouse {
		args = append(args, "--website", site)
	}
	b.onEvents(args...)
}

// untilRemoved waits until both servers have removed the rows of old days a number of times.
func (b *sides) untilRemoved(times int) {
	b.t.Helper()
	for _, s := range []*side{b.before, b.after} {
		if err := s.logged("removed the rows of old days", times); err != nil {
			b.t.Fatal(err)
		}
	}
}

// records makes owners, websites, links and monitors.
func (b *sides) records() {
	b.t.Helper()
	b.run("owners", "add", "--id", "acme", "--name", "Acme")
	for id := range strings.FieldsSeq("listed aside foreign gone web_main web_import web_old web_a web_b web_c web_d") {
		owner := "local"
		if id == "foreign" {
			owner = "acme"
		}
		whose, host := []string{"--json", "--id", id, "--owner", owner}, strings.ReplaceAll(id, "_", "-")+".example"
		b.run(append([]string{"websites", "add", "--domain", host}, whose...)...)
		if !strings.HasPrefix(id, "web_") {
			b.run(append([]string{"links", "add", "--slug", id, "--target", "https://" + host + "/sale"}, whose...)...)
			b.run(append([]string{"monitors", "add", "--url", "https://" + host}, whose...)...)
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
		args := append([]string{"keys", "add", "--json", "--id", "key_" + k.name}, strings.Fields(k.options)...)
		made := b.run(args...)
		f.secrets[k.name] = text(made, "secret")
	}
	for _, id := range []string{"key_a", "key_b", "key_c", "key_d"} {
		b.run("keys", "add", "--json", "--id", id, "--all", "--scope", "read:data")
	}
	f.key = f.secrets["whole"]
	for _, t := range []struct {
		name, of string
		ttl      int
	}{{"token", "right", 86_400}, {"expired token", "right", 60}, {"token of a revoked key", "revoked", 86_400}} {
		f.secrets[t.name] = text(b.post(f.secrets[t.of], "/v1/tokens", object{"ttl": t.ttl}), "token")
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

// An object is a JSON object.
type object = generate.Object

// encoded returns v as JSON.
func encoded(v any) string {
	js, err := json.Marshal(v)
	if err != nil {
		return err.Error() // then both programs refuse it
	}
	return string(js)
}

// post sends a body with a key, and must succeed.
func (b *sides) post(key, target string, body any) answer {
	b.t.Helper()
	return b.must(generate.Request{Method: http.MethodPost, Target: target, Body: encoded(body),
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
	define := func(kind, name string, body object) object { return object{"kind": kind, "name": name, "body": body} }
	german := object{"type": "property", "field": "country", "operator": "equals", "value": "DE", "enabled": true}
	variant := func(key string, weight int) object {
		return object{"key": key, "type": "string", "value": key[:1], "weight": weight}
	}
	for _, id := range []string{"web_demo", site, "listed"} {
		for _, body := range []object{
			define("goal", "Signup", object{"event": "signup"}),
			define("goal", "Gone", object{"page": "/gone"}),
			define("funnel", "Checkout", object{"steps": []object{{"page": "/"}, {"event": "signup"}}}),
			define("segment", "Germany", object{"filters": []object{{"field": "country", "op": "eq", "value": "DE"}}}),
			define("annotation", "Launch", object{"at": "2026-03-15", "text": "Launch"}),
		} {
			b.post(f.key, "/v1/websites/"+id+"/definitions", body)
		}
		for _, flag := range []object{
			{"key": "dark-mode", "type": "boolean", "defaultValue": true},
			{"key": "gone", "type": "boolean", "defaultValue": true},
			{"key": "german", "type": "boolean", "defaultValue": false, "rules": []object{german}},
			{"key": "slow", "type": "rollout", "defaultValue": false, "rolloutPercentage": 40, "rolloutBy": "user"},
			{"key": "colour", "type": "multivariant", "defaultValue": true,
				"variants": []object{variant("red", 30), variant("blue", 70)}},
		} {
			flag["clientId"] = id
			b.post(f.key, "/public/v1/flags", flag)
		}
	}
	b.run("flags", "schedule", "--client", site, "slow", "--step", "2026-03-21T00:00:00Z=80", "--json")
	b.run("flags", "groups", "add", "--client", site, "--name", "Staff", "--json", "--rules",
		`[{"type":"email","operator":"ends_with","value":"@example.com","enabled":true}]`)
	b.run("websites", "change", "aside", "--allow-origin", "shop.example", "--monthly-events", "5", "--json")
	b.run("websites", "change", "web_d", "--paused", "--json")
}

// browsers are user agents of visitors.
var browsers = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 " +
		"Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Android 14; Tablet; rv:121.0) Gecko/121.0 Firefox/121.0",
	"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
}

// one returns one of all.
func one[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// seeded returns random numbers that are the same in each run.
func seeded(a, b uint64) *rand.Rand { return rand.New(rand.NewPCG(a, b)) }

// traffic sends sessions of the last days to websites without a key, as browsers do.
func (b *sides) traffic(f *filled, days, people int, websites ...string) {
	b.t.Helper()
	if b.store == onClickHouse { // which stores small writes about once a second
		people = 3
	}
	r := seeded(uint64(days), uint64(people))
	for _, website := range websites {
		for day := days; day > 0; day-- {
			for person := range people {
				at := b.before.clock.AddDate(0, 0, -day).Add(time.Duration(r.IntN(20*3600*1000)) * time.Millisecond)
				b.session(r, website, fmt.Sprintf("v%d-%d", person%9, day/3), at)
			}
		}
	}
	for person, traits := range []object{{"name": "Ada", "plan": "pro"}, {"name": "Bob"}} {
		b.post(f.key, "/ingest/identify", object{"websiteId": site, "profileId": fmt.Sprintf("u%d", person+1),
			"anonymousId": fmt.Sprintf("v%d-1", person+1), "traits": traits})
	}
}

// late sends sessions of days that are sealed or will be removed.
func (b *sides) late(websites ...string) {
	b.t.Helper()
	r := seeded(9, uint64(b.before.clock.Unix()))
	for _, website := range websites {
		for _, ago := range []int{2, 4, 6, 9, 30, 70} {
			for person := range 3 {
				at := b.before.clock.AddDate(0, 0, -ago).Add(-time.Duration(r.IntN(3600*1000)) * time.Millisecond)
				b.session(r, website, fmt.Sprintf("late%d", person), at)
			}
		}
	}
}

// session sends the events of one visit: each alone, or all at once.
func (b *sides) session(r *rand.Rand, website, visitor string, at time.Time) {
	b.t.Helper()
	page := "https://" + strings.ReplaceAll(website, "_", "-") + ".example"
	header := map[string]string{"Content-Type": "application/json", "User-Agent": one(r, browsers...), "Origin": page,
		country:           one(r, "DE", "US", "NP", "BR", ""),
		"X-Forwarded-For": fmt.Sprintf("203.0.%d.%d", r.IntN(200), 1+r.IntN(200))}
	send := func(route string, body any) {
		b.send(generate.Request{Method: http.MethodPost, Target: "/ingest" + route + "?client_id=" + website,
			Header: header,
			Body:   encoded(body)})
	}
	session := fmt.Sprintf("s-%s-%d", visitor, at.Unix())
	item := func(fields object) object {
		at = at.Add(time.Duration(1+r.IntN(40_000)) * time.Millisecond)
		made := object{"eventId": fmt.Sprintf("%s-%d", session, at.UnixMilli()), "anonymousId": visitor,
			"sessionId": session, "timestamp": at.UnixMilli(), "path": page}
		maps.Copy(made, fields)
		return made
	}
	var items []object
	for range 1 + r.IntN(4) {
		page = header["Origin"] +
			one(r, "/", "/pricing", "/docs/a?utm_source=News&gclid=G", "/blog/ü")
		items = append(items, item(object{"type": "track", "name": "screen_view", "title": "T", "language": "de-DE",
			"timezone": "Europe/Berlin", "screen_resolution": "1920x1080",
			"load_time": 200 + r.IntN(3000), "ttfb": 10 + r.IntN(400),
			"referrer": one(r, "", "https://www.google.com/search", "https://zq-bücher.org/x")}))
		total := float64(r.IntN(9999)) / 100
		switch r.IntN(6) {
		case 0:
			items = append(items, item(object{"type": "custom", "name": "signup",
				"properties": object{"plan": "pro", "total": total}}))
		case 1:
			items = append(items, item(object{"type": "outgoing_link", "text": "Out",
				"href": "https://other.example/x"}))
		case 2:
			send("/vitals", []object{item(object{"metricName": "LCP", "metricValue": 800 + r.IntN(4000)})})
		case 3:
			send("/errors", []object{item(object{"errorType": "TypeError",
				"message": fmt.Sprint("it broke at ", r.IntN(3))})})
		case 4:
			send("/events", []object{item(object{"eventName": "order_paid", "properties": object{"total": total}})})
		}
		items = append(items, item(object{"type": "track", "name": "page_exit", "time_on_page": r.IntN(300),
			"scroll_depth": r.IntN(101), "interaction_count": r.IntN(9)}))
	}
	if r.IntN(2) == 0 || b.store == onClickHouse {
		send("/batch", items)
		send("/batch", items[:1]) // repeated
		return
	}
	for _, i := range items {
		send("/", i)
	}
}

// others sends what senders with a key send: visits of links, checks of monitors and events of servers.
func (b *sides) others(f *filled) {
	b.t.Helper()
	var visits, checks, sales []object
	for i := range 60 {
		at := b.before.clock.Add(-time.Duration(i*97) * time.Minute).UnixMilli()
		id, down := []string{"listed", "aside", "gone"}[i%3], i%7%2
		visits = append(visits, object{"eventId": fmt.Sprint("l", i), "linkId": id, "timestamp": at, "country": "DE",
			"referrer": "https://t.co/x"})
		checks = append(checks, object{"eventId": fmt.Sprint("c", i), "scheduleId": id, "timestamp": at, "status": down,
			"totalMs": 100 + i, "httpCode": 200 + 300*down})
		sales = append(sales, object{"websiteId": site, "name": "sale", "eventId": fmt.Sprint("t", i),
			"namespace": "shop", "timestamp": at, "properties": object{"total": 3 * i}})
	}
	b.post(f.key, "/ingest/link-visits", visits)
	b.post(f.key, "/ingest/uptime-checks", checks)
	b.post(f.key, "/ingest/track", sales)
	pixel := fmt.Sprintf("/ingest/px.jpg?client_id=%s&name=screen_view&eventId=px1&path=https://web-main.example/px&"+
		"anonymousId=px&sessionId=px&timestamp=%d", site, b.before.clock.UnixMilli())
	b.must(generate.Request{Method: http.MethodGet, Target: pixel})
}

// importLog imports an access log, twice.
func (b *sides) importLog() {
	b.t.Helper()
	r, at := seeded(3, 4), time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	var log strings.Builder
	for range 400 {
		at = at.Add(time.Duration(r.IntN(3600)) * time.Second)
		fmt.Fprintf(&log, "203.0.113.%d - - [%s] \"GET /%s HTTP/1.1\" 200 512 \"%s\" \"%s\"\n", r.IntN(30),
			at.Format("02/Jan/2006:15:04:05 -0700"), one(r, "", "pricing", "docs", "style.css"),
			one(r, "-", "https://www.google.com/"), one(r, browsers...))
	}
	for _, s := range []*side{b.before, b.after} {
		if err := os.WriteFile(filepath.Join(s.dir, "access.log"), []byte(log.String()), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	for range 2 {
		b.onEvents("import", "--website", "web_import", "--json", "access.log")
	}
}

// removals removes and erases something of each kind.
func (b *sides) removals(f *filled) {
	b.t.Helper()
	remove := func(target string) {
		b.must(generate.Request{Method: http.MethodDelete, Target: target,
			Header: map[string]string{"X-Api-Key": f.key}})
	}
	b.onEvents("subject", "--website", site, "--visitor", "v1-1", "--json")
	b.onEvents("erase", "--website", site, "--visitor", "v1-1", "--yes", "--json")
	remove("/v1/visitors/v2-1?website_id=" + site)
	remove("/v1/visitors/v3-0?website_id=listed")
	b.run("profiles", "show", "--website", site, "u2", "--json")
	b.run("profiles", "remove", "--website", site, "u2")
	b.run("websites", "remove", "gone")
	b.run("links", "remove", "gone")
	b.run("monitors", "remove", "gone")
	b.run("flags", "remove", "--client", site, "gone")
	b.run("flags", "history", "--client", site, "gone", "--json")
	remove("/v1/websites/" + site + "/definitions?kind=goal&name=Gone")
	remove("/v1/keys/key_d")
}
