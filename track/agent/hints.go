package agent

import "strings"

// Hints holds client hints, by which a browser describes itself beside its user agent: the headers
// Sec-CH-UA, Sec-CH-UA-Platform and Sec-CH-UA-Mobile as sent.
type Hints struct {
	Brands, Platform, Mobile string
}

// The bytes that are used of each hint. Longer hints are ignored.
const (
	maxBrands   = 512
	maxPlatform = 32
	maxFlag     = 8
)

// Cut returns h without the hints that are too long.
func (h Hints) Cut() Hints {
	if len(h.Brands) > maxBrands {
		h.Brands = ""
	}
	if len(h.Platform) > maxPlatform {
		h.Platform = ""
	}
	if len(h.Mobile) > maxFlag {
		h.Mobile = ""
	}
	return h
}

// Headless returns the brand of a browser without a window, which a robot drives. It returns
// the empty text when h has none.
func (h Hints) Headless() string {
	for name := range brands(h.Brands) {
		if strings.HasPrefix(name, "Headless") {
			return name
		}
	}
	return ""
}

// ParseHinted reads ua as [Parse] does. Browsers that pose as Chrome name themselves in h, and browsers
// that no longer say their system and device in ua say them there.
func ParseHinted(ua string, h Hints) Agent {
	a := Parse(ua)
	if a == (Agent{}) || h == (Hints{}) {
		return a
	}
	h = h.Cut()
	if a.Browser == "Chrome" || a.Browser == "" {
		if family, version := brand(h.Brands); family != "" && family != a.Browser {
			a.Browser, a.BrowserVersion = family, version
		}
	}
	if !reduced(ua) {
		return a
	}
	if family := platforms[unquote(h.Platform)]; family != "" && family != a.OS && general[a.OS] {
		a.OS, a.OSVersion = family, ""
	}
	a.Device = hinted(a, h.Mobile)
	return a
}

// reduced reports whether ua is one of Chromium's that hides its system's details: its version
// then ends with zeros.
func reduced(ua string) bool {
	_, version, ok := strings.Cut(ua, "Chrome/")
	return ok && strings.HasSuffix(leading(version), ".0.0.0")
}

// hinted returns the device of a, of which a hint says whether it is a phone.
func hinted(a Agent, mobile string) string {
	switch {
	case a.Device != Desktop && a.Device != Mobile && a.Device != Tablet:
		return a.Device // TVs and glasses say more in their user agents
	case mobile == "?1":
		return Mobile
	case mobile == "?0" && a.OS == "Android":
		return Tablet
	}
	return a.Device
}

// brand returns the family that a list of brands names, and its version. Names that the list of
// families lacks, such as the invented ones that keep servers flexible, are ignored.
func brand(list string) (family, version string) {
	for name, v := range brands(list) {
		switch f := brandFamilies[name]; {
		case f == "" || f == "Chrome" && family != "":
		case family == "" || family == "Chrome":
			family, version = f, leading(v)
		}
	}
	return family, version
}

// brands yields the names and versions of a list such as `"Chromium";v="130", "Brave";v="130"`.
func brands(list string) func(yield func(name, version string) bool) {
	return func(yield func(name, version string) bool) {
		for {
			var name, version string
			var ok bool
			if _, list, ok = strings.Cut(list, `"`); !ok {
				return
			}
			if name, list, ok = strings.Cut(list, `"`); !ok {
				return
			}
			if rest, found := strings.CutPrefix(list, `;v="`); found {
				version, list, _ = strings.Cut(rest, `"`)
			}
			if !yield(name, version) {
				return
			}
		}
	}
}

func unquote(s string) string { return strings.Trim(s, `"`) }

// brandFamilies are the families of browsers by the brand in their hints.
var brandFamilies = map[string]string{
	"Chromium":                "Chrome",
	"Google Chrome":           "Chrome",
	"Android WebView":         "Chrome",
	"HeadlessChrome":          "Chrome",
	"Brave":                   "Brave",
	"DuckDuckGo":              "DuckDuckGo",
	"Microsoft Edge":          "Edge",
	"Microsoft Edge WebView2": "Edge",
	"Opera":                   "Opera",
	"Opera GX":                "Opera",
	"Opera Mobile":            "Opera",
	"OperaMobile":             "Opera",
	"Opera Mini":              "Opera",
	"Opera Air":               "Opera",
	"Vivaldi":                 "Vivaldi",
	"YaBrowser":               "Yandex Browser",
	"Yandex":                  "Yandex Browser",
	"Samsung Internet":        "Samsung Internet",
	"Whale":                   "Whale",
	"HuaweiBrowser":           "Huawei Browser",
	"Huawei Browser":          "Huawei Browser",
	"Miui Browser":            "MIUI Browser",
	"HeyTapBrowser":           "HeyTap Browser",
	"Amazon Silk":             "Amazon Silk",
	"Oculus Browser":          "Meta Quest Browser",
	"Maxthon":                 "Maxthon",
	"QQBrowser":               "QQ Browser",
	"UCBrowser":               "UC Browser",
}

// platforms are the systems by their name in hints.
var platforms = map[string]string{
	"Android": "Android", "Chrome OS": "ChromeOS", "Chromium OS": "ChromeOS", "iOS": "iOS", "Linux": "Linux", "macOS": "macOS", "Windows": "Windows",
}

// general are the systems that a reduced user agent may name in place of the real one.
var general = map[string]bool{"": true, "Android": true, "ChromeOS": true, "Linux": true, "macOS": true, "Windows": true}
