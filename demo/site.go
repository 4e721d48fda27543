package demo

// A page is a page of the website, with the pages that visitors open next.
type page struct {
	path    string
	title   string
	arrive  float64 // weight of the page as the first page of a visit
	median  float64 // median time on the page, in ms
	heavy   float64 // load time, relative to the front page
	next    []step
	actions []action
	links   []string // addresses of outgoing links
}

func (p page) weight() float64 { return p.arrive }

// A step is a possible next page.
type step struct {
	share float64
	to    string
}

func (s step) weight() float64 { return s.share }

// An action is a custom event on a page. chance is the share of page views with the event.
type action struct {
	chance     float64
	name       string
	namespace  string
	properties []string // an event has one of them; empty means no properties
}

var pages = []page{
	{"/", "Plain notes for busy people", 40, 21_000, 1, []step{
		{30, "/features"}, {26, "/pricing"}, {12, "/docs"}, {12, "/blog"}, {8, "/signup"}, {6, "/about"},
		{6, "/changelog"},
	}, []action{{0.05, "hero_cta_clicked", "", []string{`{"variant":"a"}`, `{"variant":"b"}`}}}, nil},
	{"/features", "Features", 6, 34_000, 1.2, []step{
		{45, "/pricing"}, {20, "/signup"}, {15, "/docs"}, {20, "/"},
	}, []action{{0.10, "video_played", "", []string{`{"seconds":15}`, `{"seconds":60}`, `{"seconds":120}`}}}, nil},
	{"/pricing", "Pricing", 8, 29_000, 0.9, []step{
		{40, "/signup"}, {25, "/features"}, {20, "/docs/billing"}, {15, "/"},
	}, []action{
		{0.22, "plan_selected", "checkout", []string{
			`{"plan":"free","period":"month"}`, `{"plan":"team","period":"month"}`, `{"plan":"team","period":"year"}`,
			`{"plan":"company","period":"year"}`,
		}},
		{0.03, "demo_requested", "", []string{`{"size":"1-10"}`, `{"size":"11-50"}`, `{"size":"51-200"}`}},
	}, nil},
	{"/signup", "Create your account", 2, 40_000, 0.8, []step{{60, "/app"}, {25, "/pricing"}, {15, "/docs"}},
		[]action{{0.34, "signup_completed", "checkout",
			[]string{`{"method":"email"}`, `{"method":"email"}`, `{"method":"google"}`, `{"method":"github"}`}}}, nil},
	{"/app", "Your notes", 12, 120_000, 1.8, []step{{55, "/app/notes"}, {25, "/app/search"}, {20, "/app/settings"}},
		nil, nil},
	{"/app/notes", "Notes", 4, 95_000, 1.6, []step{{50, "/app/search"}, {30, "/app"}, {20, "/app/settings"}},
		[]action{
			{0.55, "note_created", "app", []string{`{"format":"text"}`, `{"format":"list"}`, `{"format":"drawing"}`}},
			{0.12, "note_shared", "app", []string{`{"people":1}`, `{"people":2}`, `{"people":5}`}},
		}, nil},
	{"/app/search", "Search", 0.5, 26_000, 1.4, []step{{70, "/app/notes"}, {30, "/app"}},
		[]action{{0.8, "search_performed", "app",
			[]string{`{"results":0}`, `{"results":3}`, `{"results":12}`, `{"results":40}`}}}, nil},
	{"/app/settings", "Settings", 0.5, 45_000, 1.3, []step{{60, "/app"}, {40, "/docs/billing"}},
		[]action{{0.15, "theme_changed", "app", []string{`{"theme":"dark"}`, `{"theme":"light"}`}}}, nil},
	{"/docs", "Documentation", 5, 30_000, 0.7,
		[]step{{40, "/docs/quickstart"}, {25, "/docs/api"}, {15, "/docs/billing"}, {20, "/pricing"}}, nil, nil},
	{"/docs/quickstart", "Quickstart", 7, 75_000, 0.7, []step{{50, "/docs/api"}, {30, "/signup"}, {20, "/docs"}},
		[]action{{0.18, "snippet_copied", "docs",
			[]string{`{"language":"shell"}`, `{"language":"go"}`, `{"language":"javascript"}`}}},
		[]string{"https://github.com/notes-example/cli", "https://go.dev/doc/install"}},
	{"/docs/api", "API reference", 6, 110_000, 0.9, []step{{45, "/docs/quickstart"}, {30, "/docs"}, {25, "/changelog"}},
		[]action{{0.14, "snippet_copied", "docs", []string{`{"language":"shell"}`, `{"language":"python"}`}}},
		[]string{"https://github.com/notes-example/openapi", "https://datatracker.ietf.org/doc/html/rfc9110"}},
	{"/docs/billing", "Billing questions", 1, 35_000, 0.7, []step{{60, "/pricing"}, {40, "/docs"}}, nil, nil},
	{"/blog", "Blog", 4, 18_000, 1.1, []step{
		{40, "/blog/plain-text-forever"}, {30, "/blog/how-we-moved-to-sqlite"}, {20, "/blog/zettelkasten-für-anfänger"},
		{10, "/"},
	}, nil, nil},
	{"/blog/plain-text-forever", "Plain text, forever", 9, 130_000, 1.2,
		[]step{{40, "/blog"}, {35, "/"}, {25, "/features"}},
		[]action{{0.05, "newsletter_subscribed", "", nil}},
		[]string{"https://news.ycombinator.com/item?id=1", "https://www.gnu.org/software/emacs/"}},
	{"/blog/how-we-moved-to-sqlite", "How we moved to SQLite", 8, 150_000, 1.2,
		[]step{{40, "/blog"}, {30, "/"}, {30, "/docs"}},
		[]action{{0.04, "newsletter_subscribed", "", nil}},
		[]string{"https://www.sqlite.org/whentouse.html", "https://github.com/notes-example/sync"}},
	{"/blog/zettelkasten-für-anfänger", "Zettelkasten für Anfänger", 5, 140_000, 1.2, []step{{50, "/blog"}, {50, "/"}},
		[]action{{0.06, "newsletter_subscribed", "", nil}}, []string{"https://zettelkasten.de/"}},
	{"/changelog", "Changelog", 3, 40_000, 0.8, []step{{50, "/app"}, {30, "/docs"}, {20, "/"}}, nil,
		[]string{"https://github.com/notes-example/notes/releases"}},
	{"/about", "About us", 2, 28_000, 0.8, []step{{60, "/"}, {40, "/blog"}}, nil,
		[]string{"https://www.linkedin.com/company/notes-example"}},
}

// pageAt returns the page with a path, which must be in pages.
func pageAt(path string) page {
	for _, p := range pages {
		if p.path == path {
			return p
		}
	}
	return pages[0]
}

// A fault is a JavaScript error of the website.
type fault struct {
	share     float64
	browser   string // the only browser with this error; empty means all browsers
	errorType string
	message   string
	file      string
}

func (f fault) weight() float64 { return f.share }

var faults = []fault{
	{30, "", "TypeError", "Cannot read properties of undefined (reading 'title')", "app.js"},
	{22, "Safari", "TypeError", "undefined is not an object (evaluating 'note.title')", "app.js"},
	{14, "", "UnhandledRejection", "Failed to fetch", "sync.js"},
	{10, "Safari", "UnhandledRejection", "Load failed", "sync.js"},
	{9, "", "RangeError", "Maximum call stack size exceeded", "editor.js"},
	{8, "Firefox", "NS_ERROR_FAILURE", "Component returned failure code: 0x80004005", "editor.js"},
	{5, "", "SyntaxError", "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", "sync.js"},
	{2, "", "", "ResizeObserver loop completed with undelivered notifications.", "editor.js"},
}
