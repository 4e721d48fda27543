package demo

import "strings"

// A source is a way in which visitors reach the website.
type source struct {
	share    float64
	referrer string
	medium   string // utm_medium; empty means no utm parameters
	name     string // utm_source
	campaign []string
	term     []string
	clickID  bool // with a gclid
	landings []string
}

func (s source) weight() float64 { return s.share }

var blogPosts = []string{"/blog/plain-text-forever", "/blog/how-we-moved-to-sqlite", "/blog/zettelkasten-für-anfänger"}

var sources = []source{
	{share: 33},
	{share: 26, referrer: "https://www.google.com/"},
	{share: 3, referrer: "https://www.bing.com/"},
	{share: 3, referrer: "https://duckduckgo.com/"},
	{share: 1, referrer: "https://www.ecosia.org/"},
	{share: 4, referrer: "https://chatgpt.com/", landings: []string{"/docs/quickstart", "/docs/api", "/features", "/"}},
	{share: 2, referrer: "https://www.perplexity.ai/", landings: []string{"/docs/api", "/pricing", "/"}},
	{share: 4, referrer: "https://news.ycombinator.com/", landings: blogPosts},
	{share: 3, referrer: "https://www.reddit.com/", landings: blogPosts},
	{share: 2, referrer: "https://t.co/abc", landings: append([]string{"/"}, blogPosts...)},
	{share: 1, referrer: "https://www.youtube.com/"},
	{share: 2, referrer: "https://github.com/notes-example",
		landings: []string{"/docs", "/docs/quickstart", "/changelog"}},
	{share: 1, referrer: "https://stackoverflow.com/questions/1", landings: []string{"/docs/api"}},
	{share: 0.7, referrer: "https://forum.plaintext.example/t/42", landings: blogPosts},
	{share: 0.5, referrer: "https://blog.gründer.example/werkzeuge"},

	{
		share: 4.5, referrer: "https://www.google.com/", medium: "cpc", name: "google",
		campaign: []string{"brand", "notes-app", "notes-app"},
		term:     []string{"notes app", "simple notes", "plain text notes"}, clickID: true,
		landings: []string{"/", "/pricing", "/features"},
	},
	{share: 3.5, medium: "email", name: "newsletter", campaign: []string{"autumn-update", "tips-weekly"},
		landings: append([]string{"/changelog"}, blogPosts...)},
	{share: 2, referrer: "https://www.linkedin.com/", medium: "social", name: "linkedin",
		campaign: []string{"teams-launch"}, landings: []string{"/features", "/pricing"}},
	{share: 1.5, referrer: "https://l.facebook.com/l.php", medium: "paid_social", name: "facebook",
		campaign: []string{"retargeting"}, landings: []string{"/pricing", "/"}},
	{share: 1.2, referrer: "https://x.com/", medium: "social", name: "x", campaign: []string{"teams-launch"},
		landings: []string{"/", "/features"}},
	{share: 1, referrer: "https://partner.example/tools", medium: "referral", name: "partner",
		campaign: []string{"spring-sale"}, landings: []string{"/pricing"}},
}

// An arrival is the start of one visit through a source.
type arrival struct {
	referrer, source, medium, campaign, term, content, gclid string
	landing                                                  page
}

// arrive returns the arrival of a visit. People with an account often start in the app.
func arrive(d dice, p person) arrival {
	if p.profile != "" && d.chance(0.55) {
		return arrival{landing: pageAt("/app")}
	}
	s := pick(d, sources)
	a := arrival{referrer: s.referrer, landing: pick(d, pages)}
	if strings.HasPrefix(a.landing.path, "/app") {
		a.landing = pages[0]
	}
	if len(s.landings) > 0 {
		a.landing = pageAt(one(d, s.landings))
	}
	if s.medium == "" {
		return a
	}
	a.source, a.medium, a.campaign = s.name, s.medium, one(d, s.campaign)
	if len(s.term) > 0 {
		a.term = one(d, s.term)
	}
	if d.chance(0.5) {
		a.content = one(d, []string{"header", "footer", "image"})
	}
	if s.clickID {
		a.gclid = "demo" + strings.ReplaceAll(d.uuid(), "-", "")
	}
	return a
}
