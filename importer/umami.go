package importer

import (
	"strings"

	"github.com/sightline-analytics/sightline/store"
	"github.com/sightline-analytics/sightline/track/agent"
)

// This file reads the table website_event of an export of Umami: a row for each pageview and custom event.

func isUmami(line []byte) bool {
	return hasColumns(line, "session_id", "visit_id", "url_path", "event_type", "created_at")
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
			ID: h.get("event_id"), Time: at, URL: withQuery(h.get("url_path"), h.get("url_query")), Title: h.get("page_title"),
			Visitor: h.get("session_id"), Session: h.get("visit_id"), Profile: h.get("distinct_id"), Host: h.get("hostname"),
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

// umamiAgent returns the families of browser and system, and the place.
func umamiAgent(h *sheet) store.Agent {
	a := store.Agent{Country: h.get("country"), City: h.get("city"), DeviceType: deviceOf(h.get("device"))}
	a.Region = h.get("region")
	if a.Region == "" {
		a.Region = h.get("subdivision1")
	}
	a.BrowserName = browserOf(h.get("browser"))
	a.OSName, a.OSVersion = systemOf(h.get("os"))
	return a
}

// browserOf returns the family of a browser that other analytics name; empty if it is unknown.
func browserOf(name string) string {
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case name == "ios", name == "ios-webview", strings.Contains(name, "safari"):
		return "Safari"
	case strings.HasPrefix(name, "edge"), strings.Contains(name, "microsoft edge"):
		return "Edge"
	case strings.Contains(name, "samsung"):
		return "Samsung Internet"
	case strings.Contains(name, "firefox"), name == "fxios":
		return "Firefox"
	case strings.Contains(name, "opera"):
		return "Opera"
	case strings.Contains(name, "facebook"):
		return "Facebook"
	case strings.Contains(name, "chrom"), name == "crios", name == "android-webview":
		return "Chrome"
	}
	return ""
}

// systemOf returns the family and the version of an operating system that other analytics name; empty if it is unknown.
func systemOf(name string) (family, version string) {
	lower := strings.ToLower(strings.TrimSpace(name))
	switch {
	case strings.HasPrefix(lower, "windows"):
		family = "Windows"
	case strings.HasPrefix(lower, "mac"), strings.HasPrefix(lower, "os x"):
		family = "macOS"
	case strings.HasPrefix(lower, "ios"), strings.HasPrefix(lower, "ipados"):
		family = "iOS"
	case strings.HasPrefix(lower, "android"):
		family = "Android"
	case strings.HasPrefix(lower, "chrome"):
		return "ChromeOS", ""
	case strings.Contains(lower, "linux"), strings.HasPrefix(lower, "ubuntu"), strings.HasPrefix(lower, "debian"), strings.HasPrefix(lower, "fedora"):
		family = "Linux"
	}
	if i := strings.LastIndexByte(lower, ' '); family != "" && i >= 0 && lower[i+1] >= '0' && lower[i+1] <= '9' {
		version = lower[i+1:]
	}
	return family, version
}

// deviceOf returns the id of a device that other analytics name; empty if it is unknown.
func deviceOf(name string) string {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "desktop", "laptop":
		return agent.Desktop
	case "mobile", "smartphone", "phablet", "feature phone":
		return agent.Mobile
	case "tablet":
		return agent.Tablet
	case "tv", "smarttv", "smart display":
		return agent.SmartTV
	case "console":
		return agent.Console
	case "wearable":
		return agent.Wearable
	case "embedded", "car browser", "camera", "smart speaker", "peripheral", "portable media player":
		return agent.Embedded
	}
	return ""
}
