// Package address holds the text rules by which addresses are stored and compared.
// They are rules over text and not over URLs, so that they also work for texts that a URL
// parser rejects.
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

// Path returns the part of s between the authority and the first ? or #, without control
// characters and trailing slashes, and as [Decode] returns it. An empty path is "/". A text
// without scheme has no authority and is a path from its first byte, so Path(Path(s)) is
// Path(s).
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

// Host returns the host that s names, in lower case, in its ASCII form, and without
// scheme, user, port, final dot and one leading "www.". s may be a URL of any scheme, a host
// with or without port and path, or an IPv6 address with or without brackets, which are
// removed. Host returns "" if s names no host, such as a bare path.
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

// authority returns where the authority of s begins: after "scheme://". Without a
// scheme it is -1, so that a path of two leading slashes stays a path.
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

// dropControl removes control characters and leaves every other byte, valid UTF-8 or
// not. It repeats itself because the bytes around a dropped character may form one.
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
