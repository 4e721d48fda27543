//go:build cgo

package service

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// ready is what somebody needs who wants to use the running program: the line of --json.
type ready struct {
	Address      string `json:"address"`
	TrackAddress string `json:"trackAddress"`
	// MetricsAddress is where Prometheus scrapes.
	MetricsAddress string `json:"metricsAddress,omitempty"`
	Key            string `json:"key"`        // empty without demo, and when noKey says why
	WebsiteID      string `json:"websiteId"`  // empty without demo
	LinkID         string `json:"linkId"`     // empty without demo
	ScheduleID     string `json:"scheduleId"` // empty without demo

	keyFile string // where Key is
	noKey   string // why the demo has no key
}

// text tells people the same, with commands for the data folder dir. The key itself is for
// terminals alone: what is written elsewhere is kept, and read by others.
func (r *ready) text(to io.Writer, dir string, terminal bool) error {
	var b strings.Builder
	key := r.Key
	if !terminal {
		key = ""
	}
	fmt.Fprintf(&b, "\nSightline answers at  %s\nand takes events at   %s\nIts dashboard is      %s\n",
		r.Address, r.TrackAddress, dashboardOf(r.Address, key, r.WebsiteID))
	another := "go run ./example keys create --data " + quote(dir) + " --all"
	switch {
	case r.WebsiteID == "":
		fmt.Fprintf(&b, "\nThere is no demo. In another terminal, a website and a key are made by:\n\n"+
			"  go run ./example websites add --data %s --name Shop --domain shop.example\n\n  %s\n\n", quote(dir), another)
	case r.noKey != "":
		fmt.Fprintf(&b, "Key: none; %s.\n\nIn another terminal, another key is made by:\n\n  %s\n\n", r.noKey, another)
	default:
		if terminal {
			fmt.Fprintf(&b, "Key: %s\n", r.Key)
		}
		fmt.Fprintf(&b, "Key file: %s\n\nQuestions to paste into another terminal:\n\n  %s\n\n",
			r.keyFile, strings.Join(r.commands(), "\n\n  "))
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// isTerminal reports whether what is written to w is shown and not kept.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// quote is text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// commands ask about the demo website twice, as a POST and as an address, and about
// the short link. They read the key from its file, so that no history of a shell has it.
func (r *ready) commands() []string {
	key := "$(cat " + quote(r.keyFile) + ")"
	return []string{
		fmt.Sprintf(`curl -s '%s/v1/query?website_id=%s&timezone=Europe/Berlin' -H "Authorization: Bearer %s" -H 'Content-Type: application/json' -d '{"preset":"last_7d","parameters":["summary_metrics","pages","traffic"],"limit":5}'`,
			r.Address, r.WebsiteID, key),
		fmt.Sprintf(`curl -s '%s/v1/query?website_id=%s&parameters=countries,device_types&preset=last_30d&limit=5' -H "x-api-key: %s"`,
			r.Address, r.WebsiteID, key),
		fmt.Sprintf(`curl -s '%s/v1/query?link_id=%s&parameters=link_total_clicks,link_clicks_by_day&preset=last_7d' -H "x-api-key: %s"`,
			r.Address, r.LinkID, key),
	}
}
