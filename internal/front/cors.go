package front

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// CORS defines what scripts of other origins may do with a group of routes. A nil *CORS allows
// nothing.
type CORS struct {
	Any         bool            // every origin may read responses
	Origins     map[string]bool // allowed origins, as browsers send them
	Credentials bool            // browsers may send cookies
	Methods     string          // for preflights
	Expose      string          // headers that scripts may read
	MaxAge      time.Duration   // how long browsers may cache a preflight
}

// Allow sets the headers that allow scripts of origin to read the response, if they may.
func (c *CORS) Allow(h http.Header, origin string) {
	switch {
	case c == nil || !c.Any && len(c.Origins) == 0:
		return
	case origin == "" && c.Any && !c.Credentials:
		return // browsers may cache the response for all origins
	case c.Any && !c.Credentials:
		h.Set("Access-Control-Allow-Origin", "*")
	default: // with credentials, browsers require the origin itself
		h.Set("Vary", "Origin")
		if origin == "" || !c.Any && !c.Origins[origin] {
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
	}
	if c.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Expose-Headers", c.Expose)
}

// Preflight sets the headers that tell scripts of an allowed origin what they may send. [CORS.Allow] comes first.
func (c *CORS) Preflight(h http.Header, r *http.Request) {
	if r.Header.Get("Access-Control-Request-Method") == "" || c == nil {
		return
	}
	if h.Get("Vary") != "" {
		h.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
	}
	if h.Get("Access-Control-Allow-Origin") == "" {
		return
	}
	h.Set("Access-Control-Allow-Methods", c.Methods)
	h.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Values("Access-Control-Request-Headers")))
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(c.MaxAge/time.Second)))
}

// usualHeaders are the headers that our clients and tracing scripts send, to every route. Preflights allow them even if
// they do not ask for them.
const usualHeaders = "Content-Type, Authorization, X-Api-Key, If-None-Match, If-Match, X-Requested-With, " +
	"X-Request-ID, X-Client-Id, databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version, traceparent, tracestate, baggage, sentry-trace"

// A preflight may ask for maxAsked more headers of at most maxAskedLen bytes each. Others are not
// allowed.
const (
	maxAsked    = 100
	maxAskedLen = 100
)

// allowedHeaders returns the headers that a request may have if its preflight asks for the headers in asked: the usual
// ones and those asked for. An asterisk would not do: it allows no Authorization, and nothing where cookies are sent.
func allowedHeaders(asked []string) string {
	allowed, more := usualHeaders, 0
	seen := map[string]bool{}
	for name := range strings.SplitSeq(usualHeaders, ", ") {
		seen[strings.ToLower(name)] = true
	}
	for name := range strings.SplitSeq(strings.Join(asked, ","), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if seen[name] || len(name) > maxAskedLen || !isToken(name) {
			continue
		}
		if more++; more > maxAsked {
			break
		}
		seen[name] = true
		allowed += ", " + name
	}
	return allowed
}

// isToken reports whether s is an HTTP token, like the name of a header.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// ParseOrigins parses the origins in a configuration. Its error joins all mistakes.
func ParseOrigins(texts []string) (map[string]bool, error) {
	all := map[string]bool{}
	var faults []error
	for _, text := range texts {
		origin, err := parseOrigin(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("%q %w", text, err))
			continue
		}
		all[origin] = true
	}
	return all, errors.Join(faults...)
}

func parseOrigin(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", errors.New("is not of the form https://host or https://host:port")
	}
	if u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil ||
		strings.Contains(u.Host, "*") {
		return "", errors.New("has more than a scheme, a host and a port")
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, nil
}
