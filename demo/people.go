package demo

import (
	"fmt"

	"github.com/sightline-analytics/sightline/store"
)

// A person is a visitor, with everything that is the same in each visit.
type person struct {
	anonymous string
	profile   string // empty for people who never sign up
	agent     store.Agent
	language  string
	timezone  string
	screen    string
	viewport  string
}

// who returns the visitor of session i of s, as the session in which the visitor was new: this one or an earlier
// one.
func (g *Generator) who(s slot, i int) (first slot, index int) {
	d := g.dice("who", int64(s), int64(i))
	if !d.chance(0.4) {
		return s, i
	}
	earlier := s - 1 - slot(d.ExpFloat64()*24*6)
	n := g.count(earlier)
	if n == 0 {
		return s, i
	}
	return g.who(earlier, d.IntN(n))
}

// person returns the visitor who is new in session i of s.
func (g *Generator) person(s slot, i int) person {
	d := g.dice("person", int64(s), int64(i))
	home := pick(d, countries)
	town := one(d, home.towns)
	m := pick(d, machines)
	b := pick(d, m.browsers)
	p := person{
		anonymous: "anon_" + d.uuid(),
		language:  one(d, home.languages),
		timezone:  town.timezone,
		screen:    one(d, m.screens),
		agent: store.Agent{
			BrowserName: b.name, BrowserVersion: one(d, b.versions),
			OSName: m.os, OSVersion: one(d, m.osVersions), DeviceType: m.device,
			Country: home.code, Region: town.region, City: town.name,
		},
	}
	if g.dice("coarse", int64(s), int64(i)).chance(0.03) { // an address with a known country, but no known region
		p.agent.Region, p.agent.City = "", ""
	}
	p.viewport = viewport(d, p.screen)
	if d.chance(0.12) {
		p.profile = fmt.Sprintf("user_%06d", d.IntN(1_000_000))
	}
	return p
}

// viewport returns the size of a browser window on a screen: the full width, and the height without the browser's
// bars.
func viewport(d dice, screen string) string {
	var w, h int
	if _, err := fmt.Sscanf(screen, "%dx%d", &w, &h); err != nil {
		return ""
	}
	return fmt.Sprintf("%dx%d", w, h-d.between(70, 160))
}

// A country has the languages and towns of its people.
type country struct {
	share     float64
	code      string
	languages []string
	towns     []town
}

func (c country) weight() float64 { return c.share }

type town struct{ region, name, timezone string }

var countries = []country{
	{26, "US", []string{"en-US", "en-US", "en-US", "es-US"}, []town{
		{"California", "San Francisco", "America/Los_Angeles"}, {"California", "Los Angeles", "America/Los_Angeles"},
		{"New York", "New York", "America/New_York"}, {"Washington", "Seattle", "America/Los_Angeles"},
		{"Texas", "Austin", "America/Chicago"}, {"Illinois", "Chicago", "America/Chicago"},
		{"Massachusetts", "Boston", "America/New_York"}, {"Colorado", "Denver", "America/Denver"},
	}},
	{17, "DE", []string{"de-DE", "de-DE", "en-US", "de"}, []town{
		{"Land Berlin", "Berlin", "Europe/Berlin"}, {"Bavaria", "Munich", "Europe/Berlin"},
		{"Hamburg", "Hamburg", "Europe/Berlin"},
		{"North Rhine-Westphalia", "Cologne", "Europe/Berlin"}, {"Saxony", "Leipzig", "Europe/Berlin"},
	}},
	{10, "GB", []string{"en-GB"}, []town{
		{"England", "London", "Europe/London"}, {"England", "Manchester", "Europe/London"},
		{"Scotland", "Edinburgh", "Europe/London"},
	}},
	{7, "FR", []string{"fr-FR", "fr-FR", "fr"}, []town{
		{"Île-de-France", "Paris", "Europe/Paris"}, {"Auvergne-Rhône-Alpes", "Lyon", "Europe/Paris"},
	}},
	{6, "IN", []string{"en-IN", "en-US", "hi-IN"}, []town{
		{"Karnataka", "Bengaluru", "Asia/Kolkata"}, {"Maharashtra", "Mumbai", "Asia/Kolkata"},
		{"Telangana", "Hyderabad", "Asia/Kolkata"},
	}},
	{5, "CA", []string{"en-CA", "en-US", "fr-CA"}, []town{
		{"Ontario", "Toronto", "America/Toronto"}, {"Quebec", "Montréal", "America/Toronto"},
		{"British Columbia", "Vancouver", "America/Vancouver"},
	}},
	{5, "NL", []string{"nl-NL", "en-US"},
		[]town{{"North Holland", "Amsterdam", "Europe/Amsterdam"}, {"Utrecht", "Utrecht", "Europe/Amsterdam"}}},
	{4, "BR", []string{"pt-BR"},
		[]town{{"São Paulo", "São Paulo", "America/Sao_Paulo"},
			{"Rio de Janeiro", "Rio de Janeiro", "America/Sao_Paulo"}}},
	{4, "AU", []string{"en-AU"},
		[]town{{"New South Wales", "Sydney", "Australia/Sydney"}, {"Victoria", "Melbourne", "Australia/Melbourne"}}},
	{3, "ES", []string{"es-ES"},
		[]town{{"Madrid", "Madrid", "Europe/Madrid"}, {"Catalonia", "Barcelona", "Europe/Madrid"}}},
	{3, "PL", []string{"pl-PL"},
		[]town{{"Mazovia", "Warsaw", "Europe/Warsaw"}, {"Lesser Poland", "Kraków", "Europe/Warsaw"}}},
	{3, "SE", []string{"sv-SE", "en-GB"}, []town{{"Stockholm County", "Stockholm", "Europe/Stockholm"}}},
	{2, "JP", []string{"ja-JP", "ja"}, []town{{"Tokyo", "Tokyo", "Asia/Tokyo"}, {"Osaka", "Osaka", "Asia/Tokyo"}}},
	{2, "CH", []string{"de-CH", "fr-CH"},
		[]town{{"Zurich", "Zürich", "Europe/Zurich"}, {"Geneva", "Geneva", "Europe/Zurich"}}},
	{1, "NP", []string{"en-US", "ne-NP"}, []town{{"Bagmati Province", "Kathmandu", "Asia/Kathmandu"}}},
	{1, "ZA", []string{"en-ZA"}, []town{{"Western Cape", "Cape Town", "Africa/Johannesburg"}}},
	{1, "", []string{"en-US"}, []town{{}}}, // an address without a known country
}
