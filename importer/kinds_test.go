package importer_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sightline-analytics/sightline/track"
)

// TestClientOfLog finds the address of the client in what stands before the time of an access log. Two lines of
// each form are of two clients, and the first one comes again.
func TestClientOfLog(t *testing.T) {
	const two, refused = "views=3 others=0 visitors=2 sessions=2", "views=0 others=0 visitors=0 sessions=0"
	for _, c := range []struct{ before, want string }{
		{"ADDRESS - -", two},
		{"ADDRESS - alice", two},
		{"ADDRESS - John Smith", two},
		{"ADDRESS:PORT - -", two},
		{"ADDRESS, 10.0.0.1 - -", two},
		{"ADDRESS, 10.0.0.1, 10.0.0.2 - -", two},
		{"shop.example:443 ADDRESS - -", two},
		{"- ADDRESS - -", two},
		{"Nov 20 10:00:00 web1 nginx: ADDRESS - -", two},
		{"Nov 20 10:00:00 10.0.0.9 nginx[812]: ADDRESS - -", two},
		{"Nov 20 10:00:00 web1 nginx[812]: shop.example:443 ADDRESS - -", two},
		{"<190>Nov 20 10:00:00 web1 nginx: ADDRESS - -", two},
		{"<190>1 2026-11-20T10:00:00Z web1 nginx 812 - - ADDRESS - -", two},
		{"2026-11-20T10:00:00.000000000Z stdout F ADDRESS - -", two},
		{"nginx_1  | ADDRESS - -", two},
		{"HOST - -", two},
		{"shop.example:443 HOST - -", two},
		{"- - -", refused},
		{"unix: - -", refused},
		{"shop.example - - -", refused},
		{"Nov 20 10:00:00 web1 nginx: - - -", refused},
		{"", refused},
	} {
		var log string
		for i, client := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.1"} {
			port := []string{"1111", "2222", "3333"}[i]
			before := strings.NewReplacer("ADDRESS:PORT", client+":"+port, "ADDRESS", client, "HOST", "dsl-"+client[8:]+
				".isp.example").Replace(c.before)
			full := line(now.Add(time.Duration(i-10)*time.Minute), "192.0.2.1", "/")
			log += before + strings.TrimPrefix(full, "192.0.2.1 - -")
		}
		w := newWorld(t)
		cfg := w.config()
		cfg.Format = "combined"
		report := w.run(t, cfg, text("f", log))
		if got := people(w.rows.Events); got != c.want || report.Complete() != (c.want == two) {
			t.Errorf("%q: %s, want %s; %s", c.before, got, c.want, summary(report))
		}
	}
	w := newWorld(t)
	log := line(now.Add(-time.Hour), "2001:db8::7", "/") + line(now.Add(-time.Hour), "[2001:db8::7]:4711", "/") +
		line(now.Add(-time.Hour), "::ffff:192.0.2.1", "/") +
		line(now.Add(-time.Hour), "192.0.2.1:99", "/")
	w.run(t, w.config(), text("f", log))
	if got := people(w.rows.Events); got != "views=4 others=0 visitors=2 sessions=2" {
		t.Errorf("spellings of two addresses: %s", got)
	}
}

