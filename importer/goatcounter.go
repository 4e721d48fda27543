package importer

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
)

// This file reads the CSV export of GoatCounter, whose first column names the version: 1Path, 2Path or 3Path.

func isGoatCounter(line []byte) bool {
	return len(line) > 0 && line[0] >= '1' && line[0] <= '9' && bytes.HasPrefix(line[1:], []byte("Path,")) &&
		hasColumns(line, "Title", "Event", "Session", "Bot", "Date")
}

func openGoatCounter(map[string]string) parser {
	var h sheet
	return func(text []byte, out *found) error {
		if err := h.read(text); err != nil {
			return err
		}
		at, ok := anyTime(h.get("Date"))
		if !ok {
			return malformed("Date is not a time")
		}
		if bot := h.get("Bot"); bot != "" && bot != "0" {
			return skip(Bot)
		}
		r := Record{Time: at, URL: h.get(h.names[0]), Title: h.get("Title"), Visitor: h.get("Session"),
			UserAgent: cmp.Or(h.get("User-Agent"), h.get("UserAgent"))}
		if h.names[0] == "1Path" {
			r.UserAgent = h.get("Browser")
		} else {
			r.Agent = store.Agent{BrowserName: h.get("Browser"), OSName: h.get("System")}
		}
		if event := h.get("Event"); event == "true" || event == "1" {
			r.Kind, r.Name, r.URL = store.Custom, strings.TrimPrefix(r.URL, "/"), ""
		}
		r.origin(h.get("Referrer"), h.get("Referrer scheme"))
		location := h.get("Location") // DE, or DE-BE
		var region bool
		if r.Agent.Country, _, region = strings.Cut(location, "-"); region {
			r.Agent.Region = location
		}
		if size := strings.Split(h.get("Screen size"), ","); len(size) >= 2 {
			r.Screen = size[0] + "x" + size[1]
		}
		out.records = append(out.records, r)
		return nil
	}
}

// origin sets the referrer or the campaign, by the scheme of the export.
func (r *Record) origin(from, scheme string) {
	switch {
	case from == "":
	case scheme == "c":
		r.UTMSource = from
	case scheme == "g": // a name, such as Hacker News
		if s, ok := referrer.Named(from); ok {
			r.Referrer = "https://" + s.Domain
		}
	case scheme == "h" && !strings.Contains(from, "://"):
		r.Referrer = "https://" + from
	default:
		r.Referrer = from
	}
}
