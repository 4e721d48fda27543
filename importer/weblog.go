package importer

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file reads the Combined Log Format of nginx and Apache, also with the virtual host in front, and with more
// fields behind:
//
//	[vhost[:port]] address ident user [day/month/year:time zone] "request" status size "referrer" "user agent" …

func isCombined(line []byte) bool {
	var out found
	return parseCombined(line, &out) == nil
}

func parseCombined(line []byte, out *found) error {
	before, at, rest, ok := cutTime(string(line))
	if !ok {
		return malformed("no time like [21/Nov/2026:10:00:00 +0000]")
	}
	r := Record{Time: at}
	r.Host, r.Address = logSender(before)
	request, rest, ok := quoted(rest)
	if !ok {
		return malformed("no request in quotes")
	}
	r.Method, r.URL = requestLine(request)
	status, rest, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	n, err := strconv.Atoi(status)
	if err != nil || n < 0 || n > 999 {
		return malformed("no status")
	}
	r.Status = n
	_, rest, _ = strings.Cut(rest, " ") // the size
	if r.Referrer, rest, ok = quoted(rest); ok {
		r.UserAgent, rest, ok = quoted(rest)
	}
	if !ok && strings.HasPrefix(strings.TrimLeft(rest, " "), `"`) {
		return malformed("a quote is not closed")
	}
	r.Referrer, r.UserAgent = absent(r.Referrer), absent(r.UserAgent)
	out.records = append(out.records, r)
	if _, _, after, twice := cutTime(rest); twice && strings.HasPrefix(after, ` "`) {
		return malformed("another record follows on the line")
	}
	return nil
}

// cutTime cuts a line before and after its time, which is in brackets.
func cutTime(s string) (before string, at time.Time, after string, ok bool) {
	const size = len("[02/Jan/2006:15:04:05 -0700]")
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '[')
		if i < 0 || from+i+size > len(s) {
			return "", time.Time{}, "", false
		}
		from += i
		if s[from+size-1] == ']' {
			if at, ok = logTime(s[from+1 : from+size-1]); ok {
				return s[:from], at, s[from+size:], true
			}
		}
		from++
	}
}

// absent returns s, or an empty text for the hyphen that stands for an absent value.
func absent(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// afterAddress is the number of fields from the address to the time: itself, ident and user.
const afterAddress = 3

// logSender returns the virtual host and the address in the fields before the time; unknownAddress if they do not name
// the client. These fields are "address ident user", perhaps after a virtual host and a prefix of syslog or of a
// container, and the address may be a list, as proxies write it.
func logSender(s string) (host, client string) {
	parts, prefixed := withoutPrefix(strings.Fields(s))
	at := len(parts) - afterAddress
	if at < 0 || !isAddress(parts[at]) {
		if at = slices.IndexFunc(parts, isAddress); at < 0 {
			return hostSender(parts, prefixed)
		}
	}
	for at > 0 && strings.HasSuffix(parts[at-1], ",") && isAddress(parts[at-1]) {
		at--
	}
	if at == 1 && !prefixed {
		host = parts[0]
	}
	return host, parts[at]
}

// hostSender returns the virtual host, and the name of the client's host, which servers can write instead of its
// address.
func hostSender(parts []string, prefixed bool) (host, client string) {
	at := len(parts) - afterAddress
	if at < 0 || at > 0 && prefixed || at > 1 || !isHost(parts[at]) {
		return "", unknownAddress
	}
	if at == 1 {
		host = parts[0]
	}
	return host, parts[at]
}

func isAddress(s string) bool {
	_, ok := parseAddress(strings.TrimSuffix(s, ","))
	return ok
}

// isHost reports whether s can be the name of a host.
func isHost(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return strings.Trim(s, letters+"-_.") == "" && strings.Trim(s, "-_.") != ""
}

// withoutPrefix removes what syslog writes before a line: a header, or a time, a host and a tag that ends with a colon.
func withoutPrefix(parts []string) (rest []string, prefixed bool) {
	const header = 7 // priority and version, time, host, program, process, message id, data
	if len(parts) > header && strings.HasPrefix(parts[0], "<") && strings.HasSuffix(parts[0], ">1") {
		return parts[header:], true
	}
	for i, p := range slices.Backward(parts) {
		if strings.HasSuffix(p, ":") && len(parts)-i > afterAddress && !isAddress(p) && p != "unix:" {
			return parts[i+1:], true
		}
	}
	return parts, false
}

// requestLine returns the method and the address of a request such as GET / HTTP/1.1. For other texts, the method is
// the text.
func requestLine(s string) (method, url string) {
	method, rest, ok := strings.Cut(s, " ")
	if !ok || method == "" {
		return strings.TrimSpace(s) + "?", "" // never a valid method
	}
	if i := strings.LastIndex(rest, " HTTP/"); i >= 0 {
		rest = rest[:i]
	}
	return method, rest
}

// quoted returns the text in quotes at the beginning of s, after blanks, and what follows it.
func quoted(s string) (text, rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	if s == "" || s[0] != '"' {
		return "", s, false
	}
	escapes := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			escapes = true
			i++
		case '"':
			text = s[1:i]
			if escapes {
				text = unescaped(text)
			}
			return text, s[i+1:], true
		}
	}
	return "", s, false
}

// unescaped decodes the escapes of Apache and nginx: \" \\ \n \t and \xhh.
func unescaped(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n', 'r', 't', 'b', 'v':
			out = append(out, ' ')
		case 'x':
			if i+2 < len(s) {
				if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
					out = append(out, byte(n))
					i += 2
					continue
				}
			}
			out = append(out, '\\', 'x')
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// logTime reads a time like 21/Nov/2026:10:00:00 +0100. time.Parse takes three times as long.
func logTime(s string) (time.Time, bool) {
	const form = "02/Jan/2006:15:04:05 -0700"
	if len(s) != len(form) || s[2] != '/' || s[6] != '/' || s[11] != ':' || s[14] != ':' || s[17] != ':' ||
		s[20] != ' ' || s[21] != '+' && s[21] != '-' {
		return time.Time{}, false
	}
	month := strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", s[3:6])
	var n [7]int
	for i, part := range [...]string{s[0:2], s[7:11], s[12:14], s[15:17], s[18:20], s[22:24], s[24:26]} {
		for _, c := range []byte(part) {
			if c < '0' || c > '9' {
				return time.Time{}, false
			}
			n[i] = n[i]*10 + int(c-'0')
		}
	}
	if month < 0 || month%3 != 0 || n[0] < 1 || n[2] > 23 || n[3] > 59 || n[4] > 60 {
		return time.Time{}, false
	}
	zone := time.Duration(n[5])*time.Hour + time.Duration(n[6])*time.Minute
	if s[21] == '+' {
		zone = -zone
	}
	day := time.Date(n[1], time.Month(month/3+1), n[0], 0, 0, 0, 0, time.UTC)
	if day.Day() != n[0] { // such as 31 February
		return time.Time{}, false
	}
	clock := time.Duration(n[2])*time.Hour + time.Duration(n[3])*time.Minute + time.Duration(n[4])*time.Second
	return day.Add(clock + zone), true
}
