package agent

import (
	"strings"
	"testing"
)

func TestClientHints(t *testing.T) {
	const (
		brave   = `"Chromium";v="130", "Brave";v="130", "Not?A_Brand";v="99"`
		chrome  = `"Google Chrome";v="130", "Not?A_Brand";v="99", "Chromium";v="130"`
		desktop = "Chrome/130.0.0.0 Safari/537.36"
		phone   = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36"
		tablet  = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
	)
	for _, c := range []struct {
		why, ua string
		hints   Hints
		want    Agent
	}{
		{"no hints", win + desktop, Hints{}, Agent{"Chrome", "130.0.0.0", "Windows", "10", Desktop}},
		{"Chrome", win + desktop, Hints{chrome, `"Windows"`, "?0"},
			Agent{"Chrome", "130.0.0.0", "Windows", "10", Desktop}},
		{"Brave", win + desktop, Hints{brave, `"Windows"`, "?0"}, Agent{"Brave", "130", "Windows", "10", Desktop}},
		{"DuckDuckGo", win + desktop, Hints{`"DuckDuckGo";v="129", "Chromium";v="130", "Not A(Brand";v="8"`, "", ""},
			Agent{"DuckDuckGo", "129", "Windows", "10", Desktop}},
		{"Opera GX", win + desktop, Hints{`"Chromium";v="130", "Opera GX";v="115", "Not?A_Brand";v="99"`, "", ""},
			Agent{"Opera", "115", "Windows", "10", Desktop}},
		{"Edge", mac + desktop, Hints{`"Chromium";v="130", "Microsoft Edge";v="130", "Not?A_Brand";v="99"`, "", ""},
			Agent{"Edge", "130", "macOS", "10.15.7", Desktop}},
		{"Edge says more in its user agent", win + desktop + " Edg/130.0.2849.46",
			Hints{`"Microsoft Edge";v="130"`, "", ""}, Agent{"Edge", "130.0.2849.46", "Windows", "10", Desktop}},
		{"invented brands", win + desktop, Hints{`" Not;A=Brand, \";v="8", "(Not(A:Brand";v="24"`, "", ""},
			Agent{"Chrome", "130.0.0.0", "Windows", "10", Desktop}},
		{"an unknown brand", win + desktop, Hints{`"Chromium";v="130", "Our Own Browser";v="1"`, "", ""},
			Agent{"Chrome", "130.0.0.0", "Windows", "10", Desktop}},
		{"a broken list", win + desktop, Hints{`"Brave";v="1`, `"`, "?"},
			Agent{"Brave", "1", "Windows", "10", Desktop}},
		{"Firefox has no hints", "Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0",
			Hints{brave, `"Windows"`, "?1"}, Agent{"Firefox", "121.0", "Linux", "", Desktop}},
		{"a phone", phone, Hints{brave, `"Android"`, "?1"}, Agent{"Brave", "130", "Android", "10", Mobile}},
		{"a tablet", tablet, Hints{chrome, `"Android"`, "?0"}, Agent{"Chrome", "130.0.0.0", "Android", "10", Tablet}},
		{"a tablet that shows pages for desktops", linux + desktop, Hints{chrome, `"Android"`, "?0"},
			Agent{"Chrome", "130.0.0.0", "Android", "", Tablet}},
		{"a phone that shows pages for desktops", linux + desktop, Hints{chrome, `"Android"`, "?1"},
			Agent{"Chrome", "130.0.0.0", "Android", "", Mobile}},
		{"ChromeOS behind Linux", linux + desktop, Hints{chrome, `"Chrome OS"`, "?0"},
			Agent{"Chrome", "130.0.0.0", "ChromeOS", "", Desktop}},
		{"an unknown system", win + desktop, Hints{chrome, `"Unknown"`, "?0"},
			Agent{"Chrome", "130.0.0.0", "Windows", "10", Desktop}},
		{"a whole user agent", linux + "Chrome/118.0.5993.70 Safari/537.36", Hints{chrome, `"Windows"`, "?1"},
			Agent{"Chrome", "118.0.5993.70", "Linux", "", Desktop}},
		{"a TV", "Mozilla/5.0 (Linux; Android 9; BRAVIA 4K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36", Hints{chrome, `"Android"`, "?1"}, Agent{"Chrome", "130.0.0.0", "Android", "9", SmartTV}},
		{"hints that are too long", win + desktop,
			Hints{strings.Repeat(`"x";v="1", `, 100) + brave, strings.Repeat(`"Android"`, 9), strings.Repeat("?1", 9)},
			Agent{"Chrome", "130.0.0.0", "Windows", "10", Desktop}},
		{"no user agent", "", Hints{brave, `"Android"`, "?1"}, Agent{}},
	} {
		if got := ParseHinted(c.ua, c.hints); got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
	if name := (Hints{Brands: `"Not_A Brand";v="8", "HeadlessChrome";v="120"`}).Headless(); name != "HeadlessChrome" {
		t.Errorf("Headless = %q", name)
	}
}

func FuzzHints(f *testing.F) {
	f.Add(`"Chromium";v="130", "Brave";v="130"`, `"Windows"`, "?1")
	f.Fuzz(func(t *testing.T, brands, platform, mobile string) {
		h := Hints{brands, platform, mobile}
		h.Headless()
		a := ParseHinted(linux+"Chrome/130.0.0.0 Safari/537.36", h)
		for _, s := range []string{a.Browser, a.BrowserVersion, a.OS, a.Device} {
			if len(s) > 32 {
				t.Errorf("%q: %q", h, a)
			}
		}
	})
}
