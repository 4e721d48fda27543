package track

import (
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/store"
)

const (
	oppo     = "Mozilla/5.0 (Linux; Android 15; CPH2579 Build/AP3A.240617.008; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0.7390.122 Mobile Safari/537.36"
	facebook = "[FBAN/FB4A;FBAV/560.0.0.1.1;FBDV/SM-A536B;FBSV/16;FBOP/1;]"
)

func TestPhonesAreCounted(t *testing.T) {
	for ua, want := range map[string]store.Agent{
		oppo: {BrowserName: "Chrome", BrowserVersion: "141.0.7390.122", OSName: "Android",
			OSVersion: "15", DeviceType: "mobile"},
		oppo + " MetaIAB Facebook": {BrowserName: "Chrome", BrowserVersion: "141.0.7390.122", OSName: "Android",
			OSVersion: "15", DeviceType: "mobile"},
		oppo + " Viber/21.5.0.3": {BrowserName: "Chrome", BrowserVersion: "141.0.7390.122", OSName: "Android",
			OSVersion: "15", DeviceType: "mobile"},
		facebook: {BrowserName: "Facebook", BrowserVersion: "560.0.0.1.1", OSName: "Android",
			OSVersion: "16", DeviceType: "mobile"},
		"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36": {
			BrowserName: "Chrome", BrowserVersion: "87.0.4280.88", OSName: "webOS", DeviceType: "smarttv"},
	} {
		var w world
		a := w.post(t, "/batch?client_id=w1", "["+pageview+"]", "User-Agent", ua)
		if rows := w.rows().Events; len(rows) != 1 || rows[0].Agent != want {
			t.Errorf("%s: %s\n got %+v\nwant %+v", ua, a.raw, rows, want)
		}
	}
}

// TestPrograms checks that programs are ignored without a key and counted with one.
func TestPrograms(t *testing.T) {
	for _, ua := range []string{
		"okhttp/4.12.0", "axios/1.7.2", "Go-http-client/1.1", "curl/8.4.0", "node", "undici", "Dart/3.2 (dart:io)",
		"Shop/12 CFNetwork/1490.0.4 Darwin/23.2.0",
		"python-requests/2.31.0", "Java/17.0.9", "PHP/8.2", "Ruby", "PostmanRuntime/7.36.0", "Wget/1.21.3",
		"shop-importer/2.3",
	} {
		var w world
		if a := w.post(t, "/track?website_id=w1", custom, "User-Agent", ua); a.body["status"] != "ignored" ||
			len(w.rows().Events) != 0 {
			t.Errorf("%s without a key: %s", ua, a.raw)
		}
		if a := w.post(t, "/track?website_id=w1", custom, "User-Agent", ua, "Authorization",
			"Bearer all"); a.body["status"] != "success" || len(w.rows().Events) != 1 {
			t.Errorf("%s with a key: %s", ua, a.raw)
		}
	}
}

func TestBotsHaveNames(t *testing.T) {
	headless := []string{"User-Agent", chrome, "Sec-CH-UA", `"HeadlessChrome";v="130", "Chromium";v="130"`}
	for name, headers := range map[string][]string{
		"Cypress":        {"User-Agent", chrome + " Cypress/13.6.0"},
		"okhttp":         {"User-Agent", "okhttp/4.12.0"},
		"program":        {"User-Agent", "shop-importer/2.3"},
		"HeadlessChrome": headless,
	} {
		var w world
		h, ok := w.handler(t).(*Handler)
		if !ok {
			t.Fatal("no Handler")
		}
		w.post(t, "/?client_id=w1", pageview, headers...)
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if b := w.rows().Blocked; len(b) != 1 || b[0].Reason != "bot" || b[0].Bot != name {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// TestClientHints checks that the same user agent with other hints is another browser.
func TestClientHints(t *testing.T) {
	var w world
	for _, c := range []struct{ brands, platform, mobile, browser, system, device string }{
		{"", "", "", "Chrome", "Windows", "desktop"},
		{`"Chromium";v="130", "Brave";v="130", "Not?A_Brand";v="99"`, `"Windows"`, "?0", "Brave", "Windows", "desktop"},
		{`"Chromium";v="130", "DuckDuckGo";v="130"`, "", "", "DuckDuckGo", "Windows", "desktop"},
		{`"Chromium";v="130", "Opera GX";v="115"`, "", "", "Opera", "Windows", "desktop"},
		{`"Chromium";v="130", "Microsoft Edge";v="130"`, "", "", "Edge", "Windows", "desktop"},
		{`"Chromium";v="130", "Google Chrome";v="130"`, `"Android"`, "?1", "Chrome", "Android", "mobile"},
		{`"Chromium";v="130", "Google Chrome";v="130"`, `"Android"`, "?0", "Chrome", "Android", "tablet"},
		{strings.Repeat(`"Brave";v="1", `, 1000), "", "", "Chrome", "Windows", "desktop"},
		{"", "", "", "Chrome", "Windows", "desktop"},
	} {
		w.written = nil
		w.post(t, "/?client_id=w1", pageview, "Sec-CH-UA", c.brands, "Sec-CH-UA-Platform", c.platform,
			"Sec-CH-UA-Mobile", c.mobile)
		rows := w.rows().Events
		if len(rows) != 1 {
			t.Fatalf("%+v: %d rows", c, len(rows))
		}
		if a := rows[0].Agent; a.BrowserName != c.browser || a.OSName != c.system || a.DeviceType != c.device {
			t.Errorf("%+v: got %+v", c, a)
		}
	}
}
