package agent

import "testing"

// TestNames reads names of other programs, and every name that Parse returns.
func TestNames(t *testing.T) {
	n := NewNames()
	for _, c := range []struct{ name, family, version string }{
		{"Yandex Browser", "Yandex Browser", ""}, {"yandexbrowser", "Yandex Browser", ""}, {"ios", "Safari", ""},
		{"crios", "Chrome", ""},
		{"edge-chromium", "Edge", ""}, {"Chrome Mobile iOS", "Chrome", ""}, {"Firefox 130", "Firefox", "130"},
		{"Safari 17.5", "Safari", "17.5"},
		{"Microsoft Edge", "Edge", ""}, {"samsung", "Samsung Internet", ""},
		{"Some Browser 3.1", "Some Browser", "3.1"}, {"Some Browser", "Some Browser", ""}, {"", "", ""},
	} {
		if family, version := n.Browser(c.name); family != c.family || version != c.version {
			t.Errorf("browser %q: %q %q, want %q %q", c.name, family, version, c.family, c.version)
		}
	}
	for _, c := range []struct{ name, family, version string }{
		{"ios", "iOS", ""}, {"iOS 17.5", "iOS", "17.5"}, {"Harmony OS", "HarmonyOS", ""}, {"Mac OS", "macOS", ""},
		{"macOS 10.15", "macOS", "10.15"},
		{"Windows XP", "Windows", "XP"}, {"Windows 10", "Windows", "10"}, {"Windows Server 2019", "Windows", "2019"},
		{"Android OS", "Android", ""},
		{"GNU/Linux", "Linux", ""}, {"Chrome OS", "ChromeOS", ""}, {"Sailfish OS", "Sailfish OS", ""},
	} {
		if family, version := n.System(c.name); family != c.family || version != c.version {
			t.Errorf("system %q: %q %q, want %q %q", c.name, family, version, c.family, c.version)
		}
	}
	for name, id := range map[string]string{"Smartphone": Mobile, "smarttv": SmartTV, "Desktop": Desktop,
		"Car browser": Embedded, "toaster": ""} {
		if got := n.Device(name); got != id {
			t.Errorf("device %q: %q, want %q", name, got, id)
		}
	}
	for _, c := range people {
		if family, _ := n.Browser(c.want.Browser); family != c.want.Browser {
			t.Errorf("browser %q: %q", c.want.Browser, family)
		}
		if family, _ := n.System(c.want.OS); family != c.want.OS {
			t.Errorf("system %q: %q", c.want.OS, family)
		}
		if c.want.Device != "" && n.Device(c.want.Device) != c.want.Device {
			t.Errorf("device %q", c.want.Device)
		}
	}
}
