package agent

import (
	"testing"
	"unicode/utf8"
)

const (
	win    = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
	mac    = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) "
	macWK  = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	linux  = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
	pixel  = "Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) "
	galaxy = "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) "
	iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	ipad   = "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
)

// people holds user agents of people, and one of a program.
var people = []struct {
	ua   string
	want Agent
}{
	// Chrome
	{win + "Chrome/120.0.0.0 Safari/537.36", Agent{"Chrome", "120.0.0.0", "Windows", "10", "desktop"}},
	{mac + "Chrome/119.0.0.0 Safari/537.36", Agent{"Chrome", "119.0.0.0", "macOS", "10.15.7", "desktop"}},
	{linux + "Chrome/118.0.5993.70 Safari/537.36", Agent{"Chrome", "118.0.5993.70", "Linux", "", "desktop"}},
	{linux + "Ubuntu Chromium/80.0.3987.87 Chrome/80.0.3987.87 Safari/537.36",
		Agent{"Chrome", "80.0.3987.87", "Linux", "", "desktop"}},
	{"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
		Agent{"Chrome", "120.0.0.0", "ChromeOS", "14541.0.0", "desktop"}},
	{pixel + "Chrome/120.0.6099.43 Mobile Safari/537.36", Agent{"Chrome", "120.0.6099.43", "Android", "13", "mobile"}},
	{"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36",
		Agent{"Chrome", "124.0.0.0", "Android", "10", "mobile"}},
	{"Mozilla/5.0 (Linux; Android 12; SM-X906C Build/QP1A.190711.020) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/106.0.0.0 Safari/537.36", Agent{"Chrome", "106.0.0.0", "Android", "12", "tablet"}},
	{"Mozilla/5.0 (Linux; Android 9; CUBOT X18 Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/93.0.4577.82 Mobile Safari/537.36", Agent{"Chrome", "93.0.4577.82", "Android", "9", "mobile"}},
	{iphone + "CriOS/120.0.6099.119 Mobile/15E148 Safari/604.1",
		Agent{"Chrome", "120.0.6099.119", "iOS", "17.2.1", "mobile"}},
	{ipad + "CriOS/119.0.6045.169 Mobile/15E148 Safari/604.1",
		Agent{"Chrome", "119.0.6045.169", "iOS", "16.6", "tablet"}},
	{"Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.0.0 Safari/537.36",
		Agent{"Chrome", "109.0.0.0", "Windows", "7", "desktop"}},
	{"Mozilla/5.0 (Windows NT 6.3; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.0.0 Safari/537.36",
		Agent{"Chrome", "109.0.0.0", "Windows", "8.1", "desktop"}},
	{"Mozilla/5.0 (Linux; Android 11; Pixel 3 Build/RQ1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/95.0.4638.74 Mobile Safari/537.36", Agent{"Chrome", "95.0.4638.74", "Android", "11", "mobile"}},
	// Safari
	{macWK + "Version/17.2 Safari/605.1.15", Agent{"Safari", "17.2", "macOS", "10.15.7", "desktop"}},
	{iphone + "Version/17.2 Mobile/15E148 Safari/604.1", Agent{"Safari", "17.2", "iOS", "17.2.1", "mobile"}},
	{ipad + "Version/16.6 Mobile/15E148 Safari/604.1", Agent{"Safari", "16.6", "iOS", "16.6", "tablet"}},
	{"Mozilla/5.0 (iPod touch; CPU iPhone OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1", Agent{"Safari", "12.1.2", "iOS", "12.5", "mobile"}},
	{iphone + "Mobile/15E148", Agent{"Safari", "", "iOS", "17.2.1", "mobile"}},
	{"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_2) AppleWebKit/605.1.15 (KHTML, like Gecko)",
		Agent{"Safari", "", "macOS", "14.2", "desktop"}},
	// Firefox
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:121.0) Gecko/20100101 Firefox/121.0",
		Agent{"Firefox", "121.0", "Windows", "10", "desktop"}},
	{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:120.0) Gecko/20100101 Firefox/120.0",
		Agent{"Firefox", "120.0", "macOS", "10.15", "desktop"}},
	{"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/119.0",
		Agent{"Firefox", "119.0", "Linux", "", "desktop"}},
	{"Mozilla/5.0 (X11; FreeBSD amd64; rv:115.0) Gecko/20100101 Firefox/115.0",
		Agent{"Firefox", "115.0", "FreeBSD", "", "desktop"}},
	{"Mozilla/5.0 (Android 13; Mobile; rv:121.0) Gecko/121.0 Firefox/121.0",
		Agent{"Firefox", "121.0", "Android", "13", "mobile"}},
	{"Mozilla/5.0 (Android 12; Tablet; rv:120.0) Gecko/120.0 Firefox/120.0",
		Agent{"Firefox", "120.0", "Android", "12", "tablet"}},
	{iphone + "FxiOS/121.0 Mobile/15E148 Safari/605.1.15", Agent{"Firefox", "121.0", "iOS", "17.2.1", "mobile"}},
	{"Mozilla/5.0 (iPhone; CPU iPhone OS 12_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/7.0.4 Mobile/16B91 Safari/605.1.15 Focus/7.0.4", Agent{"Firefox", "7.0.4", "iOS", "12.1", "mobile"}},
	// Edge
	{win + "Chrome/120.0.0.0 Safari/537.36 Edg/120.0.2210.91",
		Agent{"Edge", "120.0.2210.91", "Windows", "10", "desktop"}},
	{mac + "Chrome/119.0.0.0 Safari/537.36 Edg/119.0.2151.97",
		Agent{"Edge", "119.0.2151.97", "macOS", "10.15.7", "desktop"}},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763", Agent{"Edge", "18.17763", "Windows", "10", "desktop"}},
	{pixel + "Chrome/120.0.0.0 Mobile Safari/537.36 EdgA/120.0.2210.84",
		Agent{"Edge", "120.0.2210.84", "Android", "13", "mobile"}},
	{iphone + "Version/17.0 EdgiOS/120.0.2210.116 Mobile/15E148 Safari/604.1",
		Agent{"Edge", "120.0.2210.116", "iOS", "17.2.1", "mobile"}},
	// Opera
	{win + "Chrome/119.0.0.0 Safari/537.36 OPR/105.0.0.0", Agent{"Opera", "105.0.0.0", "Windows", "10", "desktop"}},
	{pixel + "Chrome/119.0.0.0 Mobile Safari/537.36 OPR/79.2.4195.76490",
		Agent{"Opera", "79.2.4195.76490", "Android", "13", "mobile"}},
	{"Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16",
		Agent{"Opera", "36.2.2254", "Android", "", "mobile"}},
	{"Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18",
		Agent{"Opera", "12.18", "Windows", "7", "desktop"}},
	{iphone + "Version/17.0 Mobile/15E148 Safari/604.1 OPT/4.3.1", Agent{"Opera", "4.3.1", "iOS", "17.2.1", "mobile"}},
	{iphone + "Version/17.2 Mobile/15E148 Safari/9537.53 OPX/2.1.1",
		Agent{"Opera", "2.1.1", "iOS", "17.2.1", "mobile"}},
	// Samsung Internet and other makers
	{"Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-A546B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile Safari/537.36", Agent{"Samsung Internet", "23.0", "Android", "13", "mobile"}},
	{"Mozilla/5.0 (Linux; Android 12; SAMSUNG SM-T870) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/22.0 Chrome/111.0.5563.116 Safari/537.36", Agent{"Samsung Internet", "22.0", "Android", "12", "tablet"}},
	{"Mozilla/5.0 (Linux; U; Android 12; en-us; M2102J20SG) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/100.0.4896.127 Mobile Safari/537.36 XiaoMi/MiuiBrowser/13.22.1", Agent{"MIUI Browser", "13.22.1", "Android", "12", "mobile"}},
	{"Mozilla/5.0 (Linux; Android 10; HarmonyOS; NOH-AN00) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/92.0.4515.105 HuaweiBrowser/12.1.1.303 Mobile Safari/537.36", Agent{"Huawei Browser", "12.1.1.303", "HarmonyOS", "", "mobile"}},
	{galaxy + "Chrome/116.0.0.0 Whale/1.0.0.0 Crosswalk/28.116.0.12 Mobile Safari/537.36",
		Agent{"Whale", "1.0.0.0", "Android", "14", "mobile"}},
	{win + "Chrome/118.0.0.0 YaBrowser/23.11.0.0 Safari/537.36",
		Agent{"Yandex Browser", "23.11.0.0", "Windows", "10", "desktop"}},
	{"Mozilla/5.0 (Linux; U; Android 11; en-US; RMX2103) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/78.0.3904.108 UCBrowser/13.4.0.1306 Mobile Safari/537.36", Agent{"UC Browser", "13.4.0.1306", "Android", "11", "mobile"}},
	{linux + "Chrome/114.0.5735.248 Safari/537.36 Vivaldi/6.1.3035.302",
		Agent{"Vivaldi", "6.1.3035.302", "Linux", "", "desktop"}},
	{mac + "Version/17.2 Safari/605.1.15 Ddg/17.2", Agent{"DuckDuckGo", "17.2", "macOS", "10.15.7", "desktop"}},
	{"Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/119.2.10 like Chrome/119.0.6045.193 Safari/537.36", Agent{"Amazon Silk", "119.2.10", "Android", "9", "tablet"}},
	// Internet Explorer
	{"Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko",
		Agent{"Internet Explorer", "11.0", "Windows", "10", "desktop"}},
	{"Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; Microsoft Outlook 16.0.4266; ms-office; MSOffice 16)", Agent{"Internet Explorer", "", "Windows", "10", "desktop"}},
	{"Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; WOW64; SLCC2; Tablet PC 2.0)",
		Agent{"Internet Explorer", "9.0", "Windows", "7", "desktop"}},
	{"Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15254", Agent{"Edge", "15.15254", "Windows Phone", "10.0", "mobile"}},
	// apps
	{iphone + "Mobile/21C66 [FBAN/FBIOS;FBAV/443.0.0.23.229;FBBV/543111111;FBDV/iPhone14,5]",
		Agent{"Facebook", "443.0.0.23.229", "iOS", "17.2.1", "mobile"}},
	{galaxy + "Version/4.0 Chrome/120.0.6099.43 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/444.0.0.36.111;]",
		Agent{"Facebook", "444.0.0.36.111", "Android", "14", "mobile"}},
	{iphone + "Mobile/21C66 Instagram 312.0.1.19.124 (iPhone14,5; iOS 17_2_1; en_US; en; scale=3.00)",
		Agent{"Instagram", "312.0.1.19.124", "iOS", "17.2.1", "mobile"}},
	{iphone + "Mobile/21C66 musical_ly_32.5.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US isDarkMode/0 BytedanceWebview/d8a21c6", Agent{"TikTok", "", "iOS", "17.2.1", "mobile"}},
	{iphone + "GSA/295.0.590048842 Mobile/15E148 Safari/604.1",
		Agent{"Google App", "295.0.590048842", "iOS", "17.2.1", "mobile"}},
	{iphone + "Mobile/15E148 MicroMessenger/8.0.44(0x18002c2d) NetType/WIFI Language/zh_CN",
		Agent{"WeChat", "8.0.44", "iOS", "17.2.1", "mobile"}},
	{iphone + "Mobile/15E148 [LinkedInApp]/9.28.7586", Agent{"LinkedIn", "9.28.7586", "iOS", "17.2.1", "mobile"}},
	{iphone + "Mobile/15E148 Safari Line/13.20.0", Agent{"LINE", "13.20.0", "iOS", "17.2.1", "mobile"}},
	{win + "Notes/3.1.0 Chrome/118.0.5993.144 Electron/27.1.3 Safari/537.36",
		Agent{"Electron", "27.1.3", "Windows", "10", "desktop"}},
	// televisions, consoles and the rest
	{"Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/4.0 Chrome/76.0.3809.146 TV Safari/537.36", Agent{"Samsung Internet", "4.0", "Tizen", "6.0", "smarttv"}},
	{"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36 WebAppManager", Agent{"Chrome", "87.0.4280.88", "webOS", "", "smarttv"}},
	{"Mozilla/5.0 (Linux; Android 9; AFTS Build/PS7642.3041N) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.10.5 like Chrome/108.0.5359.220 Safari/537.36", Agent{"Amazon Silk", "108.10.5", "Android", "9", "smarttv"}},
	{"Mozilla/5.0 (Linux; Android 10; BRAVIA 4K VH2 Build/QTG3.200305.006.S292) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0.0.0 Safari/537.36", Agent{"Chrome", "118.0.0.0", "Android", "10", "smarttv"}},
	{"Mozilla/5.0 (PlayStation; PlayStation 5/7.00) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15", Agent{"Safari", "15.4", "PlayStation", "", "console"}},
	{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.85 Safari/537.36 Edg/90.0.818.46", Agent{"Edge", "90.0.818.46", "Windows", "10", "console"}},
	{"Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.2.22.5 NintendoBrowser/5.1.0.22474", Agent{"Nintendo Browser", "5.1.0.22474", "Nintendo", "", "console"}},
	{"Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/30.3.0.15.126 SamsungBrowser/4.0 Chrome/118.0.5993.111 VR Safari/537.36", Agent{"Meta Quest Browser", "30.3.0.15.126", "Linux", "", "xr"}},
	{"Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.5414.119 Safari/537.36 Tesla/2023.44.30", Agent{"Chrome", "109.0.5414.119", "Linux", "", "embedded"}},
	{"Mozilla/5.0 (Linux; Tizen 4.0; SAMSUNG SM-R805N) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/1.1 Chrome/56 Mobile Safari/537.36", Agent{"Samsung Internet", "1.1", "Tizen", "4.0", "wearable"}},
	{"Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5",
		Agent{"Firefox", "48.0", "KaiOS", "2.5", "mobile"}},
	{"Mozilla/5.0 (BB10; Touch) AppleWebKit/537.10+ (KHTML, like Gecko) Version/10.0.9.2372 Mobile Safari/537.10+",
		Agent{"Safari", "10.0.9.2372", "BlackBerry", "10.0.9.2372", "mobile"}},
	// nothing known
	{"Something of our own", Agent{"", "", "", "", "desktop"}},
	{"", Agent{}},
}

func TestParse(t *testing.T) {
	for _, c := range people {
		if got := Parse(c.ua); got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.ua, got, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range people {
		f.Add(c.ua)
	}
	d := detector(f)
	f.Fuzz(func(t *testing.T, ua string) {
		d.Bot(ua)
		a := Parse(ua)
		for _, s := range []string{a.Browser, a.BrowserVersion, a.OS, a.OSVersion, a.Device} {
			if !utf8.ValidString(s) || len(s) > 32 {
				t.Errorf("Parse(%q) = %q", ua, a)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse(people[0].ua)
	}
}
