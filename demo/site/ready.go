package site

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
)

// Ready has the addresses, the key and the ids of a running server.
type Ready struct {
	Address      string `json:"address"`
	TrackAddress string `json:"trackAddress"`
	// MetricsAddress is the URL for Prometheus.
	MetricsAddress string `json:"metricsAddress,omitempty"`
	Key            string `json:"key"`        // empty without a demo, or if NoKey is set
	WebsiteID      string `json:"websiteId"`  // empty without demo
	LinkID         string `json:"linkId"`     // empty without demo
	ScheduleID     string `json:"scheduleId"` // empty without demo

	KeyFile string `json:"-"` // path of the file with Key
	NoKey   string `json:"-"` // reason why the demo has no key
	Program string `json:"-"` // command that runs the program, for Text; empty means sightline
}

// Text writes r as lines of text, with commands for the data folder dir. It writes the key only to a terminal,
// because files and logs are stored and others may read them.
func (r *Ready) Text(to io.Writer, dir string, terminal bool) error {
	var b strings.Builder
	key := r.Key
	if !terminal {
		key = ""
	}
	fmt.Fprintf(&b, "\nSightline answers at  %s\nand takes events at   %s\nIts panel is          %s\n",
		r.Address, r.TrackAddress, panelOf(r.Address, key, r.WebsiteID))
	program := cmp.Or(r.Program, "sightline")
	another := program + " keys add --data " + quote(dir) + " --all"
	switch {
	case r.WebsiteID == "":
		fmt.Fprintf(&b, "\nThe server runs without a demo. Create a website and a key in another terminal:\n\n"+
			"  %s websites add --data %s --name Shop --domain shop.example\n\n  %s\n\n", program, quote(dir),
			another)
	case r.NoKey != "":
		fmt.Fprintf(&b, "Key: none; %s.\n\nCreate another key in another terminal:\n\n  %s\n\n", r.NoKey, another)
	default:
		if terminal {
			fmt.Fprintf(&b, "Key: %s\n", r.Key)
		}
		fmt.Fprintf(&b, "Key file: %s\n\nQuestions to paste into another terminal:\n\n  %s\n\n",
			r.KeyFile, strings.Join(r.commands(), "\n\n  "))
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// quote returns text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// commands returns two queries about the demo website, as POST and GET, and one about the short link. They read the
// key from its file, so that it does not get into the history of a shell.
func (r *Ready) commands() []string {
	key := "$(cat " + quote(r.KeyFile) + ")"
	return []string{
		fmt.Sprintf(`curl -s '%s/v1/query?website_id=%s&timezone=Europe/Berlin' -H "Authorization: Bearer %s" -H 'Content-Type: application/json' -d '{"preset":"last_7d","parameters":["summary_metrics","pages","traffic"],"limit":5}'`,
			r.Address, r.WebsiteID, key),
		fmt.Sprintf(`curl -s '%s/v1/query?website_id=%s&parameters=countries,device_types&preset=last_30d&limit=5' -H "x-api-key: %s"`,
			r.Address, r.WebsiteID, key),
		fmt.Sprintf(`curl -s '%s/v1/query?link_id=%s&parameters=link_total_clicks,link_clicks_by_day&preset=last_7d' -H "x-api-key: %s"`,
			r.Address, r.LinkID, key),
	}
}

// panelOf returns the URL of the panel for a key and a website. Browsers do not send the part after #.
func panelOf(address, key, website string) string {
	if key == "" {
		return address + "/"
	}
	return address + "/#" + url.Values{"key": {key}, "website": {website}}.Encode()
}
