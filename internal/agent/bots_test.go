package agent

import (
	_ "embed"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"
)

//go:embed testdata/people.txt
var visits string

//go:embed testdata/robots.txt
var known string

// entries returns the lines of list without its comments.
func entries(list string) []string {
	var all []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

func TestRealVisitsAreNotBots(t *testing.T) {
	d, all := detector(t), entries(visits)
	if len(all) < 20_000 {
		t.Errorf("%d user agents, want 20 000 or more", len(all))
	}
	for _, ua := range all {
		if d.Bot(ua) {
			t.Errorf("a browser is reported as the bot %q: %s", d.Name(ua), ua)
		}
	}
}

// notRobots are user agents of people that the package of crawlers lists.
var notRobots = map[string]string{
	"Build/AP3A.240617.008":      "the web view of Instagram on an OPPO phone with Android 15",
	"MetaIAB Facebook":           "the web view of the Facebook app",
	"Fluid/0.9.6":                "a website that its visitor made an app of",
	"Code/1.115.0 Chrome/142.0":  "the browser in the editor Visual Studio Code",
	"Trae/1.107.1 Chrome/142.0.": "the browser in the editor Trae",
}

func TestKnownRobots(t *testing.T) {
	d, all, missed := detector(t), entries(known), 0
	unused := map[string]bool{}
	for text := range notRobots {
		unused[text] = true
	}
	for _, ua := range all {
		if d.Bot(ua) {
			continue
		}
		missed++
		listed := false
		for text := range notRobots {
			if strings.Contains(ua, text) {
				listed = true
				delete(unused, text)
			}
		}
		if !listed {
			t.Errorf("a bot is not reported: %s", ua)
		}
	}
	if len(all) < 2000 || missed*100 > len(all) {
		t.Errorf("%d of %d bots are not reported, want at most 1 %%", missed, len(all))
	}
	for text := range unused {
		t.Errorf("the exception %q (%s) is not needed", text, notRobots[text])
	}
}

// TestNamesOfRobotsInBrowsersOfPeople uses browsers whose user agents contain a name that a robot has, too, such
// as the name of an app or of a device maker.
func TestNamesOfRobotsInBrowsersOfPeople(t *testing.T) {
	d := detector(t)
	view := "Mozilla/5.0 (Linux; Android 14; SM-A125F; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0.7390.122 Mobile Safari/537.36"
	oppo := strings.Replace(view, "Android 14; SM-A125F", "Android 15; CPH2579 Build/AP3A.240617.008", 1)
	people := []string{
		oppo, oppo + " MetaIAB Facebook", view + " Viber/21.5.0.3", galaxy +
			"Chrome/120.0.0.0 Mobile Safari/537.36 SogouMSE,SogouMobileBrowser/12.1.2",
		"Mozilla/5.0 (Linux; Android 11; ViewSonic IFP6550) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Linux; Android 5.1; WIKO Fever) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/95.0.0.0 Mobile Safari/537.36",
		win + "Code/1.96.2 Chrome/128.0.6613.186 Electron/32.2.6 Safari/537.36", win +
			"Trae/1.2.0 Chrome/132.0.0.0 Electron/34.0.0 Safari/537.36",
		macWK + "Fluid/2.1.2 Safari/605.1.15",
	}
	for _, name := range []string{
		"Butterfly", "Expanse", "Sonic", "Sogou", "Feedly/90", "PayPal/8.60", "Notion/3.1.0", "WhatsApp/2.24",
		"Blackboard/8", "Tumblr/33.1",
		"Yeti/1", "Podimo/2", "Goodreads/5", "Instapaper/8", "Mastodon/2024", "Bluesky/1.9", "upday/4", "Tweakers/3",
		"Grover/1", "Hatena/5",
	} {
		people = append(people, view+" "+name)
	}
	for _, ua := range people {
		if d.Bot(ua) {
			t.Errorf("a browser is reported as the bot %q: %s", d.Name(ua), ua)
		}
	}
	for ua, name := range map[string]string{
		"Viber/1.0": "Viber", "Mozilla/5.0 (compatible; Butterfly/1.0; +http://labs.topsy.com/butterfly/)": "Butterfly",
		"Expanse indexes the network perimeters of our customers": "Expanse", "WhatsApp/2.23.18.78 A": "WhatsApp",
		"Sogou web spider/4.0": "Sogou",
	} {
		if d.Name(ua) != name {
			t.Errorf("%s is reported as %q, want %q", ua, d.Name(ua), name)
		}
	}
}

func TestRobotsThatRunScripts(t *testing.T) {
	d := detector(t)
	for ua, name := range map[string]string{
		mac + "Cypress/13.6.0 Chrome/114.0.5735.289 Electron/25.8.4 Safari/537.36":                               "Cypress",
		win + "Chrome/130.0.0.0 Safari/537.36 CloudflareObservatory/1.0":                                         "CloudflareObservatory",
		linux + "Chrome/130.0.0.0 Safari/537.36 PTST/SpeedCurve/240101.120000":                                   "PTST",
		linux + "Chrome/130.0.0.0 Safari/537.36 SpeedCurve/2.1":                                                  "SpeedCurve",
		linux + "Chrome/117.0.0.0 Safari/537.36 GTmetrix":                                                        "GTmetrix",
		linux + "HeadlessChrome/130.0.0.0 Safari/537.36":                                                         "HeadlessChrome",
		linux + "Chrome/130.0.0.0 Safari/537.36 HeadlessEdg/130.0.0.0":                                           "HeadlessEdg",
		mac + "Chrome/119.0.0.0 Safari/537.36 Chrome-Lighthouse":                                                 "Chrome-Lighthouse",
		"Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1": "PhantomJS",
		win + "Chrome/120.0.0.0 Safari/537.36 Playwright/1.40.0":                                                 "Playwright",
		linux + "Chrome/120.0.0.0 Safari/537.36 Puppeteer":                                                       "Puppeteer",
		linux + "Chrome/120.0.0.0 Safari/537.36 Site24x7":                                                        "Site24x7",
		linux + "Chrome/120.0.0.0 Safari/537.36 PingdomTMS/0.8.5":                                                "Pingdom",
		linux + "Chrome/120.0.0.0 Safari/537.36 DatadogSynthetics":                                               "DatadogSynthetics",
		linux + "Chrome/120.0.0.0 Safari/537.36 RuxitSynthetic/1.0 v123":                                         "RuxitSynthetic",
		linux + "Chrome/120.0.0.0 Safari/537.36 (StatusCake)":                                                    "StatusCake",
		"Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0":                                "jsdom",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; New/1.0)":                                "robot",
		"Mozilla/5.0 (X11; Linux x86_64; +https://new.example/about) Gecko/20100101":                             "robot",
		"Mozilla/5.0 (compatible; Foo/1.0; +mailto:foo@new.example)":                                             "robot",
		"Mozilla/5.0 (compatible; Foo/1.0; foo@new.example)":                                                     "robot",
		linux + "Chrome/130.0.0.0 Safari/537.36 (compatible; Foo/1.0; +mailto:foo@new.example)":                  "robot",
		linux + "Chrome/130.0.0.0 Safari/537.36 (Foo/1.0; +mailto:foo@new.example)":                              "robot",
		"Mozilla/4.0 (compatible; ms-office; MSOffice rmj)":                                                      "ms-office",
		"Mozilla/4.0 (compatible; ms-office; MSOffice 16)":                                                       "ms-office",
		"Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; .NET4.0E; ms-office; MSOffice 16)":     "ms-office",
	} {
		if got := d.Name(ua); got != name || !d.Bot(ua) {
			t.Errorf("%s is reported as %q, want %q", ua, got, name)
		}
	}
}

