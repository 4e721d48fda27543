package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// This file reads the HTTP log of HAProxy:
//
//	… address:port [time] frontend backend/server timers status bytes … {headers} {response headers} "request"
//
// It has headers only if the configuration captures them, in the order of the configuration.

// haproxyTime is the form of its times, which have no zone.
const haproxyTime = "02/Jan/2006:15:04:05.000"

// capturedHeader is the column of the i-th header of the request that is captured, as HAProxy names it.
func capturedHeader(i int) string { return fmt.Sprintf("capture.req.hdr(%d)", i) }

// haproxy is the format of the HTTP log of HAProxy.
func haproxy() format {
	return format{
		name: "haproxy", title: "HTTP log of HAProxy that captures User-Agent, whose column is in Config.Map",
		is: isHAProxy, split: byLine, requests: true, local: true,
		read:    func() reader { return readHAProxy },
		columns: columns{timeField: {"time"}, statusField: {"status"}, "address": {"client"}},
		needs: func(given map[string]string) error {
			if given["user_agent"] == "" {
				return errors.New("it is a log of HAProxy, whose lines have no user agent unless the configuration " +
					"has capture request header User-Agent len 512; then import it with --format haproxy --map " +
					"user_agent=" + capturedHeader(0) + ", with the number of the header among the captured ones")
			}
			return nil
		},
		check: func(get getter) error {
			if get("time") == "" {
				return skip(OtherKind) // a message about the program itself
			}
			return nil
		},
		finish: func(r *Record, get getter) error {
			r.Method, r.URL = requestLine(get("request"))
			return nil
		},
	}
}

func isHAProxy(line []byte) bool {
	get, err := readHAProxy(line)
	return err == nil && get("time") != ""
}

// The fields behind the time.
const (
	haproxyStatus = 3  // after frontend, backend/server and timers
	haproxyFields = 10 // before the headers
)

func readHAProxy(line []byte) (getter, error) {
	before, at, after, ok := cutHAProxyTime(string(line))
	if !ok {
		if i := bytes.Index(line, []byte("]: ")); i >= 0 && ownMessage(string(line[i+len("]: "):])) {
			return func(string) string { return "" }, nil
		}
		return nil, malformed("no time like [21/Nov/2026:10:00:00.000]")
	}
	parts := strings.SplitN(after, " ", haproxyFields+1)
	if len(parts) <= haproxyFields || !strings.Contains(parts[1], "/") {
		return nil, malformed("not the HTTP format of HAProxy")
	}
	if _, err := strconv.Atoi(parts[haproxyStatus]); err != nil {
		return nil, malformed("no status")
	}
	headers, rest := "", parts[haproxyFields]
	if strings.HasPrefix(rest, "{") {
		if headers, rest, ok = strings.Cut(rest[1:], "}"); !ok {
			return nil, malformed("a brace is not closed")
		}
	}
	_, request, ok := strings.Cut(rest, `"`)
	if ok {
		request, _, ok = strings.Cut(request, `"`)
	}
	if !ok {
		return nil, malformed("no request in quotes")
	}
	values := map[string]string{"time": at, "client": lastField(before), "status": parts[haproxyStatus],
		"request": hashDecoded(request)}
	for i, value := range strings.Split(headers, "|") {
		values[capturedHeader(i)] = hashDecoded(value)
	}
	return func(column string) string { return values[column] }, nil
}

// cutHAProxyTime cuts a line before and after its time, which is in brackets.
func cutHAProxyTime(s string) (before, at, after string, ok bool) {
	const size = len("[" + haproxyTime + "] ")
	for from := 0; ; from++ {
		i := strings.IndexByte(s[from:], '[')
		if i < 0 || from+i+size > len(s) {
			return "", "", "", false
		}
		from += i
		if at, ok = strings.CutSuffix(s[from+1:from+size], "] "); !ok {
			continue
		}
		if _, err := time.Parse(haproxyTime, at); err == nil {
			return s[:from], at, s[from+size:], true
		}
	}
}

// ownMessage reports whether HAProxy writes a message about itself, its servers or a connection without a request.
func ownMessage(text string) bool {
	for _, begin := range []string{"Proxy ", "Server ", "Backup Server ", "Health check ", "Connect from ",
		"backend ", "proxy "} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// lastField returns the last of the fields of s.
func lastField(s string) string {
	s = strings.TrimRight(s, " ")
	return s[strings.LastIndexByte(s, ' ')+1:]
}

// hashDecoded decodes the escapes of HAProxy, such as #22 for a quote.
func hashDecoded(s string) string {
	if !strings.Contains(s, "#") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '#' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
