package agent

import "strings"

// Hints holds client hints, which describe a browser in addition to its user agent: the headers Sec-CH-UA,
// Sec-CH-UA-Platform and Sec-CH-UA-Mobile as sent.
type Hints struct {
	Brands, Platform, Mobile string
}

// Maximum sizes of hints in bytes. Longer hints are ignored.
const (
	maxBrands   = 512
	maxPlatform = 32
	maxFlag     = 8
)

// Cut returns h without hints that are too long.
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

// Headless returns the brand of a browser without a window, which is driven by a robot, or an empty
// text.
func (h Hints) Headless() string {
	for name := range brands(h.Brands) {
		if strings.HasPrefix(name, "Headless") {
			return name
		}
	}
	return ""
}

// ParseHinted parses ua like [Parse] and uses h in addition. Browsers that pose as Chrome name themselves only in h,
// and some browsers name their system and device only there.
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

// reduced reports whether ua is a Chromium user agent without details of the system. Its version then ends
// with zeros.
func reduced(ua string) bool {
	_, version, ok := strings.Cut(ua, "Chrome/")
	return ok && strings.HasSuffix(leading(version), ".0.0.0")
}

// hinted returns the device of a, corrected by the hint for mobile devices.
func hinted(a Agent, mobile string) string {
	switch {
	case a.Device != Desktop && a.Device != Mobile && a.Device != Tablet:
		return a.Device // user agents of TVs and glasses are more exact
	case mobile == "?1":
		return Mobile
	case mobile == "?0" && a.OS == "Android":
		return Tablet
	}
	return a.Device
}

// brand returns the family and version in a list of brands. It ignores names without a family, such as the
// invented names by which browsers keep servers flexible.
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

// brandFamilies maps brands in hints to families of browsers.
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

// platforms maps names in hints to systems.
var platforms = map[string]string{
	"Android": "Android", "Chrome OS": "ChromeOS", "Chromium OS": "ChromeOS", "iOS": "iOS", "Linux": "Linux",
	"macOS": "macOS", "Windows": "Windows",
}

// general contains the systems that a reduced user agent may contain instead of the real one.
var general = map[string]bool{"": true, "Android": true, "ChromeOS": true, "Linux": true, "macOS": true,
	"Windows": true}
