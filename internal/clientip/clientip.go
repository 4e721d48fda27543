// Package clientip finds the address of the client behind the proxies that a host trusts.
package clientip

import (
	"net/http"
	"net/netip"
	"strings"
)

// Header is where proxies name the addresses that a request passed.
const Header = "X-Forwarded-For"

// Proxies are the networks whose word about the client is taken. None: nobody's is.
type Proxies []netip.Prefix

// Addr is the client's address: the peer's, unless the peer is a trusted proxy. Then
// it is the last address in the header that is no trusted proxy itself, since all
// before it may be the client's invention. The zero Addr means that it is not known.
func (p Proxies) Addr(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	addr := plain(peer.Addr())
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
