package importer_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/importer"
)

// TestFormats imports a small file of each format, whose format is recognised, and compares the totals and some events
// with those that a person counted.
func TestFormats(t *testing.T) {
	const (
		chrome = " | browser=Chrome 130.0.0.0 | os=Windows | device=desktop"
		umami  = " | browser=Chrome  | os=Windows | device=desktop | place=DE | lang=en-US | screen=1920x1080"
		berlin = " | browser=Chrome  | os=Windows | device=desktop | place=DEDE-BEBerlin | lang=en-US" +
			" | screen=1920x1080"
		posthog = " | browser=Chrome 130 | os=Windows | device=desktop | place=DELand BerlinBerlin | lang=de-DE" +
			" | screen=1920x1080"
		matomo = " | browser=Firefox 130.0 | os=Linux | device=desktop | place=FRÎle-de-FranceParis | lang=fr" +
			" | screen=1920x1080"
	)
	for _, c := range []struct {
		file, format   string
		columns        map[string]string
		report, people string
		events         map[int]string // by position
	}{
		{"iis.log", "w3c", nil, "3/8 rows=3 stored=3 malformed=1 method=1 asset=1 other_host=1 bot=1",
			"views=3 others=0 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.000 | screen_view | / | ref=https://www.google.com/ | from=google.com |" +
					" utm=mailemail" + chrome,
				1: "20T10:01:00.000 | screen_view | /preise.aspx | ref=https://shop.example/" + chrome,
				2: "20T11:00:00.000 | screen_view | /a | browser=Safari 17.5 | os=iOS | device=mobile",
			}},
		{"w3c.log", "w3c", nil, "2/3 rows=2 stored=2 asset=1", "views=2 others=0 visitors=2 sessions=2",
			map[int]string{
				0: "20T10:00:00.000 | screen_view | /w3c" + chrome,
			}},
		{"alb.log", "alb", nil, "2/7 rows=2 stored=2 malformed=1 method=1 status=1 asset=1 other_host=1",
			"views=2 others=0 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.186 | screen_view | /alb | from=mail | kind=other | utm=mail" + chrome,
				1: `20T10:00:02.000 | screen_view | /say-"hi" | browser=Safari 17.5 | os=iOS | device=mobile`,
			}},
		{"s3.log", "s3", nil, "4/9 rows=4 stored=3 repeated=1 malformed=1 method=1 status=1 asset=1 other_kind=1",
			"views=4 others=0 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.000 | screen_view | / | ref=https://duckduckgo.com/ | from=duckduckgo.com" + chrome,
				2: "20T10:00:10.000 | screen_view | /about.html" + chrome,
				3: "20T10:01:00.000 | screen_view | / | browser=Safari 17.5 | os=iOS | device=mobile",
			}},
		{"haproxy.log", "haproxy", map[string]string{"host": "capture.req.hdr(0)", "referrer": "capture.req.hdr(1)",
			"user_agent": "capture.req.hdr(2)"}, "2/6 rows=2 stored=2 malformed=1 method=1 asset=1 other_kind=1",
			"views=2 others=0 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.655 | screen_view | /ha | ref=https://www.bing.com/ | from=bing.com" + chrome,
				1: "20T10:00:20.000 | screen_view | /h2 | browser=Safari 17.5 | os=iOS | device=mobile",
			}},
		{"traefik.log", "combined", nil, "1/3 rows=1 stored=1 asset=1 no_agent=1",
			"views=1 others=0 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.000 | screen_view | /tf | ref=https://t.co/x | from=x.com" + chrome,
			}},
		{"traefik.json", "traefik", nil, "2/5 rows=2 stored=2 asset=1 other_host=1 other_kind=1",
			"views=2 others=0 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.500 | screen_view | /tj | ref=https://duckduckgo.com/ | from=duckduckgo.com" + chrome,
				1: "20T10:01:00.000 | screen_view | /two | ref=https://shop.example/ | browser=Safari 17.5 | os=iOS" +
					" | device=mobile",
			}},
		{"nginx.log", "combined", nil,
			"5/15 rows=5 stored=5 malformed=1 method=2 status=2 asset=1 bot=1 no_agent=1 time=2",
			"views=5 others=0 visitors=4 sessions=4", map[int]string{
				0: "20T23:50:00.000 | screen_view | / | ref=https://www.google.com/search | from=google.com | browser=Chrome 130.0.0.0 | os=Windows | device=desktop",
				1: "21T00:10:00.000 | screen_view | /café | ref=https://shop.example/ | browser=Chrome 130.0.0.0 | os=Windows | device=desktop",
				3: "20T23:51:00.000 | screen_view | /phone | from=newsletter | kind=email | utm=newsletteremail | browser=Safari 17.5 | os=iOS | device=mobile",
				4: `21T00:00:00.000 | screen_view | /say-"hi" | browser=Chrome 130.0.0.0 | os=Windows | device=desktop`,
			}},
		{"apache.log", "combined", nil, "2/3 rows=2 stored=2 other_host=1", "views=2 others=0 visitors=2 sessions=2",
			map[int]string{
				0: "20T15:00:00.000 | screen_view | /a | ref=http://news.example/x | from=news.example | browser=Chrome 130.0.0.0 | os=Windows | device=desktop",
				1: `20T15:00:02.000 | screen_view | /"q" | browser=Safari 17.5 | os=iOS | device=mobile`,
			}},
		{"caddy.log", "caddy", nil, "2/5 rows=2 stored=2 malformed=1 asset=1 other_kind=1",
			"views=2 others=0 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.250 | screen_view | /caddy | ref=https://duckduckgo.com/ | from=duckduckgo.com | browser=Chrome 130.0.0.0 | os=Windows | device=desktop",
			}},
		{"cloudfront.log", "cloudfront", nil, "2/4 rows=2 stored=2 malformed=1 asset=1",
			"views=2 others=0 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.000 | screen_view | /cf | ref=https://www.bing.com/ | from=bing.com | utm=x y | browser=Chrome 130.0.0.0 | os=Windows | device=desktop",
				1: "20T10:00:06.000 | screen_view | /m | browser=Safari 17.5 | os=iOS | device=mobile",
			}},
		{"cloudflare.json", "cloudflare", nil, "3/4 rows=3 stored=2 repeated=1 asset=1",
			"views=3 others=0 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.000 | screen_view | /cfl | ref=https://t.co/x | from=x.com | browser=Chrome 130.0.0.0 | os=Windows | device=desktop | place=DE",
				1: "20T10:01:00.000 | screen_view | /two | browser=Chrome 130.0.0.0 | os=Windows | device=desktop | place=DE",
			}},
		{"umami.csv", "umami", nil, "4/6 rows=4 stored=4 malformed=1 other_kind=1",
			"views=3 others=1 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.000 | screen_view | / | title=Home, sweet \"home\"of all | ref=https://google.com/search | from=google.com | browser=Chrome  | os=Windows | device=desktop | place=DEDE-BEBerlin | lang=en-US | screen=1920x1080",
				1: "20T10:01:00.000 | screen_view | /pricing | title=Pricing | from=mail | kind=other | utm=mail | browser=Chrome  | os=Windows | device=desktop | place=DEDE-BEBerlin | lang=en-US | screen=1920x1080",
				2: "20T10:02:00.000 | signup | /pricing | title=Pricing | browser=Chrome  | os=Windows | device=desktop | place=DEDE-BEBerlin | lang=en-US | screen=1920x1080 | profile=user-7",
				3: "20T11:00:00.000 | screen_view | / | title=Home | browser=Safari  | os=iOS | device=mobile | place=AT | lang=de | screen=390x844",
			}},
		{"umami1-pageview.csv", "umami1", nil, "2/3 rows=2 stored=2 malformed=1",
			"views=2 others=0 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.123 | screen_view | /v1 | ref=https://www.google.com/ | from=google.com" +
					" | utm=mail" + umami,
				1: "20T10:01:00.000 | screen_view | /v1/two" + umami,
			}},
		{"umami1-event.csv", "umami1", nil, "1/2 rows=1 stored=1 malformed=1",
			"views=0 others=1 visitors=1 sessions=1", map[int]string{
				0: `20T10:02:00.000 | signup-button | /v1/two | device=desktop | props={"type":"click"}`,
			}},
		{"umami-dump.sql", "umami-dump", nil, "2/4 rows=2 stored=2 malformed=1 other_host=1",
			"views=1 others=1 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.250 | screen_view | /dump | title=Taband \\ slash | ref=https://google.com/search" +
					" | from=google.com | utm=mail" + berlin,
				1: "20T10:01:00.000 | signup | /dump | title=Dump" + berlin,
			}},
		{"umami-mysql.sql", "umami-mysql", nil, "2/4 rows=2 stored=2 malformed=1 other_host=1",
			"views=1 others=1 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.000 | screen_view | /dump | title=It's (1), \\ and 'two' | ref=https://google.com/search" +
					" | from=google.com | utm=mail" + berlin,
				1: "20T10:01:00.000 | signup | /dump | title=Dump" + berlin,
			}},
		{"posthog.jsonl", "posthog", nil, "3/6 rows=3 stored=3 malformed=1 other_host=1 other_kind=1",
			"views=2 others=1 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.250 | screen_view | /ph | title=PH | from=mail | kind=other | utm=mail" + posthog,
				1: "20T10:00:02.000 | signup | /ph" + posthog + ` | profile=ada | props={"plan":"pro","seats":3}`,
				2: "20T10:00:04.000 | screen_view | /two | ref=https://duckduckgo.com/ | from=duckduckgo.com" + posthog,
			}},
		{"posthog.csv", "posthog-csv", nil, "3/6 rows=3 stored=3 malformed=1 other_host=1 other_kind=1",
			"views=2 others=1 visitors=1 sessions=1", map[int]string{
				0: "20T10:00:00.250 | screen_view | /ph | title=PH | from=mail | kind=other | utm=mail" + posthog,
				1: "20T10:00:02.000 | signup | /ph" + posthog + ` | profile=ada | props={"plan":"pro","seats":3}`,
				2: "20T10:00:04.000 | screen_view | /two | ref=https://duckduckgo.com/ | from=duckduckgo.com" + posthog,
			}},
		{"goatcounter.csv", "goatcounter", nil, "5/6 rows=5 stored=5 bot=1", "views=4 others=1 visitors=3 sessions=3",
			map[int]string{
				0: "20T10:00:00.000 | screen_view | / | title=Home | ref=https://www.google.com | from=google.com | browser=Firefox 130 | os=Windows | device=desktop | place=USUS-TX | screen=1920x1080",
				1: "20T10:05:00.000 | screen_view | /docs | title=Docs | ref=https://news.ycombinator.com | from=news.ycombinator.com | browser=Firefox 130 | os=Windows | device=desktop | place=USUS-TX | screen=1920x1080",
				2: "20T10:06:00.000 | signup |  | browser=Firefox 130 | os=Windows | device=desktop | place=USUS-TX | screen=1920x1080",
				3: "20T11:00:00.000 | screen_view | / | title=Home | from=summer | kind=other | utm=summer | browser=Safari 17.5 | os=iOS | device=mobile | place=DE | screen=390x844",
				4: "20T12:30:00.000 | screen_view | / | title=Home | browser=Yandex Browser 24 | os=HarmonyOS | device=desktop | place=RU",
			}},
		{"matomo.json", "matomo", nil, "2/3 rows=8 stored=8 malformed=1 other_kind=1",
			"views=2 others=6 visitors=2 sessions=2", map[int]string{
				0: "20T10:00:00.000 | screen_view | /a | title=A | ref=https://www.google.com/ | from=google.com | browser=Firefox 130.0 | os=Linux | device=desktop | place=FRÎle-de-FranceParis | lang=fr | screen=1920x1080 | load=512",
				1: "20T10:00:30.000 | add | /a" + matomo + ` | props={"category":"cart","name":"socks","value":2}`,
				2: "20T10:00:40.000 | https://partner.example/ | " + matomo,
				3: "20T10:00:50.000 | search | " + matomo +
					` | props={"category":"shop","keyword":"wool socks","results":12}`,
				4: "20T10:01:00.000 | Newsletter | /thanks" + matomo + ` | props={"revenue":2.5}`,
				5: "20T10:01:10.000 | order | " + matomo + ` | props={"discount":0,"items":2,"order_id":"A-17",` +
					`"revenue":119,"shipping":0,"subtotal":100,"tax":19}`,
				6: "20T10:01:20.000 | abandoned_cart | " + matomo + ` | props={"items":1,"revenue":50}`,
				7: "20T11:00:00.000 | screen_view | / | title=Quote \" and [bracket] | from=spring | kind=other" +
					" | utm=springspring | browser=Chrome  | os=Android | device=mobile",
			}},
		{"own.jsonl", "json", map[string]string{"time": "when.at", "url": "page", "address": "ip", "user_agent": "ua",
			"profile": "who", "name": "event", "properties": "props"},
			"2/3 rows=2 stored=2 malformed=1", "views=1 others=1 visitors=1 sessions=1", map[int]string{
				0: `20T10:00:00.000 | screen_view | /j | browser=Chrome 130.0.0.0 | os=Windows | device=desktop | profile=u1 | props={"plan":"pro"}`,
				1: `20T10:01:00.000 | order | /j2 | browser=Chrome 130.0.0.0 | os=Windows | device=desktop | props={"total":42.5}`,
			}},
		{"own.csv", "csv", map[string]string{"time": "day", "url": "page", "visitor": "visitor_key"},
			"3/3 rows=3 stored=3", "views=3 others=0 visitors=1 sessions=2", nil},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			sources, err := importer.Files(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			cfg := w.config()
			cfg.Map = c.columns
			if c.format == "haproxy" {
				cfg.Format, cfg.TimeZone = c.format, zone(t, "Europe/Berlin")
			}
			report := w.run(t, cfg, sources...)
			if got := report.Sources[0].Format; got != c.format {
				t.Errorf("recognised as %q, want %q: %s", got, c.format, report.Sources[0].Problem)
			}
			if got := summary(report); got != c.report {
				t.Errorf("report:\n got %s\nwant %s\n%+v", got, c.report, report.Skipped)
			}
			if got := people(w.rows.Events); got != c.people {
				t.Errorf("people:\n got %s\nwant %s", got, c.people)
			}
			for _, i := range slices.Sorted(maps.Keys(c.events)) {
				if i < len(w.rows.Events) && shown(w.rows.Events[i]) != c.events[i] {
					t.Errorf("event %d:\n got %s\nwant %s", i, shown(w.rows.Events[i]), c.events[i])
				}
			}
		})
	}
}