// TestKindsOfRecords imports small files of which a person counted the result.
func TestKindsOfRecords(t *testing.T) {
	at := now.Add(-time.Hour)
	good := line(at, "192.0.2.1", "/good")
	other := func(old, changed string) string { return strings.Replace(good, old, changed, 1) }
	named := map[string]string{"time": "t", "url": "u", "visitor": "v", "referrer": "r"}
	matomo := func(actions string) string {
		return `[{"idVisit":1,"visitorId":"v","referrerType":"search","referrerUrl":"https://www.google.com/","actionDetails":[` + actions + `]}]`
	}
	const event = `{"type":"event","eventAction":"play","url":"https://shop.example/","timestamp":1795168800}`
	const search = `{"type":"search","url":null,"timestamp":1795168800}`
	const page = `{"type":"action","url":"https://shop.example/a","timestamp":1795168801}`
	escaped := strings.ReplaceAll(firefox, " ", "%20")
	cloudflare := `{"EdgeStartTimestamp":"2026-11-20T10:00:00Z","ClientRequestMethod":"GET","ClientRequestURI":"/","EdgeResponseStatus":200,"ClientIP":"192.0.2.1","ClientRequestUserAgent":"` + firefox + `"MORE}` + "\n"
	for _, c := range []struct {
		why, content string
		columns      map[string]string
		want         string
		events       []string // of some events, a part of what shown returns
		problem      string
	}{
		{"a visit that begins with an event", matomo(event + "," + page), nil, "1/1 rows=2 stored=2",
			[]string{"play", "from=google.com"}, ""},
		{"a visit that begins with a search", matomo(search + "," + page), nil, "1/1 rows=2 stored=2",
			[]string{"search", "/a | ref=https://www.google.com/ | from=google.com"}, ""},
		{"a source counts once", matomo(page + "," + page), nil, "1/1 rows=2 stored=2",
			[]string{"from=google.com", "/a | device"}, ""},
		{"a page without visits", "[]", nil, "0/0 rows=0 stored=0", nil, ""},
		{"a page without visits and with blanks", "[ ]\n", nil, "0/0 rows=0 stored=0", nil, ""},
		{"an error of Matomo", `{"result":"error","message":"no access"}`, nil, "0/0 rows=0 stored=0", nil,
			"no access"},
		{"absent values of MySQL",
			"t,u,v,r\n2026-11-20,/a,\\N,\\N\n2026-11-20,/b,NULL,NULL\n2026-11-20,/c,\\N,https://x.example/\n", named,
			"3/3 rows=3 stored=3", []string{"| /a | device=desktop", "/b | device=desktop", "from=x.example"}, ""},
		{"another host in the request line", other("GET /good", "GET http://other.example/x") +
			other("GET /good", "GET http://shop.example/x"), nil,
			"1/2 rows=1 stored=1 other_host=1", []string{"/x"}, ""},
		{"other hosts in full addresses",
			"t,u\n2026-11-20,https://other.example/a\n2026-11-20,https://www.shop.example/b\n2026-11-20,/c\n",
			map[string]string{"time": "t", "url": "u"},
			"2/3 rows=2 stored=2 other_host=1", []string{"/b", "/c"}, ""},
		{"another host in JSON",
			`{"t":"2026-11-20","u":"HTTPS://other.example/a"}{"t":"2026-11-20","u":"https://shop.example/?x=http://other.example/"}`, map[string]string{"time": "t", "url": "u"},
			"1/2 rows=1 stored=1 other_host=1", nil, ""},
		{"subrequests of workers", strings.ReplaceAll(cloudflare, "MORE", "") +
			strings.ReplaceAll(cloudflare, "MORE", `,"WorkerSubrequest":true`) +
			strings.ReplaceAll(cloudflare, "MORE", `,"ClientRequestSource":"healthcheck"`) +
			strings.ReplaceAll(cloudflare, "MORE", `,"ClientRequestSource":"eyeball","WorkerSubrequest":false`), nil,
			"2/4 rows=2 stored=2 no_visitor=2", nil, ""},
		{"files that are no pages", other("/good", "/a.flv") + other("/good", "/a.MPG") + other("/good", "/a.aac") +
			other("/good", "/a.jxl") + other("/good", "/a.ics") +
			other("/good", "/a.sql") + other("/good", "/a.db?x=1") + other("/good", "/a.html") +
			other("/good", "/v1.2/a"), nil, "2/9 rows=2 stored=2 asset=7", []string{"/a.html", "/v1.2/a"}, ""},
		{"days that do not exist", strings.ReplaceAll(good, "28/Nov/2026", "31/Feb/2026") +
			strings.ReplaceAll(good, "28/Nov/2026", "31/Nov/2026") + good, nil,
			"1/3 rows=1 stored=1 malformed=2", nil, ""},
		{"days in another order", "t,u\n20.11.2026,/a\n20.11.2026 10:00,/b\n2026-02-31,/c\n",
			map[string]string{"time": "t", "url": "u"}, "0/3 rows=0 stored=0 malformed=3", nil, ""},
		{"a clock that is ahead", line(now.Add(20*time.Second), "192.0.2.1", "/ahead") +
			line(now.Add(time.Hour), "192.0.2.1", "/far"), nil,
			"1/2 rows=1 stored=1 time=1", []string{"28T12:00:00.000 | screen_view | /ahead"}, ""},
		{"a second header", "t,u\n2026-11-20,/a\nt,u\n2026-11-20,/b\n", map[string]string{"time": "t", "url": "u"},
			"2/2 rows=2 stored=2", nil, ""},
		{"pageviews of PostHog", "t,u,event\n2026-11-20,/a,$pageview\n2026-11-20,/b,signup\n",
			map[string]string{"time": "t", "url": "u", "name": "event"}, "2/2 rows=2 stored=2",
			[]string{"screen_view | /a", "signup"}, ""},
		{"two records on a line, and a line that was cut", good + strings.TrimSuffix(good, "\n") + good +
			good[:len(good)-20] + "\n", nil, "2/3 rows=2 stored=2 malformed=2", nil, ""},
		{"times of Caddy", caddy("\"2026/11/20 10:00:00\"") + caddy("\"20/Nov/2026:11:00:00 +0000\"") +
			caddy("1795168800250.5") + caddy("\"2026-11-20T13:00:00.000+0100\""), nil, "4/4 rows=4 stored=4",
			[]string{"20T10:00:00.000", "20T11:00:00.000", "20T10:00:00.250", "20T12:00:00.000"}, ""},
		{"a source of Matomo without an address", strings.Replace(matomo(page),
			`"referrerUrl":"https://www.google.com/"`, `"referrerUrl":null,"referrerSearchEngineUrl":"http:\/\/google.com"`, 1),
			nil, "1/1 rows=1 stored=1", []string{"from=google.com"}, ""},
		{"a social network of Matomo without an address", strings.Replace(matomo(page),
			`"referrerType":"search","referrerUrl":"https://www.google.com/"`,
			`"referrerType":"social","referrerUrl":null,"referrerSocialNetworkUrl":"mastodon.social"`, 1),
			nil, "1/1 rows=1 stored=1", []string{"from=mastodon.social"}, ""},
		{"an action of an odd type", matomo(`{"type":7,"timestamp":1795168800},` + page), nil,
			"1/1 rows=1 stored=1 other_kind=1", []string{"/a"}, ""},
		{"Umami before 2.11", "session_id,event_id,url_path,event_type,created_at\ns,e1,/a,1,2026-11-20 10:00:00\n" +
			"s,e2,/b,1,2026-11-20 10:01:00.5+00\n", nil, "2/2 rows=2 stored=2", []string{"/a", "/b"}, ""},
		{"CloudFront in JSON", `{"date":"2026-11-20","time":"10:00:00","x-edge-location":"FRA56-P4","c-ip":"192.0.2.1",` +
			`"cs-method":"GET","cs-uri-stem":"/a","sc-status":"200","cs(Referer)":"-","cs(User-Agent)":"` + escaped +
			`","x-host-header":"shop.example"}` + "\n{broken\n", nil, "1/2 rows=1 stored=1 malformed=1",
			[]string{"20T10:00:00.000 | screen_view | /a | browser=Firefox"}, ""},
		{"double escapes of CloudFront", "#Fields: date time x-edge-location c-ip cs-method cs-uri-stem cs-uri-query sc-status" +
			" cs(User-Agent)\n2026-11-20\t10:00:00\tFRA\t192.0.2.1\tGET\t/caf%25C3%25A9%25\tutm_source=a%2520b\t200\t" +
			escaped + "\n", nil, "1/1 rows=1 stored=1", []string{"/café%25 | from=a b"}, ""},
		{"CloudFront with times since 1970", "#Version: 1.0\n#Fields: timestamp(ms) x-edge-location c-ip cs-method cs-uri-stem" +
			" sc-status cs(User-Agent) cs-host\n1795168800123\tFRA\t192.0.2.1\tGET\t/a\t200\t" + escaped + "\tshop.example\n", nil,
			"1/1 rows=1 stored=1", []string{"20T10:00:00.123 | screen_view | /a"}, ""},
		{"real-time logs of CloudFront below a header", "#Fields: timestamp c-ip sc-status cs-method cs-host cs-uri-stem" +
			" x-edge-location cs-user-agent cs-referer c-country\n1795168800.5\t192.0.2.1\t200\tGET\tshop.example\t/a\tFRA\t" +
			escaped + "\thttps://news.example/\tDE\n", nil, "1/1 rows=1 stored=1",
			[]string{"20T10:00:00.500 | screen_view | /a | ref=https://news.example/ | from=news.example | browser=Firefox 132.0"}, ""},
		{"a log of IIS without its first lines", "#Fields: date time s-ip cs-method cs-uri-stem c-ip sc-status" +
			" cs(User-Agent)\n2026-11-20 10:00:00 10.0.0.4 GET /a 192.0.2.1 200 " +
			strings.ReplaceAll(firefox, " ", "+") + "\n", nil, "1/1 rows=1 stored=1",
			[]string{"20T10:00:00.000 | screen_view | /a | browser=Firefox 132.0"}, ""},
		{"a log of IIS without days", "#Fields: time cs-method cs-uri-stem c-ip sc-status\n" +
			"10:00:00 GET /a 192.0.2.1 200\n", nil, "0/1 rows=0 stored=0 malformed=1", nil, ""},
		{"a log of HAProxy without a user agent", "Nov 20 10:00:00 lb1 haproxy[1]: 192.0.2.1:99 " +
			"[20/Nov/2026:10:00:00.655] in shop/web1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 " +
			"\"GET / HTTP/1.1\"\n", nil, "0/0 rows=0 stored=0", nil, "capture.req.hdr(0)"},
		{"CSV with semicolons", "t;u;r\n2026-11-20;\"/a;b\";https://x.example/?a,b\n2026-11-20;/c\n", named,
			"1/2 rows=1 stored=1 malformed=1", []string{"/a;b | ref=https://x.example/"}, ""},
		{"CSV with tabs", "t\tu\tr\n2026-11-20\t\"/a\t\"\t\\N\n2026-11-20\t/b, c\t\\N\n", named,
			"2/2 rows=2 stored=2", []string{"/a | device", "/b, c"}, ""},
		{"a dump of another database", "--\n-- PostgreSQL database dump\n--\n" +
			"COPY public.users (id) FROM stdin;\n1\n\\.\n-- PostgreSQL database dump complete\n", nil,
			"0/1 rows=0 stored=0 malformed=1", nil, ""},
		{"a dump with INSERT", "-- PostgreSQL database dump\nINSERT INTO public.website_event VALUES ('e');\n", nil,
			"0/1 rows=0 stored=0 malformed=1", nil, ""},
		{"pages of Plausible", "date,hostname,page,visits,visitors,pageviews\n2026-11-20,shop.example,/,1,1,1\n", nil,
			"0/0 rows=0 stored=0", nil, "Plausible"},
		{"events of Plausible", "\"date\",\"name\",\"link_url\",\"path\",\"visitors\",\"events\"\n", nil,
			"0/0 rows=0 stored=0", nil, "Plausible"},
		{"properties of Umami", "website_id,session_id,event_id,url_path,event_name,data_key,string_value\n", nil,
			"0/0 rows=0 stored=0", nil, "website_event.csv"},
	} {
		w := newWorld(t)
		cfg := w.config()
		cfg.Map = c.columns
		report := w.run(t, cfg, text("f", c.content))
		if got := summary(report); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s\n%+v", c.why, got, c.want, report.Skipped)
		}
		if got := report.Sources[0].Problem; !strings.Contains(got, c.problem) || (got == "") != (c.problem == "") {
			t.Errorf("%s: problem %q, want %q", c.why, got, c.problem)
		}
		for i, want := range c.events {
			if i >= len(w.rows.Events) || !strings.Contains(shown(w.rows.Events[i]), want) {
				t.Errorf("%s: event %d of %d is not %q: %q", c.why, i, len(w.rows.Events), want, all(w))
				break
			}
		}
	}
}

