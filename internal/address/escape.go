package address

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Decode returns a path or part of a path in Unicode's form NFC, with decoded percent escapes. It decodes escapes only
// if the result is readable and has the same meaning: unreserved ASCII characters, and runs of bytes from 0x80 on that
// are valid UTF-8 without control and format characters. Other escapes get capital digits. The time for Decode grows
// linearly with the length of s.
func Decode(s string) string {
	if !strings.Contains(s, "%") {
		return composed(s)
	}
	// The text is composed before decoding, too, since a combining mark after an escape changes its last digit.
	return composed(decodeRuns(composed(decodeUnreserved(s))))
}

// composed returns s in Unicode's form NFC.
func composed(s string) string {
	if isASCII(s) {
		return s
	}
	return norm.NFC.String(s)
}

// decodeUnreserved decodes escapes of unreserved ASCII characters. A decoded character may
// complete another escape: %%34%31 becomes %41, which becomes A.
func decodeUnreserved(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for start := len(out) - len("%41"); start >= 0; start = len(out) - len("%41") {
			c, ok := escaped(string(out[start:]))
			if !ok || !unreserved(c) {
				break
			}
			out = append(out[:start], c)
		}
	}
	return string(out)
}

// decodeRuns decodes runs of escapes of other bytes if they are readable text.
func decodeRuns(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if _, ok := escaped(s[i:]); !ok {
			b.WriteByte(s[i])
			i++
			continue
		}
		run, end := escapedRun(s[i:])
		if readable(run) {
			b.WriteString(run)
		} else {
			b.WriteString(strings.ToUpper(s[i : i+end]))
		}
		i += end
	}
	return b.String()
}

// escapedRun returns the bytes of the escapes at the start of s, and the length of these escapes. It is one escape of
// an ASCII character, or all successive escapes of other bytes.
func escapedRun(s string) (run string, end int) {
	var bytes []byte
	for {
		c, ok := escaped(s[end:])
		if !ok || len(bytes) > 0 && c < utf8.RuneSelf {
			return string(bytes), end
		}
		bytes = append(bytes, c)
		end += len("%41")
		if c < utf8.RuneSelf {
			return string(bytes), end
		}
	}
}

// escaped returns the byte of the escape at the start of s.
func escaped(s string) (c byte, ok bool) {
	if len(s) < len("%41") || s[0] != '%' {
		return 0, false
	}
	n, err := hex.DecodeString(s[1:len("%41")])
	if err != nil {
		return 0, false
	}
	return n[0], true
}

// unreserved reports whether an escape of c means the same as c itself.
func unreserved(c byte) bool {
	letter := c | 0x20
	return 'a' <= letter && letter <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// readable reports whether a run of escaped bytes from 0x80 on should be shown as text.
func readable(run string) bool {
	return run[0] >= utf8.RuneSelf && utf8.ValidString(run) &&
		!strings.ContainsFunc(run, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) })
}
