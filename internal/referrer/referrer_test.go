package referrer

import (
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"

	"github.com/sightline-analytics/sightline/internal/address"
)

func TestEveryLineOfTheFileIsValid(t *testing.T) {
	lines := 0
	for line := range strings.Lines(file) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			lines++
		}
	}
	all := Sources()
	if len(all) != lines || lines < 200 {
		t.Fatalf("%d sources from %d lines", len(all), lines)
	}
	hosts, names := map[string]string{}, map[string]bool{}
	for _, s := range all {
		switch s.Kind {
		case Search, Social, Email, Paid, AI, Other:
		default:
			t.Errorf("%s has the kind %q", s.Name, s.Kind)
		}
		if s.Name == "" || names[strings.ToLower(s.Name)] {
			t.Errorf("name %q is empty or listed twice", s.Name)
		}
		names[strings.ToLower(s.Name)] = true
		if got, ok := Named(strings.ToUpper(s.Name)); !ok || got.Domain != s.Domain {
			t.Errorf("Named(%s in capitals) = %q", s.Name, got.Domain)
		}
		for _, short := range s.Short {
			if got, ok := Named(short); !ok || got.Domain != s.Domain || short != strings.ToLower(short) ||
				IsDirect(short) {
				t.Errorf("%s: Named(%q) = %q", s.Name, short, got.Name)
			}
		}
		for _, page := range s.Alone {
			h, _, _ := strings.Cut(page, "/")
			if other, ok := hosts["="+page]; ok {
				t.Errorf("%s is in both %s and %s", page, other, s.Name)
			}
			hosts["="+page] = s.Name
			if suffix, _ := publicsuffix.PublicSuffix(h); address.Host(h) != h || suffix == h {
				t.Errorf("%s: %q is not a host below a public suffix", s.Name, h)
			}
			if got := Domain("https://"+page+"/x", ""); got != s.Domain {
				t.Errorf("%s leads to %q, want %q", page, got, s.Domain)
			}
		}
		for _, h := range s.Hosts {
			if registrable, _ := publicsuffix.EffectiveTLDPlusOne(h); s.Kind == Search && registrable == h {
				t.Errorf("%s: %q includes other services of a search engine; list it after =, and add its search hosts",
					s.Name, h)
			}
			if other, ok := hosts[h]; ok {
				t.Errorf("%s is in both %s and %s", h, other, s.Name)
			}
			hosts[h] = s.Name
			if address.Host(h) != h || !strings.Contains(h, ".") {
				t.Errorf("%s: %q is not a host in the form of address.Host", s.Name, h)
			}
			if suffix, _ := publicsuffix.PublicSuffix(h); suffix == h {
				t.Errorf("%s: %q is a public suffix", s.Name, h)
			}
			if got, ok := Lookup("a.b." + h); !ok || got.Domain != s.Domain {
				t.Errorf("a.b.%s leads to %q, want %q", h, got.Domain, s.Domain)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct{ host, want string }{
		{"google.com", "Google"},
		{"google.co.uk", "Google"},
		{"images.google.com", "Google"},
		{"google.com.au", "Google"},
		{"a.google.com", ""},
		{"news.google.com", "Google News"},
		{"mail.google.com", "Gmail"},
		{"gemini.google.com", "Gemini"},
		{"googleads.g.doubleclick.net", "Google Ads"},
		{"google.com.example", ""},
		{"notgoogle.com", ""},
		{"google.co", ""},
		{"com", ""},
		{"co.uk", ""},
		{"", ""},
		{".", ""},
		{"google.com.", ""},
		{"l.facebook.com", "Facebook"},
		{"lm.facebook.com", "Facebook"},
		{"t.co", "X (Twitter)"},
		{"not.t.com", ""},
		{"lnkd.in", "LinkedIn"},
		{"youtu.be", "YouTube"},
		{"out.reddit.com", "Reddit"},
		{"search.brave.com", "Brave Search"},
		{"brave.com", ""},
		{"r.search.yahoo.com", "Yahoo!"},
		{"mail.yahoo.com", "Yahoo! Mail"},
		{"chat.openai.com", "ChatGPT"},
		{"de.wikipedia.org", "Wikipedia"},
	} {
		got, ok := Lookup(c.host)
		if got.Name != c.want || ok != (c.want != "") {
			t.Errorf("Lookup(%q) = %q, %v; want %q", c.host, got.Name, ok, c.want)
		}
	}
}

func TestDomain(t *testing.T) {
	for _, c := range []struct{ why, ref, site, want string }{
		{"no referrer", "", "shop.com", ""},
		{"blanks only", " \t", "shop.com", ""},
		{"the word direct", "direct", "shop.com", ""},
		{"in brackets and capitals", "(DIRECT)", "shop.com", ""},
		{"none", "None", "shop.com", ""},
		{"localhost", "http://localhost:3000/x", "shop.com", ""},
		{"127/8", "http://127.9.8.7/", "shop.com", ""},
		{"IPv6 loopback", "http://[::1]:80/", "shop.com", ""},
		{"IPv6 loopback in full", "http://[0:0:0:0:0:0:0:1]/", "shop.com", ""},
		{"another IPv6 host", "http://[2001:db8::1]/", "shop.com", "2001:db8::1"},
		{"a look-alike of 127/8", "http://127.0.0.1.example.com/", "shop.com", "127.0.0.1.example.com"},
		{"a look-alike of localhost", "http://localhost.example.com/", "shop.com", "localhost.example.com"},
		{"the website itself", "https://shop.com/a", "shop.com", ""},
		{"with www", "https://www.shop.com/a", "shop.com", ""},
		{"a website whose domain has www", "https://blog.shop.com/", "www.shop.com", ""},
		{"a website given as a URL", "https://shop.com/", "https://Shop.com:443/", ""},
		{"a subdomain", "https://checkout.eu.shop.com/", "shop.com", ""},
		{"a look-alike before", "https://myshop.com/", "shop.com", "myshop.com"},
		{"a look-alike behind", "https://shop.com.evil.org/", "shop.com", "shop.com.evil.org"},
		{"the parent of the website", "https://shop.com/", "eu.shop.com", "shop.com"},
		{"no website known", "https://example.com/", "", "example.com"},
		{"a listed source by its short host", "https://t.co/abc", "shop.com", "x.com"},
		{"a country's search engine", "https://www.google.co.uk/", "shop.com", "google.com"},
		{"a look-alike of a source", "https://google.com.example/", "shop.com", "google.com.example"},
		{"an unknown host", "https://WWW.Example.ORG.:8080/a?b", "shop.com", "example.org"},
		{"a bare host", "news.example.org", "shop.com", "news.example.org"},
		{"an app", "android-app://com.google.android.gm/", "shop.com", "mail.google.com"},
		{"the website is a source", "https://google.com/", "google.com", ""},
		{"a path", "/a/b", "shop.com", ""},
		{"the website itself outside ASCII", "https://xn--mller-kva.example/a", "müller.example", ""},
		{"the same the other way", "https://www.müller.example/a", "xn--mller-kva.example", ""},
		{"a host outside ASCII", "https://MÜNCHEN.example/", "shop.com", "xn--mnchen-3ya.example"},
		{"the website as Google Translate shows it", "https://shop-com.translate.goog/a", "shop.com", ""},
		{"another website as Google Translate shows it", "https://other-org.translate.goog/a", "shop.com", "other.org"},
		{"a host without a dot", "http://intranet/x", "shop.com", "intranet"},
	} {
		if got := Domain(c.ref, c.site); got != c.want {
			t.Errorf("%s: Domain(%q, %q) = %q, want %q", c.why, c.ref, c.site, got, c.want)
		}
	}
}

func FuzzDomainIsSettled(f *testing.F) {
	for _, s := range []string{"https://t.co/x", "http://[::1]/", "www.google.co.uk", "a@b:c.", "\xff://\x00"} {
		f.Add(s, "shop.com")
	}
	f.Fuzz(func(t *testing.T, ref, site string) {
		d := Domain(ref, site)
		if s, ok := Lookup(d); ok && s.Domain != d {
			t.Errorf("Domain(%q) = %q, a host of %q", ref, d, s.Domain)
		}
	})
}

// TestServicesOfPortals checks that other services of search engines and portals do not count as their search or
// mail.
func TestServicesOfPortals(t *testing.T) {
	for _, c := range []struct {
		ref, name string
		kind      Kind
	}{
		{"https://accounts.google.com/", "Google Account", Other},
		{"https://calendar.google.com/", "Google Calendar", Other},
		{"https://meet.google.com/", "Google Meet", Other},
		{"https://chat.google.com/", "Google Chat", Other},
		{"https://drive.google.com/", "Google Drive", Other},
		{"https://maps.google.com/", "Google Maps", Other},
		{"https://play.google.com/", "Google Play", Other},
		{"https://mail.google.com/", "Gmail", Email},
		{"https://keep.google.de/", "keep.google.de", Other},
		{"https://help.duckduckgo.com/", "help.duckduckgo.com", Other},
		{"https://html.duckduckgo.com/", "DuckDuckGo", Search},
		{"https://account.bing.com/", "account.bing.com", Other},
		{"https://cn.bing.com/", "Bing", Search},
		{"https://finance.yahoo.com/", "Yahoo Finance", Other},
		{"https://login.yahoo.com/", "Yahoo Account", Other},
		{"https://de.search.yahoo.com/", "Yahoo!", Search},
		{"https://item.rakuten.co.jp/", "Rakuten", Other},
		{"https://someone.free.fr/", "someone.free.fr", Other},
		{"https://lumo.proton.me/", "Lumo", AI},
		{"https://huggingface.co/org/model", "Hugging Face", Other},
		{"https://huggingface.co/chat/conversation/1", "HuggingChat", AI},
		{"https://huggingface.co/chatter/x", "Hugging Face", Other},
		{"https://outlook.cloud.microsoft/", "Outlook", Email},
		{"https://teams.cloud.microsoft/", "Microsoft Teams", Social},
		{"android-app://com.instagram.barcelona", "Threads", Social},
		{"android-app://com.openai.chatgpt/", "ChatGPT", AI},
		{"android-app://ai.perplexity.app.android/", "Perplexity", AI},
		{"android-app://org.telegram.messenger.web/", "Telegram", Social},
		{"android-app://com.google.android.apps.searchlite/", "Google", Search},
		{"android-app://com.microsoft.teams/", "Microsoft Teams", Social},
	} {
		domain := Domain(c.ref, "")
		s, ok := Lookup(domain)
		if !ok {
			s = Source{Name: domain, Kind: Other}
		}
		if s.Name != c.name || s.Kind != c.kind {
			t.Errorf("%s: %s, %s, want %s, %s", c.ref, s.Name, s.Kind, c.name, c.kind)
		}
	}
}

func TestTextsWithoutAHost(t *testing.T) {
	for _, ref := range []string{
		"null", "undefined", "about:client", "about:blank", "blob:https://shop.example/1", "data:text/html,a.b",
		"data:a.b", "chrome-extension://abc.def/",
		"moz-extension://1/", "file:///a.b", "javascript:a.b()", "mailto:me@shop.example", "me@shop.example",
		"ftp://a.b/", "shop", "a b.c", "https://", "..", ".",
	} {
		if got := Domain(ref, "shop.com"); got != "" {
			t.Errorf("Host(%q) = %q", ref, got)
		}
	}
}

func TestCampaign(t *testing.T) {
	for _, c := range []struct {
		source, medium, domain string
		kind                   Kind
	}{
		{"google", "cross-network.cpm", "google.com", Paid},
		{"x", "PPC", "x.com", Paid},
		{"partner.example", "Retargeting", "partner.example", Paid},
		{"partner.example", "cpcx", "partner.example", Other},
		{"partner.example", "incpa", "partner.example", Other},
		{"partner.example", "überpaid", "partner.example", Other},
		{"partner.example", "ücpc", "partner.example", Other},
		{"partner.example", "a_cpv_b", "partner.example", Paid},
		{"chatgpt.com", "", "chatgpt.com", AI},
		{" ChatGPT ", "", "chatgpt.com", AI},
		{"https://www.chatgpt.com/", "referral", "chatgpt.com", AI},
		{"producthunt", "", "producthunt.com", Social},
		{"Product Hunt", "", "producthunt.com", Social},
		{"ig", "", "instagram.com", Social},
		{"google", "organic", "google.com", Search},
		{"google", "CPC", "google.com", Paid},
		{"l.facebook.com", "paid_social", "facebook.com", Paid},
		{"newsletter", "", "newsletter", Other},
		{"Spring Sale", "E-Mail", "spring sale", Email},
		{"newsletter", "newsletter", "newsletter", Email},
		{"partner.example", "sm", "partner.example", Social},
		{"partner.example", "", "partner.example", Other},
		{"a.google.com", "", "a.google.com", Other},
		{"", "cpc", "", ""},
		{"(direct)", "(none)", "", ""},
	} {
		if domain, kind := Campaign(c.source, c.medium, false); domain != c.domain || kind != c.kind {
			t.Errorf("%q, %q: %q, %s, want %q, %s", c.source, c.medium, domain, kind, c.domain, c.kind)
		}
	}
}
