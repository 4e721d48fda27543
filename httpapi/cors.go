package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// origins are the browser origins that may read answers, as browsers write them.
type origins map[string]bool

// What preflights are told, and which headers scripts may read.
const (
	corsMethods = "GET, POST, PATCH, DELETE"
	corsHeaders = "Content-Type, x-api-key, Authorization, If-None-Match, If-Match"
	corsExposed = "ETag, X-Request-ID, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, RateLimit, RateLimit-Policy"
	corsMaxAge  = "7200" // seconds; browsers keep a preflight no longer anyway
)

// parseOrigins reads origins of a configuration, or says all that is wrong with them.
func parseOrigins(texts []string) (origins, error) {
	all := origins{}
	var faults []error
	for _, text := range texts {
		origin, err := parseOrigin(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("httpapi: Config.CORSOrigins: %q %w", text, err))
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

// allow lets scripts of a named origin read the answer.
func (o origins) allow(h http.Header, r *http.Request) {
	if len(o) == 0 {
		return
	}
	h.Set("Vary", "Origin")
	if origin := r.Header.Get("Origin"); o[origin] {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", corsExposed)
	}
}

// options answers OPTIONS: a preflight of a named origin is told what it may do,
// anybody else what the place offers.
func (o origins) options(w http.ResponseWriter, r *http.Request, allow string) {
	h := w.Header()
	h.Set("Allow", allow)
	if len(o) > 0 && r.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
		if o[r.Header.Get("Origin")] {
			h.Set("Access-Control-Allow-Methods", corsMethods)
			h.Set("Access-Control-Allow-Headers", corsHeaders)
			h.Set("Access-Control-Max-Age", corsMaxAge)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
