package address

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPath(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"a URL", "https://example.com/pricing", "/pricing"},
		{"query and fragment go", "https://example.com/a/b?x=1#y", "/a/b"},
		{"the fragment may come first", "https://example.com/a#b?c", "/a"},
		{"no path is the root", "https://example.com", "/"},
		{"a query right after the host", "https://example.com?next=/a", "/"},
		{"a fragment right after the host", "https://example.com#/route", "/"},
		{"the root", "https://example.com/", "/"},
		{"one trailing slash", "https://example.com/a/", "/a"},
		{"many trailing slashes", "https://example.com/a///", "/a"},
		{"slashes only", "https://example.com///", "/"},
		{"inner double slashes stay", "https://example.com//a//b", "//a//b"},
		{"port and user belong to the authority", "http://u:p@localhost:3000/x", "/x"},
		{"any scheme", "app://home/settings", "/settings"},
		{"upper-case scheme", "HTTPS://EXAMPLE.COM/A", "/A"},
		{"IPv6", "http://[::1]:80/v6", "/v6"},
		{"a bare path", "/docs/intro/", "/docs/intro"},
		{"a bare path with query", "/docs?q=1", "/docs"},
		{"two leading slashes are a path, not an authority", "//a/b", "//a/b"},
		{"a URL inside a path", "/go/https://example.com/x/", "/go/https://example.com/x"},
		{"no leading slash is left so", "docs/intro", "docs/intro"},
		{"empty", "", "/"},
		{"only a query", "?a=b", "/"},
		{"escapes are not decoded", "/a%2Fb%20c", "/a%2Fb%20c"},
		{"percent and underscore are plain", "/100%", "/100%"},
		{"case is kept", "/Über/ÄÖ", "/Über/ÄÖ"},
		{"emoji", "https://example.com/🎉/?x", "/🎉"},
		{"control characters go", "https://exa\nmple.com/a\x00b\tc\u0085d", "/abcd"},
		{"blanks stay, since bytes are unchanged", "/a b ", "/a b "},
		{"bytes that are no UTF-8 stay", "/\xff\x80\x01z", "/\xff\x80z"},
		{"a control character that two halves form goes too", "/a\xc2\x1e\x8fb", "/ab"},
		{"a colon without slashes is no scheme", "mailto:x@y.z", "mailto:x@y.z"},
		{"a digit begins no scheme", "1http://x/y", "1http://x/y"},
	} {
		if got := Path(c.in); got != c.want {
			t.Errorf("%s: Path(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func TestPage(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"a query and a fragment go", "https://a.example:8443/x/?token=1#y", "https://a.example:8443/x/"},
		{"a fragment may come first", "https://a.example#token?x", "https://a.example"},
		{"the user goes, up to the last at sign", "https://me:se@cret@a.example/@x", "https://a.example/@x"},
		{"any scheme", "android-app://com.example?x", "android-app://com.example"},
		{"a blank before a query", "https://a.example/x ?y", "https://a.example/x"},
		{"a host", "a.example/x?y", "a.example/x"},
		{"a word", "direct", "direct"},
		{"nothing", "", ""},
	} {
		if got := Page(c.in); got != c.want {
			t.Errorf("%s: Page(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func TestHost(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"a URL", "https://example.com/a", "example.com"},
		{"lower case", "HTTPS://ExAmple.COM", "example.com"},
		{"umlauts in lower case", "https://MÜNCHEN.de/", "xn--mnchen-3ya.de"},
		{"one www goes", "https://www.example.com", "example.com"},
		{"only one", "https://www.www.example.com", "www.example.com"},
		{"www in any case", "WWW.Example.com", "example.com"},
		{"www without a dot stays", "https://wwwx.example.com", "wwwx.example.com"},
		{"port", "https://example.com:8443/x", "example.com"},
		{"empty port", "https://example.com:/x", "example.com"},
		{"user", "https://me:secret@example.com/", "example.com"},
		{"the last at sign counts", "https://a@b@example.com/", "example.com"},
		{"final dot", "https://example.com./", "example.com"},
		{"a final dot of Chinese", "https://bücher.example。", "xn--bcher-kva.example"},
		{"final dot before a port", "https://example.com.:443", "example.com"},
		{"a bare host", "example.com", "example.com"},
		{"a bare host with port and path", "localhost:3000/x?y", "localhost"},
		{"no scheme but slashes", "//cdn.example.com/x", "cdn.example.com"},
		{"query right after", "https://example.com?x=http://other.org/", "example.com"},
		{"a fragment right after", "https://example.com#@evil.org", "example.com"},
		{"IPv4", "http://127.0.0.1:8080/", "127.0.0.1"},
		{"IPv6 with port", "http://[2001:DB8::1]:8080/", "2001:db8::1"},
		{"IPv6 bare", "::1", "::1"},
		{"IPv6 in brackets", "[::1]", "::1"},
		{"an app", "android-app://com.Example.App/", "com.example.app"},
		{"a path has no host", "/a/b", ""},
		{"empty", "", ""},
		{"blanks and control characters", "  https://exa\x00mple.com\r\n", "example.com"},
	} {
		if got := Host(c.in); got != c.want {
			t.Errorf("%s: Host(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"nothing to do", "a  b", "a  b"},
		{"blanks at the ends", "  a b\u00a0", "a b"},
		{"control characters anywhere", "\x00a\x1fb\x7fc\u0080\n", "abc"},
		{"blanks that a control character hid", " \x00 a \x00 ", "a"},
		{"a run of broken bytes is one mark", "a\xff\xfeb", "a\uFFFDb"},
		{"emoji and joiners stay", "👩‍👩‍👧", "👩‍👩‍👧"},
		{"only blanks", " \t\n ", ""},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func FuzzRulesHold(f *testing.F) {
	for _, s := range []string{"https://example.com/a/?b#c", "//x", "\xff\x00/", "http://[::1]:1/", "a://b//", "@:.",
		"www.", " /a /", "%68ttps://a/b", "/%%34%31",
		"/%C3%A4%C%41\u0301", "\u212a://a/b", "/%C3%A4%CA\u0301%2F/", "/%2A%CC%81"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := Path(s)
		if p == "" || Path(p) != p {
			t.Errorf("Path(%q) = %q, again %q", s, p, Path(p))
		}
		if strings.ContainsAny(p, "?#\x00") || p != "/" && strings.HasSuffix(p, "/") {
			t.Errorf("Path(%q) = %q", s, p)
		}
		if g := Page(s); strings.ContainsAny(g, "?#") || Page(g) != g {
			t.Errorf("Page(%q) = %q", s, g)
		}
		if h := Host(s); strings.ContainsAny(h, "/?#") {
			t.Errorf("Host(%q) = %q", s, h)
		}
		if c := Clean(s); Clean(c) != c || !utf8.ValidString(c) {
			t.Errorf("Clean(%q) = %q", s, c)
		}
	})
}

func TestPathsOfEscapes(t *testing.T) {
	for _, c := range []struct{ why, sent, want string }{
		{"capital digits", "/de/k%C3%BCche", "/de/küche"},
		{"small digits", "/de/k%c3%bcche", "/de/küche"},
		{"no escapes", "/de/küche", "/de/küche"},
		{"a URL", "https://shop.example/de/k%C3%BCche/?q=%C3%BC#x", "/de/küche"},
		{"a combining mark", "/de/ku\u0308che", "/de/küche"},
		{"an escaped combining mark", "/de/ku%CC%88che", "/de/küche"},
		{"unreserved characters", "/%41%7a%30%2d%2E%5f%7E", "/Az0-._~"},
		{"reserved characters", "/a%2fb%3f%23%25%20%2B", "/a%2Fb%3F%23%25%20%2B"},
		{"bytes that are not UTF-8", "/a%ff%c3%bc", "/a%FF%C3%BC"},
		{"half a character", "/a%c3", "/a%C3"},
		{"a control character", "/a%c2%85b%0a", "/a%C2%85b%0A"},
		{"a format character", "/a%e2%80%8fb", "/a%E2%80%8Fb"},
		{"an emoji", "/%F0%9F%98%80", "/😀"},
		{"no escape", "/100%/%zz/%4", "/100%/%zz/%4"},
		{"escapes of escapes", "/%2541", "/%2541"},
		{"an escape that appears", "/%%34%31", "/A"},
		{"an escaped slash at the end", "/a%2F/", "/a%2F"},
		{"an escaped scheme", "%68ttps://shop.example/a", "/a"},
		{"an escape that a combining mark ends", "/%C3%A4%C%41\u0301", "/ä%C\u00c1"},
	} {
		if got := Path(c.sent); got != c.want {
			t.Errorf("%s: Path(%q) = %q, want %q", c.why, c.sent, got, c.want)
		}
	}
}

// TestLongTextsEnd uses texts as long as the body of a request. With a rule whose time grows with the square of the
// length it would take minutes.
func TestLongTextsEnd(t *testing.T) {
	const length = 1 << 20
	var letters strings.Builder
	for i := range rune(length / 3) {
		letters.WriteRune(0x4e00 + i%20000)
	}
	for _, c := range []struct {
		name, text string
		do         func(string) string
	}{
		{"escapes in escapes", "/" + strings.Repeat("%3", length/2) + "4" + strings.Repeat("1", length/2), Path},
		{"escapes", strings.Repeat("%c3%bc", length/6), Path},
		{"half escapes", strings.Repeat("%c3", length/3), Path},
		{"a long label", letters.String() + ".example", Host},
		{"a long label in ASCII", "xn--" + strings.Repeat("mnchen3y", length/8) + ".example", Unicode},
	} {
		if c.do(c.text) == "" {
			t.Errorf("%s: the result is empty", c.name)
		}
	}
}

func TestUntranslated(t *testing.T) {
	for _, c := range []struct{ host, want string }{
		{"shop-example.translate.goog", "shop.example"},
		{"www-shop-example.translate.goog", "shop.example"},
		{"my--shop-example.translate.goog", "my-shop.example"},
		{"0-ab--cd-example-0.translate.goog", "ab-cd.example"},
		{"xn--mller-example-wob.translate.goog", "xn--mller-kva.example"},
		{"translate.goog", "translate.goog"},
		{"a.b.translate.goog", "a.b.translate.goog"},
		{"shop.example", "shop.example"},
	} {
		if got := Untranslated(c.host); got != c.want {
			t.Errorf("%s: %s, want %s", c.host, got, c.want)
		}
	}
}

func FuzzHostForms(f *testing.F) {
	for _, s := range []string{"müller.example", "xn--mller-kva.example", "faß.de", "XN--80AK6AA92E.com", "a\u200db.c",
		"\xff.example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		host := Host(s)
		if shown := Unicode(host); ASCII(shown) != host {
			t.Errorf("%q is shown as %q, which is %q", host, shown, ASCII(shown))
		}
	})
}
