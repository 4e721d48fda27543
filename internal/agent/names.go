package agent

import (
	"strings"
)

// Names finds the names that Parse returns for the names that other programs have for browsers, systems and
// devices. It is immutable and safe for concurrent use.
type Names struct{ browsers, systems, devices map[string]string } // by names in lower case without blanks and marks

// NewNames returns Names: those of the tables that Parse uses, and those of the lists below.
func NewNames() *Names {
	n := &Names{map[string]string{}, map[string]string{}, map[string]string{}}
	for _, list := range [][]token{tokens[:], engines[:]} {
		for _, t := range list {
			n.browsers[folded(t.family)] = t.family
		}
	}
	for _, list := range []map[string]string{families, brandFamilies, otherBrowsers} {
		for name, family := range list {
			n.browsers[folded(name)] = family
			n.browsers[folded(family)] = family
		}
	}
	for _, s := range systems {
		n.systems[folded(s.family)] = s.family
	}
	for _, list := range []map[string]string{platforms, otherSystems} {
		for name, family := range list {
			n.systems[folded(name)] = family
			n.systems[folded(family)] = family
		}
	}
	for _, id := range []string{Desktop, Mobile, Tablet, SmartTV, Console, Wearable, Embedded, XR} {
		n.devices[folded(id)] = id
	}
	for name, id := range otherDevices {
		n.devices[folded(name)] = id
	}
	return n
}

// folded returns name in lower case, without blanks and marks that programs write differently.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' || r == '/' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// Browser returns the family of a browser, and the version if name ends with it. An unknown name is returned as it is.
func (n *Names) Browser(name string) (family, version string) { return find(n.browsers, name) }

// System returns the family of a system, and the version if name ends with it. An unknown name is returned as it is.
func (n *Names) System(name string) (family, version string) { return find(n.systems, name) }

// Device returns the id of a device; empty if it is unknown, because the ids are a closed list.
func (n *Names) Device(name string) string { return n.devices[folded(name)] }

func find(known map[string]string, name string) (family, version string) {
	name = strings.TrimSpace(name)
	if family, ok := known[folded(name)]; ok {
		return family, ""
	}
	first, last, ok := cutLast(name)
	if !ok {
		return name, ""
	}
	if family, ok = known[folded(first)]; ok {
		return family, last
	}
	if last[0] >= '0' && last[0] <= '9' {
		return first, last
	}
	return name, ""
}

// cutLast returns the last word of s, and what is before it.
func cutLast(s string) (first, last string, ok bool) {
	i := strings.LastIndexByte(s, ' ')
	if i <= 0 || i+1 == len(s) {
		return s, "", false
	}
	return strings.TrimSpace(s[:i]), s[i+1:], true
}

// otherBrowsers are names of browsers in exports of other programs, which differ from the families and brands.
var otherBrowsers = map[string]string{
	"Android":                      "Android Browser",
	"Android WebView":              "Chrome",
	"BB10":                         "BlackBerry Browser",
	"Blackberry":                   "BlackBerry Browser",
	"Chrome Mobile":                "Chrome",
	"Chrome Mobile iOS":            "Chrome",
	"Chrome Mobile WebView":        "Chrome",
	"Chrome Webview":               "Chrome",
	"Chromium WebView":             "Chrome",
	"CriOS":                        "Chrome",
	"DuckDuckGo Privacy Browser":   "DuckDuckGo",
	"Edge Chromium":                "Edge",
	"Edge iOS":                     "Edge",
	"Edge Mobile":                  "Edge",
	"EdgeChromium":                 "Edge",
	"Facebook App":                 "Facebook",
	"Firefox Focus":                "Firefox",
	"Firefox iOS":                  "Firefox",
	"Firefox Mobile":               "Firefox",
	"Firefox Mobile iOS":           "Firefox",
	"FxiOS":                        "Firefox",
	"Google Search App":            "Google App",
	"Huawei Browser Mobile":        "Huawei Browser",
	"IE":                           "Internet Explorer",
	"IE Mobile":                    "Internet Explorer",
	"iOS":                          "Safari",
	"iOS WebView":                  "Safari",
	"Microsoft Edge Mobile":        "Edge",
	"MiuiBrowser":                  "MIUI Browser",
	"Mobile Safari WebView":        "Safari",
	"Mozilla Firefox":              "Firefox",
	"Oculus":                       "Meta Quest Browser",
	"Opera Mini Native":            "Opera",
	"Opera Next":                   "Opera",
	"PIE":                          "Internet Explorer",
	"QQ Browser Mobile":            "QQ Browser",
	"Safari Technology Preview":    "Safari",
	"Samsung":                      "Samsung Internet",
	"Samsung Browser":              "Samsung Internet",
	"Samsung Internet for Android": "Samsung Internet",
	"Silk":                         "Amazon Silk",
	"UC Browser Mini":              "UC Browser",
	"Vivo":                         "Vivo Browser",
	"Yandex.Browser":               "Yandex Browser",
	"Yandex Browser Lite":          "Yandex Browser",
}

// otherSystems are names of systems in exports of other programs, which differ from the families and platforms.
var otherSystems = map[string]string{
	"Android OS":     "Android",
	"Android TV":     "Android",
	"Arch Linux":     "Linux",
	"BlackBerry OS":  "BlackBerry",
	"CentOS":         "Linux",
	"CrOS":           "ChromeOS",
	"Debian":         "Linux",
	"Fedora":         "Linux",
	"Fire OS":        "Android",
	"Gentoo":         "Linux",
	"GNU/Linux":      "Linux",
	"Harmony OS":     "HarmonyOS",
	"iPad OS":        "iOS",
	"iPhone OS":      "iOS",
	"Kubuntu":        "Linux",
	"Linux Mint":     "Linux",
	"Mac":            "macOS",
	"Mac OS":         "macOS",
	"Mac OS X":       "macOS",
	"Macintosh":      "macOS",
	"Mint":           "Linux",
	"OpenHarmony":    "HarmonyOS",
	"openSUSE":       "Linux",
	"OS X":           "macOS",
	"Red Hat":        "Linux",
	"Slackware":      "Linux",
	"SUSE":           "Linux",
	"Ubuntu":         "Linux",
	"Win":            "Windows",
	"Windows Mobile": "Windows Phone",
	"Windows NT":     "Windows",
	"Windows Server": "Windows",
}

// otherDevices are names of devices in exports of other programs, which differ from the ids.
var otherDevices = map[string]string{
	"laptop": Desktop, "computer": Desktop, "pc": Desktop,
	"smartphone": Mobile, "phablet": Mobile, "feature phone": Mobile, "phone": Mobile,
	"tv": SmartTV, "smart tv": SmartTV, "smart display": SmartTV, "television": SmartTV,
	"game console": Console,
	"watch":        Wearable,
	"car browser":  Embedded, "camera": Embedded, "smart speaker": Embedded, "peripheral": Embedded,
	"portable media player": Embedded,
	"vr":                    XR,
}
