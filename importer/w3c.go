package importer

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// This file reads the W3C Extended Log File Format: lines of fields, after a line with their names that begins with
// #Fields.

// dateTime is a column of such logs: the fields date and time.
const dateTime = "date time"

// w3c is the format of the logs of IIS and of other servers that write the W3C format. IIS writes + for blanks.
func w3c() format {
	return format{
		name: "w3c", title: "W3C extended log, such as of IIS", is: isW3C, split: byLine,
		read: func() reader { return readW3C(blanks) }, requests: true,
		columns: columns{
			"time": {dateTime}, "method": {"cs-method"}, "url": {"cs-uri"}, "status": {"sc-status"},
			"host": {"cs-host", "cs(Host)"}, "content_type": {"sc(Content-Type)", "rs(Content-Type)"},
			// A server behind a proxy has the proxy's address in c-ip, and can be told to log the header.
			"address":  {"X-Forwarded-For", "cs(X-Forwarded-For)", "c-ip"},
			"referrer": {"cs(Referer)", "cs(Referrer)"}, "user_agent": {"cs(User-Agent)"},
		},
		check: func(get getter) error {
			if get("date") == "" || get("time") == "" {
				return malformed("no date and time; the line #Fields must have both")
			}
			return nil
		},
		finish: func(r *Record, get getter) error {
			if r.URL == "" {
				r.URL = withQuery(get("cs-uri-stem"), get("cs-uri-query"))
			}
			if !strings.Contains(r.UserAgent, " ") {
				r.UserAgent = strings.ReplaceAll(r.UserAgent, "+", " ")
			}
			return nil
		},
	}
}

func isW3C(line []byte) bool {
	return bytes.HasPrefix(line, []byte("#Fields:")) && bytes.Contains(line, []byte(" cs-uri")) && !isCloudFront(line)
}

// cloudFront is the format of the logs of CloudFront: lines of W3C, or of JSON. Real-time logs have other names of the
// headers.
func cloudFront() format {
	return format{
		name: "cloudfront", title: "standard log of CloudFront", is: isCloudFront, split: byLine,
		read: readCloudFront, requests: true,
		columns: columns{
			"time": {"timestamp(ms)", "timestamp", dateTime}, "id": {"x-edge-request-id"}, "method": {"cs-method"},
			"status": {"sc-status"}, "host": {"x-host-header", "cs-host"}, "content_type": {"sc-content-type"},
			"address": {"c-ip"}, "country": {"c-country"}, "referrer": {"cs(Referer)", "cs-referer"},
			"user_agent": {"cs(User-Agent)", "cs-user-agent"},
		},
		finish: func(r *Record, get getter) error {
			r.URL = singly(withQuery(get("cs-uri-stem"), get("cs-uri-query")))
			r.Referrer, r.UserAgent = twiceDecoded(r.Referrer), twiceDecoded(r.UserAgent)
			return nil
		},
	}
}

func isCloudFront(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("#Fields:")) || bytes.HasPrefix(line, []byte("{"))) &&
		bytes.Contains(line, []byte("cs-uri-stem")) && bytes.Contains(line, []byte("x-edge-"))
}

// readCloudFront returns a reader of lines of W3C with tabs, or of lines of JSON.
func readCloudFront() reader {
	read := readW3C(func(line string) []string { return strings.Split(line, "\t") })
	return func(line []byte) (getter, error) {
		if line[0] != '{' {
			return read(line)
		}
		var fields map[string]loose
		if err := json.Unmarshal(line, &fields); err != nil {
			return nil, malformed(err.Error())
		}
		return withDateTime(func(name string) string { return absent(string(fields[name])) }), nil
	}
}

// readW3C returns a reader of lines that split splits into fields.
func readW3C(split func(line string) []string) reader {
	var names []string
	columns := map[string]int{}
	return func(line []byte) (getter, error) {
		switch {
		case line[0] == '#':
			if header, ok := bytes.CutPrefix(line, []byte("#Fields:")); ok {
				clear(columns)
				names = strings.Fields(string(header))
				for i, name := range names {
					columns[name] = i
				}
			}
			return nil, errHeader
		case len(names) == 0:
			return nil, malformed("no line #Fields before it")
		}
		parts := split(string(line))
		if len(parts) != len(names) {
			return nil, malformed(strconv.Itoa(len(parts)) + " fields, but the line #Fields has " +
				strconv.Itoa(len(names)))
		}
		return withDateTime(func(name string) string {
			if i, ok := columns[name]; ok {
				return absent(parts[i])
			}
			return ""
		}), nil
	}
}

// withDateTime returns get with the column dateTime.
func withDateTime(get getter) getter {
	return func(column string) string {
		if column == dateTime {
			return get("date") + " " + get("time")
		}
		return get(column)
	}
}

// blanks splits a line at blanks and tabs. A field in quotes may have blanks, and two quotes stand for one.
func blanks(line string) (parts []string) {
	for {
		if line = strings.TrimLeft(line, " \t"); line == "" {
			return parts
		}
		text, rest, ok := doublyQuoted(line)
		if !ok {
			end := strings.IndexAny(line, " \t")
			if end < 0 {
				end = len(line)
			}
			text, rest = line[:end], line[end:]
		}
		parts, line = append(parts, text), rest
	}
}

// doublyQuoted returns the text in quotes at the beginning of s, and what follows it. Two quotes stand for one.
func doublyQuoted(s string) (text, rest string, ok bool) {
	if s[0] != '"' {
		return "", s, false
	}
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 == len(s) || s[i+1] != '"' {
			return strings.ReplaceAll(s[1:i], `""`, `"`), s[i+1:], true
		}
		i++
	}
	return "", s, false
}

// twiceDecoded decodes percent escapes, which CloudFront writes for blanks once or twice.
func twiceDecoded(s string) string {
	for range 2 {
		if !strings.Contains(s, "%") {
			break
		}
		s = percentDecoded(s)
	}
	return s
}

// singly returns a URL with single escapes for the double ones that CloudFront writes, such as %C3 for %25C3.
func singly(url string) string {
	const escape = "%25"
	parts := strings.Split(url, escape)
	for i, part := range parts[1:] {
		if len(part) >= 2 && strings.Trim(part[:2], "0123456789abcdefABCDEF") == "" {
			parts[i+1] = "%" + part
		} else {
			parts[i+1] = escape + part
		}
	}
	return strings.Join(parts, "")
}

// percentDecoded decodes percent escapes. Unlike net/url, it leaves invalid ones as they are.
func percentDecoded(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(n))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}
