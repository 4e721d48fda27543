package track

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track/agent"
)

// maxUserAgents is how many user agents are remembered; most traffic comes from fewer. Each has
// agent.MaxLen bytes at most.
const maxUserAgents = 4096

// A userAgent is what one says.
type userAgent struct {
	bot   bool
	name  string // of the bot
	agent store.Agent
}

// userAgents reads user agents and remembers the recent ones, since to read one takes as long as
// all else of an event. It is safe for concurrent use.
type userAgents struct {
	bots   *agent.Detector
	recent *lru.Cache[string, userAgent]
}

func newUserAgents() (*userAgents, error) {
	bots, err := agent.NewDetector()
	if err != nil {
		return nil, err
	}
	recent, err := lru.New[string, userAgent](maxUserAgents)
	return &userAgents{bots, recent}, err
}

// read tells what a user agent says; the empty one is no bot.
func (u *userAgents) read(text string) userAgent {
	text = agent.Cut(text)
	if known, ok := u.recent.Get(text); ok {
		return known
	}
	p := agent.Parse(text)
	read := userAgent{
		bot: u.bots.Bot(text), name: u.bots.Name(text),
		agent: store.Agent{
			BrowserName: p.Browser, BrowserVersion: p.BrowserVersion,
			OSName: p.OS, OSVersion: p.OSVersion, DeviceType: p.Device,
		},
	}
	u.recent.Add(strings.Clone(text), read)
	return read
}
