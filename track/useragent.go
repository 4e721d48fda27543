package track

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/sightline-analytics/sightline/internal/front"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track/agent"
)

// maxUserAgents is the size of the cache; most traffic comes from fewer user agents. Each takes at most agent.MaxLen
// bytes, and about as much for hints.
const maxUserAgents = 4096

// A sent holds the texts with which a browser describes itself.
type sent struct {
	text  string
	hints agent.Hints
}

// A userAgent holds the facts about a browser or program.
type userAgent struct {
	bot   bool
	name  string // name of the bot
	agent store.Agent
}

// userAgents parses user agents and caches the results, since parsing takes as long as everything else for an event. It
// is safe for concurrent use.
type userAgents struct {
	bots   *agent.Detector
	recent *lru.Cache[sent, userAgent]
}

func newUserAgents() (*userAgents, error) {
	bots, err := agent.NewDetector()
	if err != nil {
		return nil, err
	}
	recent, err := lru.New[sent, userAgent](maxUserAgents)
	return &userAgents{bots, recent}, err
}

// of returns the facts about the sender of r from its user agent and its client hints. The names of headers are in the
// canonical form of net/http, since other spellings cost an allocation each.
func (u *userAgents) of(r *front.Request) userAgent {
	return u.look(sent{r.UserAgent(), agent.Hints{
		Brands: r.Header.Get("Sec-Ch-Ua"), Platform: r.Header.Get("Sec-Ch-Ua-Platform"), Mobile: r.Header.Get("Sec-Ch-Ua-Mobile"),
	}})
}

// read returns the facts about a user agent. An empty one is not a bot.
func (u *userAgents) read(text string) userAgent { return u.look(sent{text: text}) }

func (u *userAgents) look(s sent) userAgent {
	s.text, s.hints = agent.Cut(s.text), s.hints.Cut()
	if known, ok := u.recent.Get(s); ok {
		return known
	}
	// Copies let the request's memory be freed.
	s.text, s.hints.Brands = strings.Clone(s.text), strings.Clone(s.hints.Brands)
	s.hints.Platform, s.hints.Mobile = strings.Clone(s.hints.Platform), strings.Clone(s.hints.Mobile)
	p := agent.ParseHinted(s.text, s.hints)
	read := userAgent{
		bot: u.bots.Bot(s.text), name: u.bots.Name(s.text),
		agent: store.Agent{
			BrowserName: p.Browser, BrowserVersion: p.BrowserVersion,
			OSName: p.OS, OSVersion: p.OSVersion, DeviceType: p.Device,
		},
	}
	if name := s.hints.Headless(); name != "" && !read.bot {
		read.bot, read.name = true, name
	}
	u.recent.Add(s, read)
	return read
}
