// Package address defines how addresses are stored and compared:
//
//	address.Path("https://Shop.example/caf%C3%A9/?q=1#top") // "/café"
//	address.Host("https://www.Shop.example:8443/a")         // "shop.example"
//	address.Page("https://user@shop.example/a?token=1")     // "https://shop.example/a"
//	address.Clean(" a\tb ")                                 // "ab"
//	address.ASCII("müller.example")                         // "xn--mller-kva.example"
//
// The rules apply to text and not to URLs, so that they also work for texts that a URL parser rejects.
package address

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean drops control characters anywhere in s (Unicode category Cc, so tabs and line
// breaks too) and white space at both ends. Every run of bytes that is not valid UTF-8
// becomes one U+FFFD, so that the result can always be stored; nothing else changes.
func Clean(s string) string {
	return strings.TrimSpace(dropControl(strings.ToValidUTF8(s, "\uFFFD")))
}

// Path returns the path in s: the part after the authority and before the first ? or #. It removes control characters
// and trailing slashes, and applies [Decode]. An empty path is "/". A text without scheme is a path from its first
// byte, so Path(Path(s)) is Path(s).
func Path(s string) string {
	s = Decode(before(dropControl(s), "?#"))
	if i := authority(s); i >= 0 {
		_, path, _ := strings.Cut(s[i:], "/")
		s = "/" + path
	}
	s = strings.TrimRight(s, "/")
	if s == "" {
		return "/"
	}
	return s
}

// Host returns the host in s, in lower case and ASCII form, without scheme, user, port, final dot and one leading
// "www.". s may be a URL of any scheme, a host with or without port and path, or an IPv6 address with or without
// brackets, which are removed. The result is empty if s contains no host, for example only a path.
func Host(s string) string {
	s = Clean(s)
	if i := authority(s); i >= 0 {
		s = s[i:]
	} else {
		s = strings.TrimPrefix(s, "//")
	}
	s = before(s, "/?#")
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		s = s[at+1:]
	}
	s = strings.TrimSuffix(ASCII(strings.ToLower(withoutPort(s))), ".")
	return strings.TrimPrefix(s, "www.")
}

// Page returns s without user, query and fragment: origin and path of a URL.
func Page(s string) string {
	s = strings.TrimSpace(before(s, "?#"))
	i := authority(s)
	if i < 0 {
		return s
	}
	user := strings.LastIndexByte(before(s[i:], "/"), '@') + 1
	return s[:i] + s[i+user:]
}

// withoutPort removes the port, and the brackets of an IPv6 address.
func withoutPort(s string) string {
	if strings.HasPrefix(s, "[") {
		if end := strings.IndexByte(s, ']'); end > 0 {
			return s[1:end]
		}
	}
	colon := strings.IndexByte(s, ':')
	if colon < 0 || strings.IndexByte(s[colon+1:], ':') >= 0 {
		return s // no port, or an IPv6 address without brackets
	}
	return s[:colon]
}

// authority returns the index at which the authority of s begins, after "scheme://". Without a scheme it returns -1, so
// that a path with two leading slashes stays a path.
func authority(s string) int {
	i := strings.Index(s, "://")
	if i <= 0 {
		return -1
	}
	for j := range i {
		c := s[j] | 0x20
		letter := 'a' <= c && c <= 'z'
		other := '0' <= s[j] && s[j] <= '9' || s[j] == '+' || s[j] == '-' || s[j] == '.'
		if !letter && (j == 0 || !other) {
			return -1
		}
	}
	return i + len("://")
}

// before returns s up to the first of the characters in cut.
func before(s, cut string) string {
	if i := strings.IndexAny(s, cut); i >= 0 {
		return s[:i]
	}
	return s
}

// dropControl removes control characters and keeps every other byte. It repeats the removal, because the bytes around a
// removed character may form another one.
func dropControl(s string) string {
	for strings.ContainsFunc(s, unicode.IsControl) {
		var b strings.Builder
		b.Grow(len(s))
		for i := 0; i < len(s); {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsControl(r) {
				b.WriteString(s[i : i+n])
			}
			i += n
		}
		s = b.String()
	}
	return s
}
