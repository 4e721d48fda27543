// Package agent parses user agents and tells crawlers from people:
//
//	a := agent.Parse(r.UserAgent())
//	fmt.Println(a.Browser, a.BrowserVersion, a.OS, a.Device) // Safari 17.0 iOS mobile
//	bots, err := agent.NewDetector()
//	if bots.Bot(r.UserAgent()) {
//		log.Print("ignored ", bots.Name(r.UserAgent()))
//	}
//
// It names the families of browsers, operating systems and devices. It is independent of HTTP and of rows.
package agent