// TestProgramsAreBots checks that programs are bots, whatever HTTP library they use.
func TestProgramsAreBots(t *testing.T) {
	d := detector(t)
	for ua, name := range map[string]string{
		"okhttp/4.12.0": "okhttp", "axios/1.7.2": "axios", "Go-http-client/2.0": "Go-http-client", "curl/8.4.0": "curl",
		"Wget/1.21.3": "Wget",
		"node":        "node", "undici": "undici", "Dart/3.2 (dart:io)": "Dart",
		"python-requests/2.31.0":                                  "python-requests",
		"Java/17.0.9":                                             "Java",
		"Shop/12 CFNetwork/1490.0.4 Darwin/23.2.0":                "CFNetwork",
		"Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A)": "Dalvik",
		"PHP/8.2": "PHP", "Ruby": "Ruby", "PostmanRuntime/7.36.0": "PostmanRuntime", "GuzzleHttp/7": "GuzzleHttp",
		"Deno/2.0": "Deno", "Bun/1.1": "Bun",
		"Mozilla/5.0": "program", "shop-importer/2.3 (internal)": "program", "Something of our own": "program",
	} {
		if got := d.Name(ua); got != name || !d.Bot(ua) {
			t.Errorf("%s is reported as %q, want %q", ua, got, name)
		}
	}
}

