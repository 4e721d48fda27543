package address

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Decode returns a path, or a part of one, with its percent escapes decoded where that makes
// readable text and does not change the meaning, and in Unicode's form NFC. It decodes
// escapes of unreserved ASCII characters, and runs of escapes of bytes from 0x80 on that are
// valid UTF-8 without control and format characters. Other escapes get capital digits.
func Decode(s string) string {
	for strings.Contains(s, "%") {
		decoded := decodeOnce(s)
		if decoded == s {
			break
		}
		s = decoded // %%34%31 became %41
	}
	if isASCII(s) {
		return s
	}
	return norm.NFC.String(s)
}

func decodeOnce(s string) string {
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

// escapedRun returns the bytes of the escapes that s begins with, and the length of these
// escapes: one escape of an ASCII character, or all successive ones of other bytes.
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

// escaped returns the byte whose escape s begins with.
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

// readable reports whether the bytes of escapes are better read as text.
func readable(run string) bool {
	if run[0] < utf8.RuneSelf {
		c := run[0]
		return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
	}
	return utf8.ValidString(run) && !strings.ContainsFunc(run, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) })
}
