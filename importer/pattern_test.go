package importer_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/sightline-analytics/sightline/importer"
)

// zone returns a time zone.
func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestLogFormats imports one line by its form in the notation of nginx or Apache.
func TestLogFormats(t *testing.T) {
	const common = "20T10:00:00.000 | screen_view | /a | "
	const browser = "browser=Firefox 132.0 | os=Linux | device=desktop"
	const referrer = "ref=https://x.example/ | from=x.example | "
	for _, c := range []struct {
		why, form, line string
		columns         map[string]string
		want            string // the event; empty means that the line is refused with this reason
		reason          importer.Reason
	}{
		{"nginx", `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" ` +
			`"$http_user_agent" "$http_x_forwarded_for"`, `192.0.2.1 - John Smith [20/Nov/2026:10:00:00 +0000] ` +
			`"GET /a?x=\x22 HTTP/2.0" 200 5 "https://x.example/" "` + firefox + `" "-"`, nil,
			common + referrer + browser, ""},
		{"nginx with other times", "${time_iso8601}|$http_host|$request_method|$request_uri|$status|$remote_addr|" +
			"$http_user_agent", "2026-11-20T11:00:00+01:00|shop.example|GET|/a?b|200|192.0.2.1|" + firefox, nil,
			common + browser, ""},
		{"nginx with seconds", `$msec $host "$uri$is_args$args" $status $remote_addr "$http_user_agent"`,
			`1795168800.000 shop.example "/a?b" 200 192.0.2.1 "` + firefox + `"`, nil, common + browser, ""},
		{"another host", `$msec $host "$uri" $status $remote_addr "$http_user_agent"`,
			`1795168800.000 other.example "/a" 200 192.0.2.1 "` + firefox + `"`, nil, "", importer.OtherHost},
		{"an asset without a method", `$msec "$uri" $status $remote_addr "$http_user_agent"`,
			`1795168800.000 "/a.css" 200 192.0.2.1 "` + firefox + `"`, nil, "", importer.Asset},
		{"a proxy's header instead of the address", `$remote_addr "$http_x_real_ip" [$time_local] "$request" $status ` +
			`"$http_user_agent"`, `- "192.0.2.1" [20/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 "` + firefox + `"`,
			map[string]string{"address": "$http_x_real_ip"}, common + browser, ""},
		{"Apache", `%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\"`, `192.0.2.1 - - ` +
			`[20/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "https://x.example/" ` +
			`"Mozilla/5.0 \"x\" (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"`, nil,
			common + referrer + browser, ""},
		{"Apache with conditions and parts", `%v:%p %{c}a "%m %U%q %H" %!200,304>s [%{%Y-%m-%d %H:%M:%S %z}t] ` +
			`"%{User-Agent}i" 100%%`, `shop.example:443 192.0.2.1 "GET /a?b HTTP/1.1" 200 ` +
			`[2026-11-20 11:00:00 +0100] "` + firefox + `" 100%`, nil, common + browser, ""},
		{"a time without a zone", `%h [%{%d/%b/%Y %T}t] "%r" %s "%{User-Agent}i"`, `192.0.2.1 [20/Nov/2026 11:00:00] ` +
			`"GET /a HTTP/1.1" 200 "` + firefox + `"`, nil, common + browser, ""},
		{"a time in microseconds", `%h %{usec}t "%r" %s "%{User-Agent}i"`, `192.0.2.1 1795168800000000 ` +
			`"GET /a HTTP/1.1" 200 "` + firefox + `"`, nil, common + browser, ""},
		{"no request", `%h %t "%r" %s "%{User-Agent}i"`, `192.0.2.1 [20/Nov/2026:10:00:00 +0000] "-" 408 "` + firefox +
			`"`, nil, "", importer.Method},
		{"a line that was cut", `%h %t "%r" %s "%{User-Agent}i"`, `192.0.2.1 [20/Nov/2026:10:00:00 +0000] "GET /a HT`,
			nil, "", importer.Malformed},
		{"more than the form", `%h %t "%r" %s "%{User-Agent}i"`, `192.0.2.1 [20/Nov/2026:10:00:00 +0000] ` +
			`"GET /a HTTP/1.1" 200 "` + firefox + `" more`, nil, "", importer.Malformed},
	} {
		w := newWorld(t)
		cfg := w.config()
		cfg.LogFormat, cfg.Map, cfg.TimeZone = c.form, c.columns, zone(t, "Europe/Berlin")
		report := w.run(t, cfg, text("f", c.line+"\n"))
		got, reason := strings.Join(all(w), "\n"), importer.Reason("")
		if len(report.Skipped) > 0 {
			reason = report.Skipped[0].Reason
		}
		if got != c.want || reason != c.reason || report.Records != 1 {
			t.Errorf("%s:\n got %s %s\nwant %s %s\n%+v", c.why, got, string(reason), c.want, string(c.reason), report)
		}
	}
}

// TestWrongLogFormats checks that a form without what a pageview needs is refused before any file is read.
func TestWrongLogFormats(t *testing.T) {
	const good = `%h %t "%r" %s "%{User-Agent}i"`
	for _, c := range []struct{ form, format, want string }{
		{good, "", ""},
		{good, "csv", "exclude each other"},
		{"status", "", "no variable"},
		{`%h "%r" %s "%{User-Agent}i"`, "", "no time"},
		{`%t "%r" %s "%{User-Agent}i"`, "", "no address of the client"},
		{`%h %t %s "%{User-Agent}i"`, "", "no address of the page"},
		{`%h %t "%r" "%{User-Agent}i"`, "", "no status"},
		{`%h %t "%r" %s`, "", "no user agent"},
		{`%h %{%j}t "%r" %s "%{User-Agent}i"`, "", "%j"},
	} {
		w := newWorld(t)
		cfg := w.config()
		cfg.LogFormat, cfg.Format = c.form, c.format
		_, err := importer.Run(t.Context(), cfg, nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.form, err, c.want)
		}
	}
}

// TestTimeZones imports times without a zone, and with one, on days when clocks change.
func TestTimeZones(t *testing.T) {
	w := newWorld(t)
	cfg := w.config()
	cfg.Map, cfg.TimeZone = map[string]string{"time": "t", "url": "u"}, zone(t, "Europe/Berlin")
	w.run(t, cfg, text("f", "t,u\n2026-07-01 12:00:00,/a\n2026-10-25 03:30:00,/b\n2026-11-20,/c\n"+
		"2026-11-20T12:00:00Z,/d\n2026-11-20T12:00:00+03:00,/e\n1795168800,/f\n"))
	var got []string
	for _, e := range w.rows.Events {
		got = append(got, e.Time.Format("01-02T15:04")+e.Path)
	}
	want := "07-01T10:00/a 10-25T02:30/b 11-19T23:00/c 11-20T09:00/e 11-20T10:00/f 11-20T12:00/d"
	if len(got) != 6 || !sameWords(strings.Join(got, " "), want) {
		t.Errorf("got %v, want %s", got, want)
	}
}

// sameWords reports whether two texts have the same words in any order.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, word := range strings.Fields(a) {
		count[word]++
	}
	for _, word := range strings.Fields(b) {
		count[word]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
