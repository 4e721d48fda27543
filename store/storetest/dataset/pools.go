package dataset

import (
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// veryLong is longer than any column of fixed width and any filter.
var veryLong = strings.Repeat("ünd so weiter ", 140)

// A pool is a list of texts to choose from. A text that occurs twice is chosen twice as often.
type pool []string

// origins lists referrers as sent, with the stored domain.
var origins = [][2]string{
	{"", ""}, {"", ""}, {"", ""}, {"(direct)", ""}, {"http://localhost:3000/x", ""},
	{"https://www.google.com/search?q=a%20b", "google.com"}, {"https://google.co.uk/", "google.com"},
	{"https://www.google.com:443/", "google.com"}, {"https://google.com.evil.example/", "google.com.evil.example"},
	{"https://notgoogle.com/", "notgoogle.com"}, {"https://l.facebook.com/l.php?u=x", "facebook.com"},
	{"https://t.co/abc", "x.com"}, {"https://news.ycombinator.com/item?id=1", "news.ycombinator.com"},
	{"https://mail.google.com/", "mail.google.com"}, {"https://chatgpt.com/", "chatgpt.com"},
	{"http://www.Blog.Example.org:8080/posts/1", "blog.example.org"}, {"https://example.org./", "example.org"},
	{"https://www.www.example.org/", "www.example.org"}, {"https://direct.example/", "direct.example"},
	{"https://bücher.example/", "xn--bcher-kva.example"},
	{"https://ὈΔΥΣΣΕΎΣ.example:8443/", "xn--pxac5babi3d8526a.example"},
	{"https://xn--mnchen-3ya.example/", "xn--mnchen-3ya.example"},
	{"https://calendar.google.com/", "calendar.google.com"}, {"https://keep.google.de/", "keep.google.de"},
	{"https://huggingface.co/chat/1", "huggingface.co/chat"}, {"https://huggingface.co/a/b", "huggingface.co"},
	{"android-app://com.openai.chatgpt", "chatgpt.com"},
}

// campaignSources lists campaign sources as stored, with their kinds. Some texts occur with several kinds, or
// look like hosts or names of listed sources.
var campaignSources = [][2]string{
	{"google.com", "paid"}, {"google.com", "search"}, {"chatgpt.com", "ai"}, {"facebook.com", "social"},
	{"x.com", "paid"},
	{"newsletter", "email"}, {"newsletter", "other"}, {"newsletter", "paid"}, {"spring mail 50%", "email"},
	{"example.org", "other"},
	{"blog.example.org", "social"}, {"a_b", "other"}, {"axb", "other"}, {"a/b?c=d#e", "other"},
	{"hacker news letter", "other"},
	{"größe", "other"}, {"it's \"q\"", "email"}, {"bücher.example", "other"}, {"direct mail", "email"},
}

var (
	paths = pool{
		"/", "/", "/", "/docs", "/docs", "/docs/intro", "/DOCS", "/pricing", "/pricing", "/100%", "/100x",
		"/a_b", "/axb", `/say-"hi"`, `/back\slash`, "/it's", "/über-uns", "/Über-uns", "/🎉", "/a b",
		// one letter, and a letter with combining dots
		"/%C3%BC", "/%2Fa%20b%FF", "/de/küche", "/de/küche", "/<b>&amp;", "/a//b", "/go/https:/x", "/line\u2028end",
		"/İẞΐΑΣ", "/\u00fc", "/u\u0308",
	}
	campaigns = pool{
		"", "", "", "", "news_letter", "newsXletter", "Spring 50%", "Spring 50x", "O'Brien", `a\b`, `"q"`,
		"sömmer", "🎁", "Newsletter", "newsletter", "tab\there", "two\nlines", "\u2028",
	}
	reasons    = pool{"bot", "bot", "bot", "origin", "address", "window", "key", "paused", "größe"}
	bots       = pool{"Googlebot", "Googlebot", "GPTBot", "curl", "", `it's "a\b" 100%`}
	eventNames = pool{
		"signup", "signup", "Signup", "purchase", "add_to_cart", "addXto_cart", "50%", `quo"te`, "größe", "🎉",
		"screen_view", "page_exit", "it's", `b\s`, "tab\tand\nline", "\x01\b\f\x1f\x7f", "sep\u2028\u2029", "İẞΐΣ",
		`\u2028\\u2029`,
	}
	// A page event with the name screen_view would be a pageview, so it is not listed.
	pageEventNames = pool{"signup", "Signup", "purchase", "add_to_cart", "50%", "größe"}
	dollarNames    = pool{"$flag", "$identify", "$"}
	// Targets of clicks. Some have no host.
	hrefs = pool{
		`https://other.example/?q="a"&b=<c>`, "https://other.example/", "https://www.Other.example:443/a",
		"http://other.example",
		"https://other.example./a", "https://www.www.example.org/", "https://www.example.org",
		"https://example.org/ü#f",
		"//cdn.example.org:8080/x", "HTTPS://User:pw@EXAMPLE.org/a@b", "https://example.org?next=https://evil.example/",
		"ftp://files.example.org/a",
		"mailto:anna@example.org", "tel:+491234", "javascript:void(0)", "/relative//path", "market://details?id=x",
		"http://[::1]:8080/",
		"https://bücher.example/100%", "https://BÜCHER.example", "http://10.0.0.1:80", "example.org/no-scheme",
		"https://İSTANBUL.example:8080/ẞ", "https://ΌΔΟΣ.example", "https://tab\there.example/a\nb",
		"https://sep\u2028.example/",
		"https://long.example/" + veryLong,
	}
	linkTexts = pool{"", "", "go 🎉", "Read more", "Read more", "read more", `"x" & \y`, "50%", "two\r\nlines",
		"sep\u2028"}
	namespaces = pool{"", "", "app", "App", "app_1", "appX1", "a\tp", `a\tp`}
	visitors   = pool{"anna", "ben", "carl", "Carl", "dörte", "o'neil", `e"ve`, "f_x", "fyx", "g%", "🦊", "h", "i", "j",
		"k", "l\tm", "n\no", `n\no`}
	profiles    = pool{"user-1", "user-2", "User-1", "user_3", "userX3", "anna", "ü", "u\t", "\u2029"}
	languages   = pool{"", "de", "de-DE", "en-US", "en-us", "fr"}
	zonesOfRows = pool{"", "Europe/Berlin", "Asia/Kathmandu", "America/New_York"}
	screens     = pool{"", "1920x1080", "390x844", "800x600"}
	messages    = pool{
		"boom", "boom", "Boom", "x is not a function", `can't read "a"`, `path\to`, "100%", "100x", "größer 🎉", "",
		"<script>",
		"at a.js:1\n\tat b.js:2", `at a.js:1\n\tat b.js:2`, "İẞΐ", "soh\x01l", "\ufeffbom\u200b", "long " + veryLong,
		"long " + veryLong + "!",
	}
	errorTypes = pool{"", "Error", "TypeError", "typeerror", "Range_Error", "RangeXError"}
	regions    = pool{"eu", "eu", "us", "us%", "ünter", "e\tu", `e\tu`}
	idStarts   = pool{"a", "A", "b", "é", "Z", "_", "0", "🎉", "%", `"`, "\t", `\`, "'", "\u2028", "e\u0301"}
	metricsOf  = pool{"FCP", "LCP", "CLS", "INP", "TTFB", "FPS", "LCP", "CLS"}
)

// places lists country, region and city. Region or city may be missing.
var places = [][3]string{
	{"DE", "Bavaria", "München"}, {"DE", "Bavaria", "Munchen"}, {"DE", "Berlin", "Berlin"}, {"DE", "", ""},
	{"XK", "", "Prishtina"}, {"CZ", "", ""}, {"VN", "", ""},
	{"FR", "Île-de-France", "Paris"}, {"US", "New York", "New York"}, {"US", "Missouri", "O'Fallon"},
	{"US", "Texas", "Paris"}, {"GB", "England", "London"}, {"CI", "", ""}, {"AX", "", ""}, {"TR", `Re"gion`, ""},
	{"CL", "", "Santiago"}, {"KR", "Seoul", `S\eoul`}, {"CW", "100%", "a_b"}, {"", "", ""}, {"", "", ""},
}

// agents lists matching browsers, operating systems and devices.
var agents = []store.Agent{
	{BrowserName: "Chrome", BrowserVersion: "124.0", OSName: "Windows", OSVersion: "10", DeviceType: "desktop"},
	{BrowserName: "Chrome", BrowserVersion: "9.0", OSName: "Android", OSVersion: "14", DeviceType: "mobile"},
	{BrowserName: "Chrome", BrowserVersion: "124.0", OSName: "Android", OSVersion: "", DeviceType: "tablet"},
	{BrowserName: "Safari", BrowserVersion: "17.4", OSName: "iOS", OSVersion: "17.4", DeviceType: "mobile"},
	{BrowserName: "Safari", BrowserVersion: "17.4", OSName: "macOS", OSVersion: "14", DeviceType: "desktop"},
	{BrowserName: "Firefox", BrowserVersion: "125.0", OSName: "Linux", OSVersion: "", DeviceType: "desktop"},
	{BrowserName: "Samsung Internet", BrowserVersion: "25", OSName: "Android", OSVersion: "14", DeviceType: "mobile"},
	{BrowserName: "Edge", BrowserVersion: "124", OSName: "Windows", OSVersion: "11", DeviceType: "desktop"},
	{BrowserName: "", BrowserVersion: "", OSName: "", OSVersion: "", DeviceType: "smarttv"},
	{BrowserName: "Opera", BrowserVersion: "", OSName: "ChromeOS", OSVersion: "", DeviceType: "console"},
	{DeviceType: "wearable"}, {DeviceType: "embedded"}, {DeviceType: "xr", BrowserName: "Chrome"},
	{DeviceType: "mobile", BrowserName: "İnternet ẞ", BrowserVersion: "1\t2", OSName: "ΛΕΙΤΟΥΡΓΙΚΌΣ",
		OSVersion: `1\t2`},
	{},
}

// zones lists the time zones of questions.
var zones = pool{
	"UTC", "UTC", "Asia/Kathmandu", "Asia/Kathmandu", "America/New_York", "America/New_York", "Europe/Berlin",
	"Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "America/Santiago", "Africa/Cairo",
	"Pacific/Apia", "Pacific/Chatham", "America/Havana", "Antarctica/Troll", "Antarctica/Casey", "Africa/Casablanca",
	"Asia/Kolkata", "Pacific/Kiritimati", "Etc/GMT+12", "Africa/Monrovia",
}

// An era is a period of a few days with a clock change in a zone.
type era struct{ zone, date string }

var eras = []era{
	{"America/New_York", "2023-11-05"}, {"America/New_York", "2024-03-10"}, {"America/Santiago", "2022-09-11"},
	{"America/Santiago", "2023-04-02"}, {"America/St_Johns", "2010-11-07"}, {"America/St_Johns", "2011-03-13"},
	{"Australia/Lord_Howe", "2024-04-07"}, {"Australia/Lord_Howe", "2024-10-06"}, {"Pacific/Apia", "2011-12-30"},
	{"Europe/Berlin", "2023-10-29"}, {"Europe/Berlin", "2024-03-31"}, {"Africa/Cairo", "2024-04-26"},
	{"Africa/Cairo", "2023-10-27"}, {"Asia/Kathmandu", "2024-02-29"}, {"Antarctica/Troll", "2024-10-27"},
	{"Antarctica/Casey", "2010-03-05"}, {"America/Havana", "2024-11-03"}, {"UTC", "2023-12-31"},
	{"Asia/Kathmandu", "1986-01-01"}, {"Africa/Monrovia", "1972-01-07"},
}
