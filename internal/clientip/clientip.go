// Package clientip finds the address of the client behind the proxies that a host trusts.
package clientip

import (
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
)

// Header is where proxies name the addresses that a request passed.
const Header = "X-Forwarded-For"

// Proxies are the networks whose word about the client is taken. None: nobody's is.
type Proxies []netip.Prefix

// Addr is the client's address: the peer's, unless the peer is a trusted proxy. Then
// it is the last address in the header that is no trusted proxy itself, since all
// before it may be the client's invention. The zero Addr means that it is not known.
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

// Watched is Addr, which warns once when a peer that is not trusted sends Header or another
// of the headers that proxies set: most likely it is a proxy that nobody named.
func (p Proxies) Watched(log *slog.Logger, headers ...string) func(*http.Request) netip.Addr {
	headers = append(headers, Header)
	var once sync.Once
	return func(r *http.Request) netip.Addr {
		for _, name := range headers {
			if name != "" && r.Header.Get(name) != "" && !p.Trusts(r) {
				once.Do(func() {
					log.Warn("a header of a proxy that is not trusted is not believed", "header", name, "peer", peer(r))
				})
			}
		}
		return p.Addr(r)
	}
}

// TrustAll reports whether a network of p holds all addresses there are, so that every
// client can name an address of its choice.
func (p Proxies) TrustAll() bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Bits() == 0 })
}

// peer is the address that r came from; the zero Addr when it is not known.
func peer(r *http.Request) netip.Addr {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return plain(from.Addr())
}

// Network is what one client on the public net has for itself: an IPv4 address, or a
// /64 of IPv6. Limits count by it.
func Network(addr netip.Addr) string {
	// As IPv6, all of IPv4 lies in one /64. A host's own ClientIP may hand that out.
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

// parse reads one hop: an address, perhaps with a port.
func parse(hop string) (netip.Addr, bool) {
	hop = strings.TrimSpace(hop)
	if addr, err := netip.ParseAddr(strings.Trim(hop, "[]")); err == nil {
		return plain(addr), true
	}
	withPort, err := netip.ParseAddrPort(hop)
	return plain(withPort.Addr()), err == nil
}

// plain is addr without what does not tell clients apart: an IPv4 address written as
// IPv6, and the name of a local interface.
func plain(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }

// Parse reads a network, 10.0.0.0/8, or a single address.
func Parse(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = plain(addr)
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	const mapped = 96 // bits before an IPv4 address that is written as IPv6
	if addr := network.Addr(); addr.Is4In6() && network.Bits() >= mapped {
		network = netip.PrefixFrom(addr.Unmap(), network.Bits()-mapped)
	}
	return network.Masked(), nil
}
