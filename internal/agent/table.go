package agent

// A token is a text that names a browser and precedes its version.
type token struct {
	text    string
	family  string
	version string // the text before the version, if it differs from text
}

// tokens are browsers and apps that the parser does not know, or whose user agents also contain another browser's
// name. The first token that is found is used.
var tokens = [...]token{
	{"YaBrowser/", "Yandex Browser", ""},
	{"UCBrowser/", "UC Browser", ""},
	{"UBrowser/", "UC Browser", ""},
	{"MicroMessenger/", "WeChat", ""},
	{"MQQBrowser/", "QQ Browser", ""},
	{"QQBrowser/", "QQ Browser", ""},
	{"Whale/", "Whale", ""},
	{"DuckDuckGo/", "DuckDuckGo", ""},
	{"Ddg/", "DuckDuckGo", ""},
	{"OculusBrowser/", "Meta Quest Browser", ""},
	{"PicoBrowser/", "Pico Browser", ""},
	{"MiuiBrowser/", "MIUI Browser", ""},
	{"HeyTapBrowser/", "HeyTap Browser", ""},
	{"VivoBrowser/", "Vivo Browser", ""},
	{"HuaweiBrowser/", "Huawei Browser", ""},
	{"SamsungBrowser/", "Samsung Internet", ""},
	{"Silk/", "Amazon Silk", ""},
	{"Brave/", "Brave", ""},
	{"Maxthon/", "Maxthon", ""},
	{"PaleMoon/", "Pale Moon", ""},
	{"SeaMonkey/", "SeaMonkey", ""},
	{"Epiphany/", "GNOME Web", ""},
	{"Falkon/", "Falkon", ""},
	{"Konqueror/", "Konqueror", ""},
	{"NintendoBrowser/", "Nintendo Browser", ""},
	{"OPX/", "Opera", ""},
	{"OPR/", "Opera", ""},
	{"OPiOS/", "Opera", ""},
	{"OPT/", "Opera", ""},
	{"Opera Mini/", "Opera", ""},
	{"Presto/", "Opera", "Version/"},
	{"Focus/", "Firefox", ""},
	{"Klar/", "Firefox", ""},
	{"EdgA/", "Edge", ""},
	{"EdgiOS/", "Edge", ""},
	{"EdgW/", "Edge", ""},
	{"IEMobile/", "Internet Explorer", ""},
	{"Trident/", "Internet Explorer", "rv:"},
	{"Instagram ", "Instagram", ""},
	{"FBAV/", "Facebook", ""},
	{"FBAN/", "Facebook", "FBAV/"},
	{"BytedanceWebview/", "TikTok", "app_version/"},
	{"musical_ly", "TikTok", "app_version/"},
	{"Snapchat/", "Snapchat", ""},
	{"[Pinterest/", "Pinterest", "Version/"},
	{"[LinkedInApp]", "LinkedIn", "LinkedInApp]/"},
	{"LinkedInApp/", "LinkedIn", ""},
	{" Line/", "LINE", ""},
	{"KAKAOTALK", "KakaoTalk", "KAKAOTALK "},
	{"NAVER(inapp", "Naver", ""},
	{"GSA/", "Google App", ""},
	{"Electron/", "Electron", ""},
}

// families maps the parser's names to families.
var families = map[string]string{
	"Chrome":            "Chrome",
	"Headless Chrome":   "Chrome",
	"Chromium":          "Chrome",
	"Safari":            "Safari",
	"Mobile Safari":     "Safari",
	"Firefox":           "Firefox",
	"Edge":              "Edge",
	"Opera":             "Opera",
	"Opera Mini":        "Opera",
	"Opera Touch":       "Opera",
	"Vivaldi":           "Vivaldi",
	"Internet Explorer": "Internet Explorer",
	"Samsung Browser":   "Samsung Internet",
	"Android browser":   "Android Browser",
	"BlackBerry":        "BlackBerry Browser",
	"NetFront":          "NetFront",
}

// engines name the browser if nothing more exact is found.
var engines = [...]token{
	{"CriOS/", "Chrome", ""},
	{"FxiOS/", "Firefox", ""},
	{"Chrome/", "Chrome", ""},
	{"Chromium/", "Chrome", ""},
	{"Firefox/", "Firefox", ""},
	{"Safari/", "Safari", "Version/"},
	{"(KHTML, like Gecko) Mobile/", "Safari", "Version/"}, // a web view of iOS
	{"AppleWebKit/", "Safari", "Version/"},
}

// A rule maps a text in the user agent to a system. Its version follows the first of the marks that is followed by a
// version.
type rule struct {
	text     string
	family   string
	versions []string
}