func TestPeopleAreNotBots(t *testing.T) {
	d := detector(t)
	for _, c := range people {
		if d.Bot(c.ua) && c.ua != "Something of our own" {
			t.Errorf("a browser is reported as the bot %q: %s", d.Name(c.ua), c.ua)
		}
	}
}

func TestBots(t *testing.T) {
	d := detector(t)
	for _, ua := range []string{
		"Googlebot/2.1 (+http://www.google.com/bot.html)",
		"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
		"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
		"Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
		"Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36",
		"curl/8.4.0", "Wget/1.21.3", "python-requests/2.31.0", "Go-http-client/1.1",
		"Apache-HttpClient/4.5.13 (Java/11.0.13)",
		"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Twitterbot/1.0",
	} {
		if !d.Bot(ua) {
			t.Errorf("a bot is not reported: %s", ua)
		}
	}
	if d.Bot("") {
		t.Error("the empty text matches a pattern")
	}
}

// TestEveryPatternIsRead checks that every pattern is either in the index or in the list of patterns that are
// always tried. Each text in the index must match its pattern, and the detector must find it.
func TestEveryPatternIsRead(t *testing.T) {
	d := detector(t)
	plain, tried := 0, 0
	for line := range strings.Lines(patterns) {
		p := strings.TrimRight(line, "\n")
		if strings.HasPrefix(p, "#") || p == anywhere || p == outside {
			continue
		}
		re, err := regexp.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(d.rest, func(r expression) bool { return r.String() == p }) {
			tried++
			continue
		}
		plain++
		tree, _ := syntax.Parse(p, syntax.Perl)
		all := texts(tree)
		if len(all) == 0 {
			t.Errorf("%q is neither in the index nor tried", p)
		}
		for _, s := range all {
			if !re.MatchString(s) || !d.Bot("x "+s+" x") {
				t.Errorf("the text %q of the pattern %q is not found", s, p)
			}
		}
	}
	if plain < 1000 || tried != len(d.rest) || tried > 30 {
		t.Errorf("%d plain patterns, %d tried ones of %d", plain, tried, len(d.rest))
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{`Googlebot\/`, []string{"Googlebot/"}},
		{`[cC]laude[bB]ot`, []string{"ClaudeBot", "Claudebot", "claudeBot", "claudebot"}},
		{`Netumo|netumo`, []string{"Netumo", "netumo"}},
		{`Ahrefs(Bot|SiteAudit)`, []string{"AhrefsBot", "AhrefsSiteAudit"}},
		{`(?i)bo`, []string{"BO", "Bo", "bO", "bo"}},
		{`(?i)abcdefg`, nil},
		{`^curl`, nil},
		{`a\d+`, nil},
		{`x[^-]`, nil},
		{`[a-z][a-z]`, nil},
	} {
		tree, err := syntax.Parse(c.pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(tree); !slices.Equal(got, c.want) {
			t.Errorf("texts of %q = %q, want %q", c.pattern, got, c.want)
		}
	}
}

func TestABrokenListIsRefused(t *testing.T) {
	if _, err := newDetector("ok\n(\n[\n"); err == nil || !strings.Contains(err.Error(), `"("`) ||
		!strings.Contains(err.Error(), `"["`) {
		t.Errorf("error %v, want both faults", err)
	}
}

func BenchmarkBot(b *testing.B) {
	d := detector(b)
	for b.Loop() {
		d.Bot(people[0].ua)
	}
}

func BenchmarkNewDetector(b *testing.B) {
	for b.Loop() {
		if _, err := NewDetector(); err != nil {
			b.Fatal(err)
		}
	}
}

// builtIn creates the detector once for all tests, because that takes long with the race detector.
var builtIn = sync.OnceValues(NewDetector)

func detector(t testing.TB) *Detector {
	d, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	return d
}