func all(w *world) (shownEvents []string) {
	for _, e := range w.rows.Events {
		shownEvents = append(shownEvents, shown(e))
	}
	return shownEvents
}

// caddy returns a line of an access log of Caddy at a time in JSON.
func caddy(at string) string {
	return `{"level":"info","ts":` + at +
		`,"request":{"remote_ip":"192.0.2.1","method":"GET","host":"shop.example","uri":"/","headers":{"User-Agent":["` + firefox + `"]}},"status":200}` + "\n"
}

// TestAbsentVisitors imports ids that programs write for none: they do not make one visitor of all people.
func TestAbsentVisitors(t *testing.T) {
	w := newWorld(t)
	cfg := w.config()
	cfg.Map = map[string]string{"time": "t", "visitor": "v"}
	w.run(t, cfg, text("f", "t,url,v\n2026-11-20,/,\\N\n2026-11-20,/,undefined\n2026-11-20,/,null\n2026-11-20,/,0\n2026-11-20,/,real\n"))
	var got []bool
	for _, e := range w.rows.Events {
		got = append(got, e.AnonymousID != "")
	}
	if d := cmp.Diff([]bool{false, false, false, false, true}, got); d != "" {
		t.Error(d)
	}
}

// cityFile is a track.Geo that has a name for one region.
type cityFile struct{}

func (cityFile) Locate(netip.Addr) track.Location { return track.Location{} }

func (cityFile) Region(code string) string { return map[string]string{"DE-BE": "Land Berlin"}[code] }

// TestRegions imports regions as codes and as names: codes become the names that the tracker stores, if the GeoIP
// file has them.
func TestRegions(t *testing.T) {
	w := newWorld(t)
	cfg := w.config()
	cfg.Geo, cfg.Map = cityFile{}, map[string]string{"time": "t"}
	w.run(t, cfg, text("f", "t,url,country,region\n2026-11-20,/,de,DE-BE\n2026-11-20,/,DE,DE-BY\n2026-11-20,/,Germany,Hessen\n"))
	var got []string
	for _, e := range w.rows.Events {
		got = append(got, e.Country+" "+e.Region)
	}
	if d := cmp.Diff([]string{"DE Land Berlin", "DE DE-BY", "DE Hessen"}, got); d != "" {
		t.Error(d)
	}
}
