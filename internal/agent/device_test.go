package agent

import "testing"

func TestDevices(t *testing.T) {
	const (
		android = "Mozilla/5.0 (Linux; Android 9; "
		blink   = ") AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0.0.0 "
		still   = blink + "Safari/537.36"
		phone   = blink + "Mobile Safari/537.36"
	)
	for _, c := range []struct{ ua, os, device string }{
		{"Mozilla/5.0 (SMART-TV; Linux; Tizen 2.4.0) AppleWebKit/538.1 (KHTML, like Gecko) Version/2.4.0 TV Safari/538.1", "Tizen", SmartTV},
		{"Mozilla/5.0 (Linux; Tizen 5.5) AppleWebKit/537.36 (KHTML, like Gecko) 69.0.3497.106/5.5 TV Safari/537.36",
			"Tizen", SmartTV},
		{"Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36 DMOST/2.0.0 (; LGE; webOSTV;)", "webOS", SmartTV},
		{"Mozilla/5.0 (webOS; Linux/SmartTV) AppleWebKit/538.2 (KHTML, like Gecko) Large Screen WebAppManager Safari/538.2", "webOS", SmartTV},
		{"Mozilla/5.0 (Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/85.0.4183.93 Safari/537.36 OPR/46.0.2207.0 OMI/4.20.4 HbbTV/1.4.1 (+DRM; Hisense; VIDAA)", "Linux", SmartTV},
		{"Opera/9.80 (Linux armv7l; HbbTV/1.2.1 (; Philips; 40HFL5010T12; ; PHILIPSTV; CE-HTML/1.0 NETTV/4.4.1; )) Presto/2.12.407 Version/12.50", "Linux", SmartTV},
		{"Mozilla/5.0 (DirectFB; Linux armv7l) AppleWebKit/534.26+ (KHTML, like Gecko) Version/5.0 Safari/534.26+ LG Browser/5.00.00", "Linux", SmartTV},
		{"Mozilla/5.0 (CrKey armv7l 1.5.16041) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/31.0.1650.0 Safari/537.36",
			"", SmartTV},
		{"Mozilla/5.0 (Linux; Android 12.0; Build/STTL.240206.002) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.0 Safari/537.36 CrKey/1.56.500000 DeviceType/AndroidTV", "Android", SmartTV},
		{"Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.225 Safari/537.36 CrKey/1.56.500000 DeviceType/SmartSpeaker", "Linux", Embedded},
		{android + "BRAVIA 4K UR2 Build/PTT1.190515.001.S104" + still, "Android", SmartTV},
		{android + "AFTT Build/LVY48F; wv" + phone, "Android", SmartTV},
		{android + "MiTV-MOOQ0" + phone, "Android", SmartTV},
		{android + "Rombica TV Air Build/A95X" + still, "Android", SmartTV},
		{android + "X96 TVBOX" + still, "Android", SmartTV},
		{android + "32H550T; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/83.0.4103.120 YaBrowser/22.8.0.15 (lite) TV Safari/537.36", "Android", SmartTV},
		{"Mozilla/5.0 (Linux; Andr0id 9; BRAVIA 4K GB)" + still[1:], "Linux", SmartTV},
		{"Mozilla/5.0 (Linux; Android 5.0.2; XT1069 DTV Build/LXB22.46-28" + phone, "Android", Mobile},
		{"Mozilla/5.0 (Linux; Android 6.0; LG-K430TV Build/MRA58K" + phone, "Android", Mobile},
		{"Mozilla/5.0 (Linux; Android 5.1; SM-J120H DTV" + phone, "Android", Mobile},
		{"Mozilla/5.0 (Linux; Android 6.0.1; STV100-1 Build/MMB29M" + phone, "Android", Mobile},
		{"Mozilla/5.0 (Linux; Android 7.0; BTV-W09" + still, "Android", Tablet},
		{"Mozilla/5.0 (Linux; Tizen 2.3; SAMSUNG SM-Z130H) AppleWebKit/537.3 (KHTML, like Gecko) SamsungBrowser/1.0 Mobile Safari/537.3", "Tizen", Mobile},
	} {
		if a := Parse(c.ua); a.OS != c.os || a.Device != c.device {
			t.Errorf("%s\n got %q %q, want %q %q", c.ua, a.OS, a.Device, c.os, c.device)
		}
	}
}

// TestFacebookWithoutMozilla uses user agents of Facebook's apps without the browser's part.
func TestFacebookWithoutMozilla(t *testing.T) {
	d := detector(t)
	for _, c := range []struct {
		ua   string
		want Agent
	}{
		{
			"[FBAN/FB4A;FBAV/560.0.0.1.1;FBBV/812345678;FBDM/{density=3.0,width=1080,height=2340};FBLC/de_DE;FBMF/samsung;FBPN/com.facebook.katana;FBDV/SM-A536B;FBSV/16;FBOP/1;]",
			Agent{"Facebook", "560.0.0.1.1", "Android", "16", Mobile},
		},
		{
			"[FBAN/EMA;FBAV/420.0.0.8.99;FBPN/com.facebook.lite;FBDV/SM-A125F;FBSV/12;]",
			Agent{"Facebook", "420.0.0.8.99", "Android", "12", Mobile},
		},
		{
			"[FBAN/FBIOS;FBAV/443.0.0.23.229;FBBV/543111111;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.2.1;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]",
			Agent{"Facebook", "443.0.0.23.229", "iOS", "17.2.1", Mobile},
		},
		{
			"[FBAN/FBIOS;FBAV/443.0.0.23.229;FBDV/iPad13,4;FBMD/iPad;FBSN/iPadOS;FBSV/17.1;FBID/tablet;FBLC/en_US]",
			Agent{"Facebook", "443.0.0.23.229", "iOS", "17.1", Tablet},
		},
		{
			"Mozilla/5.0 (Linux; Android 13; SM-X906B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.6099.43 Safari/537.36 [FB_IAB/FB4A;FBAV/444.0.0.36.111;]",
			Agent{"Facebook", "444.0.0.36.111", "Android", "13", Tablet},
		},
	} {
		if got := Parse(c.ua); got != c.want || d.Bot(c.ua) {
			t.Errorf("%s\n got %q\nwant %q, and no bot", c.ua, got, c.want)
		}
	}
}
