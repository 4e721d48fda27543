package importer

import (
	"cmp"
	"strings"

	"github.com/sightline-analytics/sightline/store"
)

// This file reads the table website_event of an export of Umami: a row for each pageview and custom event. Versions
// before 2.11 have no visit_id.

func isUmami(line []byte) bool {
	return hasColumns(line, "session_id", "url_path", "event_type", "created_at")
}

func openUmami(map[string]string) parser {
	var h sheet
	return func(text []byte, out *found) error {
		if err := h.read(text); err != nil {
			return err
		}
		at, ok := anyTime(h.get("created_at"))
		if !ok {
			return malformed("created_at is not a time")
		}
		r := Record{
			ID: h.get("event_id"), Time: at, URL: withQuery(h.get("url_path"), h.get("url_query")),
			Title:   h.get("page_title"),
			Visitor: h.get("session_id"), Session: h.get("visit_id"), Profile: h.get("distinct_id"),
			Host:      h.get("hostname"),
			UTMSource: h.get("utm_source"), UTMMedium: h.get("utm_medium"), UTMCampaign: h.get("utm_campaign"),
			UTMTerm: h.get("utm_term"), UTMContent: h.get("utm_content"), GCLID: h.get("gclid"),
			Language: h.get("language"), Screen: h.get("screen"), Agent: umamiAgent(&h),
		}
		if domain := h.get("referrer_domain"); domain != "" {
			r.Referrer = "https://" + domain + h.get("referrer_path")
		}
		switch h.get("event_type") {
		case "1":
		case "2":
			r.Kind, r.Name = store.Custom, h.get("event_name")
		default:
			return &skipError{OtherKind, "event_type " + h.get("event_type")}
		}
		out.records = append(out.records, r)
		return nil
	}
}

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + strings.TrimPrefix(query, "?")
}

// umamiAgent returns browser, system and place.
func umamiAgent(h *sheet) store.Agent {
	return store.Agent{
		BrowserName: h.get("browser"), OSName: h.get("os"), DeviceType: h.get("device"),
		Country: h.get("country"), Region: cmp.Or(h.get("region"), h.get("subdivision1")), City: h.get("city"),
	}
}
