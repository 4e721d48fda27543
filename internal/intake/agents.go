package intake

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/sightline-analytics/sightline/internal/agent"
	"github.com/sightline-analytics/sightline/store"
)

// maxAgents is the size of the cache; most traffic comes from fewer user agents. Each takes at most agent.MaxLen bytes,
// and about as much for hints.
const maxAgents = 4096

// A sent holds the texts with which a browser describes itself.
type sent struct {
	text  string
	hints agent.Hints
}

// An Agent holds the facts about a browser or program.
type Agent struct {
	Bot   bool
	Name  string // name of the bot
	Agent store.Agent
}

// Agents parses user agents and caches the results, because parsing takes as long as everything else for an event. It
// is safe for concurrent use.
type Agents struct {
	bots   *agent.Detector
	recent *lru.Cache[sent, Agent]
}

// NewAgents returns Agents with an empty cache.
func NewAgents() (*Agents, error) {
	bots, err := agent.NewDetector()
	if err != nil {
		return nil, err
	}
	recent, err := lru.New[sent, Agent](maxAgents)
	return &Agents{bots, recent}, err
}

// Read returns the facts about a user agent. An empty one is not a bot.
func (a *Agents) Read(text string) Agent { return a.ReadHinted(text, agent.Hints{}) }

// ReadHinted returns the facts about a user agent and its client hints.
func (a *Agents) ReadHinted(text string, hints agent.Hints) Agent {
	s := sent{agent.Cut(text), hints.Cut()}
	if known, ok := a.recent.Get(s); ok {
		return known
	}
	// Copies let the request's memory be freed.
	s.text, s.hints.Brands = strings.Clone(s.text), strings.Clone(s.hints.Brands)
	s.hints.Platform, s.hints.Mobile = strings.Clone(s.hints.Platform), strings.Clone(s.hints.Mobile)
	p := agent.ParseHinted(s.text, s.hints)
	read := Agent{
		Bot: a.bots.Bot(s.text), Name: a.bots.Name(s.text),
		Agent: store.Agent{
			BrowserName: p.Browser, BrowserVersion: p.BrowserVersion,
			OSName: p.OS, OSVersion: p.OSVersion, DeviceType: p.Device,
		},
	}
	if name := s.hints.Headless(); name != "" && !read.Bot {
		read.Bot, read.Name = true, name
	}
	a.recent.Add(s, read)
	return read
}
