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

// CORS is what scripts of other origins may do with a group of routes. A nil *CORS allows
// them nothing.
type CORS struct {
	Any         bool            // every origin may read answers
	AnyHeader   bool            // preflights allow every header that they ask for, beside Headers
	Origins     map[string]bool // that may, as browsers write them
	Credentials bool            // browsers may send cookies along
	Methods     string          // that preflights are told
	Headers     string          // that requests may have
	Expose      string          // headers that scripts may read
	MaxAge      time.Duration   // how long browsers may remember a preflight
}

// allow lets scripts of origin read the answer, if they may.
func (c *CORS) allow(h http.Header, origin string) {
	switch {
	case c == nil || !c.Any && len(c.Origins) == 0:
		return
	case origin == "" && c.Any && !c.Credentials:
		return // what browsers may keep is the same for all origins
	case c.Any && !c.Credentials:
		h.Set("Access-Control-Allow-Origin", "*")
	default: // with credentials, browsers want the origin itself
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

// preflight says what scripts of an allowed origin may send.
func (c *CORS) preflight(h http.Header, r *http.Request) {
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
	h.Set("Access-Control-Allow-Headers", c.allowedHeaders(r.Header.Values("Access-Control-Request-Headers")))
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(c.MaxAge/time.Second)))
}

// A preflight names at most maxAsked headers, and each has at most maxAskedLen bytes. Others
// are not allowed.
const (
	maxAsked    = 100
	maxAskedLen = 100
)

// allowedHeaders returns the headers that a request may have if its preflight asks for the
// headers in asked. Scripts for tracing add headers to every request.
func (c *CORS) allowedHeaders(asked []string) string {
	if !c.AnyHeader {
		return c.Headers
	}
	allowed := c.Headers
	seen := map[string]bool{}
	for name := range strings.SplitSeq(c.Headers, ",") {
		seen[strings.ToLower(strings.TrimSpace(name))] = true
	}
	for name := range strings.SplitSeq(strings.Join(asked, ","), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if seen[name] || len(name) > maxAskedLen || !isToken(name) {
			continue
		}
		if len(seen) == maxAsked {
			break
		}
		seen[name] = true
		allowed += ", " + name
	}
	return allowed
}

// isToken reports whether s is a token of HTTP, as names of headers are.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	})
}

// ParseOrigins reads origins of a configuration, or says all that is wrong with them.
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
	if u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil || strings.Contains(u.Host, "*") {
		return "", errors.New("has more than a scheme, a host and a port")
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, nil
}
