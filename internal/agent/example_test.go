package agent_test

import (
	"fmt"

	"github.com/sightline-analytics/sightline/internal/agent"
)

func Example() {
	bots, err := agent.NewDetector()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, sent := range []string{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
	} {
		if bots.Bot(sent) {
			fmt.Println("a crawler")
			continue
		}
		a := agent.Parse(sent)
		fmt.Println(a.Browser, a.BrowserVersion, a.OS, a.Device)
	}
	// Output:
	// Safari 17.0 iOS mobile
	// a crawler
}
