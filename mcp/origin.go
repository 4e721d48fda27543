package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// This file refuses requests that a page of another site made a browser send. Such a page can also give its own name
// the address of this server (DNS rebinding). Then the browser takes both for one site, and Host has the name of the
// page.

// parseOrigin returns an origin such as https://panel.example in lower case, without the usual port, and its host.
func parseOrigin(text string) (origin, host string, err error) {
	u, err := url.Parse(strings.ToLower(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil || strings.Contains(u.Host, "*") {
		return "", "", errors.New("must be an origin such as https://panel.example")
	}
	host = u.Host
	if port := u.Port(); port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, u.Hostname(), nil
}

// allowed are the origins of pages that may send messages, and their hosts.
type allowed struct{ origins, hosts map[string]bool }

func parseOrigins(texts []string) (allowed, error) {
	a := allowed{map[string]bool{}, map[string]bool{}}
	var faults []error
	for _, text := range texts {
		origin, host, err := parseOrigin(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("mcp: Config.Origins: %q %w", text, err))
			continue
		}
		a.origins[origin], a.hosts[host] = true, true
	}
	return a, errors.Join(faults...)
}

// fault returns why r is refused, or an empty text. Programs send no Origin. Pages must have an allowed one, or be of
// this machine and of this server. A name that leads to an address of this machine must be a local one, an allowed one,
// or come from a trusted proxy.
func (s *Handler) fault(r *http.Request) string {
	name := strings.ToLower(hostname(r.Host))
	if sent := r.Header.Values("Origin"); len(sent) > 0 {
		origin, host, err := parseOrigin(sent[0])
		own := isLocal(host) && strings.TrimPrefix(strings.TrimPrefix(origin, "http://"),
			"https://") == strings.ToLower(r.Host)
		if err != nil || len(sent) > 1 || !s.allowed.origins[origin] && !own {
			return fmt.Sprintf("pages of the origin %q may not use these tools; the operator can allow it with --cors-origin",
				sent[0])
		}
	}
	if isLocalAddress(r) && !isLocal(name) && !s.allowed.hosts[name] && !s.cfg.Proxies.Trusts(r) {
		return fmt.Sprintf("the name %q is not one of this server; the operator can allow it with --cors-origin, or name the proxy with --trusted-proxy", r.Host)
	}
	return ""
}

// hostname returns a host without its port and the brackets of IPv6.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// isLocal reports whether a name always means this machine.
func isLocal(name string) bool {
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.Unmap().IsLoopback()
	}
	name = strings.TrimSuffix(name, ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// isLocalAddress reports whether r came to a loopback address.
func isLocalAddress(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	addr, err := netip.ParseAddrPort(at.String())
	return err == nil && addr.Addr().Unmap().IsLoopback()
}

// refuse answers with an error of JSON-RPC.
func refuse(w http.ResponseWriter, fault string) {
	body, err := json.Marshal(failureOf(-32001, nil, fault))
	if err != nil {
		body = nil // cannot happen: texts can be encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write(body) // the client may be gone
}
