package intake

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sightline-analytics/sightline/internal/agent"
)

func TestAgentsAreBounded(t *testing.T) {
	u, err := NewAgents()
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxAgents + 10 {
		u.ReadHinted("x", agent.Hints{Brands: strconv.Itoa(i)})
	}
	long := u.ReadHinted(strings.Repeat("x", 10_000),
		agent.Hints{Brands: strings.Repeat("b", 10_000), Platform: strings.Repeat("p", 10_000),
			Mobile: strings.Repeat("m", 10_000)})
	if !long.Bot || u.recent.Len() != maxAgents {
		t.Errorf("%d user agents are cached, want %d", u.recent.Len(), maxAgents)
	}
	keys := u.recent.Keys()
	if k := keys[len(keys)-1]; len(k.text)+len(k.hints.Brands)+len(k.hints.Platform)+
		len(k.hints.Mobile) > agent.MaxLen {
		t.Errorf("a cached user agent takes %d bytes", len(k.text)+len(k.hints.Brands)+len(k.hints.Platform)+
			len(k.hints.Mobile))
	}
}
