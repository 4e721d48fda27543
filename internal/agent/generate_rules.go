//go:build ignore

package main

import "regexp"

// robotWord matches patterns with words that only robots use. They apply to all user agents. All other patterns
// are names, which an app may have as well: `Viber` is a robot that visits links, and an app whose web
// view adds its name to the user agent. Names only apply outside browsers.
var robotWord = regexp.MustCompile(`[bB]o[tT]|BOT|[cC]rawl|[sS]pider|SPIDER|[sS]crap|[fF]etch|[sS]cann|[mM]onitor|[cC]hecker|` +
	`[pP]review|[vV]alidat|[hH]arvest|[hH]eadless|[sS]ynthetic|[iI]nspect|[vV]erif|[uU]ptime|https?|Google-|[cC]loud[fF]lare-`)

// posing are names that apply to all user agents: their robots send a browser's user agent with the name in it, and
// no app for people has that name.
var posing = []string{
	`ips-agent`, `collection@infegy\.com`, `[pP]ingdom`, `AppInsights`, `Siteimprove\.com`, `DareBoost`,
	`Google Favicon`,
	`HubSpot`, `Chrome-Lighthouse`, `Datanyze`, `(^| )PTST\/`, `CookieHubScan`, `Playwright`, `Puppeteer`, `PhantomJS`,
	`Selenium`,
	`newsai\/`, `[cC]ludo`, `Collapsify`, `Hardenize`, `Manus-User`, `Netcraft SSL Server Survey`, `Nitro-`, `Scope3`,
	`Silktide`,
	`ThousandEyes`, `Impact\.com Agent`, `Sindup`, `SQWatcher`, `TSM-turingos`, `adbeat\.com`,
	`Autoconfig Test from USTC`,
	`Criticalcss\.com`, `Dlc\/`, `Foregenix`, `GTmetrix`, `Hotjar`, `LinkTiger`, `MarketGoo\/`, `Miniature\.io\/`,
	`NetShelter ContentScan`,
	`NewsNow\/`, `Offline Explorer`, `PlayStore-Google`, `PrintFriendly\.com`, `PWABuilderHttpAgent`, `Readable\/`,
	`SecurityHeaders`,
	`splash Version\/`, `Rigor\)`, `Sucuri`, `TestLocally\/`, `ZoteroTranslationServer\/WMF`, `abuse\.xmco\.fr`,
	`YLT Chrome`, `watchTowr`,
	`GeedoShopProductFinder`, `Site24x7`, `StatusCake`, `AlertSite`, `Catchpoint`, `HetrixTools`, `uptrends`,
	`Ghost Inspector`,
	`Penthouse Critical Path CSS Generator`, `DMBrowser`, `NodePing`, `MonitoRSS\/`, `GoogleImageProxy`, `feeder\.co`,
	`PS_Daily\/`, `Mediapartners-Google`,
}

// people are patterns that only match browsers of people. They are left out.
var people = map[string]string{
	`AP3A\.240617\.008`: "is the build of Android 15 on phones of OPPO and OnePlus",
	`MetaIAB Facebook`:  "is the web view of the Facebook app",
	`Code\/1\.`:         "is the browser in the editor Visual Studio Code",
	`Trae\/`:            "is the browser in the editor Trae",
	`Fluid`:             "makes apps of websites on macOS",
}

type group struct {
	what     string
	patterns []string
}

// addedAnywhere are robots that the package does not have.
var addedAnywhere = []group{
	{"robots that run scripts: tests, measurements and pictures of pages", []string{
		`Cypress\/`, `CloudflareObservatory`, `SpeedCurve`, `HeadlessEdg`, `[hH]eadless`, `Lighthouse\/`, `PageSpeed`,
		`puppeteer`, `playwright`, `[wW]eb[dD]river`, `WebPageTest`, `DebugBear`, `sitespeed\.io`, `browsertime`,
		`jsdom\/`, `HappyDOM\/`, `HtmlUnit`, `SlimerJS`, `CasperJS`, `Nightmare\/`, `TestCafe`, `Prerender`,
		`Rendertron`, `wkhtmlto`, `webkit2png`,
		`Checkly\/`, `Dynatrace`, `Neustar WPM`, `DejaClick`, `Functionize`, `Sparkler\/`, `pageburst`, `Percy\/`,
		`Chromatic\/`, `Applitools`,
		`WindowsPowerShell\/`, `MicroAdBot`, `Shap-User`,
	}},
}

// addedOutside are programs that the package does not have. Programs that match no pattern are also robots; these
// patterns give them names.
var addedOutside = []group{
	{"libraries and tools", []string{
		`okhttp`, `CFNetwork`, `Dalvik\/`, `PostmanRuntime`, `GuzzleHttp`, `libcurl`, `reqwest`, `RestSharp`,
		`^(node|undici|Dart|Java|PHP|Ruby|Deno|Bun|Faraday|got|insomnia|HTTPie|PowerShell|k6|hyper|rest-client|Symfony)\b`,
	}},
}

// notPeople matches user agents of visits that no browser sends. Some come from robots, and others are
// invented.
var notPeople = regexp.MustCompile(`(?i:bot\b|spider)|compatible; [^M]|^[^ ]*$|` +
	`Mediapartners|PhantomJS|wkhtmlto|splash Version|Foregenix|Scope3`)
