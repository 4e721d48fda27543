package notify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// errPrivate: an address is not one of the public internet.
var errPrivate = errors.New("the address is not public; the operator can allow it with --notify-private")

// notPublic lists the networks that messages do not reach: of this machine, of private networks, and of protocols that
// carry addresses of other networks in theirs.
func notPublic() []netip.Prefix {
	var all []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
		"5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// guard refuses connections to addresses that are not public. It looks at the address that is dialled, so names that
// lead to other addresses a moment later, and redirects, do not get around it.
type guard struct{ refused []netip.Prefix }

// Control is for [net.Dialer].
func (g *guard) Control(_ context.Context, _, address string, _ syscall.RawConn) error {
	host, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s", errPrivate, address)
	}
	at := host.Addr().Unmap().WithZone("")
	for _, network := range g.refused {
		if network.Contains(at) {
			return errPrivate
		}
	}
	return nil
}

// dialer returns the dialer of webhooks.
func dialer(private bool) *net.Dialer {
	d := &net.Dialer{Timeout: dialTimeout}
	if !private {
		d.ControlContext = (&guard{notPublic()}).Control
	}
	return d
}
