package importer

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/sightline-analytics/sightline/internal/intake"
)

// anyTime reads a time in a usual form. Whole and decimal numbers are seconds, milliseconds, microseconds or
// nanoseconds since 1970, by their size. A text without a zone is in zone.
func anyTime(s string, zone *time.Location) (time.Time, bool) {
	whole, part, _ := strings.Cut(s, ".")
	n, err := json.Number(whole).Int64()
	if err != nil || len(whole) == len("20060102") && part == "" {
		return textTime(s, zone)
	}
	if strings.Trim(part, "0123456789") != "" {
		return time.Time{}, false // such as 20.11.2026
	}
	var at time.Time
	switch {
	case n < intake.MaxSeconds:
		nanos, _ := json.Number((part + "000000000")[:9]).Int64()
		at = time.Unix(n, nanos)
	case n < intake.MaxSeconds*1000:
		at = time.UnixMilli(n)
	case n < intake.MaxSeconds*1000*1000:
		at = time.UnixMicro(n)
	default:
		at = time.Unix(n/1e9, n%1e9)
	}
	return at.UTC(), intake.Sane(at)
}

// textTime reads a time in text, also as web servers write it.
func textTime(s string, zone *time.Location) (time.Time, bool) {
	if at, ok := intake.InstantIn(s, zone); ok {
		return at, true
	}
	if at, ok := logTime(s); ok {
		return at, true
	}
	for _, layout := range []string{"2006/01/02 15:04:05.999999999", haproxyTime} {
		if at, err := time.ParseInLocation(layout, s, zone); err == nil && intake.Sane(at) {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}

// isObject reports whether a line begins an object, or a list of objects.
func isObject(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, "[ \t"), []byte("{")) }

// caddy is the format of Caddy's access log.
func caddy() format {
	return format{
		name: "caddy", title: "access log of Caddy in JSON", split: byObject, read: readObjects, requests: true,
		is: func(line []byte) bool {
			return isObject(line) && bytes.Contains(line, []byte(`"request"`)) &&
				bytes.Contains(line, []byte(`"uri"`)) && bytes.Contains(line, []byte(`"ts"`))
		},
		columns: columns{
			"time": {"ts"}, "status": {"status"}, "method": {"request.method"}, "host": {"request.host"},
			"url": {"request.uri"},
			// Versions before 2.5 have remote_addr, with the port.
			"address":      {"request.client_ip", "request.remote_ip", "request.remote_addr"},
			"content_type": {"resp_headers.Content-Type"}, "referrer": {"request.headers.Referer"},
			"user_agent": {"request.headers.User-Agent"},
		},
		check: func(get getter) error {
			if get("ts") == "" || get("request.method") == "" && get("request.uri") == "" {
				return skip(OtherKind) // another message of the server
			}
			return nil
		},
	}
}

// cloudflare is the format of the dataset http_requests of Cloudflare's Logpush.
func cloudflare() format {
	return format{
		name: "cloudflare", title: "HTTP requests of Cloudflare Logpush", split: byObject, read: readObjects,
		requests: true,
		is: func(line []byte) bool {
			return isObject(line) && bytes.Contains(line, []byte(`"ClientRequest`)) &&
				bytes.Contains(line, []byte(`"Edge`))
		},
		columns: columns{
			"time": {"EdgeStartTimestamp", "EdgeEndTimestamp"}, "id": {"RayID"}, "address": {"ClientIP"},
			"country": {"ClientCountry"}, "host": {"ClientRequestHost"}, "method": {"ClientRequestMethod"},
			"url": {"ClientRequestURI", "ClientRequestPath"}, "referrer": {"ClientRequestReferer"},
			"user_agent": {"ClientRequestUserAgent"}, "status": {"EdgeResponseStatus"},
			"content_type": {"EdgeResponseContentType"},
		},
		check: func(get getter) error {
			source := get("ClientRequestSource")
			if get("WorkerSubrequest") == "true" || source != "" && source != "eyeball" {
				return &skipError{NoVisitor, source}
			}
			return nil
		},
		finish: func(r *Record, _ getter) error {
			if r.Method == "" || r.URL == "" {
				return malformed("no ClientRequestMethod, or no ClientRequestURI")
			}
			return nil
		},
	}
}

// traefik is the format of Traefik's access log in JSON. Its common format is the Combined Log Format.
func traefik() format {
	return format{
		name: "traefik", title: "access log of Traefik in JSON", split: byObject, read: readObjects, requests: true,
		is: func(line []byte) bool {
			return isObject(line) && bytes.Contains(line, []byte(`"RequestPath"`)) &&
				bytes.Contains(line, []byte(`"DownstreamStatus"`))
		},
		columns: columns{
			timeField: {"StartUTC", "StartLocal", "time"}, statusField: {"DownstreamStatus"},
			"method": {"RequestMethod"}, "url": {"RequestPath"}, "host": {"RequestHost", "RequestAddr"},
			"address": {"ClientHost", "ClientAddr"}, "referrer": {"request_Referer"},
			"user_agent":   {"request_User-Agent"},
			"content_type": {"downstream_Content-Type", "origin_Content-Type"},
		},
		check: func(get getter) error {
			if get("RequestMethod") == "" {
				return skip(OtherKind) // another message of the program
			}
			return nil
		},
	}
}
