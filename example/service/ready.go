//go:build cgo

package service

import (
	"fmt"
	"io"
	"strings"
)

// ready is what somebody needs who wants to use the running program: the line of --json.
type ready struct {
	Address      string `json:"address"`
	TrackAddress string `json:"trackAddress"`
	Key          string `json:"key"`
	WebsiteID    string `json:"websiteId"`  // empty without demo
	LinkID       string `json:"linkId"`     // empty without demo
	ScheduleID   string `json:"scheduleId"` // empty without demo
}

// text tells people the same, with commands for the data folder dir.
func (r ready) text(to io.Writer, dir string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nSightline answers at  %s\nand takes events at   %s\nKey: %s\n", r.Address, r.TrackAddress, r.Key)
	if r.WebsiteID == "" {
		fmt.Fprintf(&b, "\nThere is no website yet. In another terminal:\n\n"+
			"  go run ./example websites add --data %s --name Shop --domain shop.example\n\n", quote(dir))
	} else {
		fmt.Fprintf(&b, "\nQuestions to paste into another terminal:\n\n  %s\n\n", strings.Join(r.commands(), "\n\n  "))
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// quote is text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// commands ask about the demo website twice, as a POST and as an address, and about
// the short link.
func (r ready) commands() []string {
	return []string{
		fmt.Sprintf(`curl -s '%s/v1/query?website_id=%s&timezone=Europe/Berlin' -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"preset":"last_7d","parameters":["summary_metrics","pages","traffic"],"limit":5}'`,
			r.Address, r.WebsiteID, r.Key),
		fmt.Sprintf(`curl -s '%s/v1/query?website_id=%s&parameters=countries,device_types&preset=last_30d&limit=5' -H 'x-api-key: %s'`,
			r.Address, r.WebsiteID, r.Key),
		fmt.Sprintf(`curl -s '%s/v1/query?link_id=%s&parameters=link_total_clicks,link_clicks_by_day&preset=last_7d' -H 'x-api-key: %s'`,
			r.Address, r.LinkID, r.Key),
	}
}
