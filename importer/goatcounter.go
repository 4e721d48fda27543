package importer

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/sightline-analytics/sightline/internal/referrer"
	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track/agent"
)

// This file reads the CSV export of GoatCounter, of which the first column names the version: 1Path or 2Path.

func isGoatCounter(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("2Path,")) || bytes.HasPrefix(line, []byte("1Path,"))) && hasColumns(line, "Title", "Event", "Session", "Bot", "Date")
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
		path := h.get("2Path")
		r := Record{Time: at, URL: path, Title: h.get("Title"), Visitor: h.get("Session"), UserAgent: cmp.Or(h.get("User-Agent"), h.get("UserAgent"))}
		if _, old := h.columns["1Path"]; old {
			r.URL, r.UserAgent = h.get("1Path"), h.get("Browser")
		} else {
			browser, version := nameAndVersion(h.get("Browser"))
			system, systemVersion := systemOf(h.get("System"))
			r.Agent = store.Agent{BrowserName: browserOf(browser), BrowserVersion: version, OSName: system, OSVersion: systemVersion}
			if system == "iOS" || system == "Android" {
				r.Agent.DeviceType = agent.Mobile
			}
		}
		if h.get("Event") == "true" {
			r.Kind, r.Name, r.URL = store.Custom, strings.TrimPrefix(r.URL, "/"), ""
		}
		r.origin(h.get("Referrer"), h.get("Referrer scheme"))
		r.Agent.Country, r.Agent.Region, _ = strings.Cut(h.get("Location"), "-")
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

// nameAndVersion splits a text such as Firefox 130.
func nameAndVersion(s string) (name, version string) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9' {
		return s, ""
	}
	return s[:i], s[i+1:]
}