var systems = [...]rule{
	{"Windows Phone", "Windows Phone", []string{"Windows Phone OS ", "Windows Phone "}},
	{"KAIOS", "KaiOS", []string{"KAIOS/"}},
	{"Tizen", "Tizen", []string{"Tizen ", "Tizen/"}},
	{"Web0S", "webOS", nil},
	{"webOS", "webOS", []string{"webOS.TV-", "webOS/", "hpwOS/"}},
	{"HarmonyOS", "HarmonyOS", []string{"HarmonyOS "}},
	{"OpenHarmony", "HarmonyOS", []string{"OpenHarmony "}},
	{"Watch OS", "watchOS", []string{"Watch OS "}},
	{"watchOS", "watchOS", []string{"watchOS/", "watchOS "}},
	{"AppleTV", "tvOS", []string{"tvOS ", "CPU OS "}},
	{"Apple TV", "tvOS", []string{"tvOS ", "CPU OS "}},
	{"visionOS", "visionOS", []string{"visionOS ", "visionOS/"}},
	{"iPhone", "iOS", []string{"iPhone OS ", "CPU OS ", "iOS ", "FBSV/"}},
	{"iPad", "iOS", []string{"CPU OS ", "iPhone OS ", "iPadOS ", "iOS ", "FBSV/"}},
	{"iPod", "iOS", []string{"iPhone OS ", "CPU OS ", "iOS ", "FBSV/"}},
	{"PlayStation", "PlayStation", nil},
	{"PLAYSTATION", "PlayStation", nil},
	{"Nintendo", "Nintendo", nil},
	{"BlackBerry", "BlackBerry", []string{"Version/"}},
	{"BB10", "BlackBerry", []string{"Version/"}},
	{"Android", "Android", []string{"Android ", "FBSV/"}},
	{"FB4A", "Android", []string{"FBSV/"}},
	{"FBPN/com.", "Android", []string{"FBSV/"}},
	{"FBSN/iOS", "iOS", []string{"FBSV/"}},
	{"CrOS", "ChromeOS", []string{"CrOS x86_64 ", "CrOS aarch64 ", "CrOS armv7l ", "CrOS i686 "}},
	{"Windows", "Windows", []string{"Windows NT "}},
	{"Mac OS X", "macOS", []string{"Mac OS X "}},
	{"Macintosh", "macOS", nil},
	{"FreeBSD", "FreeBSD", nil},
	{"OpenBSD", "OpenBSD", nil},
	{"Linux", "Linux", nil},
	{"X11", "Linux", nil},
}

// windows maps version numbers to names. Browsers report no higher number than 10.0.
var windows = map[string]string{
	"10.0": "10", "6.3": "8.1", "6.2": "8", "6.1": "7", "6.0": "Vista", "5.2": "XP", "5.1": "XP", "5.0": "2000",
}

// devices: the first entry matches if a text is found and the text that disproves it is not.
var devices = [...]struct {
	id     string
	texts  []string
	unless string
}{
	{XR, []string{"OculusBrowser", "PicoBrowser", "visionOS", "Apple Vision", "Quest 2", "Quest 3", "Mobile VR"}, ""},
	{Console, []string{"PlayStation", "PLAYSTATION", "Xbox", "Nintendo"}, ""},
	{Embedded, []string{"DeviceType/SmartSpeaker", "Nest Hub"}, ""}, // also contain the Chromecast text
	{SmartTV, []string{
		"SmartTV", "SMARTTV", "smarttv", "SMART-TV", "Smart-TV", "smart-tv", "Smart TV", "SmartHub", "(TV;",
		" TV Safari/", "(lite) TV",
		"Android TV", "AndroidTV", "Android UHD TV", "Andr0id", "GoogleTV", "Google TV", "AppleTV", "Apple TV", "CrKey",
		"Chromecast", "; AFT", "Roku",
		"Web0S", "webOS.TV", "webOSTV", "NetCast", "LG Browser", "BRAVIA", "Bravia", "SonyDTV", "SONYDTV", "VIDAA",
		"Viera", "VIERA", "NETTV", "PhilipsTV",
		"MiTV", "MIBOX", "HbbTV", "CE-HTML", "Opera TV", " OMI/", "InettvBrowser", "AQUOSBrowser", "Maple2", "Firebolt",
		"TSBNetTV", "OPENTV",
	}, ""},
	// Phones that receive TV have it in their name.
	{SmartTV, []string{"DTV", "IPTV", " TV ", " TV;", " TV)", " TV/", "_TV ", "_TV;", "_TV)", "-TV ", "-TV;", "-TV)",
		"TVBOX", "TVBox", "; STB"}, "Mobi"},
	{Wearable, []string{"Apple Watch", "Watch OS", "watchOS", "Wear OS", "SM-R"}, ""},
	{Embedded, []string{"QtCarBrowser", "Tesla/", "Automotive"}, ""},
	{Mobile, []string{"Opera Mini", "Windows Phone", "IEMobile"}, ""},
	{Tablet, []string{"iPad", "PlayBook", "Kindle", "Tablet", "tablet", "FBID/tablet"}, "Tablet PC"},
	{Mobile, []string{"FB4A", "FBPN/com.", "FBID/phone"}, "Mozilla/"}, // Facebook's apps that omit the browser's text
	{Mobile, []string{"iPhone", "iPod", "Mobile", "Mobi", "BlackBerry", "BB10", "KAIOS", "Symbian", "J2ME", "MIDP"},
		""},
	{Tablet, []string{"Android"}, ""}, // phones also contain Mobile
}
