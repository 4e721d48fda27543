package agent

import (
	"strings"

	"github.com/mileusna/useragent"
)

// MaxLen is the number of bytes of a user agent that are read. The rest is ignored.
const MaxLen = 512

// The ids of devices.
const (
	Desktop  = "desktop"
	Mobile   = "mobile"
	Tablet   = "tablet"
	SmartTV  = "smarttv"
	Console  = "console"
	Wearable = "wearable"
	Embedded = "embedded"
	XR       = "xr"
)

// An Agent describes a browser by its user agent. Names are families from a closed set, so that senders cannot
// fill reports with invented names; unknown names are empty. Versions are as sent.
type Agent struct {
	Browser        string // Chrome, Safari, Firefox, Edge, Opera, Samsung Internet, …
	BrowserVersion string
	OS             string // Windows, macOS, iOS, Android, Linux, ChromeOS, …
	OSVersion      string
	Device         string // one of the ids above
}

// Parse parses ua. Mobile variants count as their family. The device is desktop if ua names no device. The result
// for an empty text is the zero Agent.
func Parse(ua string) Agent {
	ua = Cut(ua)
	if ua == "" {
		return Agent{}
	}
	var a Agent
	a.Browser, a.BrowserVersion = browser(ua)
	a.OS, a.OSVersion = system(ua)
	a.Device = device(ua)
	return a
}

// Cut returns the part of ua that is read: without whitespace at the ends, at most [MaxLen] bytes.
func Cut(ua string) string {
	ua = strings.TrimSpace(ua)
	return strings.ToValidUTF8(ua[:min(len(ua), MaxLen)], "")
}

func browser(ua string) (family, version string) {
	if family, version = first(tokens[:], ua); family != "" {
		return family, version
	}
	p := useragent.Parse(ua)
	if f, ok := families[p.Name]; ok {
		return f, leading(p.Version)
	}
	// For an app with a built-in engine, return the engine's family, which determines the features.
	return first(engines[:], ua)
}

// first returns the family and version of the first token in list that ua contains.
func first(list []token, ua string) (family, version string) {
	for _, t := range list {
		if _, rest, ok := strings.Cut(ua, t.text); ok {
			if t.version != "" {
				_, rest, _ = strings.Cut(ua, t.version)
			}
			return t.family, leading(rest)
		}
	}
	return "", ""
}

func system(ua string) (family, version string) {
	for _, s := range systems {
		if !strings.Contains(ua, s.text) {
			continue
		}
		for _, mark := range s.versions {
			if _, rest, ok := strings.Cut(ua, mark); ok {
				if v := strings.ReplaceAll(leading(rest), "_", "."); v != "" {
					version = v
					break
				}
			}
		}
		if s.family == "Windows" {
			version = windows[version]
		}
		return s.family, version
	}
	return "", ""
}

func device(ua string) string {
	for _, d := range devices {
		for _, text := range d.texts {
			if strings.Contains(ua, text) && (d.unless == "" || !strings.Contains(ua, d.unless)) {
				return d.id
			}
		}
	}
	return Desktop
}

// leading returns the version at the start of s: digits, dots and underscores.
func leading(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '_' })
	if end < 0 {
		end = len(s)
	}
	return strings.Trim(s[:min(end, 32)], "._")
}