// TestNoAddressIsStored looks for addresses, user agents and secrets of queries in all texts of imported rows, in the
// file of progress, and in the ids that a reader could guess.
func TestNoAddressIsStored(t *testing.T) {
	w := newWorld(t)
	cfg := w.config()
	cfg.Progress = filepath.Join(t.TempDir(), "progress")
	sources, err := importer.Files("testdata/*.log")
	if err != nil {
		t.Fatal(err)
	}
	w.run(t, cfg, sources...)
	progress, err := os.ReadFile(cfg.Progress)
	if err != nil {
		t.Fatal(err)
	}
	all := string(progress)
	for _, e := range w.rows.Events {
		if !e.Keyed {
			t.Errorf("%s is stored as sent without a key: senders could take its id", shown(e))
		}
		all += shown(e) + " " + e.ID + " " + e.AnonymousID + " " + e.SessionID + "\n"
	}
	for _, secret := range []string{"192.0.2.", "2001:db8", "Mozilla", "token", "private", `"secret"`} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is stored", secret)
		}
	}
	if len(w.rows.Events) == 0 {
		t.Error("no events")
	}
}

func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct{ why, content, want string }{
		{"the ZIP of Plausible", "PK\x03\x04..............imported_visitors_20260101_20261101.csv", "only totals"},
		{"a table of Plausible", "date,visitors,pageviews,bounces,visits,visit_duration\n2026-01-01,1,1,1,1,1\n",
			"only totals"},
		{"another ZIP", "PK\x03\x04access.log", "unpack it"},
		{"UTF-16", "\xff\xfe1\x009\x002\x00", "UTF-16"},
		{"another text", "Dear customer,\n", "no known format"},
		{"a damaged gzip header", "\x1f\x8b\xff\xff\xff", "ends too early"},
	} {
		w := newWorld(t)
		report := w.run(t, w.config(), text("f", c.content))
		if got := report.Sources[0].Problem; !strings.Contains(got, c.want) || report.Complete() ||
			report.Records != 0 {
			t.Errorf("%s: %q, want %q; complete: %t", c.why, got, c.want, report.Complete())
		}
	}
	w := newWorld(t)
	if report := w.run(t, w.config(), text("empty", "")); report.Sources[0].Problem != "" || !report.Complete() {
		t.Errorf("an empty file is a problem: %+v", report)
	}
}
