// Package clientip finds the address of the client behind the proxies that a host trusts:
//
//	network, err := clientip.Parse("10.0.0.0/8")
//	proxies := clientip.Proxies{network}
//	api, err := httpapi.New(httpapi.Config{Proxies: proxies})    // and track.Config.Proxies
//	addr := proxies.Addr(r)                                      // the client's address, not the proxy's
//	bucket := clientip.Network(addr)                             // an IPv4 address or an IPv6 /64
//
// A client can send the header X-Forwarded-For itself, with any addresses. So this package reads it only in requests
// that a trusted proxy sent. A proxy appends the address of its sender to the header, so the header is read from
// its end, up to the first address that is not a trusted proxy.
//
// A host that finds the client's address in another way, such as a header of its own proxy, can set
// [http.Request.RemoteAddr] in a middleware, with or without a port, and trust no proxy.
package clientip

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// Header is the header in which proxies list the addresses of a request.
const Header = "X-Forwarded-For"

// Proxies are the networks of trusted proxies. An empty list trusts no proxy.
type Proxies []netip.Prefix

// Addr returns the client's address. This is the peer's address, unless the peer is a trusted proxy. Then it is the
// last address in the header that is not a trusted proxy, since the client can invent the addresses before it. The zero
// Addr means that the address is unknown.
func (p Proxies) Addr(r *http.Request) netip.Addr {
	addr := peer(r)
	hops := strings.Join(r.Header.Values(Header), ",")
	for p.trusts(addr) {
		comma := strings.LastIndexByte(hops, ',')
		hop, ok := parse(hops[comma+1:])
		if !ok {
			break
		}
		addr, hops = hop, hops[:max(comma, 0)]
	}
	return addr
}

// Trusts reports whether r came from a trusted proxy.
func (p Proxies) Trusts(r *http.Request) bool { return p.trusts(peer(r)) }

// Watched returns Addr with a warning: it logs once if an untrusted peer sends Header or another proxy header. The peer
// is most likely a proxy that is missing in the configuration.
func (p Proxies) Watched(log *slog.Logger, headers ...string) func(*http.Request) netip.Addr {
	headers = append(headers, Header)
	var once sync.Once
	return func(r *http.Request) netip.Addr {
		for _, name := range headers {
			if name != "" && r.Header.Get(name) != "" && !p.Trusts(r) {
				once.Do(func() {
					log.Warn("ignoring proxy header from untrusted peer", "header", name, "peer", peer(r))
				})
			}
		}
		return p.Addr(r)
	}
}

// TrustAll reports whether a network of p contains all addresses. Then every client can choose its
// address.
func (p Proxies) TrustAll() bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Bits() == 0 })
}

// peer returns the address that r came from, or the zero Addr if it is unknown.
func peer(r *http.Request) netip.Addr {
	addr, _ := parse(r.RemoteAddr)
	return addr
}

// Network returns the network of one client on the Internet: an IPv4 address or an IPv6 /64. Rate limits count by
// network.
func Network(addr netip.Addr) string {
	// In IPv6 form all IPv4 addresses are in one /64.
	addr = addr.Unmap()
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}

func (p Proxies) trusts(addr netip.Addr) bool {
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// parse parses an address with or without a port. It returns the zero Addr and false for any other text.
func parse(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return plain(addr), true
	}
	withPort, err := netip.ParseAddrPort(text)
	return plain(withPort.Addr()), err == nil
}

// plain returns addr without differences that do not distinguish clients: IPv4 addresses in IPv6 form, and names of
// local interfaces.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// Parse parses a network, such as 10.0.0.0/8, or a single address.
func Parse(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = plain(addr)
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	const mapped = 96 // bits before an IPv4 address in IPv6 form
	if addr := network.Addr(); addr.Is4In6() && network.Bits() >= mapped {
		network = netip.PrefixFrom(addr.Unmap(), network.Bits()-mapped)
	}
	return network.Masked(), nil
}
